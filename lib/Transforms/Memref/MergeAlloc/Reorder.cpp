//===- Reorder.cpp - An order of ops whose buffers need fewer bytes -------===//
//
// Candidates are orders with less at their peak; each is traced and planned as
// the text is, and the one of the fewest bytes is taken.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/BlockOrder.h"
#include "lib/Transforms/Memref/MergeAlloc/Stages.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Threading.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace tpu_mlir::merging {

using namespace ordering;

/// Orders that are planned, besides the text.
static constexpr size_t kMostPlanned = 3;
/// More ops of a function stay as they are.
static constexpr size_t kMostOrdered = 10000;
static constexpr int64_t kMostSets = 200000;

namespace {

/// Bytes that are left of the buffers of a scope and memory space: as they are,
/// and with every allocation rounded up to the alignment.
struct Bytes {
  int64_t exact = 0;
  int64_t aligned = 0;
  void add(Bytes o) {
    exact = saturatedAdd(exact, o.exact);
    aligned = saturatedAdd(aligned, o.aligned);
  }
};

using Merged = llvm::MapVector<std::pair<Block *, Attribute>, Bytes>;

/// What merging would leave.
struct Trial {
  Merged merged;
  std::vector<TickBuffer> buffers;
};

/// Takes what a thread has to say, and nothing of others.
class Quiet : public ScopedDiagnosticHandler {
public:
  explicit Quiet(MLIRContext *context) : ScopedDiagnosticHandler(context) {
    setHandler([thread = llvm::get_threadid()](Diagnostic &) {
      return success(llvm::get_threadid() == thread);
    });
  }
};

} // namespace

static Bytes bytesOf(int64_t exact, int64_t alignment) {
  return {exact, checkedAlignUp(exact, alignment).value_or(exact)};
}

static Bytes bytesOf(const TickTrace &trace,
                     const FailureOr<MemorySchedule> &schedule,
                     int64_t alignment) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // What does not fit has more bytes than anything that does.
  if (failed(schedule))
    return {kMost, kMost};
  if (!schedule->allocToOffset.empty())
    return bytesOf(static_cast<int64_t>(schedule->totalSize), alignment);
  Bytes apart;
  for (const TickBuffer &buffer : trace.buffers)
    apart.add(bytesOf(buffer.sizeBytes, alignment));
  return apart;
}

/// nullopt: the collector failed, or one of the caller's makes other traces.
static std::optional<Trial> plan(Operation *function,
                                 const MergeAllocationOptions &given) {
  MergeAllocationOptions options = given;
  options.remarks = false;
  const Quiet quiet(function->getContext());
  BufferViewFlowAnalysis flow(function);
  FailureOr<MemoryTraceScopes> traces = options.tracer(function, flow, options);
  if (failed(traces))
    return std::nullopt;
  Trial trial;
  for (const std::unique_ptr<LifetimeTrace> &each : traces->scopeTraces) {
    const auto *trace = dynamic_cast<const TickTrace *>(each.get());
    if (!trace)
      return std::nullopt;
    trial.merged[{trace->getAllocScope(), trace->getMemorySpace()}].add(bytesOf(
        *trace, options.planner(function, *trace, options), options.alignment));
    trial.buffers.insert(trial.buffers.end(), trace->buffers.begin(),
                         trace->buffers.end());
  }
  return trial;
}

static Bytes sumOf(const Merged &merged) {
  Bytes sum;
  for (const auto &[scope, bytes] : merged)
    sum.add(bytes);
  return sum;
}

/// Fewer bytes in all, and in no scope and space more.
static bool isLess(const Merged &a, const Merged &b) {
  for (const auto &[scope, bytes] : a)
    if (auto found = b.find(scope); found == b.end() ||
                                    bytes.exact > found->second.exact ||
                                    bytes.aligned > found->second.aligned)
      return false;
  const Bytes left = sumOf(a), right = sumOf(b);
  return left.exact < right.exact || left.aligned < right.aligned;
}

/// As many buffers are merged, with fewer bytes.
static bool isBetter(const std::optional<Trial> &trial, const Trial &asIs,
                     const Merged &least) {
  return trial && trial->buffers.size() == asIs.buffers.size() &&
         isLess(trial->merged, least);
}

static void say(Operation *function, const FoundOrder &order,
                const Merged &before, const Merged &after) {
  emitRemark(function->getLoc())
      << "ops in the order of '" << order.method << "': merged buffers have "
      << sumOf(after).exact << " bytes, " << sumOf(before).exact
      << " in that of the text";
}

/// Why nothing is tried, null where something is.
static const char *whyAsIs(Operation *function) {
  if (!function->getRegion(0).hasOneBlock())
    return "it has several blocks";
  if (function->getRegion(0).front().getOperations().size() > kMostOrdered)
    return "they are more than 10,000";
  if (!function->getRegion(0).front().mightHaveTerminator())
    return "nothing ends its block";
  return nullptr;
}

/// Of some orders the one that leaves least; ops stand where it has them, or as
/// they stood. null: where they stood.
static const FoundOrder *applyBest(Operation *function, const BlockOrder &block,
                                   ArrayRef<FoundOrder> orders,
                                   const Trial &asIs, Merged &least,
                                   const MergeAllocationOptions &options) {
  Block &body = function->getRegion(0).front();
  std::vector<Operation *> places;
  for (Operation &op : body)
    places.push_back(&op);
  const FoundOrder *best = nullptr;
  for (const FoundOrder &order : orders) {
    applyOrder(block, order.order);
    if (auto trial = plan(function, options); isBetter(trial, asIs, least)) {
      least = trial->merged;
      best = &order;
    }
  }
  if (best)
    applyOrder(block, best->order);
  else
    for (Operation *op : places)
      op->moveBefore(&body, body.end());
  return best;
}

void reorderOps(Operation *function, const MergeAllocationOptions &options) {
  if (function->getNumRegions() != 1 || function->getRegion(0).empty())
    return;
  if (const char *why = whyAsIs(function)) {
    if (options.remarks)
      emitRemark(function->getLoc()) << "ops stay as they stand: " << why;
    return;
  }
  const std::optional<Trial> asIs = plan(function, options);
  if (!asIs || asIs->buffers.empty())
    return;
  const BlockOrder block =
      makeBlockOrder(function->getRegion(0).front(), asIs->buffers,
                     BufferViewFlowAnalysis(function), options.inPlace);
  if (!checkProblem(block.problem).empty())
    return;
  OrderOptions limits;
  limits.maxSets = kMostSets;
  const OrderResult found = findOrder(block.problem, limits);
  Order text(block.ops.size());
  std::iota(text.begin(), text.end(), 0);
  const int64_t peak = peakOf(block.problem, text);
  const auto lower =
      llvm::ArrayRef(found.orders).take_while([&](const FoundOrder &order) {
        return order.peak < peak;
      });
  Merged least = asIs->merged;
  const FoundOrder *best = applyBest(
      function, block, lower.take_front(kMostPlanned), *asIs, least, options);
  if (best && options.remarks)
    say(function, *best, asIs->merged, least);
}

} // namespace tpu_mlir::merging
