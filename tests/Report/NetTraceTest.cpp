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
  // Tensors, steps, two groups and the computation in each.
  ASSERT_EQ(slices.size(), 5u + 5u + 4u);
  EXPECT_EQ(slices[12].getInteger("ts"), 70);
  EXPECT_EQ(slices[12].getInteger("dur"), 70);
  EXPECT_EQ(slices[13].getInteger("dur"), 40);
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
