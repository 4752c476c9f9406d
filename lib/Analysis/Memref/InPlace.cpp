//===- InPlace.cpp - Recognise ops that can run in place ------------------===//
//
// Checks that an op reads each element in the iteration that overwrites it,
// and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/InPlace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir {

Value stripViews(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || op->getNumResults() != 1)
      break;
    memref = view.getViewSource();
  }
  return memref;
}

static bool bodyTouchesNoMemory(linalg::LinalgOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(),
      [](Operation &inner) { return isMemoryEffectFree(&inner); });
}

bool readsWhereItWrites(Operation *op, Value read, Value written) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureBufferSemantics() ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops() ||
      !bodyTouchesNoMemory(linalgOp))
    return false;
  Value readBase = stripViews(read), writtenBase = stripViews(written);
  AffineMap map;
  for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
    Value base = stripViews(init.get());
    if (base == readBase)
      return false;
    if (base != writtenBase)
      continue;
    if (map || init.get() != written ||
        linalgOp.payloadUsesValueFromOperand(&init))
      return false;
    map = linalgOp.getMatchingIndexingMap(&init);
  }
  if (!map || !map.isPermutation())
    return false;
  return llvm::all_of(linalgOp.getDpsInputOperands(), [&](OpOperand *input) {
    Value base = stripViews(input->get());
    if (base == writtenBase)
      return false;
    return base != readBase || (input->get() == read &&
                                linalgOp.getMatchingIndexingMap(input) == map);
  });
}

} // namespace tpu_mlir
