//===- AssignLocalAddress.cpp - Assign addresses to layer groups ----------===//
//
// The pass: places the buffers of each group anew and writes the addresses
// into `ginfo`.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/AssignLocalAddress/AssignLocalAddress.h"

#include "lib/Transforms/Tpu/AssignLocalAddress/PlaceGroup.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_ASSIGNLOCALADDRESS
#include "lib/Transforms/Tpu/AssignLocalAddress/AssignLocalAddress.h.inc"

using namespace local_addresses;

namespace {

class AssignLocalAddressPass
    : public impl::AssignLocalAddressBase<AssignLocalAddressPass> {
public:
  using AssignLocalAddressBase::AssignLocalAddressBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkAtLeast(UnknownLoc::get(context), "node-limit", nodeLimit, 0);
  }

  void runOnOperation() override {
    std::vector<GroupAddresses> found;
    madeFor.clear();
    bool allFit = true;
    for (ModuleOp module : functionModules(getOperation()))
      allFit &= succeeded(place(module, found));
    if (!allFit)
      return signalPassFailure();
    if (madeFor.empty())
      remarkNoGroups();
    for (const GroupAddresses &addresses : found)
      applyAddresses(addresses);
    for (auto &[module, spec] : madeFor)
      recordChip(module, spec);
  }

private:
  void remarkNoGroups() {
    for (auto [isGiven, name] :
         {std::pair(minimizePeak.hasValue(), "minimize-peak"),
          {nodeLimit.hasValue(), "node-limit"}})
      if (isGiven)
        emitRemark(getOperation().getLoc())
            << "'" << name << "' has no effect: there are no layer groups";
  }

  LogicalResult place(ModuleOp module, std::vector<GroupAddresses> &found) {
    SmallVector<tpu::GroupOp> groups;
    module.walk<WalkOrder::PreOrder>([&](tpu::GroupOp group) {
      // Those of a module inside this one have their own turn.
      if (group->getParentOfType<ModuleOp>() == module)
        groups.push_back(group);
    });
    if (groups.empty())
      return checkChipOptions(module, chip, chipFile);
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    madeFor.emplace_back(module, *spec);
    layer::LmemOptions options;
    options.nodeLimit = nodeLimit;
    options.minimizePeak = minimizePeak;
    bool allFit = true;
    for (tpu::GroupOp group : groups) {
      auto addresses = placeGroup(group, *spec, options);
      if (succeeded(addresses))
        found.push_back(std::move(*addresses));
      allFit &= succeeded(addresses);
    }
    return success(allFit);
  }

  std::vector<std::pair<ModuleOp, target::ChipSpec>> madeFor;
};

} // namespace

} // namespace tpu_mlir
