//===- ProblemJsonTest.cpp - Problems and plans as JSON -------------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/ProblemIO.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

template <typename T>
std::string textOf(const std::variant<T, ParseError> &result) {
  const auto *error = std::get_if<ParseError>(&result);
  return error ? std::to_string(error->line) + ":" +
                     std::to_string(error->column) + ": " + error->message
               : "no error";
}

/// A problem that uses every field.
Problem full() {
  Problem p = problemOf({buffer("a", {{0, 2}, {3, 4}}, 100, 4),
                         buffer("b", {{1, 2}}, 8), buffer("c", {{0, 4}}, 1)},
                        4096);
  p.name = "all \"fields\"";
  p.pools.push_back({"sram", int64_t(1) << 40, std::nullopt, 16, 3});
  p.buffers[0].location = "model.mlir:3:1";
  p.buffers[0].kind = BufferKind::Output;
  p.buffers[0].readSteps = {1, 3};
  p.buffers[0].accesses = 7;
  p.pools[0].reserved = {{2048, 2064}, {4000, 4096}};
  p.buffers[2].pools = {1, 0};
  p.buffers[2].pin = Pin{1, 32};
  p.aliases = {{1, 0, 4}};
  p.forbiddenSharing = {{0, 2}};
  p.period = 4;
  return p;
}

TEST(ProblemJson, WrittenFormIsStable) {
  EXPECT_EQ(printProblemJson(full()),
            R"({
  "version": 1,
  "name": "all \"fields\"",
  "period": 4,
  "pools": [
    {"name":"ddr","baseAddress":0,"capacityBytes":4096,"alignment":1,"accessCost":0,"reserved":[[2048,2064],[4000,4096]]},
    {"name":"sram","baseAddress":1099511627776,"alignment":16,"accessCost":3}
  ],
  "buffers": [
    {"name":"a","location":"model.mlir:3:1","kind":"output","sizeBytes":100,"alignment":4,"lifespans":[[0,2],[3,4]],"readSteps":[1,3],"accesses":7,"pools":["ddr"]},
    {"name":"b","kind":"activation","sizeBytes":8,"alignment":1,"lifespans":[[1,2]],"pools":["ddr"]},
    {"name":"c","kind":"activation","sizeBytes":1,"alignment":1,"lifespans":[[0,4]],"pools":["sram","ddr"],"pin":{"pool":"sram","offsetBytes":32}}
  ],
  "aliases": [
    {"member":"b","root":"a","offsetBytes":4}
  ],
  "forbiddenSharing": [
    ["a","c"]
  ]
}
)");
}

TEST(ProblemJson, ComesBack) {
  for (const Problem &p : {full(), Problem(), problemOf({})}) {
    const auto result = parseProblemJson(printProblemJson(p));
    ASSERT_EQ(textOf(result), "no error");
    EXPECT_EQ(std::get<Problem>(result), p);
  }
}

TEST(ProblemJson, RightsComeBack) {
  Problem p = full();
  p.pools.push_back({"flash", 0, std::nullopt, 1, 9});
  p.pools[2].access = PoolAccess::ReadOnly;
  const std::string text = printProblemJson(p);
  EXPECT_THAT(text, HasSubstr(R"("accessCost":9,"access":"ro"})"));
  const auto result = parseProblemJson(text);
  ASSERT_EQ(textOf(result), "no error");
  EXPECT_EQ(std::get<Problem>(result), p);
}

TEST(ProblemJson, DefaultsMayBeLeftOut) {
  const auto result = parseProblemJson(
      R"({"version": 1, "buffers": [
            {"name": "a", "sizeBytes": 3, "lifespans": [[0, 1]],
             "kind": null}]})");
  ASSERT_EQ(textOf(result), "no error");
  Problem expected = problemOf({buffer("a", {{0, 1}}, 3)});
  expected.pools[0].name = "memory";
  EXPECT_EQ(std::get<Problem>(result), expected);
}

