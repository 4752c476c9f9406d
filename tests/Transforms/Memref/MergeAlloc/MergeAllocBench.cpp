//===- MergeAllocBench.cpp - Time of merge-alloc by number of buffers -----===//
//
//   ./bazelw run --config=opt //tests/Transforms/Memref/MergeAlloc:bench
//
// Each kind of function with 1,000, 10,000 and 100,000 buffers; the time is
// that of the pass alone.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/PassBench.h"

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;

namespace tpu_mlir {
namespace {

/// Buffers of several sizes.
class Writer : public bench::FunctionWriter {
public:
  using FunctionWriter::FunctionWriter;

  std::string alloc(int64_t elements) {
    std::string name = "%a" + std::to_string(count++);
    typeOf[name] = "memref<" + std::to_string(elements) + "xf32>";
    line(name + " = memref.alloc() : " + typeOf[name]);
    return name;
  }
  void use(const std::string &a, const std::string &b) {
    line("\"test.use\"(" + a + ", " + b + ") : (" + typeOf[a] + ", " +
         typeOf[b] + ") -> ()");
  }
  std::string type(const std::string &name) { return typeOf[name]; }

private:
  std::map<std::string, std::string> typeOf;
};

std::string chain(int64_t buffers) {
  Writer writer("func.func @f() {\n");
  std::string before = writer.alloc(64);
  while (writer.count < buffers) {
    std::string next = writer.alloc(64 * (1 + writer.count * 7919 % 13));
    writer.use(before, next);
    before = next;
  }
  return writer.finish();
}

void nest(Writer &writer, std::vector<std::string> outer, int depth) {
  for (int i = 0; i < 4; ++i) {
    outer.push_back(writer.alloc(64 + i));
    writer.use(outer.back(), outer[writer.count * 31 % outer.size()]);
  }
  for (int i = 0; depth > 0 && i < 2; ++i) {
    writer.line("scf.for %i" + std::to_string(writer.count) +
                " = %lb to %ub step %s {");
    nest(writer, outer, depth - 1);
    writer.line("}");
  }
  writer.use(outer.front(), outer.back());
}

std::string nestedLoops(int64_t buffers) {
  Writer writer("func.func @f(%lb: index, %ub: index, %s: index) {\n");
  while (writer.count < buffers)
    nest(writer, {}, 5);
  return writer.finish();
}

std::string branchesThatYield(int64_t buffers) {
  Writer writer("func.func @f(%p: i1) {\n");
  while (writer.count < buffers) {
    std::string name = "%r" + std::to_string(writer.count);
    writer.line(name + " = scf.if %p -> memref<64xf32> {");
    for (const char *end : {"} else {", "}"}) {
      std::string own = writer.alloc(64);
      writer.use(own, own);
      writer.line("scf.yield " + own + " : " + writer.type(own));
      writer.line(end);
    }
    writer.line("\"test.use\"(" + name + ") : (memref<64xf32>) -> ()");
  }
  return writer.finish();
}

std::string blocks(int64_t buffers) {
  Writer writer("func.func @f(%p: i1) {\n");
  std::string kept = writer.alloc(64);
  writer.use(kept, kept);
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    writer.line("cf.cond_br %p, ^in" + id + ", ^out" + id);
    writer.line("^in" + id + ":");
    writer.use(writer.alloc(64), kept);
    writer.line("cf.br ^out" + id);
    writer.line("^out" + id + ":");
  }
  return writer.finish();
}

std::string elementwise(int64_t buffers) {
  Writer writer("func.func @f() {\n");
  std::string before = writer.alloc(256);
  writer.use(before, before);
  while (writer.count < buffers) {
    std::string next = writer.alloc(256);
    writer.line("linalg.exp ins(" + before + " : memref<256xf32>) outs(" +
                next + " : memref<256xf32>)");
    before = next;
  }
  return writer.finish();
}

void run(benchmark::State &state, std::string (*make)(int64_t)) {
  bench::timePasses(state, make, [](PassManager &manager) {
    manager.addNestedPass<func::FuncOp>(createMergeAllocPass());
  });
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(
      benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(run, chain, chain)->Apply(sizes);
BENCHMARK_CAPTURE(run, nested_loops, nestedLoops)->Apply(sizes);
BENCHMARK_CAPTURE(run, branches, branchesThatYield)->Apply(sizes);
BENCHMARK_CAPTURE(run, blocks, blocks)->Apply(sizes);
BENCHMARK_CAPTURE(run, elementwise, elementwise)->Apply(sizes);

} // namespace
} // namespace tpu_mlir
