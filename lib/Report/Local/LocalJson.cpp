//===- LocalJson.cpp - Layer groups as JSON -------------------------------===//

#include "tpu_mlir/Report/LocalReport.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace tpu_mlir::report {

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::Value;

static void addCost(Object &object, const LocalCost &cost) {
  object["loadBytes"] = cost.loadBytes;
  object["storeBytes"] = cost.storeBytes;
  object["cycles"] = cost.cycles;
  object["computeCycles"] = cost.computeCycles;
  object["waitCycles"] = cost.waitCycles;
}

static Value toJson(const LocalOpRow &op) {
  return Object{{"id", op.id},          {"name", fixUTF8(op.name)},
                {"op", fixUTF8(op.op)}, {"engine", engineName(op.engine)},
                {"stage", op.stage},    {"row", op.row},
                {"isHeld", op.isHeld}};
}

static Value toJson(const LocalBufferRow &buffer) {
  Array life;
  for (const Interval &steps : buffer.life)
    life.push_back(Object{{"firstStep", steps.begin}, {"endStep", steps.end}});
  Object object{
      {"name", fixUTF8(buffer.name)},  {"kind", kindName(buffer.kind)},
      {"begin", buffer.bytes.begin},   {"end", buffer.bytes.end},
      {"isWrapped", buffer.isWrapped}, {"life", std::move(life)}};
  if (buffer.inPlaceOf)
    object["inPlaceOf"] = int64_t(*buffer.inPlaceOf);
  return object;
}

static Value toJson(const LocalGroupRow &group) {
  Array ops, buffers;
  for (const LocalOpRow &op : group.ops)
    ops.push_back(toJson(op));
  for (const LocalBufferRow &buffer : group.buffers)
    buffers.push_back(toJson(buffer));
  Object sections;
  static constexpr const char *kNames[] = {"n", "c", "d", "h", "w"};
  for (size_t dim = 0; dim < group.sections.size(); ++dim)
    sections[kNames[dim]] = group.sections[dim];
  Object object{{"index", group.index},
                {"name", fixUTF8(group.name)},
                {"function", fixUTF8(group.function)},
                {"numLayers", group.numLayers},
                {"numRows", group.numRows},
                {"sections", std::move(sections)},
                {"isLoop", group.isLoop},
                {"numSteps", group.numSteps},
                {"activeCores", group.activeCores},
                {"sharesTransfers", group.sharesTransfers},
                {"peakBytes", group.peakBytes},
                {"lowerBoundBytes", group.lowerBoundBytes},
                {"boundStep", group.boundStep},
                {"bankConflicts", group.bankConflicts},
                {"conflictRows", group.conflictRows},
                {"work", group.work},
                {"wholeWork", group.wholeWork},
                {"activationBytes", group.activationBytes},
                {"wholeActivationBytes", group.wholeActivationBytes},
                {"ops", std::move(ops)},
                {"buffers", std::move(buffers)}};
  addCost(object, group.cost);
  if (!group.location.empty())
    object["location"] = fixUTF8(group.location);
  return object;
}

static Value toJson(const LocalGlobalRow &layer) {
  Object object{{"name", fixUTF8(layer.name)},
                {"op", fixUTF8(layer.op)},
                {"function", fixUTF8(layer.function)}};
  addCost(object, layer.cost);
  if (!layer.reason.empty())
    object["reason"] = fixUTF8(layer.reason);
  return object;
}

static Value total(int64_t numLayers, const LocalCost &cost) {
  Object object{{"numLayers", numLayers},
                {"trafficBytes", cost.trafficBytes()}};
  addCost(object, cost);
  return object;
}

std::string renderLocalJson(const LocalReport &report) {
  Array groups, globals;
  for (const LocalGroupRow &group : report.groups)
    groups.push_back(toJson(group));
  for (const LocalGlobalRow &layer : report.globals)
    globals.push_back(toJson(layer));
  const int64_t grouped = report.numGroupedLayers();
  const int64_t global = int64_t(report.globals.size());
  Value root = Object{
      {"version", 1},
      {"module", fixUTF8(report.module)},
      {"chip", fixUTF8(report.chip)},
      {"cores", report.cores},
      {"lanes", report.lanes},
      {"laneBytes", report.laneBytes},
      {"banks", report.banks},
      {"euBytes", report.euBytes},
      {"numFreeLayers", report.numFreeLayers},
      {"totals", Object{{"grouped", total(grouped, report.groupCost())},
                        {"global", total(global, report.globalCost())},
                        {"all", total(grouped + global + report.numFreeLayers,
                                      report.totalCost())}}},
      {"bound", Object{{"loadBytes", report.bound.loadBytes},
                       {"storeBytes", report.bound.storeBytes},
                       {"barrierBytes", report.bound.barrierBytes},
                       {"trafficBytes", report.bound.bytes()}}},
      {"layerByLayerBytes", report.layerByLayerBytes},
      {"byMemory",
       Object{{"weightBytes", report.byMemory.weightBytes},
              {"l2Bytes", report.byMemory.l2Bytes},
              {"globalActivationBytes", report.globalActivationBytes()}}},
      {"groups", std::move(groups)},
      {"globalLayers", std::move(globals)}};
  return llvm::formatv("{0:2}\n", root).str();
}

} // namespace tpu_mlir::report
