//===- GenerateTest.cpp - Problems to measure planners with ---------------===//

#include "tpu_mlir/tools/memplan/generators/Generate.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::HasSubstr;

namespace {

GenerateOptions optionsFor(std::string family, int64_t buffers,
                           uint64_t seed = 1) {
  GenerateOptions options;
  options.family = std::move(family);
  options.buffers = buffers;
  options.seed = seed;
  return options;
}

Generated make(const GenerateOptions &options) {
  auto result = generate(options);
  if (const auto *error = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *error;
    return {};
  }
  return std::get<Generated>(std::move(result));
}

std::string errorOf(const GenerateOptions &options) {
  const auto result = generate(options);
  const auto *error = std::get_if<std::string>(&result);
  return error ? *error : "no error";
}

/// FNV-1a, written here so that the numbers below mean the same everywhere.
uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3u;
  return hash;
}

/// The live sums at all steps at which it changes.
std::set<int64_t> liveSums(const Problem &problem) {
  std::map<int64_t, int64_t> change;
  for (const Buffer &buffer : problem.buffers)
    for (const Interval &life : buffer.lifespans) {
      change[life.begin] += buffer.sizeBytes;
      change[life.end] -= buffer.sizeBytes;
    }
  std::set<int64_t> sums;
  int64_t sum = 0;
  for (const auto &[step, bytes] : change) {
    sum += bytes;
    if (step != change.rbegin()->first)
      sums.insert(sum);
  }
  EXPECT_EQ(sum, 0);
  return sums;
}

void expectLegal(const Generated &made, int64_t buffers) {
  EXPECT_EQ(int64_t(made.problem.buffers.size()), buffers);
  for (const ProblemError &error : check(made.problem))
    ADD_FAILURE() << error.message;
  if (!made.plan)
    return;
  for (const Violation &violation : validate(made.problem, *made.plan))
    ADD_FAILURE() << violation.message;
}

TEST(Generate, PerfectPackingsLeaveNoByteFree) {
  for (const char *family : {"guillotine", "pinwheel"})
    for (int64_t buffers : {1, 2, 3, 4, 5, 64, 1000, 2500})
      for (uint64_t seed : {1, 2, 77}) {
        SCOPED_TRACE(std::string(family) + " " + std::to_string(buffers) + " " +
                     std::to_string(seed));
        const Generated made = make(optionsFor(family, buffers, seed));
        expectLegal(made, buffers);
        const int64_t height = int64_t(1) << (buffers <= 2000 ? 20 : 30);
        EXPECT_EQ(made.optimumBytes, height);
        ASSERT_TRUE(made.plan);
        EXPECT_EQ(made.plan->pools[0].usedBytes, height);
        EXPECT_EQ(made.plan->proof, Proof::LowerBound);
        EXPECT_EQ(liveBound(made.problem, 0).bytes, height);
        EXPECT_EQ(liveSums(made.problem), std::set<int64_t>{height});
        for (const Buffer &buffer : made.problem.buffers)
          EXPECT_EQ(buffer.sizeBytes % (buffers <= 2000 ? 64 : 512), 0);
      }
}

/// In a guillotine packing some straight line cuts the whole strip: at some
/// step no life goes on, or at some address no piece does. A packing of wheels
/// may have none.
bool hasWholeCut(const Generated &made) {
  std::set<int64_t> steps, addresses;
  for (const Buffer &buffer : made.problem.buffers)
    steps.insert(buffer.lifespans[0].end);
  for (const Placement &at : made.plan->placements)
    addresses.insert(at.offsetBytes);
  auto crosses = [&](auto isCut) {
    for (size_t id = 0; id < made.problem.buffers.size(); ++id)
      if (isCut(made.problem.buffers[id], made.plan->placements[id]))
        return true;
    return false;
  };
  for (int64_t step : steps)
    if (step != *steps.rbegin() && !crosses([&](const Buffer &b, Placement) {
          return b.lifespans[0].begin < step && step < b.lifespans[0].end;
        }))
      return true;
  for (int64_t address : addresses)
    if (address > 0 && !crosses([&](const Buffer &b, Placement at) {
          return at.offsetBytes < address &&
                 address < at.offsetBytes + b.sizeBytes;
        }))
      return true;
  return false;
}

TEST(Generate, OnlyPinwheelsHaveWheels) {
  int64_t withoutCut = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    EXPECT_TRUE(hasWholeCut(make(optionsFor("guillotine", 40, seed))));
    withoutCut += !hasWholeCut(make(optionsFor("pinwheel", 40, seed)));
  }
  // The first cut is a wheel in 35 of 100 cases.
  EXPECT_GT(withoutCut, 10);
  EXPECT_LT(withoutCut, 35);
}

