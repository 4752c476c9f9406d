//===- RealIntegersTest.cpp - INT8 as tpu-mlir has it ---------------------===//
//
// Networks that tpu-mlir lowered to INT8: with the ranges of its tensors ours
// is the same module. Needs the real models in $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

using namespace mlir;
using namespace tpu_mlir;
using quant::CalibratedQuantizedType;
using quant::UniformQuantizedType;
namespace fs = std::filesystem;

namespace {

Type elementOf(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  return tensor ? tensor.getElementType() : Type();
}

/// The threshold with which this many steps are exactly the scale.
double thresholdOf(double scale, double steps) {
  const double near = scale * steps;
  for (double threshold :
       {near, std::nextafter(near, 0.), std::nextafter(near, 2 * near)})
    if (threshold / steps == scale)
      return threshold;
  return near;
}

/// Least and most of the numbers that a tensor of that type is for.
std::optional<std::pair<double, double>> rangeOf(Type element) {
  if (auto range = dyn_cast_or_null<CalibratedQuantizedType>(element))
    return std::pair(range.getMin(), range.getMax());
  auto uniform = dyn_cast_or_null<UniformQuantizedType>(element);
  if (!uniform)
    return std::nullopt;
  const double most =
      thresholdOf(uniform.getScale(), uniform.isSigned() ? 127 : 255);
  return std::pair(uniform.isSigned() ? -most : 0, most);
}

class RealIntegersTest : public ::testing::Test {
protected:
  RealIntegersTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void SetUp() override {
    const char *data = std::getenv("TPU_MEMORY_DATA");
    folder = data ? data : "";
    if (!data || !fs::is_directory(folder / "tpu_mlir"))
      GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  }

  OwningOpRef<ModuleOp> parse(const std::string &file) {
    return parseSourceFile<ModuleOp>((folder / file).string(), &context);
  }

  /// Gives the tensors of `top` the ranges that those of these names have in
  /// `lowered`.
  void takeRanges(ModuleOp top, ModuleOp lowered) {
    std::map<std::string, std::pair<double, double>> ranges;
    lowered->walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (auto range = rangeOf(elementOf(result)))
          ranges[valueName(result)] = *range;
    });
    top->walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        auto range = ranges.find(valueName(result));
        if (range == ranges.end())
          continue;
        auto tensor = cast<TensorType>(result.getType());
        result.setType(tensor.clone(CalibratedQuantizedType::get(
            tensor.getElementType(), range->second.first,
            range->second.second)));
      }
    });
  }

  LogicalResult lower(ModuleOp module, const char *chip,
                      const char *mode = "INT8") {
    PassManager manager(&context);
    ConvertTopToTpuOptions options;
    options.mode = mode;
    options.chip = chip;
    manager.addPass(createConvertTopToTpu(options));
    return manager.run(module);
  }

  /// To addresses, with coefficients as the chip reads them.
  LogicalResult deploy(ModuleOp module) {
    PassManager manager(&context);
    manager.addPass(createReorderWeights({}));
    buildGlobalMemoryPipeline(manager, {});
    return manager.run(module);
  }

  MLIRContext context;
  fs::path folder;
};

/// The shapes and element types of weights, by name; without addresses.
std::map<std::string, std::string> weightTypes(ModuleOp module) {
  std::map<std::string, std::string> types;
  module->walk([&](top::WeightOp weight) {
    auto type = cast<RankedTensorType>(weight->getResult(0).getType());
    llvm::raw_string_ostream(types[valueName(weight->getResult(0))])
        << RankedTensorType::get(type.getShape(), type.getElementType());
  });
  return types;
}

/// What products with packed weights read of weights: "name type", in the order
/// of operands, by the name of the product.
std::map<std::string, std::vector<std::string>>
packedOperands(ModuleOp module) {
  std::map<std::string, std::vector<std::string>> result;
  std::map<std::string, std::string> types = weightTypes(module);
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() != "tpu.A16MatMul")
      return;
    for (Value operand : op->getOperands().slice(1, 3)) {
      // Through the border of a layer group.
      Operation *load = operand.getDefiningOp();
      if (load && load->getName().getStringRef() == "tpu.Load")
        operand = load->getOperand(0);
      const std::string name = valueName(operand);
      result[valueName(op->getResult(0))].push_back(name + " " + types[name]);
    }
  });
  return result;
}

/// Attributes that depend on weights, which are not there, and those that one
/// version of the toolchain writes and another does not.
bool isLeftOut(Operation *op, StringRef name) {
  const bool isFiltered = op->getName().getStringRef() == "tpu.Conv2D";
  const bool isReshape = op->getName().getStringRef() == "tpu.Reshape";
  return (isReshape && (name == "flatten_start_dim" || name == "shape")) ||
         (isFiltered && (name == "multiplier" || name == "rshift")) ||
         name == "round_mode" || name == "first_round_mode" ||
         name == "support_compress" || name == "do_winograd" ||
         name == "is_adaptive" || name == "is_scalar";
}

/// One line an op: name, operands by number, attributes, types, location.
std::vector<std::string> lines(ModuleOp module) {
  std::vector<std::string> result;
  llvm::DenseMap<Value, size_t> numbers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp>(op) ||
        op->getName().getStringRef() == "top.None")
      return;
    std::string line;
    llvm::raw_string_ostream out(line);
    out << op->getName() << "(";
    for (Value operand : op->getOperands())
      if (isa<NoneType>(operand.getType()))
        out << "none ";
      else
        out << numbers.try_emplace(operand, numbers.size()).first->second
            << " ";
    out << ") {";
    for (NamedAttribute attribute : op->getAttrs())
      if (!isLeftOut(op, attribute.getName()))
        out << attribute.getName().getValue() << " = " << attribute.getValue()
            << " ";
    out << "} -> ";
    llvm::interleaveComma(op->getResultTypes(), out);
    out << " " << op->getLoc();
    for (Value value : op->getResults())
      numbers.try_emplace(value, numbers.size());
    result.push_back(line);
  });
  return result;
}

