//===- CutOperand.cpp - Ops on parts of their operands --------------------===//

#include "lib/Analysis/Local/Layers/CutOperand.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::grouping {

static std::string quoted(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "' (" +
         valueName(op->getResult(0)) + ")";
}

std::string whyWhole(Operation *op) {
  auto local = dyn_cast<LocalSliceOpInterface>(op);
  if (!local || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return quoted(op) + " is no op that computes parts of one result";
  // Their attributes are those of whole tensors.
  if (isa<tpu::SliceOp, tpu::ReshapeOp>(op))
    return quoted(op) + " says the shape of the whole";
  if (std::string why = local.whyGlobal(); !why.empty())
    return quoted(op) + ": " + why;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<tpu::BufferOp>())
      return quoted(op) + " has scratch";
  return "";
}

std::variant<PartOf, std::string> cutOperand(Operation *op, unsigned index,
                                             int64_t dim) {
  const Value operand = op->getOperand(index);
  if (isa<NoneType>(operand.getType()))
    return PartOf();
  auto rules = cast<LocalSliceOpInterface>(op).getOperandRules(index);
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (failed(rules) || !type)
    return quoted(op) + " does not say what it reads";
  const int64_t length =
      cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(dim);
  PartOf found;
  for (auto [own, rule] : llvm::enumerate(*rules)) {
    if (rule.kind == DimRule::Kind::Whole || rule.resultDim != dim)
      continue;
    if (!rule.isSame() || type.getDimSize(own) != length || found)
      return quoted(op) + " reads more than the same part of '" +
             valueName(operand) + "'";
    found.emplace(own);
  }
  if (found && operand.getDefiningOp<top::WeightOp>())
    return quoted(op) + " needs a part of the weight '" + valueName(operand) +
           "'";
  return found;
}

/// The ops that tpu-mlir's tables let carry `do_core_parallel`, but for those
/// whose attributes say places or shapes of the whole.
static bool isDividedAmongCores(Operation *op) {
  return isa<tpu::A16MatMulOp, tpu::ActiveOp, tpu::AddConstOp, tpu::AddOp,
             tpu::CastOp, tpu::ClipOp, tpu::CompareConstOp, tpu::CompareOp,
             tpu::DequantIntOp, tpu::DivOp, tpu::DtypeCastOp, tpu::LayerNormOp,
             tpu::LeakyReluOp, tpu::LutOp, tpu::MatMulOp, tpu::MaxConstOp,
             tpu::MaxOp, tpu::MinConstOp, tpu::MinOp, tpu::MulConstOp,
             tpu::MulOp, tpu::MulShiftOp, tpu::PReluOp, tpu::Pool1DOp,
             tpu::Pool2DOp, tpu::Pool3DOp, tpu::RMSNormOp, tpu::ReciprocalOp,
             tpu::ReluOp, tpu::RequantFpOp, tpu::RequantIntOp, tpu::ScaleOp,
             tpu::SoftmaxOp, tpu::SubConstOp, tpu::SubOp, tpu::WhereOp>(op);
}

static bool says(Operation *op, StringRef name, bool value) {
  return readFlag(op->getAttr(name)) == value;
}

/// Whether pieces along `dim` are runs of memory.
static bool isFirstOfMany(Type type, int64_t dim) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  const auto bits =
      tensor ? elementBits(tensor.getElementType()) : std::nullopt;
  return bits && *bits >= 8 &&
         llvm::all_of(tensor.getShape().take_front(dim),
                      [](int64_t size) { return size == 1; });
}

std::optional<CoreCut> coreCutOf(Operation *op, int64_t cores) {
  if (cores < 2 || !isDividedAmongCores(op) || says(op, "multicore", true) ||
      says(op, "do_core_parallel", false) || !whyWhole(op).empty())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  CoreCut cut;
  while (cut.dim < type.getRank() && type.getDimSize(cut.dim) < cores)
    ++cut.dim;
  const SmallVector<bool> uncut =
      cast<LocalSliceOpInterface>(op).getUncutDims();
  if (cut.dim == type.getRank() || size_t(cut.dim) >= uncut.size() ||
      uncut[cut.dim] || !isFirstOfMany(type, cut.dim))
    return std::nullopt;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    const auto part = cutOperand(op, i, cut.dim);
    const auto *own = std::get_if<PartOf>(&part);
    if (!own || (*own && !isFirstOfMany(op->getOperand(i).getType(), **own)))
      return std::nullopt;
  }
  cut.length = ceilDiv(type.getDimSize(cut.dim), cores);
  cut.pieces = ceilDiv(type.getDimSize(cut.dim), cut.length);
  return cut;
}

} // namespace tpu_mlir::grouping
