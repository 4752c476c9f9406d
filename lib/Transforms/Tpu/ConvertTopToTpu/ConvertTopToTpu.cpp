//===- ConvertTopToTpu.cpp - Lower a module from Top to Tpu ---------------===//
//
// The pass: chooses mode, chip and weights, plans all functions and then
// lowers them, callees first.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/ChooseIntegers.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Recipe.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/TakeApart.h"
#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

using namespace weight_files;

#define GEN_PASS_DEF_CONVERTTOPTOTPU
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h.inc"

using namespace lowering;

namespace {

class ConvertTopToTpuPass
    : public impl::ConvertTopToTpuBase<ConvertTopToTpuPass> {
public:
  using ConvertTopToTpuBase::ConvertTopToTpuBase;
  ConvertTopToTpuPass(const ConvertTopToTpuOptions &options,
                      std::shared_ptr<quantization::WeightStore> weights)
      : ConvertTopToTpuBase(options), numbers(std::move(weights)) {}

  LogicalResult initialize(MLIRContext *context) override {
    // -1 is a group of the whole row.
    return checkAtLeast(UnknownLoc::get(context), "q-group-size", qGroupSize,
                        -1);
  }

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult convert(ModuleOp module);
  LogicalResult lower(ModuleOp module, const FloatMode &floatMode,
                      StringRef chipName);
  FailureOr<FloatMode> chooseMode(ModuleOp module);
  LogicalResult setIntegers(ModuleOp module, StringRef modeName);
  LogicalResult setPacking(ModuleOp module, const FloatMode &floats);
  LogicalResult readWeights(ModuleOp module);
  void describePacking(ModuleOp module, ArrayRef<std::string> left);
  LogicalResult finishWeights(ModuleOp module, int64_t numUnknown);
  /// The chip's name; "" when none is asked for.
  FailureOr<std::string> chooseChip(ModuleOp module);
  LogicalResult checkLowered(ModuleOp module, StringRef wantedMode);
  void describe(ModuleOp module, const FloatMode &floatMode,
                StringRef chipName);

  bool isInt8() const { return integers && integers->packedBits == 0; }

  /// In INT8, and where matrices are packed.
  std::optional<IntegerMode> integers;
  std::shared_ptr<quantization::WeightStore> numbers;
};

} // namespace

static StringRef moduleString(ModuleOp module, StringRef name) {
  auto value = dyn_cast_or_null<StringAttr>(findSharedAttr(module, name));
  return value ? value.getValue() : StringRef();
}

FailureOr<FloatMode> ConvertTopToTpuPass::chooseMode(ModuleOp module) {
  StringRef text = mode.empty() ? moduleString(module, "module.mode") : mode;
  if (isIntegerMode(text)) {
    if (failed(setIntegers(module, text)))
      return failure();
    return integers->floats;
  }
  if (!quantizeTable.empty())
    return emitCodedError(
        module.getLoc(), ErrorCode::BadOption,
        "'quantize-table' is for INT8 and floats of 8 bits only");
  if (auto parsed = FloatMode::parse(text)) {
    if (failed(setPacking(module, *parsed)))
      return failure();
    return *parsed;
  }
  if (text.empty())
    return emitCodedError(
        module.getLoc(), ErrorCode::BadAttribute,
        "no mode is given: set the option 'mode' or the "
        "attribute 'module.mode' to INT8, F8E4M3, F8E5M2 or one "
        "of " +
            FloatMode::names());
  return emitCodedError(
      module.getLoc(), ErrorCode::BadAttribute,
      "a Top module cannot be lowered to mode '" + text +
          "': there are INT8, F8E4M3, F8E5M2 and the floats " +
          FloatMode::names() +
          "; other quantised networks have to be lowered "
          "already");
}

/// In a mode without packed weights nothing is set.
LogicalResult ConvertTopToTpuPass::setPacking(ModuleOp module,
                                              const FloatMode &floats) {
  int64_t lanes = 1;
  StringRef named = moduleString(module, "module.chip");
  const bool isGiven = !chip.empty() || !chipFile.empty();
  if (isGiven || target::findChip(named)) {
    auto spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    lanes = spec->lanes;
  }
  integers = choosePacking(floats, qGroupSize, qSymmetric, lanes);
  for (const auto &[name, isSet] :
       {std::pair("weights", !weights.empty()),
        std::pair("weights-out", !weightsOut.empty()),
        std::pair("q-symmetric", qSymmetric.getValue()),
        std::pair("q-group-size", qGroupSize != 64)})
    if (isSet && !integers)
      return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                            Twine("'") + name +
                                "' is for INT8 and modes with packed weights");
  if (!integers)
    return success();
  if (failed(readWeights(module)))
    return failure();
  integers->weights = numbers;
  return success();
}

