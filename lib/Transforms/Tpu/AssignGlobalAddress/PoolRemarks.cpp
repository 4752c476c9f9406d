//===- PoolRemarks.cpp - Lines of pools without an effect -----------------===//

#include "lib/Transforms/Tpu/AssignGlobalAddress/PoolRemarks.h"

#include "tpu_mlir/Analysis/UserPools.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::global_addresses {

LogicalResult remarkUnused(ModuleOp module, const GlobalProblem &global) {
  FailureOr<std::vector<Pool>> lines = readUserPools(module);
  if (failed(lines))
    return failure();
  for (auto [id, region] : llvm::enumerate(global.regions)) {
    const Pool &pool = global.problem.pools[id];
    const bool isNamed = llvm::any_of(
        *lines, [&](const Pool &line) { return line.name == pool.name; });
    if (region.role != RegionRole::User && isNamed)
      remarkIfAlone(module, global.problem, PoolId(id));
    else if (region.role == RegionRole::User &&
             pool.access == PoolAccess::ReadWrite)
      remarkIfUnused(module, global.problem, PoolId(id));
  }
  return success();
}

bool hasUserPool(const GlobalProblem &global) {
  return llvm::any_of(llvm::zip_equal(global.regions, global.problem.pools),
                      [](const auto &entry) {
                        const auto &[region, pool] = entry;
                        return region.role == RegionRole::User &&
                               pool.access == PoolAccess::ReadWrite;
                      });
}

} // namespace tpu_mlir::global_addresses
