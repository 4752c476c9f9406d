//===- OrderBench.cpp - Orders of ops of published networks ---------------===//
//
// What networks need in the order of the text, in those of rules of thumb that
// compilers have, and in the one that is found here; as tables in Markdown. By
// hand:
//
//   ./bazelw run //tests/bench:orders
//
//===----------------------------------------------------------------------===//

#include "tests/Ordering/Cells.h"
#include "tests/Ordering/RandomProblems.h"
#include "tests/Ordering/SwiftNet.h"
#include "tests/bench/BenchTools.h"

#include "lib/Ordering/Candidates.h"
#include "lib/Transforms/Tpu/BlockProblem/BlockProblem.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::ordering;

namespace {

/// What a compiler may do without a search: which of quickOrders().
constexpr const char *kRules[] = {"least-level", "depth-first",
                                  "reverse-post-order", "least-peak"};
constexpr int64_t kAlignment = 4096;

struct Row {
  std::string name;
  size_t ops = 0;
  int64_t text = 0;
  std::vector<int64_t> rules;
  OrderResult found;
  /// Of the order that is found, packed.
  int64_t height = 0;
  double seconds = 0;

  int64_t peak() const { return found.orders.front().peak; }
  int64_t bestRule() const {
    return *std::min_element(rules.begin(), rules.end());
  }
};

} // namespace

