//===- ShapesTest.cpp - Every shape of control flow, through every pass ---===//
//
// The programs in shapes/ go through each pass on memrefs apart and through the
// whole pipeline. After it the check of deallocations finds no fault, not even
// one that several branches have to agree on, and no leak but in functions that
// a remark is about. What can be executed runs before and after, every branch
// both ways, on a heap where a late access faults.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/harness/AllInputs.h"
#include "tpu_mlir/Pipelines/MemrefPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

struct Shapes {
  const char *file;
  bool isExecuted;
};

constexpr Shapes kShapes[] = {
    {"blocks", true}, {"regions", true}, {"memrefs", true}, {"others", false}};

struct Passes {
  const char *pipeline;
  /// Nothing is left allocated without a remark.
  bool freesAll = false;
  bool isIdempotent = true;
  /// No run allocates more often than before.
  bool neverAllocatesMore = false;
};

constexpr Passes kPasses[] = {
    {"memref-hoist"},
    {"memref-hoist{assume-loops-run=false}", false, true, true},
    {"memref-hoist{mode=dominator}"},
    {"memref-promote-to-stack", false, true, true},
    {"memref-promote-to-stack{max-bytes=8 max-rank=0}", false, true, true},
    {"merge-alloc"},
    {"merge-alloc{free in-place=false}"},
    {"merge-alloc{merge-always free hoist-threads}", false, false},
    {"copy-removal", false, true, true},
    {"func.func(copy-removal{assume-no-argument-overlap})", false, true, true},
    {"tpu-assign-pools", false, true, true},
    {"gpu-pack-shared-memory", false, true, true},
    {"memref-deallocate", true},
    {"memref-deallocate{prefer-flags}", true},
    {"memref-deallocate,func.func(copy-removal)", true},
    {"memref-memory", true, false},
    {"memref-memory{hoist-mode=dominator}", true, false},
    {"memref-memory{merge=false promote=false hoist=false}", true, false},
    // Orders that nobody has thought of.
    {"memref-deallocate,memref-hoist,merge-alloc", true, false},
    {"memref-deallocate,memref-promote-to-stack", true, false},
    {"memref-deallocate,tpu-assign-pools", true, false},
    {"merge-alloc{free},memref-deallocate", true, false},
    {"copy-removal,memref-hoist,merge-alloc{free hoist-threads},"
     "memref-deallocate",
     true, false},
    {"tpu-assign-pools,memref-memory", true, false},
    {"memref-memory,memref-memory", true, false},
};

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

class ShapesTest : public ::testing::TestWithParam<std::tuple<Shapes, Passes>> {
protected:
  static void SetUpTestSuite() { registerMemrefPasses(); }

  ShapesTest() {
    registerForJit(context);
    context.allowUnregisteredDialects();
    std::string file =
        "tests/Pipelines/shapes/" + std::string(shapes.file) + ".mlir";
    before = parseSourceFile<ModuleOp>(file, &context);
  }

  std::string functionAt(Location location);
  std::set<std::string> run(ModuleOp module, const std::string &pipeline);
  void execute(ModuleOp after, const std::set<std::string> &remarked);

  const Shapes shapes = std::get<0>(GetParam());
  const Passes passes = std::get<1>(GetParam());
  MLIRContext context;
  OwningOpRef<ModuleOp> before;
};

/// The function of the file that has this place: the last that begins above.
std::string ShapesTest::functionAt(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  std::string name;
  before->walk([&](func::FuncOp function) {
    auto begin = function.getLoc()->findInstanceOf<FileLineColLoc>();
    if (place && begin.getLine() <= place.getLine())
      name = function.getName().str();
  });
  return name;
}

/// The functions that there are remarks about. There must be no error.
std::set<std::string> ShapesTest::run(ModuleOp module,
                                      const std::string &pipeline) {
  std::set<std::string> remarked;
  ScopedDiagnosticHandler listener(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      remarked.insert(functionAt(diagnostic.getLocation()));
    else
      ADD_FAILURE() << functionAt(diagnostic.getLocation()) << ": "
                    << diagnostic.str();
    return success();
  });
  PassManager manager(&context);
  EXPECT_TRUE(succeeded(parsePassPipeline(pipeline, manager)));
  EXPECT_TRUE(succeeded(manager.run(module)));
  return remarked;
}

void ShapesTest::execute(ModuleOp after,
                         const std::set<std::string> &remarked) {
  CompileResult old = compile(*before), now = compile(after);
  ASSERT_TRUE(old.module) << old.error;
  ASSERT_TRUE(now.module) << now.error;
  RunOptions options, other;
  options.heap.guardPages = true;
  other.heap.poison = 0x3C;
  for (auto function : before->getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    std::string name = function.getName().str();
    SCOPED_TRACE(name);
    for (int64_t size : {0, 1, 2, 5})
      for (const auto &inputs : allInputs(*old.module, name, size)) {
        RunResult expected = old.module->run(name, inputs, options);
        RunResult actual = now.module->run(name, inputs, options);
        RunResult again = now.module->run(name, inputs, other);
        ASSERT_TRUE(expected.clean()) << expected.describe();
        ASSERT_TRUE(actual.clean()) << actual.describe();
        EXPECT_FALSE(firstDifference(expected.outputs, actual.outputs));
        EXPECT_FALSE(firstDifference(expected.outputs, again.outputs));
        EXPECT_TRUE(!passes.freesAll || remarked.count(name) ||
                    actual.heap.leakedBlocks == 0)
            << actual.describe();
        EXPECT_TRUE(!passes.neverAllocatesMore ||
                    actual.heap.allocations <= expected.heap.allocations)
            << actual.describe();
      }
  }
}

TEST_P(ShapesTest, IsTheSameProgramAndFreesWhatItShould) {
  ASSERT_TRUE(before);
  OwningOpRef<ModuleOp> after = before->clone();
  const std::set<std::string> remarked = run(*after, passes.pipeline);
  const std::set<std::string> leaks =
      run(*after, "memref-verify-deallocation{strict leaks=remark}");
  for (const std::string &name : leaks)
    EXPECT_TRUE(!passes.freesAll || remarked.count(name))
        << name << " leaks without a remark";
  if (passes.isIdempotent) {
    const std::string once = textOf(*after);
    run(*after, passes.pipeline);
    EXPECT_EQ(textOf(*after), once);
  }
  if (shapes.isExecuted)
    execute(*after, remarked);
}

INSTANTIATE_TEST_SUITE_P(All, ShapesTest,
                         ::testing::Combine(::testing::ValuesIn(kShapes),
                                            ::testing::ValuesIn(kPasses)),
                         [](const auto &info) {
                           std::string name = std::get<0>(info.param).file +
                                              std::string("_") +
                                              std::get<1>(info.param).pipeline;
                           for (char &c : name)
                             if (!isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

} // namespace
} // namespace tpu_mlir::jit
