//===- ImportCalibrationTable.cpp - Put calibrated ranges into types ------===//
//
// The pass: reads the table, checks it against the module, and sets the
// quantized types.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h"

#include "lib/Transforms/Tpu/ImportCalibrationTable/Ranges.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir {

using namespace calibration;

#define GEN_PASS_DEF_IMPORTCALIBRATIONTABLE
#include "lib/Transforms/Tpu/ImportCalibrationTable/ImportCalibrationTable.h.inc"

using quantization::CalibrationTable;

namespace {

class ImportCalibrationTablePass
    : public impl::ImportCalibrationTableBase<ImportCalibrationTablePass> {
public:
  using ImportCalibrationTableBase::ImportCalibrationTableBase;

  void runOnOperation() override {
    if (failed(import(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult import(ModuleOp module);
  FailureOr<CalibrationTable> readTable(ModuleOp module);
  FailureOr<RangeRules> chooseRules(ModuleOp module);
  void warnOfOthers(ModuleOp module, const CalibrationTable &table,
                    ArrayRef<Value> results);
  void warnOfNames(ModuleOp module, ArrayRef<Value> results);
};

} // namespace

/// The results of layers that may have a range, in the order of the text.
static SmallVector<Value> rangedResults(ModuleOp module) {
  SmallVector<Value> results;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "top" &&
        op->getNumRegions() == 0 && !isa<top::WeightOp, top::NoneOp>(op))
      llvm::append_range(results, op->getResults());
  });
  return results;
}

FailureOr<RangeRules> ImportCalibrationTablePass::chooseRules(ModuleOp module) {
  auto state =
      dyn_cast_or_null<StringAttr>(findSharedAttr(module, "module.state"));
  if (state && state.getValue().starts_with("TPU_"))
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "the module is lowered already: ranges are for a "
                          "Top module");
  auto spec = resolveChip(module, chip, chipFile);
  if (failed(spec))
    return failure();
  auto scheme = quantization::schemeOf(spec->requantBytes);
  if (!scheme || spec->batchLayout == target::BatchLayout::FourN)
    return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                          "'" + spec->name +
                              "' has no rules here for integers that stand for "
                              "floats; lower to a float mode, or choose "
                              "another chip");
  return RangeRules{*scheme, asymmetric};
}

FailureOr<CalibrationTable>
ImportCalibrationTablePass::readTable(ModuleOp module) {
  auto text = readWholeFile(file);
  if (auto *error = std::get_if<FileError>(&text))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          error->message);
  auto table = quantization::parseCalibrationTable(std::get<std::string>(text));
  if (auto *error = std::get_if<quantization::TableError>(&table))
    return emitCodedError(
        module.getLoc(), ErrorCode::NotReadable,
        "calibration table '" + file + "'" +
            (error->line ? ", line " + Twine(error->line) : Twine()) + ": " +
            error->message);
  for (const std::string &block : std::get<CalibrationTable>(table).otherBlocks)
    emitRemark(module.getLoc())
        << "the block '" << block << "' of '" << file << "' is not used";
  for (int64_t line : std::get<CalibrationTable>(table).infiniteLines)
    emitWarning(module.getLoc()) << "calibration table '" << file << "', line "
                                 << line << ": infinite numbers count as 65000";
  return std::move(std::get<CalibrationTable>(table));
}

/// Another range for each: what is equal by chance alone could share bytes.
static CalibrationTable standIns(ArrayRef<Value> results) {
  CalibrationTable table;
  for (auto [number, value] : llvm::enumerate(results)) {
    const double threshold = 4 + static_cast<double>(number) / 1024;
    table.add({valueName(value), {threshold, -threshold, threshold}, 0});
  }
  return table;
}

static void dropRange(Value value) {
  auto tensor = dyn_cast<TensorType>(value.getType());
  auto range =
      tensor ? dyn_cast<quant::CalibratedQuantizedType>(tensor.getElementType())
             : quant::CalibratedQuantizedType();
  if (range)
    value.setType(tensor.clone(range.getExpressedType()));
}

/// An argument has one range. Where several calls of one function hand on what
/// may have others, no call hands on any, and none gets one back, which it may
/// hand on.
static void dropRangesOfShared(ModuleOp module) {
  SmallVector<func::CallOp> calls;
  llvm::SmallPtrSet<Attribute, 4> callees;
  module.walk([&](func::CallOp call) {
    calls.push_back(call);
    callees.insert(call.getCalleeAttr());
  });
  if (callees.size() == calls.size())
    return;
  for (func::CallOp call : calls) {
    llvm::for_each(call.getOperands(), dropRange);
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (callee && !callee.isExternal())
      llvm::for_each(callee.getBody().back().getTerminator()->getOperands(),
                     dropRange);
  }
}