LogicalResult ConvertTopToTpuPass::readWeights(ModuleOp module) {
  if (weights.empty() || numbers)
    return success();
  auto opened = openWeights(module, weights);
  if (failed(opened))
    return failure();
  numbers = *opened;
  return success();
}

LogicalResult ConvertTopToTpuPass::setIntegers(ModuleOp module,
                                               StringRef modeName) {
  auto spec = resolveChip(module, chip, chipFile);
  if (failed(spec))
    return failure();
  FailureOr<IntegerMode> chosen =
      chooseIntegers(module, *spec, modeName, quantizeTable);
  if (failed(chosen))
    return failure();
  if (failed(readWeights(module)))
    return failure();
  chosen->weights = numbers;
  integers = std::move(*chosen);
  return success();
}

FailureOr<std::string> ConvertTopToTpuPass::chooseChip(ModuleOp module) {
  if (chip.empty() && chipFile.empty())
    return std::string();
  auto spec = resolveChip(module, chip, chipFile);
  if (failed(spec))
    return failure();
  return spec->name;
}

LogicalResult ConvertTopToTpuPass::checkLowered(ModuleOp module,
                                                StringRef wantedMode) {
  FailureOr<std::string> wantedChip = chooseChip(module);
  if (failed(wantedChip))
    return failure();
  const auto remark = [&](const char *option) {
    emitRemark(module.getLoc())
        << "'" << option
        << "' has no effect: the module is lowered already, and stays as it is";
  };
  if (highPrecision)
    remark("high-precision");
  if (!wantedChip->empty() &&
      !isChipName(moduleString(module, "module.chip"), *wantedChip))
    remark(chipFile.empty() ? "chip" : "chip-file");
  StringRef now = moduleString(module, "module.mode");
  if (wantedMode.empty() || now.equals_insensitive(wantedMode))
    return success();
  return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                        "the module is lowered already, to mode '" + now +
                            "', and cannot be lowered to '" + wantedMode + "'");
}

/// In an order in which each comes after those that it calls, cycles apart.
static SmallVector<func::FuncOp>
calleesFirst(ArrayRef<func::FuncOp> functions) {
  SymbolTableCollection symbols;
  llvm::DenseSet<Operation *> seen;
  SmallVector<func::FuncOp> order;
  SmallVector<std::pair<func::FuncOp, SmallVector<func::FuncOp>>> open;
  const auto enter = [&](func::FuncOp function) {
    if (!function || function.isExternal() || !seen.insert(function).second)
      return;
    SmallVector<func::FuncOp> callees;
    function.walk([&](func::CallOp call) {
      callees.push_back(symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr()));
    });
    std::reverse(callees.begin(), callees.end());
    open.push_back({function, std::move(callees)});
  };
  for (func::FuncOp function : functions)
    for (enter(function); !open.empty();) {
      if (open.back().second.empty())
        order.push_back(open.pop_back_val().first);
      else
        enter(open.back().second.pop_back_val());
    }
  return order;
}

/// The group size of packed weights, 0 without any.
static int64_t groupSize(ModuleOp module) {
  int64_t size = 0;
  module.walk([&](Operation *op) {
    auto group = readInteger(op->getAttr("q_group_size"));
    if (group && op->getName().getStringRef() == "top.A16MatMul")
      size = std::max(size, *group);
  });
  return size;
}

