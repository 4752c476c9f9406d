//===- MemrefPassesBench.cpp - Passes on memrefs by number of buffers -----===//
//
// Functions of several shapes go through every pass on memrefs, and through
// MLIR's passes of the same purpose where these take minutes at most. Each run
// has a process of its own, so that its memory can be told: seconds are of the
// pass alone, of processor time, and the least of several runs, since a machine
// has others to serve; MiB of the process, the text and the module included.
//
//   ./bazelw run //tests/bench:memref_passes [-- <buffers>... <pipeline>...]
//
//===----------------------------------------------------------------------===//

#include "tests/bench/BenchTools.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Pipelines/MemrefPasses.h"
#include "tpu_mlir/Support/TextTable.h"

#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

#include <ctime>
#include <limits>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::bench;

namespace {

class Writer {
public:
  void open(const std::string &name) {
    text +=
        "func.func @" + name + "(%c: i1, %l: index, %u: index, %x: f32) {\n";
  }
  std::string alloc() {
    std::string name = "%a" + std::to_string(count++);
    line(name + " = memref.alloc() : memref<8xf32>");
    return name;
  }
  void use(const std::string &name) {
    line("memref.store %x, " + name + "[%l] : memref<8xf32>");
  }
  void line(const std::string &words) { text += words + "\n"; }
  std::vector<std::string> allocs(int64_t number) {
    std::vector<std::string> names;
    while (int64_t(names.size()) < number)
      names.push_back(alloc());
    return names;
  }
  std::string finish() { return std::move(text) + "return\n}\n"; }

  int64_t count = 0;

private:
  std::string text;
};

/// All are allocated at the start, and used there if asked for; each block of a
/// row uses one.
std::string rowOfBlocks(int64_t buffers, bool isWrittenBefore) {
  Writer writer;
  writer.open("f");
  const std::vector<std::string> names = writer.allocs(buffers);
  if (isWrittenBefore)
    for (const std::string &name : names)
      writer.use(name);
  for (const std::string &name : names) {
    const std::string label = "^n" + name.substr(1);
    writer.line("cf.br " + label);
    writer.line(label + ":");
    writer.use(name);
  }
  return writer.finish();
}

std::string ownBlock(int64_t buffers) { return rowOfBlocks(buffers, false); }

std::string writtenBefore(int64_t buffers) {
  return rowOfBlocks(buffers, true);
}

/// A buffer of each level is used inside and after.
std::string nestsOf(int64_t buffers, int levels) {
  Writer writer;
  writer.open("f");
  while (writer.count < buffers) {
    std::vector<std::string> open;
    for (int level = 0; level < levels && writer.count < buffers; ++level) {
      open.push_back(writer.alloc());
      writer.use(open.back());
      writer.line("scf.if %c {");
    }
    for (const std::string &name : llvm::reverse(open)) {
      writer.line("}");
      writer.use(name);
    }
  }
  return writer.finish();
}

std::string nests(int64_t buffers) { return nestsOf(buffers, 100); }

std::string deepNests(int64_t buffers) { return nestsOf(buffers, 1000); }

std::string deeperNests(int64_t buffers) { return nestsOf(buffers, 2000); }

/// A row of branches: one side of each makes a buffer, the other one hands on
/// what there was before.
std::string diamonds(int64_t buffers) {
  Writer writer;
  writer.open("f");
  std::string before = writer.alloc();
  writer.use(before);
  while (writer.count < buffers) {
    const std::string number = std::to_string(writer.count);
    writer.line("cf.cond_br %c, ^make" + number + ", ^join" + number + "(" +
                before + " : memref<8xf32>)");
    writer.line("^make" + number + ":");
    const std::string made = writer.alloc();
    writer.use(made);
    writer.line("cf.br ^join" + number + "(" + made + " : memref<8xf32>)");
    before = "%m" + number;
    writer.line("^join" + number + "(" + before + ": memref<8xf32>):");
    writer.use(before);
  }
  return writer.finish();
}

/// A row of loops, each of which replaces a buffer in every iteration.
std::string carried(int64_t buffers) {
  Writer writer;
  writer.open("f");
  std::string before = writer.alloc();
  writer.use(before);
  while (writer.count < buffers) {
    const std::string number = std::to_string(writer.count);
    writer.line("%r" + number + " = scf.for %i" + number +
                " = %l to %u step %u iter_args(%p" + number + " = " + before +
                ") -> memref<8xf32> {");
    writer.use("%p" + number);
    const std::string made = writer.alloc();
    writer.use(made);
    writer.line("scf.yield " + made + " : memref<8xf32>");
    writer.line("}");
    before = "%r" + number;
  }
  writer.use(before);
  return writer.finish();
}

/// Each is read when the next one is written.
std::string oneBlock(int64_t buffers) {
  Writer writer;
  writer.open("f");
  std::string before = writer.alloc();
  writer.use(before);
  while (writer.count < buffers) {
    std::string next = writer.alloc();
    writer.line("linalg.exp ins(" + before + " : memref<8xf32>) outs(" + next +
                " : memref<8xf32>)");
    before = next;
  }
  return writer.finish();
}

std::string manyLoops(int64_t buffers) {
  Writer writer;
  writer.open("f");
  while (writer.count < buffers) {
    writer.line("scf.for %i" + std::to_string(writer.count) +
                " = %l to %u step %u {");
    writer.use(writer.alloc());
    writer.line("}");
  }
  return writer.finish();
}

/// Each level of a nest has a buffer, which can be hoisted out of all of them.
std::string loopNests(int64_t buffers) {
  Writer writer;
  writer.open("f");
  while (writer.count < buffers) {
    int levels = 0;
    for (; levels < 1000 && writer.count < buffers; ++levels) {
      writer.line("scf.for %i" + std::to_string(writer.count) +
                  " = %l to %u step %u {");
      writer.use(writer.alloc());
    }
    while (levels-- > 0)
      writer.line("}");
  }
  return writer.finish();
}

/// Five buffers in each, one function that calls them all.
std::string manyFunctions(int64_t buffers) {
  std::string text;
  const int64_t functions = (buffers + 4) / 5;
  for (int64_t i = 0; i < functions; ++i) {
    Writer writer;
    writer.open("f" + std::to_string(i));
    for (const std::string &name : writer.allocs(5))
      writer.use(name);
    text += writer.finish();
  }
  Writer writer;
  writer.open("main");
  for (int64_t i = 0; i < functions; ++i)
    writer.line("call @f" + std::to_string(i) +
                "(%c, %l, %u, %x) : (i1, index, index, f32) -> ()");
  return text + writer.finish();
}

constexpr int kRuns = 3;
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

struct Shape {
  const char *name;
  std::string (*make)(int64_t);
  /// Buffers with which MLIR's passes take less than minutes: on many blocks,
  /// and loops that hand buffers on, they need quadratic time or memory or
  /// more, and twice as much for each diamond.
  int64_t upstreamAtMost;
};

const Shape kShapes[] = {
    {"own block", ownBlock, 5'000},  {"written before", writtenBefore, 5'000},
    {"diamonds", diamonds, 16},      {"nests", nests, kAny},
    {"deep nests", deepNests, kAny}, {"deeper nests", deeperNests, kAny},
    {"one block", oneBlock, kAny},   {"loops", manyLoops, kAny},
    {"carried", carried, 2'000},     {"functions", manyFunctions, kAny},
    {"loop nests", loopNests, kAny},
};

struct Passes {
  const char *pipeline;
  /// MLIR's, of the same purpose as the one above.
  bool isUpstream;
};

const Passes kPasses[] = {
    {"memref-hoist", false},
    {"func.func(buffer-hoisting)", true},
    {"memref-promote-to-stack", false},
    {"func.func(promote-buffers-to-stack)", true},
    {"merge-alloc", false},
    {"func.func(copy-removal)", false},
    {"memref-deallocate", false},
    {"ownership-based-buffer-deallocation", true},
    {"memref-deallocate,memref-verify-deallocation", false},
    {"memref-hoist,memref-deallocate,memref-verify-deallocation", false},
    {"tpu-assign-pools", false},
    {"memref-memory", false},
};

struct Cost {
  double seconds = 0;
  long mebibytes = 0;
};

/// What a process does that measures; the time goes into `out`.
int measureHere(const std::string &text, const char *pipeline, int out) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager manager(&context);
  manager.enableVerifier(false);
  if (!module || failed(parsePassPipeline(pipeline, manager)))
    return 1;
  const std::clock_t begin = std::clock();
  if (failed(manager.run(*module)))
    return 1;
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  return write(out, &seconds, sizeof seconds) == sizeof seconds ? 0 : 1;
}

std::optional<Cost> measureOnce(const std::string &text, const char *pipeline) {
  int ends[2];
  if (pipe(ends) != 0)
    return std::nullopt;
  const pid_t child = fork();
  if (child == 0)
    _exit(measureHere(text, pipeline, ends[1]));
  close(ends[1]);
  Cost cost;
  const bool isRead =
      read(ends[0], &cost.seconds, sizeof cost.seconds) == sizeof cost.seconds;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0 || !isRead)
    return std::nullopt;
  cost.mebibytes = usage.ru_maxrss / 1024;
  return cost;
}

