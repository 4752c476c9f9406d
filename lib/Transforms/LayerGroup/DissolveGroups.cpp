//===- DissolveGroups.cpp - Groups back into single layers ----------------===//

#include "lib/Transforms/LayerGroup/DissolveGroups.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir {

namespace {

bool hasNoPlainForm(Operation &op) {
  return isa<tpu::MoveOp, tpu::LoadToL2MOp, tpu::SliceMergeOp>(op);
}

void dissolve(tpu::GroupOp group) {
  OpBuilder builder(group);
  IRMapping mapping;
  for (Operation &op : group.getRegion().front()) {
    if (auto load = dyn_cast<tpu::LoadOp>(op)) {
      mapping.map(load.getOutput(), load.getInput());
    } else if (auto store = dyn_cast<tpu::StoreOp>(op)) {
      mapping.map(store.getOutput(), mapping.lookupOrDefault(store.getInput()));
    } else if (auto yield = dyn_cast<tpu::YieldOp>(op)) {
      for (auto [result, yielded] :
           llvm::zip_equal(group.getResults(), yield.getValues())) {
        Value value = mapping.lookupOrDefault(yielded);
        // A layer's result takes over the type, and address, of the group's.
        if (value.getDefiningOp() && !isa<BlockArgument>(value))
          value.setType(result.getType());
        result.replaceAllUsesWith(value);
      }
    } else {
      builder.clone(op, mapping)->removeAttr("ginfo");
    }
  }
  group.erase();
}

} // namespace

int64_t dissolveGroups(Block &block,
                       llvm::function_ref<bool(tpu::GroupOp)> isMeant) {
  int64_t numDissolved = 0;
  for (auto group : llvm::make_early_inc_range(block.getOps<tpu::GroupOp>()))
    if (llvm::none_of(group.getRegion().front(), hasNoPlainForm) &&
        isMeant(group)) {
      dissolve(group);
      ++numDissolved;
    }
  return numDissolved;
}

std::string whyNotDissolved(tpu::GroupOp group) {
  for (Operation &op : group.getRegion().front())
    if (hasNoPlainForm(op))
      return "'" + op.getName().getStringRef().str() +
             "' in it has no meaning outside of groups";
  return "it is in a region of another op, and those are left alone";
}

} // namespace tpu_mlir
