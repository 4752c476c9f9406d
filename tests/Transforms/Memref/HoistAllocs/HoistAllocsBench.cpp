//===- HoistAllocsBench.cpp - Time by number of buffers -------------------===//
//
//   ./bazelw run --config=opt //tests/Transforms/Memref/HoistAllocs:bench
//
// Each kind of function with 1,000, 10,000 and 50,000 buffers: reading and
// printing it, and the pass alone in both modes.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/PassBench.h"

#include "tpu_mlir/Transforms/HoistAllocs.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

class Writer : public bench::FunctionWriter {
public:
  Writer() : FunctionWriter("func.func @f(%c: i1, %l: index, %u: index) {\n") {}

  /// An allocation and its use.
  void buffer() {
    std::string name = "%a" + std::to_string(count++);
    line(name + " = memref.alloc() : memref<8xf32>");
    line("\"test.use\"(" + name + ") : (memref<8xf32>) -> ()");
  }
  std::string label() const { return "^n" + std::to_string(count); }
};

/// Blocks in a row with a buffer each; in one loop, or not.
std::string chain(int64_t buffers, bool isLoop) {
  Writer writer;
  writer.line("cf.br " + writer.label());
  while (writer.count < buffers) {
    writer.line(writer.label() + ":");
    writer.buffer();
    writer.line("cf.br " + writer.label());
  }
  writer.line(writer.label() + ":");
  writer.line(isLoop ? "cf.cond_br %c, ^n0, ^end" : "cf.br ^end");
  writer.line("^end:");
  return writer.finish();
}
std::string chainOfBlocks(int64_t buffers) { return chain(buffers, false); }
std::string loopOfBlocks(int64_t buffers) { return chain(buffers, true); }

/// Loops of one block, one after the other.
std::string loopsOfBlocks(int64_t buffers) {
  Writer writer;
  writer.line("cf.br " + writer.label());
  while (writer.count < buffers) {
    std::string head = writer.label();
    writer.line(head + ":");
    writer.buffer();
    writer.line("cf.cond_br %c, " + head + ", " + writer.label());
  }
  writer.line(writer.label() + ":");
  return writer.finish();
}

/// scf.for with an allocation each.
std::string loops(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    writer.line("scf.for %i" + std::to_string(writer.count) +
                " = %l to %u step %u {");
    writer.buffer();
    writer.line("}");
  }
  return writer.finish();
}

/// scf.if with an allocation each.
std::string branches(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    writer.line("scf.if %c {");
    writer.buffer();
    writer.line("}");
  }
  return writer.finish();
}

void hoist(benchmark::State &state, std::string (*make)(int64_t),
           HoistMode mode) {
  bench::timePasses(state, make, [&](PassManager &manager) {
    HoistAllocsOptions options;
    options.mode = mode;
    manager.addNestedPass<func::FuncOp>(createHoistAllocs(options));
  });
}

void text(benchmark::State &state, std::string (*make)(int64_t)) {
  bench::timeParseAndPrint(state, make);
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Arg(1'000)->Arg(10'000)->Arg(50'000)->Unit(
      benchmark::kMillisecond);
}

#define TIME(make)                                                             \
  BENCHMARK_CAPTURE(text, make, make)->Apply(sizes);                           \
  BENCHMARK_CAPTURE(hoist, make##_cost, make, HoistMode::Cost)->Apply(sizes);  \
  BENCHMARK_CAPTURE(hoist, make##_dominator, make, HoistMode::Dominator)       \
      ->Apply(sizes)

TIME(chainOfBlocks);
TIME(loopOfBlocks);
TIME(loopsOfBlocks);
TIME(loops);
TIME(branches);

} // namespace
} // namespace tpu_mlir
