#include "lib/Transforms/VerifyAddresses/VerifyAddresses.h"

#include "lib/Transforms/VerifyAddresses/Machine.h"
#include "tpu_mlir/Analysis/Chip.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYADDRESSES
#include "lib/Transforms/VerifyAddresses/VerifyAddresses.h.inc"

namespace {

class VerifyAddressesPass
    : public impl::VerifyAddressesBase<VerifyAddressesPass> {
public:
  using VerifyAddressesBase::VerifyAddressesBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(
            checkAtLeast(getOperation().getLoc(), "alignment", alignment, 0)))
      return signalPassFailure();
    getOperation().walk<WalkOrder::PreOrder>([&](ModuleOp module) {
      if (!module.getOps<func::FuncOp>().empty() && failed(verify(module)))
        signalPassFailure();
    });
  }

private:
  LogicalResult verify(ModuleOp module) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    FailureOr<MemoryRegions> regions = readRegions(
        module, *spec, alignment > 0 ? alignment : spec->neuronAlignment);
    if (failed(regions) || failed(checkClaims(module, *spec, *regions)) ||
        failed(checkPins(module, *spec, *regions)))
      return failure();
    auto mode = dyn_cast_or_null<StringAttr>(
        findModuleAttr(module, "module.addr_mode"));
    Machine::Options options;
    options.fourN = spec->batchLayout == target::BatchLayout::FourN;
    options.sharedWeights =
        spec->addressForm == target::AddressForm::BaseRegister;
    options.inputsKept = !mode || mode.getValue() != "in_reuse";
    return Machine(module, *regions, options).run();
  }
};

} // namespace

} // namespace tpu_mlir
