//===- PlaceRegions.cpp - The regions of a plan: sizes, and who follows ---===//

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

/// More bytes than a plan has.
static constexpr int64_t kNoPlan = int64_t(1) << 61;

MemoryNeed needOf(const GlobalProblem &global, int64_t alignment,
                  llvm::function_ref<int64_t(PoolId)> bytesOf) {
  MemoryNeed need{0, 0, 0};
  for (auto [pool, region] : llvm::enumerate(global.regions)) {
    if (region.role == RegionRole::L2 || region.role == RegionRole::User)
      continue;
    const int64_t bytes = checkedAlignUp(bytesOf(PoolId(pool)), alignment)
                              .value_or(std::numeric_limits<int64_t>::max());
    need.totalBytes = saturatedAdd(need.totalBytes, bytes);
    if (region.role == RegionRole::Neuron)
      need.neuronBytes = saturatedAdd(need.neuronBytes, bytes);
  }
  return need;
}

MemoryNeed needOf(const GlobalProblem &global, const SolveResult &result,
                  const target::ChipSpec &chip) {
  const auto *plan = std::get_if<Plan>(&result);
  // Then the error speaks of what comes nearest.
  if (!plan)
    return needOf(global, 1, [&](PoolId pool) {
      return saturatedAdd(kNoPlan, liveBound(global.problem, pool).bytes);
    });
  MemoryNeed need = needOf(global, chip.neuronAlignment, [&](PoolId pool) {
    return plan->pools[pool].usedBytes;
  });
  need.accessCost = plan->accessCost;
  return need;
}

bool placeRegions(GlobalProblem &global, const planning::Plan &plan,
                  const target::ChipSpec &chip, const WeightRegion &weights) {
  // A multiple of both alignments, though neither has to be one of the other.
  std::optional<int64_t> alignment = checkedMul(
      chip.neuronAlignment / std::gcd(chip.neuronAlignment, global.alignment),
      global.alignment);
  auto end = [&](int64_t base, int64_t bytes) -> std::optional<int64_t> {
    auto sum = checkedAdd(base, bytes);
    return sum && alignment ? checkedAlignUp(*sum, *alignment) : std::nullopt;
  };
  std::optional<int64_t> next = end(weights.base, weights.sizeBytes);
  PlannedRegion *neuron = nullptr, *io = nullptr;
  int64_t neuronBytes = 0, ioBytes = 0;
  for (size_t i = 0; i < global.regions.size(); ++i) {
    if (global.regions[i].role == RegionRole::Neuron) {
      neuron = &global.regions[i];
      neuronBytes = plan.pools[i].usedBytes;
    } else if (global.regions[i].role == RegionRole::Io) {
      io = &global.regions[i];
      ioBytes = plan.pools[i].usedBytes;
    }
  }
  bool isLinear = chip.addressForm == AddressForm::Linear;
  bool ioIsLast = global.ioMode == IoMode::IoReloc;
  if (chip.addressForm == AddressForm::BaseRegister)
    next = 0;
  if (io && !ioIsLast && isLinear && next) {
    io->base = *next;
    next = end(*next, ioBytes);
  }
  if (!next)
    return false;
  neuron->base = chip.neuronBase.value_or(*next);
  if (io && ioIsLast) {
    auto behind = end(neuron->base, neuronBytes);
    if (!behind)
      return false;
    io->base = *behind;
  }
  for (size_t i = 0; i < global.regions.size(); ++i) {
    global.problem.pools[i].baseAddress = global.regions[i].base;
    if (!checkedAdd(global.regions[i].base, plan.pools[i].usedBytes))
      return false;
  }
  return true;
}

} // namespace tpu_mlir
