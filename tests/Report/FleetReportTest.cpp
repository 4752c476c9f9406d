//===- FleetReportTest.cpp - Reports read back, compared and listed -------===//

#include "tpu_mlir/Report/FleetDiff.h"

#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpu_mlir::report {
namespace {

using testing::HasSubstr;
using testing::Not;

MemoryReport sample(const std::string &module, int64_t neuron) {
  MemoryReport report;
  report.module = module;
  report.chip = "bm1688";
  report.ioMode = "basic";
  report.numSteps = 3;
  RegionRow region;
  region.name = "neuron";
  region.base = 4096;
  region.usedBytes = neuron;
  region.lowerBoundBytes = neuron - 64;
  region.peakStep = 1;
  region.servedBytes = 4 * neuron;
  region.peakSet = {{"conv \"a\"", neuron - 64, 0, "op", "'relu' reads it"},
                    {"in", 64, 4, "pinned", "it is an input"}};
  region.changes = {{"'in' elsewhere", 64}};
  region.capacityBytes = int64_t(1) << 33;
  report.regions = {region};
  TensorRow tensor;
  tensor.name = "conv \"a\"";
  tensor.kind = "activation";
  tensor.region = "neuron";
  tensor.bytes = {4096, 4096 + neuron - 64};
  tensor.life = {0, 2};
  report.tensors = {tensor};
  tensor.name = "in";
  tensor.kind = "input";
  tensor.bytes = {4096 + neuron - 64, 4096 + neuron};
  report.tensors.push_back(tensor);
  return report;
}

MemoryUse read(const std::string &text) {
  auto parsed = parseGolden(text);
  EXPECT_TRUE(std::holds_alternative<MemoryUse>(parsed));
  return std::get<MemoryUse>(parsed);
}

TEST(FleetReport, WhatIsWrittenIsRead) {
  const std::string one = renderJson(sample("net", 1024));
  for (const std::string &text : {one, one + renderJson(sample("{ \\", 512))}) {
    auto parsed = parseReports(text);
    auto *error = std::get_if<JsonError>(&parsed);
    ASSERT_FALSE(error) << error->message;
    std::string again;
    for (const MemoryReport &report :
         std::get<std::vector<MemoryReport>>(parsed))
      again += renderJson(report);
    EXPECT_EQ(again, text);
  }
}

TEST(FleetReport, ErrorsHaveTheLineOfTheFile) {
  const std::string one = renderJson(sample("net", 1024));
  const int64_t lines = std::count(one.begin(), one.end(), '\n');
  const auto errorOf = [](const std::string &text) {
    auto parsed = parseReports(text);
    auto *error = std::get_if<JsonError>(&parsed);
    return error ? *error : JsonError{"none", 0, 0};
  };
  EXPECT_EQ(errorOf(one + "{\"module\": 3}").line, lines + 1);
  EXPECT_NE(errorOf(one + "{\"module\": 3}").message.find("module"),
            std::string::npos);
  for (const char *text : {"", "[]", "3", "{", "}", "null", "{\"a\":1}"})
    EXPECT_NE(errorOf(text).message, "none") << text;
  std::string wrong = one;
  wrong.replace(wrong.find("\"version\": 1"), 12, "\"version\": 2");
  EXPECT_NE(errorOf(wrong).message.find("version 2 is not known"),
            std::string::npos);
  // Every cut of a report ends in an error.
  for (size_t end = 0; end + 2 < one.size(); ++end)
    EXPECT_NE(errorOf(one.substr(0, end)).message, "none") << end;
}

TEST(FleetReport, GoldenFiguresComeBack) {
  const MemoryUse use = memoryUse({sample("net", 1024)});
  const std::string text = printGolden(use);
  EXPECT_EQ(text, "neuron used 1024\n"
                  "neuron peak 960 conv \"a\"\n"
                  "neuron peak 64 in\n");
  EXPECT_EQ(printGolden(read("# why\n\n" + text)), text);
  EXPECT_EQ(printGolden(memoryUse({sample("a", 1024), sample("b c", 2048)})),
            "a.neuron used 1024\na.neuron peak 960 conv \"a\"\n"
            "a.neuron peak 64 in\nb c.neuron used 2048\n"
            "b c.neuron peak 1984 conv \"a\"\nb c.neuron peak 64 in\n");
  for (const char *bad :
       {"neuron", "neuron used", "neuron used x", "neuron used -1", " used 3",
        "neuron peak 3", "neuron used 3 more",
        "neuron used 99999999999999999999"})
    EXPECT_TRUE(std::holds_alternative<JsonError>(parseGolden(bad))) << bad;
  EXPECT_EQ(std::get<JsonError>(parseGolden("a used 1\nb")).line, 2);
}

TEST(FleetReport, ChangesNameWhatIsNewAtThePeak) {
  const MemoryUse before = read("a used 100\na peak 60 x\na peak 40 y\n"
                                "gone used 5\nsame used 7\n"),
                  after = read("a used 150\na peak 70 x\na peak 40 y\n"
                               "a peak 40 z\nnew used 1\nsame used 7\n");
  const auto changes = findChanges(before, after);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(describe(changes[0]), "a: 100 -> 150 B (+50.0 %)\n"
                                  "  new at the peak: 70 B x\n"
                                  "  new at the peak: 40 B z\n");
  EXPECT_EQ(describe(changes[1]), "gone: 5 -> 0 B (-100.0 %)\n");
  EXPECT_EQ(describe(changes[2]), "new: 0 -> 1 B\n");
  EXPECT_TRUE(isOver(changes[0], 49.9));
  EXPECT_FALSE(isOver(changes[0], 50));
  EXPECT_FALSE(isOver(changes[1], 0));
  EXPECT_TRUE(isOver(changes[2], 1000));
  EXPECT_TRUE(findChanges(after, after).empty());
  // At the end of the numbers.
  EXPECT_FALSE(isOver({"a", INT64_MAX, INT64_MAX, {}}, 0));
  EXPECT_TRUE(isOver({"a", INT64_MAX - 1, INT64_MAX, {}}, 0));
}

ReportDiff diffOf(std::vector<MemoryReport> before,
                  std::vector<MemoryReport> after, double tolerance = 0) {
  return diffReports({"old.json", std::move(before)},
                     {"new.json", std::move(after)}, tolerance);
}

TEST(FleetReport, TensorsOfTwoReports) {
  MemoryReport other = sample("net", 1024);
  other.tensors[0].name = "conv_b";
  other.tensors[1].region = "l2";
  const ReportDiff diff = diffOf({sample("net", 1024)}, {other});
  EXPECT_EQ(renderDiffText(diff), "  gone: conv \"a\", 960 B in neuron\n"
                                  "  new: conv_b, 960 B in neuron\n"
                                  "  in: 64 B in neuron -> 64 B in l2\n");
  EXPECT_FALSE(diff.isOver());
  EXPECT_EQ(renderDiffText(diffOf({other}, {other})), "");
  EXPECT_TRUE(diffOf({other}, {other}).isEmpty());
}

TEST(FleetReport, AReportIsOverByItsTolerance) {
  const auto isOver = [](double tolerance) {
    return diffOf({sample("net", 1000)}, {sample("net", 1100)}, tolerance)
        .isOver();
  };
  EXPECT_TRUE(isOver(9));
  EXPECT_FALSE(isOver(11));
  EXPECT_TRUE(diffOf({sample("net", 1000)}, {}, 50).isOver());
  EXPECT_FALSE(diffOf({}, {}, 0).isOver());
}

TEST(FleetReport, DiffsAsJsonAndAsAPage) {
  MemoryReport other = sample("net", 2048);
  other.tensors[0].name = "<b>&\xff";
  const ReportDiff diff = diffOf({sample("net", 1024)}, {other}, 10);
  auto json = llvm::json::parse(renderDiffJson(diff));
  ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError());
  const llvm::json::Object &root = *json->getAsObject();
  EXPECT_EQ(root.getInteger("version"), 1);
  EXPECT_EQ(root.getString("before"), "old.json");
  EXPECT_EQ(root.getBoolean("isOver"), true);
  EXPECT_EQ(root.getNumber("tolerancePercent"), 10);
  const llvm::json::Object &region =
      *root.getArray("regions")->front().getAsObject();
  EXPECT_EQ(region.getInteger("beforeBytes"), 1024);
  EXPECT_EQ(region.getInteger("afterBytes"), 2048);
  EXPECT_EQ(region.getBoolean("isOver"), true);
  ASSERT_EQ(root.getArray("tensors")->size(), 2u);
  EXPECT_EQ(
      root.getArray("tensors")->front().getAsObject()->get("before")->kind(),
      llvm::json::Value::Null);

