//===- UpstreamDeallocationTest.cpp - Followed by MLIR's passes -----------===//
//
// MLIR's passes that insert deallocations compare the addresses of buffers at
// run time and take a view after byte 0 for a buffer of its own. Programs that
// they break once their buffers are merged run here: merged with `free`, which
// tells them to keep off, and without.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/harness/JitHarness.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

/// Three buffers, of which two share bytes; one of the others, or one that
/// cannot be merged, is read after a join.
constexpr const char *kSelect = R"(
func.func @f(%c: i1, %d: i1, %n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %y = arith.constant 2.0 : f32
  %z = arith.constant 3.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  %e = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%e : memref<4xf32>)
  %m = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%z : f32) outs(%m : memref<?xf32>)
  %p = memref.cast %FIRST : memref<4xf32> to memref<?xf32>
  %s = arith.select %c, %p, %m : memref<?xf32>
  cf.cond_br %d, ^more, ^end
^more:
  memref.copy %SECOND, %out : memref<4xf32> to memref<4xf32>
  cf.br ^end
^end:
  %v = memref.load %s[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}
)";

/// The same through a function that returns what it is given.
constexpr const char *kCall = R"(
func.func private @pick(%c: i1, %a: memref<?xf32>, %b: memref<?xf32>) -> memref<?xf32> {
  %s = arith.select %c, %a, %b : memref<?xf32>
  return %s : memref<?xf32>
}
func.func @f(%c: i1, %d: i1, %n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %y = arith.constant 2.0 : f32
  %z = arith.constant 3.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  %e = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%e : memref<4xf32>)
  %m = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%z : f32) outs(%m : memref<?xf32>)
  %p = memref.cast %FIRST : memref<4xf32> to memref<?xf32>
  %q = memref.cast %SECOND : memref<4xf32> to memref<?xf32>
  %r = func.call @pick(%c, %p, %q) : (i1, memref<?xf32>, memref<?xf32>) -> memref<?xf32>
  %t = func.call @pick(%d, %r, %m) : (i1, memref<?xf32>, memref<?xf32>) -> memref<?xf32>
  %v = memref.load %t[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}
)";

/// %FIRST and %SECOND are the two buffers that are alive at the end.
std::string variant(std::string text, const char *first, const char *second) {
  for (auto [from, to] :
       {std::pair("%FIRST", first), std::pair("%SECOND", second)})
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::strlen(from), to);
  return text;
}

class UpstreamDeallocation : public ::testing::Test {
protected:
  UpstreamDeallocation() {
    registerForJit(context);
    registerMergeAllocPass();
  }

  /// Passes, lowering and compilation; null after a failure.
  std::unique_ptr<CompiledModule> prepare(const std::string &text,
                                          const std::string &pipeline) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    std::string error = module ? runPasses(*module, pipeline) : "no program";
    EXPECT_EQ(error, "");
    if (!error.empty())
      return nullptr;
    views = 0;
    module->walk([&](memref::ViewOp) { ++views; });
    CompileResult compiled = compile(*module);
    EXPECT_EQ(compiled.error, "");
    return std::move(compiled.module);
  }

  /// How many of the runs with all conditions give other results than the
  /// program, access freed memory, or leak.
  int wrongRuns(const std::string &text, const std::string &merge,
                const std::string &deallocate) {
    auto before = prepare(text, "canonicalize");
    auto after =
        prepare(text, merge + deallocate + ",convert-bufferization-to-memref");
    if (!before || !after)
      return -1;
    // Views that start at byte 0 are none of the problem.
    EXPECT_GT(views, 1);
    int wrong = 0;
    RunOptions options;
    options.heap.guardPages = true;
    for (uint8_t flags = 0; flags < 4; ++flags) {
      auto inputs = *before->makeInputs("f", 1);
      inputs[0].bytes[0] = flags & 1;
      inputs[1].bytes[0] = flags >> 1;
      inputs[2].bytes.assign(inputs[2].bytes.size(), 0);
      inputs[2].bytes[0] = 4;
      RunResult expected = before->run("f", inputs, options);
      RunResult actual = after->run("f", inputs, options);
      EXPECT_TRUE(expected.clean()) << expected.describe();
      wrong += !actual.clean() || actual.heap.leakedBlocks > 0 ||
               firstDifference(expected.outputs, actual.outputs).has_value();
    }
    return wrong;
  }

  static constexpr const char *kOwnership =
      "expand-realloc,ownership-based-buffer-deallocation,"
      "canonicalize,bufferization-lower-deallocations";
  static constexpr const char *kFree = "merge-alloc{free=true},";
  static constexpr const char *kPlain = "merge-alloc,";

  MLIRContext context;
  int views = 0;
};

TEST_F(UpstreamDeallocation, KeepsOffWhatIsFreed) {
  for (const char *program : {kSelect, kCall})
    for (auto [first, second] : {std::pair("%b", "%e"), std::pair("%e", "%b")})
      for (const char *pass : {"buffer-deallocation-pipeline", kOwnership})
        EXPECT_EQ(wrongRuns(variant(program, first, second), kFree, pass), 0)
            << pass << variant(program, first, second);
}

/// Without the mark it goes wrong: these are the programs that need it.
TEST_F(UpstreamDeallocation, FreesTooEarlyWhatIsNotMarked) {
  for (const char *pass : {"buffer-deallocation-pipeline", kOwnership})
    EXPECT_GT(wrongRuns(variant(kSelect, "%b", "%e"), kPlain, pass) +
                  wrongRuns(variant(kSelect, "%e", "%b"), kPlain, pass),
              0)
        << pass;
}

/// What merge-alloc frees by itself is marked without being told.
TEST_F(UpstreamDeallocation, TakesProgramsThatFreed) {
  std::string text = variant(kSelect, "%b", "%e");
  text.insert(text.rfind("  return"), "  memref.dealloc %a : memref<4xf32>\n"
                                      "  memref.dealloc %b : memref<4xf32>\n"
                                      "  memref.dealloc %e : memref<4xf32>\n");
  for (const char *pass : {"buffer-deallocation-pipeline", kOwnership})
    EXPECT_EQ(wrongRuns(text, kPlain, pass), 0) << pass;
}

} // namespace
} // namespace tpu_mlir::jit
