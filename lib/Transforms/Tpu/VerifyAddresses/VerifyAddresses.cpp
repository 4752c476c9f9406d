//===- VerifyAddresses.cpp - Verify the addresses of a module -------------===//
//
// The pass: checks the claims of the module's attributes, then runs it on
// paper.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"

#include "lib/Transforms/Tpu/VerifyAddresses/Machine.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYADDRESSES
#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h.inc"

using namespace verify_addresses;

namespace {

class VerifyAddressesPass
    : public impl::VerifyAddressesBase<VerifyAddressesPass> {
public:
  using VerifyAddressesBase::VerifyAddressesBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkAtLeast(UnknownLoc::get(context), "alignment", alignment, 0);
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
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
    const FailureOr<int64_t> unit = neuronAlignment(module, *spec);
    if (failed(unit))
      return failure();
    FailureOr<MemoryRegions> regions = readRegions(module, *spec, *unit);
    if (failed(regions) || failed(checkClaims(module, *spec, *regions)) ||
        failed(checkPins(module, *spec, *regions)))
      return failure();
    auto attribute = dyn_cast_or_null<StringAttr>(
        findModuleAttr(module, "module.addr_mode"));
    const StringRef mode = attribute ? attribute.getValue() : "";
    Machine::Options options;
    options.fourN = spec->batchLayout == target::BatchLayout::FourN;
    options.sharedWeights =
        spec->addressForm == target::AddressForm::BaseRegister;
    options.inputsKept = mode != "in_reuse";
    options.ioApart = mode == "io_alone" || mode == "io_reloc";
    options.kernelsInOrder = areKernelsInOrder(module, &*spec);
    if (failed(readSameAddress(module, options)))
      return failure();
    return Machine(module, *regions, options).run();
  }

  /// From the first of the option, what was asked for when addresses were
  /// assigned, and the chip.
  FailureOr<int64_t> neuronAlignment(ModuleOp module,
                                     const target::ChipSpec &spec) const {
    if (alignment > 0)
      return alignment.getValue();
    FailureOr<std::optional<int64_t>> recorded =
        moduleInteger(module, "module.neuron_align");
    if (failed(recorded))
      return failure();
    const int64_t unit = recorded->value_or(spec.neuronAlignment);
    if (unit > 0)
      return unit;
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute 'module.neuron_align' of the module has "
                          "to be positive");
  }

  /// "0:0,1:2": an input and the output that takes its place.
  static LogicalResult readSameAddress(ModuleOp module,
                                       Machine::Options &options) {
    Attribute attribute = findModuleAttr(module, "module.same_addr");
    auto text = dyn_cast_or_null<StringAttr>(attribute);
    bool isRead = !attribute || text;
    for (StringRef pair : llvm::split(text ? text.getValue() : "", ",")) {
      auto [first, second] = pair.split(':');
      int64_t input = 0, output = 0;
      isRead &= pair.empty() || (!first.getAsInteger(10, input) &&
                                 !second.getAsInteger(10, output));
      if (!pair.empty())
        options.sameAddress.push_back({input, output});
    }
    if (isRead)
      return success();
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute 'module.same_addr' has to be a string of "
                          "pairs of an input and an output, such as "
                          "'0:0,1:2'");
  }
};

} // namespace

} // namespace tpu_mlir