TEST(ProblemJson, NamesBecomeUniqueAndUtf8) {
  Problem p =
      problemOf({buffer("a", {{0, 1}}, 1), buffer("a", {{0, 1}}, 1),
                 buffer("a#2", {{0, 1}}, 1), buffer("", {{0, 1}}, 1),
                 buffer("\xFF", {{0, 1}}, 1), buffer("a", {{0, 1}}, 1)});
  p.buffers[0].location = "\xC3";
  EXPECT_EQ(fileNames(p),
            (std::vector<std::string>{"a", "a#2", "a#2#2", "buffer",
                                      "\xEF\xBF\xBD", "a#3"}));
  EXPECT_EQ(textOf(parseProblemJson(printProblemJson(p))), "no error");
}

/// The error after replacing one piece of the full text; its line in front.
std::string errorAfter(const std::string &from, const std::string &to) {
  std::string text = printProblemJson(full());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return textOf(parseProblemJson(text));
}

TEST(ProblemJson, ErrorsOfPools) {
  EXPECT_THAT(errorAfter("\"accessCost\":3", "\"access\":\"wo\""),
              HasSubstr("pool 1: 'access' is 'wo', expected 'rw' or 'ro'"));
  EXPECT_EQ(errorAfter("\"accessCost\":3", "\"access\":\"rw\""), "no error");
  EXPECT_THAT(errorAfter("[2048,2064]", "2048"),
              HasSubstr("a reserved range is not a pair of integers"));
  EXPECT_THAT(errorAfter("[2048,2064]", "[2048,2048]"),
              HasSubstr("pool 'ddr' has the empty reserved range"));
  EXPECT_THAT(errorAfter("\"accesses\":7", "\"accesses\":-7"),
              HasSubstr("buffer 'a' has the negative number of accesses -7"));
  EXPECT_THAT(errorAfter("\"accesses\":7", "\"accesses\":\"7\""),
              HasSubstr("'accesses'"));
}

TEST(ProblemJson, ErrorsHavePositions) {
  EXPECT_EQ(textOf(parseProblemJson("")), "1:1: the text is empty");
  EXPECT_EQ(textOf(parseProblemJson("[]")),
            "1:1: expected an object, found an array");
  EXPECT_THAT(textOf(parseProblemJson("{\"version\": 1}")),
              HasSubstr("'buffers' is missing"));
  EXPECT_EQ(errorAfter("\"version\": 1", "\"version\": 2"),
            "2:14: version 2 is not known, only 1 is");
  EXPECT_EQ(errorAfter("\"version\": 1,", ""), "1:1: 'version' is missing");
  EXPECT_THAT(errorAfter("\"sizeBytes\":100", "\"sizeBytes\":NaN"),
              StartsWith("10:"));
  EXPECT_THAT(errorAfter("100", "1e2"), HasSubstr("expected an integer"));
  EXPECT_THAT(errorAfter("100", "\"100\""),
              HasSubstr("buffer 0: 'sizeBytes' is a string"));
  EXPECT_THAT(errorAfter("100", "99999999999999999999"),
              HasSubstr("out of range (64 bits)"));
  EXPECT_THAT(errorAfter("100", "-100"),
              HasSubstr("10:5: buffer 'a' has the negative size"));
  EXPECT_THAT(errorAfter("\"name\":\"b\"", "\"name\":\"a\""),
              HasSubstr("11:13: buffer 1: the name 'a' occurs twice"));
  EXPECT_THAT(errorAfter("\"name\":\"b\"", "\"name\":\"\""),
              HasSubstr("'name' is empty"));
  EXPECT_THAT(errorAfter("\"kind\":\"output\"", "\"kind\":\"out\""),
              HasSubstr("'kind' is 'out', expected one of 'activation'"));
  EXPECT_THAT(errorAfter("\"alignment\":4", "\"alignmnet\":4"),
              HasSubstr("buffer 0: unknown field 'alignmnet'"));
}

