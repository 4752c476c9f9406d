//===- PlanCacheTest.cpp - Answers by whole keys, whatever the files are --===//

#include "tpu_mlir/Planning/PlanCache.h"
#include "tests/Planning/Builders.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class PlanCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/cache-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder))
      names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    return names;
  }
  static void write(const std::string &path, std::string_view contents) {
    ASSERT_FALSE(writeFileAtomically(path, contents));
  }
  std::optional<std::string> findAnew(std::string_view key) {
    PlanCache cache(folder);
    auto value = cache.find(key);
    remarks = cache.takeRemarks();
    return value;
  }

  std::string folder;
  std::vector<std::string> remarks; ///< Of the last findAnew().
};

TEST(CacheTextTest, ComesBackAsItWas) {
  const std::vector<int64_t> numbers{0,  1,   -1,        63,
                                     64, -65, INT64_MAX, INT64_MIN};
  const std::string text =
      CacheWriter().numbers(numbers).word("").word("a\0b").number(7).take();
  CacheReader reader(text);
  EXPECT_EQ(reader.numbers(), numbers);
  EXPECT_EQ(reader.word(), "");
  EXPECT_EQ(reader.word(), "a");
  EXPECT_FALSE(reader.isWhole());
  EXPECT_EQ(reader.number(), 7);
  EXPECT_TRUE(reader.isWhole());
}

TEST(CacheTextTest, OtherTextIsNoNumbers) {
  for (std::string_view text :
       {std::string_view(""), std::string_view("\xff"),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        std::string_view("\x7e"), std::string_view("\x03")}) {
    CacheReader reader(text);
    EXPECT_EQ(reader.numbers(), std::vector<int64_t>());
    EXPECT_EQ(reader.word(), "");
    EXPECT_EQ(reader.number(), 0);
    EXPECT_FALSE(reader.isWhole());
  }
  const std::string five = CacheWriter().number(5).take();
  CacheReader range(five);
  EXPECT_EQ(range.number(6, 9), 6);
  EXPECT_TRUE(range.isBroken());
}

