//===- LoweringTest.cpp - Both levels are the same network ----------------===//
//
// A TPU module that is built and one that is lowered from the Top module have
// the same ops, names, operands and types.
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

/// One op a line: %0 = tpu.Add(%3, %7) : type "name".
std::vector<std::string> outline(Network &network) {
  llvm::DenseMap<Value, size_t> numbers;
  std::vector<std::string> lines;
  for (Operation *op : network.ops()) {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << op->getName() << '(';
    for (Value operand : op->getOperands())
      os << '%' << numbers[operand] << ' ';
    os << ")";
    for (Value result : op->getResults()) {
      numbers[result] = lines.size();
      os << " : " << result.getType();
    }
    // A weight that is converted gets another name.
    if (kindOf(op) != "Weight")
      os << " \"" << nameOf(op) << '"';
    lines.push_back(line);
  }
  return lines;
}

class EveryName : public testing::TestWithParam<std::string> {};

TEST_P(EveryName, LowersToItsTpuForm) {
  Network lowered(options(GetParam()));
  ConvertTopToTpuOptions lowering;
  lowering.chip = "bm1684x";
  lowering.mode = "F32";
  PassManager passes(&lowered.context);
  passes.addPass(createConvertTopToTpu(lowering));
  ASSERT_TRUE(succeeded(passes.run(*lowered.module)));

  Network built(options(GetParam(), Level::Tpu));
  EXPECT_EQ(outline(lowered), outline(built));
}

INSTANTIATE_TEST_SUITE_P(All, EveryName, testing::ValuesIn(modelNames()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace tpu_mlir
