//===- LocalReportTest.cpp - Tables and maps of literal reports -----------===//

#include "tpu_mlir/Report/LocalReport.h"

#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::report;
using testing::HasSubstr;
using testing::Not;

namespace {

LocalBufferRow buffer(std::string name, LocalKind kind, Interval bytes,
                      std::vector<Interval> life) {
  LocalBufferRow row;
  row.name = std::move(name);
  row.kind = kind;
  row.bytes = bytes;
  row.isWrapped = life.size() > 1;
  row.life = std::move(life);
  return row;
}

LocalOpRow op(std::string name, LocalEngine engine, int64_t step) {
  LocalOpRow row;
  row.name = std::move(name);
  row.op = "tpu.Some";
  row.engine = engine;
  row.step = row.row = step;
  return row;
}

/// A loop of two rows in a lane of 1 KiB with four banks: x comes in at the
/// end of a round, y takes the place of x.
LocalReport loop() {
  LocalReport report;
  report.module = "net";
  report.chip = "toy";
  report.lanes = 4;
  report.bound = {80, 40};
  report.layerByLayerBytes = 400;
  report.laneBytes = 1024;
  report.banks = 4;
  report.euBytes = 16;
  LocalGroupRow group;
  group.name = "y";
  group.function = "main";
  group.numLayers = 1;
  group.numRows = group.numSteps = 2;
  group.sections = {1, 1, 1, 2, 1};
  group.isLoop = true;
  group.peakBytes = 512;
  group.lowerBoundBytes = 500;
  group.cost = {100, 50, 70, 7, 5};
  group.work = 3;
  group.wholeWork = 2;
  group.ops = {op("x", LocalEngine::Load, 1), op("y", LocalEngine::Compute, 0),
               op("y", LocalEngine::Store, 1)};
  group.buffers = {
      buffer("x", LocalKind::Activation, {0, 256}, {{0, 1}, {1, 2}}),
      buffer("w", LocalKind::Weight, {256, 512}, {{0, 2}}),
      buffer("y", LocalKind::Result, {0, 256}, {{0, 2}})};
  group.buffers[2].inPlaceOf = 0;
  report.groups = {group};
  LocalGlobalRow layer;
  layer.cost = {11, 22, 33, 3};
  report.globals = {layer, layer};
  report.numFreeLayers = 1;
  return report;
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

/// The first tag that does not close as it should; empty: none.
std::string unbalanced(const std::string &text) {
  std::vector<std::string> open;
  for (size_t at = text.find('<'); at != text.npos;
       at = text.find('<', at + 1)) {
    const size_t end = text.find('>', at);
    if (end == text.npos || text.find('<', at + 1) < end)
      return text.substr(at, 40);
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    const bool isVoid =
        name == "meta" || name == "input" || name == "br" || name[0] == '!';
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return tag;
      open.pop_back();
    } else if (tag.back() != '/' && tag[0] != '?' && !isVoid) {
      open.push_back(name);
      if (name == "script") // What is inside is no markup.
        at = text.find("</script>", end) - 1;
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(LocalReport, TotalsAreSums) {
  const LocalReport report = loop();
  EXPECT_EQ(report.groupCost().trafficBytes(), 150);
  EXPECT_EQ(report.globalCost().trafficBytes(), 66);
  EXPECT_EQ(report.totalCost().loadBytes, 122);
  EXPECT_EQ(report.totalCost().storeBytes, 94);
  EXPECT_EQ(report.totalCost().cycles, 136);
  EXPECT_EQ(report.totalCost().computeCycles, 13);
  EXPECT_EQ(report.numGroupedLayers(), 1);
  EXPECT_EQ(report.groups[0].numSections(), 2);
}

TEST(LocalReport, TrafficStandsBesideTheLeast) {
  LocalReport report = loop();
  EXPECT_THAT(
      renderLocalTable(report),
      HasSubstr("traffic 216 B: 1.80 times the least, 120 B (weights and "
                "inputs once 80 B, outputs once 40 B); layer by layer 400 B"));
  report.bound = {80, 40, 60};
  EXPECT_THAT(renderLocalTable(report),
              HasSubstr("1.20 times the least, 180 B (weights and inputs once "
                        "80 B, outputs once 40 B, again 60 B); layer"));
  EXPECT_THAT(renderLocalJson(report), HasSubstr("\"barrierBytes\": 60"));
  report.bound = {};
  EXPECT_THAT(renderLocalTable(report), HasSubstr("- times the least, 0 B"));
  report.bound = {INT64_MAX, 1};
  EXPECT_EQ(report.bound.bytes(), INT64_MAX);
  report.bound = {1, 1, INT64_MAX};
  EXPECT_EQ(report.bound.bytes(), INT64_MAX);
}

TEST(LocalReport, SumsBeyondAllNumbersStayThere) {
  LocalReport report = loop();
  report.groups[0].cost.loadBytes = INT64_MAX;
  report.groups[0].sections = {INT64_MAX, 2, 1, 1, 1};
  EXPECT_EQ(report.totalCost().loadBytes, INT64_MAX);
  EXPECT_EQ(report.totalCost().trafficBytes(), INT64_MAX);
  EXPECT_EQ(report.groups[0].numSections(), INT64_MAX);
}

TEST(LocalReport, TablesHaveAllNumbers) {
  EXPECT_EQ(
      renderLocalTable(loop()),
      "module net, chip toy: 4 lanes of 1.0 KiB in 4 banks, execution units "
      "of 16 B\n"
      "\n"
      "group  layers  rows  n c d h w  peak  bound  conflicts  loaded  stored  "
      "recompute  reload  cycles  waits  name\n"
      "-----  ------  ----  ---------  ----  -----  ---------  ------  ------  "
      "---------  ------  ------  -----  ----\n"
      "    0       1     2  1 1 1 2 1   512    500          0     100      50  "
      "     1.50       -      70      5  y\n"
      "\n"
      "           groups  layers  loaded  stored  traffic  cycles  waits\n"
      "---------  ------  ------  ------  ------  -------  ------  -----\n"
      "in groups       1       1     100      50      150      70      5\n"
      "global                  2      22      44       66      66      0\n"
      "free                    1       0       0        0       0      0\n"
      "---------  ------  ------  ------  ------  -------  ------  -----\n"
      "total           1       4     122      94      216     136      5\n"
      "traffic 216 B: 1.80 times the least, 120 B (weights and inputs once 80 "
      "B, outputs once 40 B); layer by layer 400 B\n");
}

TEST(LocalReport, TextTellsOfOneGroupOrAll) {
  LocalReport report = loop();
  report.groups.push_back(report.groups[0]);
  report.groups[1].index = 1;
  report.groups[1].name = "other";
  EXPECT_THAT(renderLocalText(report), HasSubstr("group 0 'y'"));
  EXPECT_THAT(renderLocalText(report), HasSubstr("group 1 'other'"));
  EXPECT_THAT(renderLocalText(report, 1), Not(HasSubstr("group 0 'y'")));
  EXPECT_THAT(renderLocalText(report, 1), HasSubstr("group 1 'other'"));
  // The end of the round comes first: that is where x begins.
  EXPECT_THAT(renderLocalText(report),
              HasSubstr("[0, 256)   256      0  [1, 2) [0, 1)  activation  x"));
  EXPECT_THAT(renderLocalText(report),
              HasSubstr("result      y     in place of x"));
}

TEST(LocalMap, ALifeThatWrapsIsOneThingWithTwoPieces) {
  const std::string svg = renderLocalSvg(loop());
  EXPECT_EQ(countOf(svg, "data-b="), 3u);
  const size_t begin = svg.find("data-b=\"0.0\"");
  const std::string x = svg.substr(begin, svg.find("</g>", begin) - begin);
  EXPECT_EQ(countOf(x, "<path"), 2u);
  EXPECT_EQ(countOf(x, "<rect"), 0u);
  // 916 pixels are 2 rows; the arrow leaves the frame by 7 pixels, and the
  // other piece begins 7 pixels in front of it.
  EXPECT_THAT(x, HasSubstr("H1008L1015 "));
  EXPECT_THAT(x, HasSubstr("M85 "));
  const size_t next = svg.find("data-b=\"0.1\"");
  const std::string w = svg.substr(next, svg.find("</g>", next) - next);
  EXPECT_THAT(w, HasSubstr("<rect x=\"92\""));
  EXPECT_THAT(w, HasSubstr("width=\"916\""));
}

TEST(LocalMap, HoveringTellsNameBytesAddressBanksAndLife) {
  EXPECT_THAT(renderLocalSvg(loop()),
              HasSubstr("<title>x\nactivation, 256 B\naddress 0 to 256, bank "
                        "0\nrows [1, 2) [0, 1)</title>"));
  EXPECT_THAT(renderLocalSvg(loop()), HasSubstr("\nwritten over x</title>"));
}

TEST(LocalMap, BanksLimitsAndEnginesAreDrawn) {
  const std::string svg = renderLocalSvg(loop());
  // Up to a little above the peak: two banks and a bit of the third.
  EXPECT_EQ(countOf(svg, "class=\"bank\""), 2u);
  EXPECT_EQ(countOf(svg, ">peak 512 B<"), 1u);
  EXPECT_EQ(countOf(svg, ">lower bound 500 B<"), 1u);
  EXPECT_EQ(countOf(svg, "class=\"inplace\""), 2u); // One is the legend's.
  EXPECT_EQ(countOf(svg, ">↓ x<"), 1u);
  EXPECT_EQ(countOf(svg, ">↑ y<"), 1u);
  EXPECT_THAT(svg, Not(HasSubstr(">lane ")));
  LocalReport full = loop();
  full.groups[0].peakBytes = 1000;
  EXPECT_THAT(renderLocalSvg(full), HasSubstr(">lane 1.0 KiB<"));
}

TEST(LocalMap, StepsOfALineBeginWhereSomethingHappens) {
  LocalReport report = loop();
  LocalGroupRow &group = report.groups[0];
  group.isLoop = false;
  group.numSteps = 6;
  for (LocalOpRow &op : group.ops)
    op.step += 4;
  for (LocalBufferRow &row : group.buffers) {
    row.life = {{4, 6}};
    row.isWrapped = false;
  }
  group.boundStep = 4;
  const std::string svg = renderLocalSvg(report);
  EXPECT_EQ(countOf(svg, "class=\"soft\" text-anchor=\"middle\">4<"), 1u);
  EXPECT_EQ(countOf(svg, "class=\"soft\" text-anchor=\"middle\">3<"), 0u);
  EXPECT_THAT(svg, Not(HasSubstr("<path")));
  EXPECT_THAT(svg, HasSubstr("\nsteps [4, 6)"));
}

TEST(LocalMap, PagesShowEachGroupOnceAndSmallOnesInTheTable) {
  LocalReport report = loop();
  report.groups.push_back(report.groups[0]);
  report.groups[1].index = 1;
  const std::string all = renderLocalHtml(report);
  EXPECT_EQ(countOf(all, "<figure>"), 2u);
  EXPECT_EQ(countOf(all, "<tr data-b="), 6u);
  const std::string one = renderLocalHtml(report, 1);
  EXPECT_EQ(countOf(one, "<figure>"), 1u);
  EXPECT_EQ(countOf(one, "<tr data-b=\"1."), 3u);
  for (LocalBufferRow &row : report.groups[0].buffers)
    row.bytes.end = row.bytes.begin + 1;
  const std::string sorted = renderLocalHtml(report);
  EXPECT_LT(sorted.find("<tr data-b=\"1.2\""), sorted.find("<tr data-b=\"0."));
}

TEST(LocalMap, NamesAreEscaped) {
  LocalReport report = loop();
  report.module = report.groups[0].name = report.groups[0].ops[0].name =
      report.groups[0].buffers[0].name = "<a> & \"b\" \xBE\xED";
  for (const std::string &text :
       {renderLocalSvg(report), renderLocalHtml(report)}) {
    EXPECT_THAT(text, HasSubstr("&lt;a&gt; &amp; &quot;b&quot; \uFFFD"));
    EXPECT_THAT(text, Not(HasSubstr("<a>")));
    EXPECT_EQ(unbalanced(text), "");
    EXPECT_TRUE(llvm::json::isUTF8(text));
  }
  EXPECT_TRUE(llvm::json::isUTF8(renderLocalText(report)));
  EXPECT_EQ(unbalanced("<g><rect/></svg>"), "/svg");
}

TEST(LocalMap, OddReportsAreDrawn) {
  LocalReport report;
  EXPECT_THAT(renderLocalSvg(report), HasSubstr("</svg>"));
  EXPECT_THAT(renderLocalHtml(report), HasSubstr("</html>"));
  report.groups.resize(1);
  EXPECT_THAT(renderLocalSvg(report), HasSubstr("group 0: 0 layers"));
  report = loop();
  report.groups[0].peakBytes = report.groups[0].buffers[0].bytes.end =
      INT64_MAX;
  report.banks = 0;
  EXPECT_THAT(renderLocalSvg(report), HasSubstr("8.00 EiB"));
  EXPECT_THAT(renderLocalSvg(report), Not(HasSubstr("class=\"bank\"")));
}

} // namespace