TEST_F(PlanCacheTest, InMemoryAndInFiles) {
  PlanCache memory;
  EXPECT_EQ(memory.find("a"), std::nullopt);
  memory.add("a", "1");
  EXPECT_EQ(memory.find("a"), "1");
  EXPECT_EQ(memory.find("b"), std::nullopt);
  EXPECT_EQ(memory.numFound(), 1);
  EXPECT_EQ(memory.numMissed(), 2);
  EXPECT_TRUE(files().empty());

  folder += "/made/when/needed";
  PlanCache(folder).add("a", "1");
  EXPECT_EQ(findAnew("a"), "1");
  EXPECT_EQ(findAnew("b"), std::nullopt);
  EXPECT_TRUE(remarks.empty());
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(PlanCacheTest, DamagedFilesAreNotThere) {
  PlanCache(folder).add("the key", "the value");
  const std::string path = files().at(0);
  const std::string whole = std::get<std::string>(readWholeFile(path));
  for (size_t length = 0; length < whole.size(); ++length) {
    write(path, whole.substr(0, length));
    EXPECT_EQ(findAnew("the key"), std::nullopt) << length;
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_THAT(remarks[0], HasSubstr(path));
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (char change : {'\x01', '\x80', '\xff'}) {
      std::string other = whole;
      other[at] = char(other[at] ^ change);
      write(path, other);
      EXPECT_EQ(findAnew("the key"), std::nullopt) << at;
      EXPECT_EQ(remarks.size(), 1u);
    }
  write(path, whole + "x");
  EXPECT_EQ(findAnew("the key"), std::nullopt);
  write(path, whole);
  EXPECT_EQ(findAnew("the key"), "the value");
  EXPECT_TRUE(remarks.empty());
}

TEST_F(PlanCacheTest, WhatIsNoFileIsNotThere) {
  PlanCache(folder).add("a", "1");
  const std::string path = files().at(0);
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(findAnew("a"), std::nullopt);
  EXPECT_EQ(remarks.size(), 1u);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(findAnew("a"), std::nullopt);
  PlanCache cache(folder);
  cache.add("a", "2");
  EXPECT_THAT(cache.takeRemarks(), ElementsAre(HasSubstr("nothing is added")));
  EXPECT_EQ(cache.find("a"), "2");
  // A file where the folder should be.
  PlanCache nowhere(path + "/../file/folder");
  write(folder + "/file", "");
  nowhere.add("a", "3");
  EXPECT_THAT(nowhere.takeRemarks(), ElementsAre(HasSubstr("cannot make")));
  EXPECT_EQ(nowhere.find("a"), "3");
}

TEST_F(PlanCacheTest, AnotherFormHasNoAnswer) {
  PlanCache(folder).add("a", "1");
  const std::string path = files().at(0);
  std::string text = std::get<std::string>(readWholeFile(path));
  const size_t version = text.find("cache 1\n");
  ASSERT_NE(version, std::string::npos);
  text[version + 6] = '2';
  write(path, text);
  EXPECT_EQ(findAnew("a"), std::nullopt);
  EXPECT_THAT(remarks, ElementsAre(HasSubstr("of another version")));
}

TEST_F(PlanCacheTest, KeysWithOneHashTakeTurns) {
  const auto oneName = [](std::string_view) { return std::string("same"); };
  const auto found = [&](std::string_view key) {
    return PlanCache(folder, oneName).find(key);
  };
  PlanCache cache(folder, oneName);
  cache.add("a", "1");
  cache.add("b", "2");
  EXPECT_EQ(cache.find("a"), "1");
  EXPECT_EQ(cache.find("b"), "2");
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(found("a"), std::nullopt);
  EXPECT_EQ(found("b"), "2");
  cache.add("a", "1");
  EXPECT_EQ(found("a"), "1");
  EXPECT_EQ(found("b"), std::nullopt);
}

/// The same keys by several writers, and readers who find whole answers only.
TEST_F(PlanCacheTest, WritersDoNotDisturbEachOther) {
  const auto key = [](int i) { return "key " + std::to_string(i % 7); };
  const auto value = [&](int i) {
    return std::string(5000, char('a' + i % 7));
  };
  std::atomic<int> numFound{0}, numWrong{0}, numRemarks{0};
  const auto work = [&](int begin) {
    for (int i = begin; i < begin + 200; ++i) {
      PlanCache cache(folder);
      if (auto known = cache.find(key(i))) {
        ++numFound;
        numWrong += *known != value(i);
      }
      cache.add(key(i), value(i));
      numRemarks += int(cache.takeRemarks().size());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work, 3 * i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(numFound, 700);
  EXPECT_EQ(numWrong, 0);
  EXPECT_EQ(numRemarks, 0);
  // And no temporary file.
  EXPECT_EQ(files().size(), 7u);
}

Problem twoBuffers() {
  Problem problem = problemOf(
      {buffer("a", {{0, 3}}, 64, 16), buffer("b", {{1, 2}, {3, 4}}, 32)});
  problem.name = "net";
  problem.pools.push_back({"fast", 4096, 128, 8, 1});
  problem.buffers[0].pools = {0, 1};
  return problem;
}

TEST(CacheKeyTest, HasNoNames) {
  Problem other = twoBuffers();
  other.name = "another";
  other.buffers[0].name = "c";
  other.buffers[0].location = "net.mlir:3:1";
  other.pools[1].name = "slow";
  other.pools[1].baseAddress = 0;
  other.pools[1].targets = {"cpu"};
  SolveOptions options;
  options.threads = 8;
  options.timeLimitSeconds = 3;
  EXPECT_EQ(cacheKey(other, options), cacheKey(twoBuffers(), {}));
  EXPECT_THAT(cacheKey(other, options),
              HasSubstr(std::string(plannerFingerprint())));
  EXPECT_EQ(plannerFingerprint().size(), 32u);
}

TEST(CacheKeyTest, HasAllThatAPlanDependsOn) {
  std::vector<Problem> problems(18, twoBuffers());
  problems[1].buffers[0].sizeBytes = 65;
  problems[2].buffers[0].alignment = 32;
  problems[3].buffers[0].lifespans = {{0, 4}};
  problems[4].buffers[1].lifespans = {{1, 2}, {4, 5}};
  problems[5].buffers[0].readSteps = {1};
  problems[6].buffers[0].accesses = 0;
  problems[7].buffers[0].pools = {1, 0};
  problems[8].buffers[0].pin = Pin{0, 0};
  problems[9].buffers[0].kind = BufferKind::Weight;
  problems[10].pools[0].capacityBytes = 1024;
  problems[11].pools[1].alignment = 16;
  problems[12].pools[1].accessCost = 2;
  problems[13].pools[1].access = PoolAccess::ReadOnly;
  problems[14].pools[1].reserved = {{0, 8}};
  problems[15].period = 8;
  problems[16].forbiddenSharing = {{0, 1}};
  problems[17].overlaps = {{0, 1, 4}};
  std::vector<SolveOptions> options(13);
  options[1].strategy = "best-fit";
  options[2].seed = 2;
  options[3].nodeLimit = 3;
  options[4].fitIsEnough = true;
  options[5].poolPolicy = PoolPolicy::Value;
  bool ExactOptions::*parts[] = {
      &ExactOptions::dominance,     &ExactOptions::unplacedFloor,
      &ExactOptions::decomposition, &ExactOptions::reranking,
      &ExactOptions::symmetry,      &ExactOptions::restarts};
  for (size_t i = 0; i < 6; ++i)
    options[6 + i].exact.*parts[i] = false;
  options[12].strategy = "best-fi";
  std::set<std::string> keys;
  for (const Problem &problem : problems)
    keys.insert(cacheKey(problem, {}));
  for (const SolveOptions &one : options)
    keys.insert(cacheKey(twoBuffers(), one));
  // The first of each are equal.
  EXPECT_EQ(keys.size(), problems.size() + options.size() - 1);
  Problem alias = twoBuffers();
  alias.aliases = {{1, 0, 8}};
  EXPECT_TRUE(keys.insert(cacheKey(alias, {})).second);
}

TEST(SolveCachedTest, OnlyWholePlansAreKept) {
  PlanCache cache;
  const Problem tooLarge = problemOf({buffer("a", {{0, 3}}, 64)}, 32);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(
        std::holds_alternative<Infeasible>(solveCached(tooLarge, {}, cache)));
  EXPECT_EQ(cache.numFound(), 0);
  Problem senseless = twoBuffers();
  senseless.buffers[0].alignment = 0;
  EXPECT_TRUE(std::holds_alternative<InvalidProblem>(
      solveCached(senseless, {}, cache)));
  SolveOptions unknown;
  unknown.strategy = "none";
  EXPECT_TRUE(std::holds_alternative<InvalidProblem>(
      solveCached(twoBuffers(), unknown, cache)));
  EXPECT_TRUE(
      std::holds_alternative<Plan>(solveCached(twoBuffers(), {}, cache)));
  EXPECT_EQ(cache.numFound(), 0);
  EXPECT_TRUE(
      std::holds_alternative<Plan>(solveCached(twoBuffers(), {}, cache)));
  EXPECT_EQ(cache.numFound(), 1);
}

TEST(SolveCachedTest, APlanThatTimeHasCutIsNotKept) {
  GenerateOptions form;
  form.family = "pinwheel";
  form.buffers = 300;
  const Problem hard = std::get<Generated>(generate(form)).problem;
  SolveOptions options;
  options.strategy = "exact";
  options.timeLimitSeconds = 0;
  PlanCache cache;
  auto result = solveCached(hard, options, cache);
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  ASSERT_TRUE(std::get<Plan>(result).isCutByTime);
  EXPECT_EQ(cache.find(cacheKey(hard, options)), std::nullopt);
  StopToken stop;
  stop.request();
  options.timeLimitSeconds.reset();
  options.deadline.stopWhen(&stop);
  result = solveCached(hard, options, cache);
  ASSERT_TRUE(std::get<Plan>(result).isInterrupted);
  EXPECT_EQ(cache.find(cacheKey(hard, options)), std::nullopt);
}

} // namespace
