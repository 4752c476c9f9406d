//===- Copies.cpp - Recognise copies --------------------------------------===//
//
// memref.copy, elementwise ops that yield their operand, and the ops that the
// user names; and which types can stand for each other.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/Copies.h"

#include "lib/Transforms/Memref/CopyRemoval/BufferUses.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <tuple>

using namespace mlir;

namespace tpu_mlir::copies {

/// Parallel loops alone, both maps the identity, and the operand yielded.
static bool isIdentity(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block *body = op.getBlock();
  return llvm::hasSingleElement(*body) &&
         body->getTerminator()->getNumOperands() == 1 &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

/// The operand that an op reads, and the one that it writes, if that is all
/// that it does.
static std::optional<std::pair<Value, Value>>
readAndWritten(MemoryEffectOpInterface op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  OpOperand *read = nullptr, *written = nullptr;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    OpOperand *&found = reads ? read : written;
    auto *operand = effect.getEffectValue<OpOperand *>();
    if (!operand || (found && found != operand) ||
        (!reads && !isa<MemoryEffects::Write>(effect.getEffect())))
      return std::nullopt;
    found = operand;
  }
  if (!read || !written || read == written)
    return std::nullopt;
  return std::pair(read->get(), written->get());
}

/// Source and target of an op that somebody calls a copy.
static std::optional<std::pair<Value, Value>> namedCopy(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() > 0 ||
      op->getNumRegions() > 0 || endsBlock(op) || isAsynchronous(op))
    return std::nullopt;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return readAndWritten(effects);
  return std::pair(op->getOperand(0), op->getOperand(1));
}

std::optional<BufferCopy> asCopy(Operation *op,
                                 const llvm::StringSet<> &others) {
  BufferCopy copy;
  copy.op = op;
  if (auto plain = dyn_cast<memref::CopyOp>(op)) {
    copy.source = plain.getSource();
    copy.target = plain.getTarget();
  } else if (auto clone = dyn_cast<bufferization::CloneOp>(op)) {
    copy.source = clone.getInput();
    copy.target = clone.getOutput();
  } else if (isa<linalg::CopyOp, linalg::GenericOp>(op) &&
             isIdentity(cast<linalg::LinalgOp>(op))) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    copy.source = linalgOp.getDpsInputs().front();
    copy.target = linalgOp.getDpsInits().front();
  } else if (others.contains(op->getName().getStringRef())) {
    auto named = namedCopy(op);
    if (!named)
      return std::nullopt;
    std::tie(copy.source, copy.target) = *named;
  } else {
    return std::nullopt;
  }
  auto from = dyn_cast<MemRefType>(copy.source.getType());
  auto to = dyn_cast<MemRefType>(copy.target.getType());
  if (!from || !to || from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return std::nullopt;
  return copy;
}

bool isCastable(Type from, Type to) {
  auto a = cast<MemRefType>(from), b = cast<MemRefType>(to);
  return a == b || (differInLayoutOnly(a, b) && a.getLayout().isIdentity() &&
                    b.getLayout().isIdentity());
}

bool differInLayoutOnly(Type a, Type b) {
  auto first = cast<MemRefType>(a), second = cast<MemRefType>(b);
  return first.getElementType() == second.getElementType() &&
         first.getMemorySpace() == second.getMemorySpace() &&
         succeeded(verifyCompatibleShape(first, second));
}

Value castTo(Value memref, Type type, Operation *before) {
  if (memref.getType() == type)
    return memref;
  OpBuilder builder(before);
  return memref::CastOp::create(builder, before->getLoc(), type, memref);
}

Operation *removableAlloc(Value memref) {
  Operation *op = memref.getDefiningOp();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(op) ||
      op->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
    return nullptr;
  return op;
}

int64_t alignmentOf(Operation *alloc) {
  auto attribute = alloc->getAttrOfType<IntegerAttr>("alignment");
  return attribute ? attribute.getInt() : 0;
}

bool hasAlignment(Value memref, int64_t bytes, bool mayChange) {
  if (bytes <= 1)
    return true;
  Operation *alloc = stripCasts(memref).getDefiningOp();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(alloc))
    return false;
  if (mayChange && alignmentOf(alloc) < bytes)
    alloc->setAttr("alignment",
                   Builder(alloc->getContext()).getI64IntegerAttr(bytes));
  return true;
}

} // namespace tpu_mlir::copies
