//===- PlanReportTest.cpp - Pictures of literal plans ---------------------===//
//
// That files are well formed is tested with Python's parsers, in
// tests/tools/memplan/pictures_test.py.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/PlanReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::report;
using testing::HasSubstr;
using testing::Not;

namespace {

/// One after the other, `count` buffers of 10 * (i + 1) bytes, 2 steps each.
std::pair<Problem, Plan> staircase(int64_t count) {
  Problem problem;
  Plan plan;
  problem.pools = {{"ddr", 0, std::nullopt, 1, 0}};
  plan.pools = {{10 * count, 10 * count}};
  for (int64_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(i);
    buffer.sizeBytes = 10 * (i + 1);
    buffer.lifespans = {{2 * i, 2 * i + 2}};
    problem.buffers.push_back(std::move(buffer));
    plan.placements.push_back({0, 0});
  }
  return {problem, plan};
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(PlanReport, TheLargestRectanglesAreDrawnOneByOne) {
  const auto [problem, plan] = staircase(10);
  PlanPictureOptions options;
  options.maxRectangles = 3;
  const std::string svg = renderPlanSvg(problem, plan, options);
  EXPECT_EQ(countOf(svg, "data-b="), 3u);
  for (const char *large : {"<title>b9\n", "<title>b8\n", "<title>b7\n"})
    EXPECT_THAT(svg, HasSubstr(large));
  EXPECT_THAT(svg, HasSubstr("the 3 largest of 10 rectangles are drawn one by "
                             "one; the other 7 are the grey area"));
  EXPECT_EQ(countOf(svg, "class=\"rest\""), 1u);

  options.maxRectangles = 10;
  const std::string all = renderPlanSvg(problem, plan, options);
  EXPECT_EQ(countOf(all, "data-b="), 10u);
  EXPECT_THAT(all, Not(HasSubstr("class=\"rest\"")));
}

TEST(PlanReport, TheGreyAreaCoversWhatTheRectanglesWould) {
  // One buffer over the left half of the frame, up to half its height.
  Problem problem;
  problem.pools = {{"ddr", 0, std::nullopt, 1, 0}};
  problem.buffers.resize(2);
  problem.buffers[0].sizeBytes = 100;
  problem.buffers[0].lifespans = {{0, 1}};
  problem.buffers[1].sizeBytes = 0;
  problem.buffers[1].lifespans = {{1, 2}};
  Plan plan;
  plan.placements = {{0, 0}, {0, 0}};
  plan.pools = {{100, 100}};
  PlanPictureOptions options;
  options.maxRectangles = 0;
  const std::string svg = renderPlanSvg(problem, plan, options);
  // 916 pixels are 2 steps, and 540 are 104 bytes: 458 wide, 520 rows high.
  EXPECT_EQ(countOf(svg, "h458v1h-458z"), 520u);
}

TEST(PlanReport, ReservedRangesAreDrawnAndExplained) {
  auto [problem, plan] = staircase(10);
  for (const bool isReserved : {false, true}) {
    if (isReserved)
      problem.pools[0].reserved = {{100, 102}, {5000, 6000}};
    const std::string svg = renderPlanSvg(problem, plan);
    const std::string html = renderPlanHtml(problem, plan);
    // One range; what lies above the frame is not to be seen.
    EXPECT_EQ(countOf(svg, "<title>reserved: "), isReserved ? 1u : 0u);
    EXPECT_EQ(countOf(html, "<title>reserved: 100 to 102<"),
              isReserved ? 1u : 0u);
    // And an entry of the legend.
    EXPECT_EQ(countOf(svg, "class=\"reserved\"/>"), isReserved ? 1u : 0u);
    EXPECT_EQ(countOf(html, "class=\"reserved\"/>"), isReserved ? 1u : 0u);
  }
}

/// By the page's script: tests/tools/memplan/zoom_test.py.
TEST(PlanReport, APageHasTheOtherRectanglesAsNumbers) {
  const auto [problem, plan] = staircase(10);
  PlanPictureOptions options;
  options.maxRectangles = 9;
  // Begins at step 0, 2 steps, byte 0, 10 bytes in units of 10, buffer and
  // colour 0.
  EXPECT_THAT(renderPlanHtml(problem, plan, options),
              HasSubstr("data-unit=\"10\" data-all=\"\">AAIAAQA=</script>"));
  options.maxRectangles = 10;
  EXPECT_THAT(renderPlanHtml(problem, plan, options),
              Not(HasSubstr("data-unit=\"")));
}

TEST(PlanReport, TheTableHasTheLargestBuffersFirst) {
  const auto [problem, plan] = staircase(10);
  PlanPictureOptions options;
  options.maxTableRows = 2;
  const std::string html = renderPlanHtml(problem, plan, options);
  EXPECT_EQ(countOf(html, "<tr data-b="), 2u);
  const size_t first = html.find("<tr data-b=\"9\"");
  const size_t second = html.find("<tr data-b=\"8\"");
  ASSERT_NE(first, html.npos);
  ASSERT_NE(second, html.npos);
  EXPECT_LT(first, second);
}

TEST(PlanReport, BrokenPlansAndLargeNumbersAreDrawn) {
  auto [problem, plan] = staircase(3);
  problem.buffers[0].sizeBytes = INT64_MAX;
  problem.buffers[1].lifespans = {{0, INT64_MAX}};
  plan.placements = {{0, INT64_MAX}, {0, INT64_MIN}, {0, -1}};
  plan.pools = {{INT64_MAX, 0}};
  EXPECT_THAT(renderPlanSvg(problem, plan), HasSubstr("8.00 EiB"));
  EXPECT_THAT(renderPlanHtml(problem, plan), HasSubstr("</html>"));
}

TEST(PlanReport, TitlesAreEscaped) {
  const auto [problem, plan] = staircase(1);
  PlanPictureOptions options;
  options.title = "<a> & \"b\" \xE4\xB8";
  for (const std::string &text : {renderPlanSvg(problem, plan, options),
                                  renderPlanHtml(problem, plan, options)})
    EXPECT_THAT(text, HasSubstr("&lt;a&gt; &amp; &quot;b&quot; \uFFFD<"));
  options.title = "\x01";
  EXPECT_THAT(renderPlanSvg(problem, plan, options), HasSubstr("\uFFFD"));
}

} // namespace