  const std::string page = renderDiffHtml(diff);
  EXPECT_THAT(page, HasSubstr("Larger than allowed"));
  EXPECT_THAT(page, HasSubstr("+100.0 %"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;&amp;\uFFFD"));
  EXPECT_THAT(renderDiffText(diff), HasSubstr("new: <b>&\uFFFD"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(renderDiffHtml(diffOf({other}, {other})),
              HasSubstr("Nothing changed"));
  EXPECT_THAT(renderDiffHtml(diffOf({other}, {})),
              HasSubstr("It does not fit"));
  EXPECT_THAT(renderDiffHtml(diffOf({other}, {sample("net", 1024)})),
              HasSubstr("Smaller"));
}

TEST(FleetReport, TablesHaveARowEach) {
  MemoryReport other = sample("b", 2048);
  other.regions[0].name = "l2";
  const std::vector<FleetRow> rows = {{"a,\"x\"", {sample("<m>", 1024)}},
                                      {"two", {sample("c", 8192), other}},
                                      {"big\xff", {}}};
  EXPECT_EQ(renderFleetCsv(rows),
            "name,module,chip,fits,l2,l2 bound,neuron,neuron bound\n"
            "\"a,\"\"x\"\"\",<m>,bm1688,yes,,,1024,960\n"
            "two,c,bm1688,yes,2048,1984,8192,8128\n"
            "big\uFFFD,,,no,,,,\n");
  EXPECT_NE(renderFleetText(rows).find("8,192"), std::string::npos);
  EXPECT_NE(renderFleetText(rows).find("big\uFFFD"), std::string::npos);
  const std::string page = renderFleetHtml(rows);
  EXPECT_NE(page.find("&lt;m&gt;"), std::string::npos);
  EXPECT_NE(page.find("big\uFFFD"), std::string::npos);
  EXPECT_EQ(page.find("<m>"), std::string::npos);
  EXPECT_NE(page.find("data-v=\"8192\""), std::string::npos);
}

} // namespace
} // namespace tpu_mlir::report
