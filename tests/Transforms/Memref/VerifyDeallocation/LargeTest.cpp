//===- LargeTest.cpp - Large functions are decided ------------------------===//
//
// Functions in which every buffer lives through many loops. The worlds of each
// are as many as the loops, but they are the same for all: nothing may be left
// undecided, and nothing be found.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

const std::string kHead = "func.func @f(%l: index, %u: index, %x: f32) {\n";
const std::string kType = " : memref<8xf32>\n";

std::string store(const std::string &name) {
  return "memref.store %x, " + name + "[%l]" + kType;
}

/// A row of loops, each of which replaces a buffer in every iteration.
std::string rowOfLoops(int loops, bool isFreed) {
  std::string text = kHead + "%r0 = memref.alloc()" + kType;
  for (int i = 0; i < loops; ++i) {
    const std::string at = std::to_string(i);
    text += "%r" + std::to_string(i + 1) + " = scf.for %i" + at +
            " = %l to %u step %u iter_args(%p" + at + " = %r" + at +
            ") -> memref<8xf32> {\n" + store("%p" + at) + "memref.dealloc %p" +
            at + kType + "%a" + at + " = memref.alloc()" + kType +
            "scf.yield %a" + at + kType + "}\n";
  }
  const std::string last = "%r" + std::to_string(loops);
  return text + store(last) +
         (isFreed ? "memref.dealloc " + last + kType : "") + "return\n}\n";
}

/// A nest of loops; each level uses a buffer that is there around all.
std::string nestOfLoops(int levels) {
  std::string text = kHead, frees;
  for (int i = 0; i < levels; ++i) {
    text += "%a" + std::to_string(i) + " = memref.alloc()" + kType;
    frees += "memref.dealloc %a" + std::to_string(i) + kType;
  }
  for (int i = 0; i < levels; ++i)
    text += "scf.for %i" + std::to_string(i) + " = %l to %u step %u {\n" +
            store("%a" + std::to_string(i));
  for (int i = 0; i < levels; ++i)
    text += "}\n";
  return text + frees + "return\n}\n";
}

/// A row of loops, or a nest, that hand on who frees a buffer and do not touch
/// it.
std::string flagThrough(int loops, bool isNest) {
  std::string text = kHead +
                     "%true = arith.constant true\n%c = arith.cmpi eq, "
                     "%l, %u : index\n%a = memref.alloc()" +
                     kType + "scf.if %c {\nmemref.dealloc %a" + kType +
                     "}\n%q0 = arith.xori %c, %true : i1\n";
  std::string flag = "%q0";
  for (int i = 0; i < loops; ++i) {
    const std::string at = std::to_string(i);
    text += "%r" + at + " = scf.for %i" + at +
            " = %l to %u step %u iter_args(%p" + at + " = " + flag +
            ") -> i1 {\n" + (isNest ? "" : "scf.yield %p" + at + " : i1\n}\n");
    flag = (isNest ? "%p" : "%r") + at;
  }
  for (int i = loops; isNest && i-- > 0; flag = "%r" + std::to_string(i))
    text += "scf.yield " + flag + " : i1\n}\n";
  return text + "scf.if " + flag + " {\nmemref.dealloc %a" + kType +
         "}\nreturn\n}\n";
}

/// What the pass says of a program.
std::vector<std::string> said(const std::string &text) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::vector<std::string> result;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    result.push_back(diagnostic.str());
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  PassManager manager(&context);
  manager.addPass(createVerifyDeallocation({}));
  EXPECT_TRUE(module && succeeded(manager.run(*module)));
  return result;
}

TEST(Large, RowsOfLoopsAreDecided) {
  EXPECT_EQ(said(rowOfLoops(6000, /*isFreed=*/true)),
            std::vector<std::string>());
}

TEST(Large, NestsOfLoopsAreDecided) {
  EXPECT_EQ(said(nestOfLoops(600)), std::vector<std::string>());
}

TEST(Large, FlagsGoThroughRowsAndNestsOfLoops) {
  EXPECT_EQ(said(flagThrough(3000, /*isNest=*/false)),
            std::vector<std::string>());
  EXPECT_EQ(said(flagThrough(600, /*isNest=*/true)),
            std::vector<std::string>());
}

/// The last loop may hand on what any of them has made.
TEST(Large, LeaksBehindRowsOfLoopsAreFound) {
  EXPECT_EQ(said(rowOfLoops(300, /*isFreed=*/false)),
            std::vector<std::string>(
                301, "this buffer may not be freed on every path"));
}

} // namespace
} // namespace tpu_mlir