TEST(Generate, PiecesStayBalanced) {
  const Generated made = make(optionsFor("guillotine", 1000));
  const double mean = 4.0 * 1000 * double(1 << 20) / 1000;
  for (const Buffer &buffer : made.problem.buffers)
    EXPECT_LT(double(buffer.lifespans[0].length()) * double(buffer.sizeBytes),
              8 * mean);
}

TEST(Generate, SameBytesOnEveryMachine) {
  const std::map<std::string, uint64_t> expected = {
      {"guillotine", 2125909147816378062u},
      {"interleaved", 17482013723747834460u},
      {"micro-batches", 12411947352603210786u},
      {"pinwheel", 8634360513585771084u},
      {"random", 4221189619053163512u},
      {"training", 10675284524061567122u},
  };
  for (const auto &[family, hash] : expected) {
    GenerateOptions options = optionsFor(family, 700, 5);
    options.deletePercent = 5;
    options.jitter = true;
    options.alignments = {1, 64, 256};
    options.gapPercent = 10;
    EXPECT_EQ(hashOf(printProblemCsv(make(options).problem)), hash) << family;
    EXPECT_EQ(make(options).problem, make(options).problem);
    GenerateOptions other = options;
    other.seed = 6;
    EXPECT_NE(printProblemCsv(make(other).problem),
              printProblemCsv(make(options).problem));
  }
}

TEST(Generate, ProblemsSurviveFiles) {
  for (const std::string &family : generateFamilies()) {
    GenerateOptions options = optionsFor(family, 300);
    options.alignments = {1, 64};
    options.gapPercent = 20;
    Problem problem = make(options).problem;
    auto parsed = parseProblemCsv(printProblemCsv(problem));
    ASSERT_TRUE(std::holds_alternative<Problem>(parsed));
    problem.name.clear(); // The CSV has no column for it.
    EXPECT_EQ(std::get<Problem>(parsed), problem) << family;
  }
}

TEST(Generate, LegalWithAllOptionsCrossed) {
  for (const std::string &family : generateFamilies())
    for (int64_t buffers : {1, 7, 150})
      for (int64_t deletePercent : {0, 10})
        for (bool jitter : {false, true})
          for (const std::vector<int64_t> &alignments :
               {std::vector<int64_t>{}, {64}, {1, 64, 256}, {3, 4096}})
            for (int64_t gapPercent : {0, 30, 100})
              for (int64_t pinPercent : {0, 20, 100}) {
                GenerateOptions options = optionsFor(family, buffers, 3);
                options.deletePercent = deletePercent;
                options.jitter = jitter;
                options.alignments = alignments;
                options.gapPercent = gapPercent;
                options.pinPercent = pinPercent;
                if (pinPercent > 0 && family[0] != 'g' && family[0] != 'p') {
                  EXPECT_THAT(errorOf(options), HasSubstr("no places to pin"));
                  continue;
                }
                const Generated made = make(options);
                expectLegal(made, buffers);
                if (!made.optimumBytes)
                  continue;
                ASSERT_TRUE(made.plan);
                EXPECT_EQ(made.plan->pools[0].usedBytes, *made.optimumBytes);
                EXPECT_LE(liveBound(made.problem, 0).bytes, *made.optimumBytes);
              }
}

TEST(Generate, OptionsDoWhatTheySay) {
  const Generated plain = make(optionsFor("pinwheel", 200));
  GenerateOptions options = optionsFor("pinwheel", 200);
  options.gapPercent = 100;
  const Generated gaps = make(options);
  for (size_t id = 0; id < 200; ++id) {
    const Interval life = plain.problem.buffers[id].lifespans[0];
    const std::vector<Interval> &spans = gaps.problem.buffers[id].lifespans;
    EXPECT_EQ(spans.size(), life.length() < 3 ? 1u : 2u);
    EXPECT_EQ(spans.front().begin, life.begin);
    EXPECT_EQ(spans.back().end, life.end);
  }
  EXPECT_TRUE(gaps.plan);

  options = optionsFor("pinwheel", 200);
  options.jitter = true;
  const Generated jitter = make(options);
  EXPECT_FALSE(jitter.plan);
  std::map<int64_t, int64_t> changes;
  for (size_t id = 0; id < 200; ++id)
    ++changes[jitter.problem.buffers[id].lifespans[0].end -
              plain.problem.buffers[id].lifespans[0].end];
  EXPECT_EQ(changes.size(), 3u);
  EXPECT_GT(changes[-1], 40);
  EXPECT_GT(changes[1], 40);

  options = optionsFor("pinwheel", 200);
  options.pinPercent = 100;
  const Generated pins = make(options);
  for (size_t id = 0; id < 200; ++id)
    EXPECT_EQ(pins.problem.buffers[id].pin->offsetBytes,
              plain.plan->placements[id].offsetBytes);
  EXPECT_EQ(pins.optimumBytes, plain.optimumBytes);

  options = optionsFor("guillotine", 200);
  options.alignments = {64};
  EXPECT_TRUE(make(options).optimumBytes);
  options.alignments = {128};
  EXPECT_FALSE(make(options).plan);
}

