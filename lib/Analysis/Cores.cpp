//===- Cores.cpp - Ops that several cores work on -------------------------===//

#include "tpu_mlir/Analysis/Cores.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;

namespace tpu_mlir {

bool runsOnSeveralCores(Operation *op) {
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp())
    if (tpu::isParallel(around))
      return true;
  const Attribute cores =
      findModuleAttr(op->getParentOfType<ModuleOp>(), "module.cores");
  return readFlag(op->getAttr("multicore")).value_or(false) && cores &&
         readInteger(cores).value_or(1) > 1;
}

} // namespace tpu_mlir
