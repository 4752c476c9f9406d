//===- Names.cpp - Tensors by their names ---------------------------------===//

#include "tpu_mlir/Analysis/Names.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

using namespace mlir;

namespace tpu_mlir {

SmallVector<Value> tensorsNamed(ModuleOp module, StringRef name) {
  SmallVector<Value> found;
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<ShapedType>(result.getType()) && valueName(result) == name)
        found.push_back(result);
  });
  return found;
}

} // namespace tpu_mlir
