//===- RoundTripTest.cpp - Real dumps are read and written unchanged ------===//
//
// Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir::test;

namespace {

std::string read(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  EXPECT_TRUE(buffer) << file;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// What a context prints that takes every top and tpu op as it comes.
std::string printUnregistered(const std::string &text) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, quant::QuantDialect>();
  context.allowUnregisteredDialects();
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return module ? print(*module, /*generic=*/true) : "";
}

/// EXPECT_EQ on a whole model would print it twice.
void expectSame(StringRef actual, StringRef expected, const std::string &what) {
  SmallVector<StringRef> a, b;
  actual.rtrim().split(a, '\n');
  expected.rtrim().split(b, '\n');
  EXPECT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i]) {
      ADD_FAILURE() << what << ", line " << i + 1
                    << "\n  is:       " << a[i].str()
                    << "\n  expected: " << b[i].str();
      return;
    }
}

TEST(RoundTripTest, RealModules) {
  std::vector<std::string> files = realModules();
  if (files.empty())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  for (const std::string &file : files) {
    TestContext context;
    std::string text = read(file);
    OwningOpRef<ModuleOp> module = context.parse(text);
    ASSERT_TRUE(module) << file;

    std::string once = print(*module);
    OwningOpRef<ModuleOp> again = context.parse(once);
    ASSERT_TRUE(again) << file;
    expectSame(print(*again), once, file + ", printed again");
    expectSame(once, text, file + ", printed");
    expectSame(print(*module, /*generic=*/true), printUnregistered(text),
               file + ", against a reader that knows no op");
  }
}

TEST(RoundTripTest, FindsTheModels) {
  if (!std::getenv("TPU_MEMORY_DATA"))
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  EXPECT_GE(realModules().size(), 28u);
}

} // namespace
