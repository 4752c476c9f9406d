//===- NetTraceTest.cpp - Traces of literal reports -----------------------===//
//
// Every event is checked against what the Trace Event format asks of its kind.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/NetTrace.h"

#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

using namespace tpu_mlir;
using namespace tpu_mlir::report;
using llvm::json::Object;

namespace {

/// `count` tensors, each alive for two steps.
MemoryReport chain(int64_t count) {
  MemoryReport report;
  report.module = "net";
  report.numSteps = count;
  RegionRow neuron;
  neuron.name = "neuron";
  neuron.base = int64_t(1) << 60;
  report.regions = {neuron};
  for (int64_t i = 0; i < count; ++i) {
    TensorRow row;
    row.name = "t" + std::to_string(i) + "\xff\"";
    row.kind = "activation";
    row.region = "neuron";
    row.bytes = {neuron.base + i % 2 * 100,
                 neuron.base + i % 2 * 100 + 10 + i % 90};
    row.held = {i, std::min(i + 2, count)};
    report.steps.push_back({"tpu.Add", row.name, {}});
    report.tensors.push_back(std::move(row));
  }
  return report;
}

std::vector<Object> eventsOf(const std::string &text) {
  std::vector<Object> events;
  auto parsed = llvm::json::parse(text);
  if (!parsed) {
    ADD_FAILURE() << llvm::toString(parsed.takeError());
    return events;
  }
  for (llvm::json::Value &event :
       *parsed->getAsObject()->getArray("traceEvents"))
    events.push_back(std::move(*event.getAsObject()));
  return events;
}

std::vector<Object> eventsOf(const std::string &text, llvm::StringRef phase) {
  std::vector<Object> events;
  for (Object &event : eventsOf(text))
    if (event.getString("ph") == phase)
      events.push_back(std::move(event));
  return events;
}

void expectValid(const Object &event) {
  ASSERT_TRUE(event.getString("ph") && event.getString("name") &&
              event.getInteger("pid") && event.getInteger("tid"));
  const llvm::StringRef phase = *event.getString("ph");
  EXPECT_TRUE(llvm::StringRef("MXCi").contains(phase)) << phase.str();
  if (phase != "M") {
    ASSERT_TRUE(event.getInteger("ts"));
    EXPECT_GE(*event.getInteger("ts"), 0);
  }
  if (phase == "X") {
    EXPECT_GE(event.getInteger("dur").value_or(-1), 0);
  }
  if (phase == "C") {
    for (const auto &value : *event.getObject("args"))
      EXPECT_TRUE(value.second.getAsInteger());
  }
}

TEST(NetTrace, EventsAreWhatTheFormatAsksFor) {
  LocalReport local;
  local.module = "net";
  LocalGroupRow group;
  group.name = "t0";
  group.cost.cycles = 70;
  group.cost.computeCycles = 40;
  local.groups = {group, group};
  local.groups[1].index = 1;
  const std::string text = renderTrace({chain(5)}, {local});
  for (const Object &event : eventsOf(text))
    expectValid(event);
  EXPECT_EQ(text, renderTrace({chain(5)}, {local}));
  const std::vector<Object> slices = eventsOf(text, "X");
  // Tensors, steps, two groups and the computation in each: nothing is known of
  // their rows.
  ASSERT_EQ(slices.size(), 5u + 5u + 4u);
  EXPECT_EQ(slices[12].getInteger("ts"), 70);
  EXPECT_EQ(slices[12].getInteger("dur"), 70);
  EXPECT_EQ(slices[13].getInteger("dur"), 40);
}

/// A group of two sections: a load, two layers and a store in three rows.
LocalReport groupOfRows() {
  LocalGroupRow group;
  group.name = "y";
  group.numRows = 3;
  group.sections = {1, 1, 1, 2, 1};
  const auto add = [&](const char *name, LocalEngine engine, int64_t stage,
                       int64_t row, bool isHeld = false) {
    LocalOpRow op;
    op.name = name;
    op.engine = engine;
    op.stage = stage;
    op.row = row;
    op.isHeld = isHeld;
    group.ops.push_back(op);
  };
  add("x", LocalEngine::Load, 0, 2);
  add("w", LocalEngine::Load, 0, 2, true);
  add("a", LocalEngine::Compute, 1, 0);
  add("y", LocalEngine::Compute, 1, 1);
  add("y", LocalEngine::Store, 2, 0);
  // Fill; both sections; the last store.
  group.timeline.kinds = {{{0, 0}, {0, 0}, {0, 30}},
                          {{20, 0}, {10, 0}, {0, 20}},
                          {{20, 25}, {10, 0}, {0, 0}},
                          {{0, 25}, {0, 0}, {0, 0}}};
  group.timeline.rounds = {0, 1, 2, 3};
  group.cost.cycles = 30 + 50 + 35 + 25;
  group.cost.computeCycles = 60;
  LocalReport local;
  local.module = "net";
  local.groups = {group, group};
  local.groups[1].index = 1;
  return local;
}

using Slice = std::tuple<int64_t, std::string, int64_t, int64_t>;
/// Lane, name, begin and duration of the slices of layer groups.
std::vector<Slice> groupSlices(size_t maxRows) {
  TraceOptions options;
  options.maxRows = maxRows;
  std::vector<Slice> slices;
  for (const Object &event :
       eventsOf(renderTrace({}, {groupOfRows()}, options), "X")) {
    expectValid(event);
    slices.push_back({*event.getInteger("tid"), event.getString("name")->str(),
                      *event.getInteger("ts"), *event.getInteger("dur")});
  }
  return slices;
}

TEST(NetTrace, EnginesOfGroupsAreToldRowByRow) {
  const std::vector<Slice> slices = groupSlices(1000);
  const std::vector<Slice> first = {
      {1, "group 0: y", 0, 140}, {3, "load x, load w", 0, 30},
      {2, "a", 30, 20},          {2, "y", 50, 10},
      {3, "load x", 60, 20},     {2, "a", 80, 20},
      {3, "store y", 80, 25},    {2, "y", 105, 10},
      {3, "store y", 115, 25}};
  ASSERT_EQ(slices.size(), 2 * first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), slices.begin()));
  EXPECT_EQ(slices[first.size()], Slice(1, "group 1: y", 140, 140));
}