std::optional<Cost> measure(const std::string &text, const char *pipeline) {
  std::optional<Cost> least = measureOnce(text, pipeline);
  for (int i = 1; i < kRuns && least; ++i)
    if (auto cost = measureOnce(text, pipeline))
      least->seconds = std::min(least->seconds, cost->seconds);
  return least;
}

/// Each once.
std::set<int64_t> sizesOf(const std::vector<int64_t> &asked, const Shape &shape,
                          const Passes &passes) {
  std::set<int64_t> sizes;
  for (int64_t size : asked)
    sizes.insert(passes.isUpstream ? std::min(size, shape.upstreamAtMost)
                                   : size);
  return sizes;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<int64_t> sizes;
  std::set<std::string> wanted;
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front())
    if (int64_t size = 0; argument.getAsInteger(10, size))
      wanted.insert(argument.str());
    else
      sizes.push_back(size);
  if (sizes.empty())
    sizes = {25'000, 50'000};
  registerMemrefPasses();
  bufferization::registerBufferizationPasses();
  constexpr auto kRight = TextTable::Align::Right;
  TextTable table({{"shape"},
                   {"passes"},
                   {"buffers", kRight},
                   {"s", kRight},
                   {"MiB", kRight}});
  for (const Shape &shape : kShapes)
    for (const Passes &passes : kPasses) {
      if (!wanted.empty() && !wanted.count(passes.pipeline))
        continue;
      for (int64_t size : sizesOf(sizes, shape, passes)) {
        auto cost = measure(shape.make(size), passes.pipeline);
        // The table comes at the end, after minutes.
        llvm::errs() << shape.name << ", " << passes.pipeline << ", " << size
                     << ": " << (cost ? seconds(cost->seconds) : "failed")
                     << " s, " << (cost ? cost->mebibytes : 0) << " MiB\n";
        table.addRow({shape.name, passes.pipeline, std::to_string(size),
                      cost ? seconds(cost->seconds) : "failed",
                      cost ? std::to_string(cost->mebibytes) : "-"});
      }
    }
  llvm::outs() << table.render();
  return 0;
}
