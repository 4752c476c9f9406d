//===- ProcessorAssign.cpp - Chip and cores of a module -------------------===//

#include "lib/Transforms/Tpu/ProcessorAssign/ProcessorAssign.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_PROCESSORASSIGN
#include "lib/Transforms/Tpu/ProcessorAssign/ProcessorAssign.h.inc"

namespace {

constexpr StringLiteral kCores = "module.cores";
constexpr StringLiteral kMulticore = "multicore";

/// The module whose attribute the ones inside it go by: the innermost one that
/// has it, else the outermost.
ModuleOp moduleWith(StringRef name, ModuleOp module) {
  for (ModuleOp around = module; around;
       around = around->getParentOfType<ModuleOp>()) {
    module = around;
    if (around->hasAttr(name))
      break;
  }
  return module;
}

/// Its kernel for global memory splits itself.
bool hasMulticoreKernel(Operation *op) {
  if (isa<tpu::Conv2DOp>(op))
    return readInteger(op->getAttr("group")).value_or(1) == 1;
  return isa<tpu::ConcatOp>(op);
}

class ProcessorAssignPass
    : public impl::ProcessorAssignBase<ProcessorAssignPass> {
public:
  using ProcessorAssignBase::ProcessorAssignBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkAtLeast(UnknownLoc::get(context), "num_core", numCore, 1);
  }

  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(assign(module)))
        return signalPassFailure();
  }

private:
  LogicalResult assign(ModuleOp module) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    if (numCore > spec->cores)
      return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                            "option 'num_core' is " + Twine(numCore) +
                                ", but chip '" + spec->name + "' has " +
                                Twine(spec->cores) +
                                (spec->cores == 1 ? " core" : " cores"));
    recordChip(module, *spec);
    Builder builder(&getContext());
    moduleWith(kCores, module)
        ->setAttr(kCores, builder.getI64IntegerAttr(numCore));
    if (numCore > 1)
      module.walk([&](Operation *op) {
        if (hasMulticoreKernel(op) && !op->hasAttr(kMulticore))
          op->setAttr(kMulticore, builder.getBoolAttr(true));
      });
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