TEST(Generate, SizesAndLivesOfTheOtherFamilies) {
  const Generated random = make(optionsFor("random", 20000));
  int64_t isShort = 0, isSmall = 0;
  for (const Buffer &buffer : random.problem.buffers) {
    EXPECT_EQ(buffer.sizeBytes % 64, 0);
    isShort += buffer.lifespans[0].length() <= 16;
    isSmall += buffer.sizeBytes <= 16384;
  }
  // 80 % of lives are 1 + an exponential draw of mean 16: 61 % of these are at
  // most 16, and few of the others. Half of the sizes are below the median.
  EXPECT_NEAR(double(isShort) / 20000, 0.50, 0.03);
  EXPECT_NEAR(double(isSmall) / 20000, 0.50, 0.02);
  EXPECT_FALSE(random.plan);

  const Generated training = make(optionsFor("training", 5000));
  const int64_t end =
      std::max_element(training.problem.buffers.begin(),
                       training.problem.buffers.end(),
                       [](const Buffer &a, const Buffer &b) {
                         return a.lifespans[0].end < b.lifespans[0].end;
                       })
          ->lifespans[0]
          .end;
  int64_t kept = 0, temporaries = 0;
  for (const Buffer &buffer : training.problem.buffers) {
    kept += buffer.lifespans[0].end == end;
    temporaries += buffer.lifespans[0].length() == 2;
  }
  EXPECT_EQ(kept, 35); // One gradient a layer.
  EXPECT_GT(temporaries, 3000);
}

/// What is kept from a forward to a backward pass.
std::vector<Interval> savedLives(const Problem &problem) {
  std::vector<Interval> lives;
  int64_t end = 0;
  for (const Buffer &buffer : problem.buffers)
    end = std::max(end, buffer.lifespans[0].end);
  for (const Buffer &buffer : problem.buffers)
    if (buffer.lifespans[0].length() > 4 && buffer.lifespans[0].end < end)
      lives.push_back(buffer.lifespans[0]);
  return lives;
}

TEST(Generate, FourMicroBatchesAreInFlight) {
  for (const char *family : {"micro-batches", "interleaved"}) {
    const Problem problem = make(optionsFor(family, 10'000)).problem;
    const std::vector<Interval> saved = savedLives(problem);
    // 50 layers, 25 micro-batches, two activations each.
    EXPECT_EQ(saved.size(), 50u * 25u * 2u) << family;
    std::map<int64_t, int64_t> changes;
    for (const Interval &life : saved) {
      ++changes[life.begin];
      --changes[life.end];
    }
    int64_t now = 0, most = 0;
    for (const auto &[step, change] : changes)
      most = std::max(most, now += change);
    // All of four; woven, one is saved as another is freed.
    EXPECT_EQ(most, std::string(family) == "interleaved" ? 302 : 400) << family;
  }
  // Too few for one micro-batch.
  EXPECT_EQ(make(optionsFor("micro-batches", 7)).problem.buffers.size(), 7u);
}

TEST(Generate, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf(optionsFor("tiles", 9)),
            "unknown family 'tiles'; there are guillotine, interleaved, "
            "micro-batches, pinwheel, random, training");
  EXPECT_THAT(errorOf(optionsFor("random", 0)),
              HasSubstr("the number of buffers must be from 1"));
  EXPECT_THAT(errorOf(optionsFor("random", kMaxGeneratedBuffers + 1)),
              HasSubstr("not 16777217"));
  GenerateOptions options = optionsFor("guillotine", 10);
  options.deletePercent = 91;
  EXPECT_THAT(errorOf(options), HasSubstr("from 0 to 90, not 91"));
  options.deletePercent = 90;
  options.buffers = kMaxGeneratedBuffers;
  EXPECT_THAT(errorOf(options), HasSubstr("too many pieces"));
  options = optionsFor("guillotine", 10);
  options.gapPercent = -1;
  EXPECT_THAT(errorOf(options), HasSubstr("gaps must be from 0"));
  options = optionsFor("guillotine", 10);
  options.pinPercent = 101;
  EXPECT_THAT(errorOf(options), HasSubstr("pins must be from 0"));
  options = optionsFor("guillotine", 10);
  options.alignments = {8, 0};
  EXPECT_EQ(errorOf(options), "an alignment must be at least 1, not 0");
}

} // namespace