/// Functions return what they return, and calls hand on what they are given.
/// True: something was another type.
static bool updateSignature(func::FuncOp function,
                            SymbolTableCollection &symbols) {
  bool isChanged = false;
  SmallVector<Type> results(function.getResultTypes());
  if (!function.isExternal())
    if (auto ret =
            dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator()))
      results.assign(ret.getOperandTypes().begin(),
                     ret.getOperandTypes().end());
  function.walk([&](func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(), call.getOperands()))
      argument.setType(operand.getType());
    callee.setFunctionType(FunctionType::get(
        callee.getContext(), call.getOperandTypes(), callee.getResultTypes()));
    for (auto [result, type] :
         llvm::zip(call.getResults(), callee.getResultTypes())) {
      isChanged |= result.getType() != type;
      result.setType(type);
    }
  });
  isChanged |= ArrayRef(results) != function.getResultTypes();
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), results));
  return isChanged;
}

/// Each round goes one call further out.
static void updateSignatures(ModuleOp module) {
  SymbolTableCollection symbols;
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) { functions.push_back(function); });
  bool isChanged = true;
  for (size_t round = 0; isChanged && round <= functions.size(); ++round) {
    isChanged = false;
    for (func::FuncOp function : functions)
      isChanged |= updateSignature(function, symbols);
  }
}

/// Names that are misspelt leave a layer without a range.
void ImportCalibrationTablePass::warnOfOthers(ModuleOp module,
                                              const CalibrationTable &table,
                                              ArrayRef<Value> results) {
  llvm::StringSet<> known;
  for (Value value : results)
    known.insert(valueName(value));
  SmallVector<StringRef> others;
  for (const CalibrationTable::Entry &entry : table.entries)
    if (!known.contains(entry.name))
      others.push_back(entry.name);
  if (!others.empty())
    emitRemark(module.getLoc())
        << "calibration table '" << file << "' has " << others.size()
        << " of its " << table.entries.size()
        << " ranges for tensors that the network has not, first '"
        << others.front() << "'";
}

/// Whoever wrote a line for such a tensor wrote a comment, or another name.
void ImportCalibrationTablePass::warnOfNames(ModuleOp module,
                                             ArrayRef<Value> results) {
  const auto isNoName = [](Value value) {
    return quantization::whyNoLine(valueName(value)) != nullptr;
  };
  const auto count = llvm::count_if(results, isNoName);
  if (file.empty() || count == 0)
    return;
  const std::string name = valueName(*llvm::find_if(results, isNoName));
  emitWarning(module.getLoc())
      << "no line of '" << file << "' can be about tensor '" << name
      << "': its name " << quantization::whyNoLine(name)
      << (count > 1 ? ", and " + std::to_string(count - 1) + " more are such"
                    : "");
}

LogicalResult ImportCalibrationTablePass::import(ModuleOp module) {
  const SmallVector<Value> results = rangedResults(module);
  FailureOr<CalibrationTable> table =
      file.empty() ? standIns(results) : readTable(module);
  if (failed(table))
    return failure();
  FailureOr<RangeRules> rules = chooseRules(module);
  if (failed(rules))
    return failure();
  if (file.empty()) {
    emitWarning(module.getLoc())
        << "there is no calibration table: ranges are stand-ins, so sizes and "
           "types are right and numbers mean nothing";
    setModuleAttr(module, "module.calibration",
                  StringAttr::get(module.getContext(), "stand-in"));
  }
  bool isUsed = false;
  for (Value value : results) {
    const CalibrationTable::Entry *entry = table->find(valueName(value));
    Type type = entry ? rangedType(value, entry->range, *rules) : Type();
    isUsed |= entry != nullptr;
    if (type)
      value.setType(type);
  }
  if (!isUsed && !results.empty())
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          "calibration table '" + file +
                              "' has none of the network's tensors: is it "
                              "that of another one?");
  warnOfOthers(module, *table, results);
  warnOfNames(module, results);
  module.walk([&](func::FuncOp function) { agreeOnRanges(function, *rules); });
  dropRangesOfShared(module);
  updateSignatures(module);
  Builder builder(module.getContext());
  setModuleAttr(module, "module.state",
                builder.getStringAttr("TOP_CALIBRATED"));
  setModuleAttr(module, "module.asymmetric", builder.getBoolAttr(asymmetric));
  return success();
}

} // namespace tpu_mlir
