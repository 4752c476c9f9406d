//===- CheckCores.cpp - Sections that run at the same time ----------------===//

#include "lib/Analysis/Local/Check/Checks.h"

#include "tpu_mlir/Target/Dealing.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

/// Every section of one core may come before every one of another.
static void checkLoadsOfStores(const LocalGroup &group, int64_t cores,
                               Violations &violations) {
  for (const Member &load : group.members) {
    if (load.kind != Member::Kind::Load)
      continue;
    for (const Member &store : group.members)
      if (store.kind == Member::Kind::Store &&
          llvm::is_contained(store.op->getResults(), load.op->getOperand(0)))
        violations.push_back(
            {Invariant::Order,
             load.op,
             llvm::formatv("{0} loads what the group stores: {1} cores run "
                           "sections of it at the same time, and nothing "
                           "orders the one after the other",
                           describe(load), cores),
             {{store.op, "it is stored here"}}});
  }
}

void checkCores(const LocalGroup &group, Violations &violations) {
  const int64_t cores =
      target::Dealing(group.numSections, group.chip->usedCores).activeCores();
  if (cores == 1)
    return;
  const bool sharesTransfers =
      !group.guestLoads.empty() || !group.guestStores.empty() ||
      llvm::any_of(group.members, [](const Member &member) {
        return member.isHoisted || member.isSunk;
      });
  if (sharesTransfers)
    violations.push_back(
        {Invariant::Flow,
         group.op,
         llvm::formatv("the group shares transfers with a neighbour, but {0} "
                       "cores run sections of it, and a barrier between groups "
                       "is all that orders them",
                       cores),
         {}});
  checkLoadsOfStores(group, cores, violations);
}

} // namespace tpu_mlir::local
