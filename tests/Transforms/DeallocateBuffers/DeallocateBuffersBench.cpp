//===- DeallocateBuffersBench.cpp - Time by number of buffers -------------===//
//
//   ./bazelw run --config=opt //tests/Transforms/DeallocateBuffers:bench
//
// Each kind of function with 1,000, 10,000 and 50,000 buffers; the time is that
// of the pass alone.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/DeallocateBuffers/DeallocateBuffers.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <benchmark/benchmark.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

/// Writes a function line by line; buffers are numbered.
class Writer {
public:
  std::string alloc() {
    std::string name = "%a" + std::to_string(count++);
    line(name + " = memref.alloc() : memref<8xf32>");
    return name;
  }
  void use(const std::string &name) {
    line("\"test.use\"(" + name + ") : (memref<8xf32>) -> ()");
  }
  void line(const std::string &words) { text += words + "\n"; }
  std::string label(const std::string &name) const {
    return "^" + name + std::to_string(count);
  }
  std::string finish() { return text + "return\n}\n"; }

  int64_t count = 0;

private:
  std::string text = "func.func @f(%c: i1, %l: index, %u: index) {\n";
};

/// Each is read when the next one is written.
std::string straight(int64_t buffers) {
  Writer writer;
  std::string before = writer.alloc();
  while (writer.count < buffers) {
    std::string next = writer.alloc();
    writer.line("memref.copy " + before + ", " + next +
                " : memref<8xf32> to memref<8xf32>");
    before = next;
  }
  return writer.finish();
}

/// All are read again at the end.
std::string longLived(int64_t buffers) {
  Writer writer;
  std::vector<std::string> all;
  while (writer.count < buffers) {
    all.push_back(writer.alloc());
    writer.use(all.back());
  }
  for (const std::string &name : all)
    writer.use(name);
  return writer.finish();
}

/// scf.if with an allocation on each side.
std::string branches(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string result = "%r" + std::to_string(writer.count);
    writer.line(result + " = scf.if %c -> memref<8xf32> {");
    for (const char *end : {"} else {", "}"}) {
      std::string own = writer.alloc();
      writer.use(own);
      writer.line("scf.yield " + own + " : memref<8xf32>");
      writer.line(end);
    }
    writer.use(result);
  }
  return writer.finish();
}

/// scf.for with a fresh allocation for each iteration.
std::string loops(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string start = writer.alloc();
    std::string id = std::to_string(writer.count);
    writer.line("%r" + id + " = scf.for %i" + id +
                " = %l to %u step %u iter_args(%b" + id + " = " + start +
                ") -> memref<8xf32> {");
    writer.use("%b" + id);
    std::string next = writer.alloc();
    writer.line("scf.yield " + next + " : memref<8xf32>");
    writer.line("}");
    writer.use("%r" + id);
  }
  return writer.finish();
}

/// Blocks in a row with a buffer each.
std::string chain(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    writer.use(writer.alloc());
    writer.line("cf.br " + writer.label("n"));
    writer.line(writer.label("n") + ":");
  }
  return writer.finish();
}

/// All are allocated at the start, each block of a row uses one.
std::string usedLater(int64_t buffers) {
  Writer writer;
  std::vector<std::string> all;
  while (writer.count < buffers)
    all.push_back(writer.alloc());
  for (const std::string &name : all) {
    std::string label = "^n" + name.substr(1);
    writer.line("cf.br " + label);
    writer.line(label + ":");
    writer.use(name);
  }
  return writer.finish();
}

/// Diamonds of blocks that pass one of two fresh buffers to their join.
std::string diamonds(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    writer.line("cf.cond_br %c, ^l" + id + ", ^r" + id);
    for (const char *side : {"^l", "^r"}) {
      writer.line(side + id + ":");
      std::string own = writer.alloc();
      writer.use(own);
      writer.line("cf.br ^j" + id + "(" + own + " : memref<8xf32>)");
    }
    writer.line("^j" + id + "(%m" + id + ": memref<8xf32>):");
    writer.use("%m" + id);
  }
  return writer.finish();
}

/// Diamonds one of whose sides replaces what came through the last one.
std::string carriedDiamonds(int64_t buffers) {
  Writer writer;
  std::string held = writer.alloc();
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    writer.line("cf.cond_br %c, ^l" + id + ", ^j" + id + "(" + held +
                " : memref<8xf32>)");
    writer.line("^l" + id + ":");
    std::string own = writer.alloc();
    writer.line("cf.br ^j" + id + "(" + own + " : memref<8xf32>)");
    held = "%m" + id;
    writer.line("^j" + id + "(" + held + ": memref<8xf32>):");
    writer.use(held);
  }
  return writer.finish();
}

void run(benchmark::State &state, std::string (*make)(int64_t)) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  auto module = parseSourceString<ModuleOp>(make(state.range(0)), &context);
  if (!module)
    return state.SkipWithError("the function does not parse");
  for (auto _ : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> copy(module->clone());
    PassManager manager(&context);
    manager.enableVerifier(false);
    manager.addPass(createDeallocateBuffers());
    state.ResumeTiming();
    if (failed(manager.run(*copy)))
      state.SkipWithError("the pass fails");
    state.PauseTiming();
    copy = nullptr;
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Arg(1'000)->Arg(10'000)->Arg(50'000)->Unit(
      benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(run, straight, straight)->Apply(sizes);
BENCHMARK_CAPTURE(run, long_lived, longLived)->Apply(sizes);
BENCHMARK_CAPTURE(run, branches, branches)->Apply(sizes);
BENCHMARK_CAPTURE(run, loops, loops)->Apply(sizes);
BENCHMARK_CAPTURE(run, chain, chain)->Apply(sizes);
BENCHMARK_CAPTURE(run, used_later, usedLater)->Apply(sizes);
BENCHMARK_CAPTURE(run, diamonds, diamonds)->Apply(sizes);
BENCHMARK_CAPTURE(run, carried_diamonds, carriedDiamonds)->Apply(sizes);

} // namespace
} // namespace tpu_mlir