TEST(NetTrace, LongGroupsAreToldRoundByRoundOrAsAWhole) {
  // Twelve rows each: one group by rows, the other one by its four rounds.
  std::vector<Slice> slices = groupSlices(16);
  ASSERT_EQ(slices.size(), 9u + 7u);
  EXPECT_EQ(slices[10], Slice(3, "round 0", 140, 30));
  EXPECT_EQ(slices[11], Slice(2, "round 1", 170, 30));
  EXPECT_EQ(slices[12], Slice(3, "round 1", 170, 20));
  // Rounds of one, and of the other one no more than a sum.
  slices = groupSlices(7);
  ASSERT_EQ(slices.size(), 7u + 2u);
  EXPECT_EQ(slices[8], Slice(2, "computation", 140, 60));
}

TEST(NetTrace, SlicesOfOneLaneDoNotOverlap) {
  std::map<std::pair<int64_t, int64_t>, int64_t> ends;
  for (const Object &slice : eventsOf(renderTrace({chain(100)}, {}), "X")) {
    int64_t &end = ends[{*slice.getInteger("pid"), *slice.getInteger("tid")}];
    EXPECT_GE(*slice.getInteger("ts"), end);
    end = *slice.getInteger("ts") + *slice.getInteger("dur");
  }
  // Two lanes are enough, and one for the steps.
  EXPECT_EQ(ends.size(), 3u);
}

TEST(NetTrace, CountersAreTheLiveSumAndEndAtZero) {
  std::vector<std::pair<int64_t, int64_t>> sums;
  for (const Object &event : eventsOf(renderTrace({chain(3)}, {}), "C"))
    sums.push_back({*event.getInteger("ts"),
                    *event.getObject("args")->getInteger("bytes")});
  const std::vector<std::pair<int64_t, int64_t>> expected = {
      {0, 10}, {1000, 21}, {2000, 23}, {3000, 0}};
  EXPECT_EQ(sums, expected);
}

TEST(NetTrace, ManyTensorsAreAsManyAsAreAskedFor) {
  const MemoryReport report = chain(5000);
  TraceOptions options;
  // 300 bytes for a tensor, 150 for a step, 100 where the counter changes.
  EXPECT_LE(renderTrace({report}, {}, options).size(), 5000 * 550u);
  options.maxTensors = options.maxSteps = 10;
  const std::string text = renderTrace({report}, {}, options);
  EXPECT_EQ(eventsOf(text, "X").size(), 20u);
  EXPECT_EQ(eventsOf(text, "C").size(), 5001u);
  EXPECT_EQ(eventsOf(renderTrace({}, {})).size(), 0u);
}

} // namespace