void ConvertTopToTpuPass::describe(ModuleOp module, const FloatMode &floatMode,
                                   StringRef chipName) {
  Builder builder(module.getContext());
  auto setDefault = [&](StringRef name, Attribute value) {
    if (!findSharedAttr(module, name))
      module->setAttr(name, value);
  };
  if (!chipName.empty())
    setModuleAttr(module, "module.chip", builder.getStringAttr(chipName));
  setModuleAttr(
      module, "module.mode",
      builder.getStringAttr(isInt8() ? integers->name : floatMode.name));
  setModuleAttr(module, "module.state", builder.getStringAttr("TPU_LOWERED"));
  setModuleAttr(module, "module.high_precision",
                builder.getBoolAttr(highPrecision));
  setModuleAttr(module, "module.q_group_size",
                builder.getI64IntegerAttr(groupSize(module)));
  setDefault("module.asymmetric", builder.getBoolAttr(false));
  setDefault("module.q_symmetric", builder.getBoolAttr(false));
  setDefault("module.addr_mode", builder.getStringAttr("basic"));
  setDefault("module.cores", builder.getI64IntegerAttr(1));
  setDefault("module.devices", builder.getI64IntegerAttr(1));
}

LogicalResult ConvertTopToTpuPass::convert(ModuleOp module) {
  if (moduleString(module, "module.state").starts_with("TPU_"))
    return checkLowered(module, mode);
  FailureOr<FloatMode> floatMode = chooseMode(module);
  if (failed(floatMode))
    return failure();
  FailureOr<std::string> chipName = chooseChip(module);
  if (failed(chipName))
    return failure();
  return lower(module, *floatMode, *chipName);
}

/// Products that stay floats where packed ones were asked for.
static void warnOfFloats(ModuleOp module, StringRef mode, bool packsAny,
                         ArrayRef<std::string> left) {
  if (!left.empty())
    emitWarning(module.getLoc())
        << left.size() << (left.size() == 1 ? " product has" : " products have")
        << " weights that stay floats in " << mode << ": "
        << llvm::join(left, ", ");
  else if (!packsAny)
    emitWarning(module.getLoc())
        << mode << " has no effect on weights: no product has one on the right";
}

/// Where this lowering has packed matrices, and not a front end.
void ConvertTopToTpuPass::describePacking(ModuleOp module,
                                          ArrayRef<std::string> left) {
  if (!integers || isInt8())
    return;
  int64_t size = 0;
  bool packsAny = false;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "tpu.A16MatMul")
      return;
    packsAny = true;
    size = std::max(size, readInteger(op->getAttr("q_group_size")).value_or(0));
  });
  warnOfFloats(module, integers->floats.name, packsAny, left);
  Builder builder(module.getContext());
  setModuleAttr(module, "module.q_group_size", builder.getI64IntegerAttr(size));
  if (qSymmetric)
    setModuleAttr(module, "module.q_symmetric", builder.getBoolAttr(true));
}

/// What was not known, said once, and what is known, written.
LogicalResult ConvertTopToTpuPass::finishWeights(ModuleOp module,
                                                 int64_t numUnknown) {
  if (numUnknown > 0)
    emitWarning(module.getLoc())
        << numUnknown << " weights have no numbers: types and sizes are right"
        << (isInt8() ? ", multipliers are stand-ins" : "");
  if (weightsOut.empty())
    return success();
  if (numbers)
    return writeWeights(module, *numbers, weightsOut);
  return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                        "'weights-out' needs 'weights': there are no numbers "
                        "to write");
}

LogicalResult ConvertTopToTpuPass::lower(ModuleOp module,
                                         const FloatMode &floatMode,
                                         StringRef chipName) {
  FailureOr<OpRules> rules = OpRules::create(module.getContext());
  if (failed(rules))
    return failure();

  // All functions are understood before the first is lowered.
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  RecipeBook book(*rules, floatMode);
  for (func::FuncOp function : functions)
    takeApart(function);
  for (func::FuncOp function : functions)
    if (failed(book.add(function)))
      return failure();
  describe(module, floatMode, chipName);
  FunctionLowering lowering(book, floatMode, highPrecision,
                            module.getContext());
  if (integers)
    lowering.setIntegers(*integers, integerLowering(*integers));
  for (func::FuncOp function : calleesFirst(functions))
    lowering.run(function);
  describePacking(module, lowering.leftToFloats());
  return finishWeights(module, lowering.numUnknownWeights());
}

std::unique_ptr<Pass>
createConvertTopToTpu(const ConvertTopToTpuOptions &options,
                      std::shared_ptr<quantization::WeightStore> weights) {
  return std::make_unique<ConvertTopToTpuPass>(options, std::move(weights));
}

} // namespace tpu_mlir