void expectSame(ModuleOp ours, ModuleOp theirs) {
  const std::vector<std::string> a = lines(ours), b = lines(theirs);
  EXPECT_EQ(a.size(), b.size());
  int differences = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && differences < 8; ++i) {
    EXPECT_EQ(a[i], b[i]);
    differences += a[i] != b[i];
  }
}

/// A factor for each channel, of the size that the chip has.
void expectFactors(ModuleOp module, int64_t least, int64_t limit) {
  int64_t layers = 0;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "tpu.Conv2D")
      return;
    ++layers;
    auto multipliers = readIntegers(op->getAttr("multiplier"));
    auto shifts = readIntegers(op->getAttr("rshift"));
    ASSERT_TRUE(multipliers && shifts);
    const int64_t channels =
        cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
    EXPECT_EQ(static_cast<int64_t>(multipliers->size()), channels);
    EXPECT_EQ(shifts->size(), multipliers->size());
    for (int64_t multiplier : *multipliers)
      EXPECT_TRUE(multiplier >= least && multiplier < limit) << multiplier;
  });
  EXPECT_GT(layers, 0);
}

TEST_F(RealIntegersTest, YoloV8ForSignedIntegersIsTheSame) {
  auto ours = parse("tpu_mlir/yolov8s_cv181x_int8/top.mlir");
  auto theirs = parse("tpu_mlir/yolov8s_cv181x_int8/tpu.mlir");
  ASSERT_TRUE(ours && theirs);
  takeRanges(*ours, *theirs);
  ASSERT_TRUE(succeeded(lower(*ours, "cv181x")));
  expectSame(*ours, *theirs);
  expectFactors(*ours, int64_t(1) << 30, int64_t(1) << 31);
}

TEST_F(RealIntegersTest, CoefficientsOfYoloV8AreThoseOfTpuMlir) {
  auto ours = parse("tpu_mlir/yolov8s_cv181x_int8/top.mlir");
  auto theirs = parse("tpu_mlir/yolov8s_cv181x_int8/tpu.mlir");
  auto packed = parse("tpu_mlir/yolov8s_cv181x_int8/final.mlir");
  ASSERT_TRUE(ours && theirs && packed);
  takeRanges(*ours, *theirs);
  ASSERT_TRUE(succeeded(lower(*ours, "cv181x")));
  ASSERT_TRUE(succeeded(deploy(*ours)));
  EXPECT_EQ(weightTypes(*ours), weightTypes(*packed));
  auto bytes = readInteger((*ours)->getAttr("module.coeff_size"));
  EXPECT_EQ(bytes, 11231792);
}

// Rows of the first layer count as input channels.
TEST_F(RealIntegersTest, CoefficientsOfYoloV5AreThoseOfTpuMlir) {
  if (!fs::exists(folder / "tpu_mlir_more/yolov5s_bm1684x_int8/tpu.mlir"))
    GTEST_SKIP() << "tpu_mlir_more has no yolov5s";
  auto ours = parse("tpu_mlir_more/yolov5s_bm1684x_f16/top.mlir");
  auto theirs = parse("tpu_mlir_more/yolov5s_bm1684x_int8/tpu.mlir");
  auto packed = parse("tpu_mlir_more/yolov5s_bm1684x_int8/final.mlir");
  ASSERT_TRUE(ours && theirs && packed);
  takeRanges(*ours, *theirs);
  ASSERT_TRUE(succeeded(lower(*ours, "bm1684x")));
  ASSERT_TRUE(succeeded(deploy(*ours)));
  EXPECT_EQ(weightTypes(*ours), weightTypes(*packed));
}

TEST_F(RealIntegersTest, ScalesOfALanguageModelAreThoseOfTpuMlir) {
  for (const char *name :
       {"qwen_block_0_bm1684x", "qwen_block_cache_0_bm1684x"}) {
    const std::string stem = std::string("tpu_mlir/") + name;
    auto ours = parse(stem + "/top.mlir");
    auto theirs = parse(stem + "/final.mlir");
    ASSERT_TRUE(ours && theirs);
    ASSERT_TRUE(succeeded(lower(*ours, "bm1684x", "W4BF16")));
    ASSERT_TRUE(succeeded(deploy(*ours)));
    auto packed = packedOperands(*theirs);
    EXPECT_GT(packed.size(), 4u);
    EXPECT_EQ(packedOperands(*ours), packed);
  }
}

// The Top module is that of the same network in F16.
TEST_F(RealIntegersTest, YoloV5ForMultipliersAndShiftsIsTheSame) {
  if (!fs::exists(folder / "tpu_mlir_more/yolov5s_bm1684x_int8/tpu.mlir"))
    GTEST_SKIP() << "tpu_mlir_more has no yolov5s";
  auto ours = parse("tpu_mlir_more/yolov5s_bm1684x_f16/top.mlir");
  auto theirs = parse("tpu_mlir_more/yolov5s_bm1684x_int8/tpu.mlir");
  ASSERT_TRUE(ours && theirs);
  takeRanges(*ours, *theirs);
  ASSERT_TRUE(succeeded(lower(*ours, "bm1684x")));
  expectSame(*ours, *theirs);
  expectFactors(*ours, 1, int64_t(1) << 31);
}

} // namespace