/// Bytes of the tensors, each as long as it is alive, packed.
static int64_t packed(const OrderProblem &problem, const Order &order) {
  std::vector<int64_t> places(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    places[order[place]] = static_cast<int64_t>(place);
  const int64_t end = static_cast<int64_t>(order.size());
  planning::Problem packing;
  packing.pools.emplace_back();
  packing.pools.back().name = "neuron";
  for (const Tensor &tensor : problem.tensors) {
    Interval life = {end, 0};
    for (int op : tensor.writers)
      life = {std::min(life.begin, places[op]),
              std::max(life.end, places[op] + 1)};
    for (int op : tensor.readers)
      life.end = std::max(life.end, places[op] + 1);
    planning::Buffer buffer;
    buffer.sizeBytes = tensor.size;
    buffer.alignment = kAlignment;
    buffer.pools = {0};
    buffer.lifespans = {
        {tensor.fromStart ? 0 : life.begin, tensor.toEnd ? end : life.end}};
    packing.buffers.push_back(std::move(buffer));
  }
  const planning::SolveResult result = planning::solve(packing);
  const auto *plan = std::get_if<planning::Plan>(&result);
  return plan ? plan->pools.front().usedBytes : -1;
}

static Row measure(std::string name, const OrderProblem &problem) {
  Row row;
  row.name = std::move(name);
  row.ops = problem.ops.size();
  Order text(row.ops);
  std::iota(text.begin(), text.end(), 0);
  row.text = peakOf(problem, text);
  const Uses uses(problem);
  for (const char *rule : kRules)
    for (const Candidate &candidate : quickOrders(uses))
      if (candidate.method == llvm::StringRef(rule))
        row.rules.push_back(peakOf(problem, candidate.order));
  bench::Clock clock;
  row.found = findOrder(problem);
  row.seconds = clock.lap();
  return row;
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

/// A network at its own size, F32, for bm1684x, all layers in global memory.
static Row measureNetwork(const std::string &model) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  ModelOptions options;
  options.model = model;
  options.level = Level::Tpu;
  auto built = buildModel(context, options);
  if (auto *error = std::get_if<ModelError>(&built))
    llvm::report_fatal_error(llvm::StringRef(error->message));
  ModuleOp module = *std::get<OwningOpRef<ModuleOp>>(built);
  FailureOr<GlobalFacts> facts = analyzeModule(module, /*fourN=*/false);
  if (failed(facts))
    llvm::report_fatal_error("the network cannot be analysed");
  const reorder::BlockProblem block =
      reorder::makeBlockProblem(facts->schedule.functions().front(), *facts,
                                {kAlignment, false, false, {}});
  Row row = measure(model, block.problem);
  row.height = packed(block.problem, row.found.orders.front().order);
  return row;
}

static std::string kib(int64_t bytes) {
  return std::to_string((bytes + 1023) / 1024);
}

static std::string proofOf(const Row &row) {
  return row.found.isOptimal() ? "optimal" : "";
}

namespace {

/// Rows of networks, and what holds for all of them.
class Networks {
public:
  Networks();
  void add(const char *model);
  /// Of the rows so far, what is found over the best rule of thumb.
  double mean() const { return std::exp(logs / all); }
  void printAtPeak() const;
  /// None needs more than the text or a rule of thumb.
  bool isNeverMore() const { return more == 0; }

private:
  double logs = 0;
  int all = 0, atPeak = 0, more = 0;
};

} // namespace

Networks::Networks() {
  llvm::outs() << "KiB, F32, aligned to 4096\n\n"
               << "| network | layers | text | freed bytes | depth first | "
                  "reverse post-order | LPMF | found | bound | | packed | sets "
                  "| seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|"
                  "--:|--:|\n";
}

void Networks::add(const char *model) {
  const Row row = measureNetwork(model);
  llvm::outs() << "| " << row.name << " | " << row.ops << " | "
               << kib(row.text);
  for (int64_t rule : row.rules)
    llvm::outs() << " | " << kib(rule);
  llvm::outs() << " | " << kib(row.peak()) << " | " << kib(row.found.bound)
               << " | " << proofOf(row) << " | " << kib(row.height) << " | "
               << row.found.sets << " | " << bench::seconds(row.seconds)
               << " |\n";
  ++all;
  atPeak += row.height == row.peak();
  more += row.peak() > std::min(row.text, row.bestRule());
  logs += std::log(static_cast<double>(row.peak()) /
                   static_cast<double>(row.bestRule()));
}

void Networks::printAtPeak() const {
  llvm::outs() << atPeak << " of " << all << " are packed at their peak, "
               << more << " need more than in the order of the text or of a "
               << "rule of thumb.\n\n";
}

static bool printNetworks() {
  static constexpr const char *kFound[] = {"nasnet_a_large", "pnasnet5_large",
                                           "amoebanet_a", "darts", "randwire"};
  static constexpr const char *kOthers[] = {
      "swiftnet",  "inception_v3", "inception_v4", "densenet121",
      "resnet50",  "mobilenet_v2", "unet",         "yolo_fpn",
      "bert_base", "llama_block",  "chain"};
  Networks networks;
  for (const char *model : kFound)
    networks.add(model);
  const double mean = networks.mean();
  for (const char *model : kOthers)
    networks.add(model);
  llvm::outs() << "\nOver the first " << std::size(kFound)
               << " networks the geometric mean is "
               << llvm::formatv("{0:f3}", mean)
               << " of the best rule of thumb. ";
  networks.printAtPeak();
  return networks.isNeverMore();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static void printGraphs() {
  llvm::outs() << "| graph | ops | text | LPMF | found | bound | | sets | "
                  "seconds |\n|---|--:|--:|--:|--:|--:|---|--:|--:|\n";
  int small = 0, proved = 0;
  const auto print = [&](const std::string &name, const OrderProblem &problem) {
    const Row row = measure(name, problem);
    llvm::outs() << "| " << row.name << " | " << row.ops << " | " << row.text
                 << " | " << row.rules.back() << " | " << row.peak() << " | "
                 << row.found.bound << " | " << proofOf(row) << " | "
                 << row.found.sets << " | " << bench::seconds(row.seconds)
                 << " |\n";
    if (row.ops <= 100) {
      ++small;
      proved += row.found.isOptimal();
    }
  };
  print("4 cells of DARTS V2", stack(graphs::kDartsV2.normal, 4));
  print("4 cells of NASNet-A", stack(graphs::kNasNetA.normal, 4));
  print("4 cells of AmoebaNet-A", stack(graphs::kAmoebaNetA.normal, 4));
  print("4 cells of PNASNet-5", stack(graphs::kPnasNet5.normal, 4));
  for (uint64_t seed = 1; seed <= 10; ++seed)
    print("RandWire, seed " + std::to_string(seed), randWire(seed));
  const std::pair<char, int> kCells[] = {{'A', 32}, {'B', 56}, {'C', 81}};
  for (auto [cell, last] : kCells) {
    SwiftProblem problem(cell, last);
    print(std::string("SwiftNet ") + cell, problem.asWritten());
    print(std::string("SwiftNet ") + cell + ", concats taken apart",
          problem.rewritten());
  }
  for (int span : {3, 10, 30})
    for (int seed = 0; seed < 5; ++seed) {
      std::mt19937 random(seed);
      print("random, 100 ops, read " + std::to_string(span) + " back",
            sparseProblem(random, 100, span));
    }
  std::mt19937 random(1);
  print("random, 10,000 ops", sparseProblem(random, 10000, 20));
  print("330 cells of NASNet-A", stack(graphs::kNasNetA.normal, 330));
  llvm::outs() << "\n"
               << proved << " of " << small
               << " graphs of up to 100 ops are proved optimal.\n";
}

int main() {
  const bool isNeverMore = printNetworks();
  printGraphs();
  return isNeverMore ? 0 : 1;
}
