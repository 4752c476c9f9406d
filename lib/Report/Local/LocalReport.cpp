//===- LocalReport.cpp - Sums of a report on layer groups -----------------===//

#include "tpu_mlir/Report/LocalReport.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include <limits>

namespace tpu_mlir::report {

static constexpr Named<LocalKind> kKinds[] = {
    {LocalKind::Activation, "activation"},
    {LocalKind::Weight, "weight"},
    {LocalKind::ReloadedWeight, "reloaded weight"},
    {LocalKind::Result, "result"},
    {LocalKind::Scratch, "scratch"},
};

static constexpr Named<LocalEngine> kEngines[] = {
    {LocalEngine::Compute, "compute"},
    {LocalEngine::Load, "load"},
    {LocalEngine::Store, "store"},
};

const char *kindName(LocalKind kind) { return nameIn(kKinds, kind).data(); }

const char *engineName(LocalEngine engine) {
  return nameIn(kEngines, engine).data();
}

int64_t LocalCost::trafficBytes() const {
  return saturatedAdd(loadBytes, storeBytes);
}

int64_t TrafficBound::bytes() const {
  return saturatedAdd(saturatedAdd(loadBytes, storeBytes), barrierBytes);
}

LocalCost &LocalCost::operator+=(const LocalCost &o) {
  loadBytes = saturatedAdd(loadBytes, o.loadBytes);
  storeBytes = saturatedAdd(storeBytes, o.storeBytes);
  cycles = saturatedAdd(cycles, o.cycles);
  computeCycles = saturatedAdd(computeCycles, o.computeCycles);
  waitCycles = saturatedAdd(waitCycles, o.waitCycles);
  return *this;
}

TrafficByMemory &TrafficByMemory::operator+=(const TrafficByMemory &o) {
  weightBytes = saturatedAdd(weightBytes, o.weightBytes);
  l2Bytes = saturatedAdd(l2Bytes, o.l2Bytes);
  return *this;
}

int64_t LocalReport::globalActivationBytes() const {
  return totalCost().trafficBytes() - byMemory.weightBytes - byMemory.l2Bytes;
}

int64_t LocalGroupRow::numSections() const {
  int64_t product = 1;
  for (int64_t parts : sections)
    product = checkedMul(product, parts)
                  .value_or(std::numeric_limits<int64_t>::max());
  return product;
}

int64_t LocalReport::numGroupedLayers() const {
  int64_t count = 0;
  for (const LocalGroupRow &group : groups)
    count += group.numLayers;
  return count;
}

LocalCost LocalReport::groupCost() const {
  LocalCost cost;
  for (const LocalGroupRow &group : groups)
    cost += group.cost;
  return cost;
}

LocalCost LocalReport::globalCost() const {
  LocalCost cost;
  for (const LocalGlobalRow &layer : globals)
    cost += layer.cost;
  return cost;
}

LocalCost LocalReport::totalCost() const {
  LocalCost cost = groupCost();
  cost += globalCost();
  return cost;
}

} // namespace tpu_mlir::report
