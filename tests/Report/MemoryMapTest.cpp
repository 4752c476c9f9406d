//===- MemoryMapTest.cpp - Maps of literal reports ------------------------===//
//
// What a page does in a browser is tested in tests/tools/memory_map.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/MemoryMap.h"

#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::report;
using testing::HasSubstr;
using testing::Not;

namespace {

TensorRow tensor(std::string name, std::string kind, std::string region,
                 Interval bytes, Interval held) {
  TensorRow row;
  row.name = std::move(name);
  row.kind = std::move(kind);
  row.region = std::move(region);
  row.bytes = bytes;
  row.life = row.held = held;
  return row;
}

/// x -> a -> y with one weight; the peak is where a and y are alive.
MemoryReport small() {
  MemoryReport report;
  report.module = "net";
  report.chip = "bm1684x";
  report.ioMode = "basic";
  report.numSteps = 3;
  report.steps = {
      {"tpu.Conv2D", "a", 0}, {"tpu.Add", "y", {}}, {"func.return", "", {}}};
  RegionRow coeff, neuron;
  coeff.name = "coeff";
  coeff.base = 0x1000;
  coeff.usedBytes = coeff.lowerBoundBytes = 4096;
  neuron.name = "neuron";
  neuron.base = 0x2000;
  neuron.usedBytes = 12288;
  neuron.lowerBoundBytes = 8192;
  neuron.peakStep = 1;
  neuron.peakOp = "'tpu.Add' (y)";
  neuron.peakSet = {{"a", 4000, 96, "op", "read in this step"},
                    {"y", 4096, 0, "op", "made in this step"}};
  neuron.changes = {{"'a' stays in local memory", 4096}};
  report.regions = {coeff, neuron};
  report.boardBytes = 16384;
  report.tensors = {
      tensor("w", "weight", "coeff", {0x1000, 0x2000}, {}),
      tensor("x", "input", "neuron", {0x2000, 0x3000}, {0, 3}),
      tensor("a", "activation", "neuron", {0x3000, 0x3fa0}, {0, 2}),
      tensor("y", "output", "neuron", {0x4000, 0x5000}, {1, 3})};
  return report;
}

/// A chain of `count` tensors, each alive for two steps, with names of at least
/// `letters` that have no beginning in common.
MemoryReport chain(int64_t count, size_t letters = 0) {
  MemoryReport report = small();
  report.numSteps = count;
  report.steps.clear();
  report.tensors.resize(1);
  uint64_t random = 1;
  for (int64_t i = 0; i < count; ++i) {
    std::string name;
    for (random = random * 6364136223846793005u + 1442695040888963407u;
         name.size() < letters;)
      name += char('a' + (random >> (33 + name.size() % 24)) % 26);
    name += "t" + std::to_string(i);
    const int64_t begin = 0x2000 + i % 3 * 4096;
    report.steps.push_back(
        {"tpu.Add", name,
         i % 4 ? std::nullopt : std::optional<int64_t>(i / 4)});
    report.tensors.push_back(tensor(name, "activation", "neuron",
                                    {begin, begin + 4096 - i % 64},
                                    {i, std::min(i + 2, count)}));
  }
  return report;
}

/// The data of the page's script.
llvm::json::Object dataOf(const std::string &html) {
  const std::string open = "id=\"map-data\">";
  const size_t begin = html.find(open) + open.size();
  auto data = llvm::json::parse(
      html.substr(begin, html.find("</script>", begin) - begin));
  if (!data) {
    ADD_FAILURE() << llvm::toString(data.takeError());
    return {};
  }
  return std::move(*data->getAsObject());
}

size_t numLines(const std::string &html) {
  return dataOf(html).getArray("tensors")->size();
}

TEST(MemoryMap, APageSaysPeakCauseAndRoom) {
  MemoryReport report = small();
  report.gmemBytes = 20480;
  const std::string html = renderMapHtml({report});
  EXPECT_THAT(
      html,
      HasSubstr(
          "<h2>Peak</h2><div class=\"big\">12.0 KiB</div>of neuron, in step"));
  EXPECT_THAT(html, HasSubstr("while &#39;tpu.Add&#39; (y) runs"));
  EXPECT_THAT(html, HasSubstr("<li>a: 3.9 KiB, 49 %; read in this step</li>"));
  EXPECT_THAT(html,
              HasSubstr("Room left on the board</h2><div class=\"big\">4.0 "
                        "KiB</div>all regions take 16.0 KiB of 20.0 KiB"));
  EXPECT_THAT(html, HasSubstr("4.0 KiB: &#39;a&#39; stays in local memory"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "rounded up to the alignment</td><td class=\"n\" data-v=\"96\">"));
  EXPECT_THAT(html,
              HasSubstr("packing gap</td><td class=\"n\" data-v=\"4096\">"));
}

/// A region for one input is larger, but it is no peak that anybody looks for.
TEST(MemoryMap, ThePeakIsWhereTensorsComeAndGo) {
  MemoryReport report = small();
  RegionRow io;
  io.name = "io0";
  io.base = 0x100000;
  io.usedBytes = io.lowerBoundBytes = 65536;
  io.peakSet = {{"picture", 65536, 0, "op", "read in this step"}};
  report.regions.push_back(io);
  report.tensors.push_back(
      tensor("picture", "input", "io0", {0x100000, 0x110000}, {0, 3}));
  const std::string html = renderMapHtml({report});
  EXPECT_THAT(html, HasSubstr("<h2>Peak</h2><div class=\"big\">12.0 "
                              "KiB</div>of neuron, in step"));
}

TEST(MemoryMap, WeightsThatAreTooLargeAreTheCause) {
  MemoryReport report = small();
  report.regions[0].usedBytes = 40960;
  report.boardBytes = 53248;
  report.gmemBytes = 20480;
  const std::string html = renderMapHtml({report});
  EXPECT_THAT(html, HasSubstr("<h2>Cause</h2><div class=\"big\">coeff "
                              "alone</div>takes 40.0 KiB, more than the 20.0 "
                              "KiB of the board"));
  EXPECT_THAT(html, HasSubstr("the largest is coeff, 40.0 KiB"));
}

TEST(MemoryMap, ALineThatIsEverywhereIsThin) {
  const auto upAndDown = [](int64_t count) {
    MemoryReport report = chain(count);
    for (size_t i = 0; i < report.tensors.size(); i += 5)
      report.tensors[i].bytes.end -= 1024;
    return renderMapHtml({report});
  };
  EXPECT_THAT(upAndDown(5000), HasSubstr("\"load dense\""));
  EXPECT_THAT(upAndDown(50), Not(HasSubstr("\"load dense\"")));
}

TEST(MemoryMap, TooLittleRoomIsSaidAndDrawn) {
  MemoryReport report = small();
  report.gmemBytes = 12288;
  MapOptions options;
  options.failure = "'tpu.Add' op does not fit: <4 KiB>\npeak is step 1\n";
  const std::string html = renderMapHtml({report}, options);
  EXPECT_THAT(html, HasSubstr("<span class=\"over\">over by 4.0 KiB</span>"));
  EXPECT_THAT(html, HasSubstr("the board ends here: 12.0 KiB"));
  EXPECT_THAT(html, HasSubstr("<p>&#39;tpu.Add&#39; op does not fit: &lt;4 "
                              "KiB&gt;</p>\n<p>peak is step 1</p>"));
  EXPECT_THAT(renderMapHtml({report}), Not(HasSubstr("role=\"alert\"")));
}

TEST(MemoryMap, DataHasEveryTensorInALine) {
  const llvm::json::Object data = dataOf(renderMapHtml({small()}));
  const llvm::json::Array &lines = *data.getArray("tensors");
  ASSERT_EQ(lines.size(), 4u);
  // Region 0, weight; from step 0 for 3 at 0, 4096 bytes.
  EXPECT_EQ(lines[0].getAsString(), "1 0 3 0 35s 0w");
  EXPECT_EQ(lines[1].getAsString(), "i 0 3 0 35s 0x");
  EXPECT_EQ(lines[2].getAsString(), "g 0 2 35s 334 0a");
  EXPECT_EQ(lines[3].getAsString(), "j 1 2 6bk 35s 0y");
  EXPECT_EQ(*data.getArray("groups"), (llvm::json::Array{0, 0}));
  EXPECT_EQ(*data.getArray("ops"), (llvm::json::Array{0, 1, 2}));
}

TEST(MemoryMap, WeightsAreOneBandAndViewsAreNotDrawn) {
  MemoryReport report = small();
  report.tensors.push_back(
      tensor("v", "weight", "coeff", {0x1800, 0x2000}, {}));
  TensorRow view =
      tensor("view", "activation", "neuron", {0x3000, 0x3100}, {0, 2});
  view.aliasOf = "a";
  report.tensors.push_back(view);
  const std::string svg = renderMapSvg({report});
  EXPECT_THAT(svg, HasSubstr("<title>2 weights\n"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>view\n")));
  EXPECT_THAT(svg, HasSubstr("<title>a\n"));
  // The page finds it all the same.
  EXPECT_EQ(numLines(renderMapHtml({report})), 6u);
}

TEST(MemoryMap, GroupsAreMarkedAndLinked) {
  MapOptions options;
  EXPECT_THAT(renderMapHtml({small()}, options), Not(HasSubstr("#g0")));
  EXPECT_THAT(renderMapHtml({small()}, options),
              HasSubstr("class=\"mark\"><title>layer group 0: a</title>"));
  options.localPage = "net_local.html";
  EXPECT_THAT(
      renderMapHtml({small()}, options),
      HasSubstr("<a href=\"net_local.html#g0\">step 0: layer group 0: a</a>"));
}

TEST(MemoryMap, NamesAreText) {
  const std::string name = "</script><img src=x onerror=alert(1)>\n\"'&\xff";
  MemoryReport report = small();
  report.module = name;
  report.steps.front().name = report.tensors[2].name = name;
  report.regions[1].peakSet.front().name = report.regions[1].peakOp = name;
  const std::string html = renderMapHtml({report});
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("</script><")));
  const llvm::json::Object data = dataOf(html);
  EXPECT_EQ((*data.getArray("tensors"))[2].getAsString(),
            "g 0 2 35s 334 0</script><img src=x onerror=alert(1)>\n\"'&\uFFFD");
  EXPECT_THAT(renderMapSvg({report}), Not(HasSubstr("<img")));
  for (const std::string &text :
       {html, renderMapSvg({report}), renderMapCsv({report}),
        renderText(report), renderJson(report)})
    EXPECT_TRUE(llvm::json::isUTF8(text));
  EXPECT_THAT(renderMapCsv({report}),
              HasSubstr("\"</script><img src=x "
                        "onerror=alert(1)>\n\"\"'&\uFFFD\",0,2,4000,4096,"
                        "neuron,activation,12288,\n"));
}

TEST(MemoryMap, ATableBeginsAsMinimallocHasIt) {
  MemoryReport report = small();
  report.tensors.back().aliasOf = "x,y";
  EXPECT_EQ(renderMapCsv({report}),
            "id,lower,upper,size,offset,region,kind,address,alias_of\n"
            "w,0,3,4096,0,coeff,weight,4096,\n"
            "x,0,3,4096,0,neuron,input,8192,\n"
            "a,0,2,4000,4096,neuron,activation,12288,\n"
            "y,1,3,4096,8192,neuron,output,16384,\"x,y\"\n");
}

TEST(MemoryMap, ModulesRunOneAfterTheOther) {
  MemoryReport second = small();
  second.module = "tail";
  const std::string csv = renderMapCsv({small(), second});
  EXPECT_THAT(csv, HasSubstr("y,1,3,4096,8192,net.neuron,"));
  EXPECT_THAT(csv, HasSubstr("y,4,6,4096,8192,tail.neuron,"));
  EXPECT_THAT(renderMapHtml({small(), second}),
              HasSubstr("<title>memory of 2 modules - memory map</title>"));
}

TEST(MemoryMap, NothingIsAMapToo) {
  EXPECT_EQ(numLines(renderMapHtml({MemoryReport()})), 0u);
  EXPECT_THAT(renderMapSvg({MemoryReport()}), HasSubstr("</svg>"));
}

TEST(MemoryMap, AHundredThousandTensorsAreSmall) {
  const std::string html = renderMapHtml({chain(100'000)});
  EXPECT_LE(html.size(), 5'000'000u);
  EXPECT_EQ(numLines(html), 100'001u);
  EXPECT_EQ(html, renderMapHtml({chain(100'000)}));
}

TEST(MemoryMap, WhatIsTooMuchIsASum) {
  MapOptions options;
  options.maxBytes = 400'000;
  options.maxRectangles = 100;
  const MemoryReport report = chain(10'000, 60);
  const std::string html = renderMapHtml({report}, options);
  EXPECT_LE(html.size(), options.maxBytes);
  const llvm::json::Object data = dataOf(html);
  const size_t kept = data.getArray("tensors")->size();
  EXPECT_GT(kept, 1000u);
  const llvm::json::Object &rest = *(*data.getArray("rest"))[1].getAsObject();
  // Weights go first.
  EXPECT_EQ(rest.getInteger("count"), int64_t(10'000 - kept));
  EXPECT_EQ(rest.getArray("sums")->size(), 2000u);
  // The smallest have no lines: two of them, in steps that are all of theirs.
  for (const llvm::json::Value &sum : *rest.getArray("sums"))
    EXPECT_LE(*sum.getAsInteger(), 2 * 4096);
}

} // namespace
