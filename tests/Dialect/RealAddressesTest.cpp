//===- RealAddressesTest.cpp - In-place edges against real addresses ------===//
//
// In a compiled model the addresses are there: where an op says that it shares
// bytes, they must be the ones that the other compiler gave it. Needs
// $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

/// Where the edge says that the inner value is, and where it is.
struct Places {
  int64_t expected = 0, actual = 0;
};

std::optional<Places> places(Operation *op, const InPlaceEdge &edge) {
  auto operand = getAddress(op->getOperand(edge.operand).getType());
  auto result = getAddress(op->getResult(edge.result).getType());
  if (!operand || !result)
    return std::nullopt;
  bool inOperand = edge.direction == InPlaceEdge::Direction::ResultInOperand;
  return inOperand ? Places{*operand + edge.offsetBytes, *result}
                   : Places{*result + edge.offsetBytes, *operand};
}

/// In a function whose shapes are computed at run time, slices are copied.
bool isDynamicSlice(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto mode =
      function ? function->getAttrOfType<tpu::RunModeAttr>("mode") : nullptr;
  return isa<tpu::SliceOp>(op) && mode &&
         mode.getValue() == tpu::RunMode::TPU_DYNAMIC;
}

TEST(RealAddressesTest, EdgesAreWhereTheyAre) {
  std::map<std::string, int> checked;
  std::vector<std::string> files = realModules();
  if (files.empty())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  for (const std::string &file : files) {
    if (!StringRef(file).ends_with("/final.mlir"))
      continue;
    TestContext context;
    auto module = parseSourceFile<ModuleOp>(file, context.get());
    ASSERT_TRUE(module) << file;
    module->walk([&](InPlaceOpInterface op) {
      if (isDynamicSlice(op))
        return;
      // Inside a group there are no addresses.
      for (const InPlaceEdge &edge :
           cast<InPlaceOpInterface>(*op).getInPlaceEdges())
        if (auto p = places(op, edge)) {
          EXPECT_EQ(p->actual, p->expected)
              << file << ": " << op->getName().getStringRef().str();
          ++checked[op->getName().getStringRef().str()];
        }
    });
  }
  for (auto &[name, count] : checked)
    RecordProperty(name, count);
  EXPECT_GE(checked["tpu.Reshape"], 10);
  EXPECT_GE(checked["tpu.Slice"], 20);
  EXPECT_GE(checked["tpu.Concat"], 10);
  EXPECT_GE(checked["tpu.ConcatSlice"], 1);
}

/// The other way round: a slice that was given an address inside its operand
/// is one that the interface knows about.
TEST(RealAddressesTest, NoSharingSliceIsMissed) {
  std::vector<std::string> files = realModules();
  if (files.empty())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  for (const std::string &file : files) {
    if (!StringRef(file).ends_with("/final.mlir"))
      continue;
    TestContext context;
    auto module = parseSourceFile<ModuleOp>(file, context.get());
    ASSERT_TRUE(module) << file;
    module->walk([&](tpu::SliceOp op) {
      auto from = getAddress(op.getInput().getType());
      auto to = getAddress(op.getOutput().getType());
      auto bytes = typeBytes(op.getInput().getType());
      if (from && to && bytes && *from <= *to && *to < *from + *bytes) {
        EXPECT_EQ(cast<InPlaceOpInterface>(*op).getInPlaceEdges().size(), 1u)
            << file;
      }
    });
  }
}

} // namespace