TEST(ProblemJson, ErrorsOfListsAndNames) {
  EXPECT_THAT(errorAfter("[0,2]", "[-1,2]"),
              HasSubstr("10:104: buffer 0: the lifespan [-1,2) is negative"));
  EXPECT_THAT(errorAfter("[0,2]", "[2,2]"), HasSubstr("is empty"));
  EXPECT_THAT(errorAfter("[0,2]", "[0]"), HasSubstr("not a pair"));
  EXPECT_THAT(errorAfter("[0,2]", "[0,2.5]"), HasSubstr("not a pair"));
  EXPECT_THAT(errorAfter("[0,2]", "7"), HasSubstr("not a pair"));
  EXPECT_THAT(errorAfter("[1,3]", "[1,true]"), HasSubstr("read step"));
  EXPECT_THAT(errorAfter("[\"ddr\"]", "[\"dram\"]"),
              HasSubstr("there is no pool 'dram'"));
  EXPECT_THAT(errorAfter("[\"ddr\"]", "[3]"), HasSubstr("name of a pool"));
  EXPECT_THAT(errorAfter("{\"pool\":\"sram\"", "{\"pool\":\"x\""),
              HasSubstr("12:122: pin of 'c': there is no pool 'x'"));
  EXPECT_THAT(errorAfter("\"member\":\"b\"", "\"member\":\"q\""),
              HasSubstr("alias 0: there is no buffer 'q'"));
  EXPECT_THAT(errorAfter("\"root\":\"a\",", ""),
              HasSubstr("alias 0: 'root' is missing"));
  EXPECT_THAT(errorAfter("[\"a\",\"c\"]", "[\"a\"]"), HasSubstr("not a pair"));
  EXPECT_THAT(errorAfter("[\"a\",\"c\"]", "[\"a\",\"q\"]"),
              HasSubstr("forbiddenSharing: there is no buffer 'q'"));
  EXPECT_THAT(errorAfter("\"capacityBytes\":4096", "\"capacityBytes\":-1"),
              HasSubstr("6:5: pool 'ddr' has the negative capacity"));
  EXPECT_THAT(errorAfter("\"period\": 4", "\"period\": 3"),
              HasSubstr("beyond the period"));
}

TEST(PlanJson, WrittenFormIsStableAndComesBack) {
  Plan plan;
  plan.placements = {{0, 0}, {0, 4}, {1, 32}};
  plan.pools = {{100, 90}, {33, 33}};
  plan.strategy = "auto";
  plan.winner = "best-fit";
  plan.proof = Proof::LimitHit;
  const std::string text = printPlanJson(full(), plan);
  EXPECT_EQ(text, R"({
  "version": 1,
  "problem": "all \"fields\"",
  "strategy": "auto",
  "winner": "best-fit",
  "proof": "limit-hit",
  "pools": [
    {"name":"ddr","usedBytes":100,"lowerBoundBytes":90},
    {"name":"sram","usedBytes":33,"lowerBoundBytes":33}
  ],
  "placements": [
    {"buffer":"a","pool":"ddr","offsetBytes":0},
    {"buffer":"b","pool":"ddr","offsetBytes":4},
    {"buffer":"c","pool":"sram","offsetBytes":32}
  ]
}
)");
  plan.pools[0].classicBytes = 77;
  const auto withClassic = parsePlanJson(full(), printPlanJson(full(), plan));
  EXPECT_EQ(std::get<Plan>(withClassic).pools[0].classicBytes, 77);
  const auto result = parsePlanJson(full(), text);
  ASSERT_EQ(textOf(result), "no error");
  EXPECT_EQ(std::get<Plan>(result), plan);
}

TEST(PlanJson, Errors) {
  Plan plan;
  plan.placements.resize(3);
  plan.pools.resize(2);
  const std::string good = printPlanJson(full(), plan);
  auto errorAfter = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return textOf(parsePlanJson(full(), text));
  };
  EXPECT_THAT(errorAfter("\"buffer\":\"b\"", "\"buffer\":\"a\""),
              HasSubstr("12:15: placements: 'a' occurs twice"));
  EXPECT_THAT(errorAfter("\"buffer\":\"b\"", "\"buffer\":\"q\""),
              HasSubstr("the problem has no 'q'"));
  EXPECT_THAT(errorAfter("\"pool\":\"ddr\"", "\"pool\":\"q\""),
              HasSubstr("the problem has no 'q'"));
  EXPECT_THAT(errorAfter("    {\"buffer\":\"b\",\"pool\":\"ddr\","
                         "\"offsetBytes\":0},\n",
                         ""),
              HasSubstr("does not place 'b'"));
  EXPECT_THAT(errorAfter("{\"name\":\"ddr\",\"usedBytes\":0,"
                         "\"lowerBoundBytes\":0},",
                         ""),
              HasSubstr("does not report pool 'ddr'"));
  EXPECT_THAT(errorAfter("\"none\"", "\"maybe\""), HasSubstr("'proof'"));
  EXPECT_THAT(errorAfter("\"offsetBytes\":0", "\"offsetBytes\":0.5"),
              HasSubstr("expected an integer"));
}

//===----------------------------------------------------------------------===//
// Plans that are recorded with their problems
//===----------------------------------------------------------------------===//

Problem twoBuffers() {
  Problem p;
  p.name = "net";
  p.pools.resize(1);
  p.pools[0].name = "sram";
  p.pools[0].targets = {"c", "accel"};
  p.pools.emplace_back().name = "io";
  p.pools[1].isCallers = true;
  for (const char *name : {"a", "b"}) {
    Buffer &buffer = p.buffers.emplace_back();
    buffer.name = name;
    buffer.sizeBytes = 16;
    buffer.lifespans = {{0, 2}};
  }
  return p;
}

Plan planOfTwo() {
  Plan plan;
  plan.strategy = "sequential";
  plan.placements = {{0, 0}, {0, 16}};
  plan.pools = {{32, 32}, {0, 0}};
  return plan;
}

TEST(RecordedProblem, ComesBackWithItsPlan) {
  const Problem problem = twoBuffers();
  const Plan plan = planOfTwo();
  const auto parsed = parseRecordedJson(printProblemJson(problem, &plan));
  const auto *recorded = std::get_if<RecordedProblem>(&parsed);
  ASSERT_NE(recorded, nullptr);
  EXPECT_EQ(recorded->problem, problem);
  ASSERT_TRUE(recorded->plan.has_value());
  EXPECT_EQ(*recorded->plan, plan);
  // Whoever wants the problem alone has it.
  const auto alone = parseProblemJson(printProblemJson(problem, &plan));
  ASSERT_TRUE(std::holds_alternative<Problem>(alone));
  EXPECT_EQ(std::get<Problem>(alone), problem);
}

TEST(RecordedProblem, NeedsNoPlan) {
  const auto parsed = parseRecordedJson(printProblemJson(twoBuffers()));
  const auto *recorded = std::get_if<RecordedProblem>(&parsed);
  ASSERT_NE(recorded, nullptr);
  EXPECT_FALSE(recorded->plan.has_value());
}

TEST(RecordedProblem, RefusesThePlanOfAnotherProblem) {
  const Plan plan = planOfTwo();
  std::string text = printProblemJson(twoBuffers(), &plan);
  const std::string from = "\"buffer\":\"b\"";
  text.replace(text.find(from), from.size(), "\"buffer\":\"c\"");
  const auto parsed = parseRecordedJson(text);
  const auto *error = std::get_if<ParseError>(&parsed);
  ASSERT_NE(error, nullptr);
  EXPECT_THAT(error->message, testing::HasSubstr("the problem has no 'c'"));
  EXPECT_GT(error->line, 1);
}

} // namespace
