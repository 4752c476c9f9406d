//===- RealGroupsTest.cpp - Another compiler's groups, placed anew --------===//
//
// Needs $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Transforms/Tpu/AssignLocalAddress/AssignLocalAddress.h"
#include "lib/Transforms/Tpu/AssignLocalAddress/PlaceGroup.h"
#include "tests/LayerPlanning/LmemProblems.h"
#include "tests/exec/groups/GroupExec.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <map>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

struct RealModel {
  const char *folder;
  const char *name; ///< Of its files in lmem_groups.
  const char *chip;
  int groups;
};

void PrintTo(const RealModel &model, std::ostream *os) { *os << model.name; }

class RealGroupsTest : public testing::TestWithParam<RealModel> {
protected:
  RealGroupsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    // Remarks about transfers that are not shared any more.
    context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        ADD_FAILURE() << diagnostic.str();
    });
  }

  void SetUp() override {
    if (!std::getenv("TPU_MEMORY_DATA"))
      GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
    chip = target::findChip(GetParam().chip);
    ASSERT_TRUE(chip);
  }

  OwningOpRef<ModuleOp> parse(const char *file) {
    const auto path = std::filesystem::path(std::getenv("TPU_MEMORY_DATA")) /
                      "tpu_mlir" / GetParam().folder / file;
    return parseSourceFile<ModuleOp>(path.string(), &context);
  }

  static std::vector<tpu::GroupOp> groupsOf(ModuleOp module) {
    std::vector<tpu::GroupOp> groups;
    module.walk<WalkOrder::PreOrder>(
        [&](tpu::GroupOp group) { groups.push_back(group); });
    return groups;
  }

  MLIRContext context;
  const target::ChipSpec *chip = nullptr;
};

LocalSchedule scheduleOf(tpu::GroupOp group) {
  auto read = readLocalSchedule(group);
  if (const auto *error = std::get_if<LocalScheduleError>(&read)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<LocalSchedule>(std::move(read));
}

int64_t highWaterOf(const LmemProblem &problem,
                    const std::vector<int64_t> &addresses) {
  int64_t end = 0;
  for (size_t i = 0; i < addresses.size(); ++i)
    end = std::max(end, addresses[i] + problem.buffers[i].sizeBytes);
  return end;
}

LmemPlacement place(const LmemProblem &problem, const LmemOptions &options) {
  const LmemResult result = placeLmem(problem, options);
  if (const auto *placement = std::get_if<LmemPlacement>(&result))
    return *placement;
  ADD_FAILURE() << problem.name << " does not fit";
  return {};
}

/// One placement that is below the other compiler's high-water mark and has no
/// more conflicts: weighed by how often they happen, and counted.
void expectAsGood(const LocalProblem &local,
                  const std::vector<int64_t> &theirs) {
  LmemProblem problem = local.problem;
  const int64_t theirPeak = highWaterOf(problem, theirs);
  const BankConflicts theirConflicts = countConflicts(problem, theirs);
  LmemOptions options;
  options.nodeLimit = 50'000;
  options.highWaterLimitBytes = theirPeak;
  const LmemPlacement ours = place(problem, options);
  EXPECT_EQ(checkAddresses(problem, ours.addresses),
            std::vector<std::string>{});
  EXPECT_LE(ours.highWaterBytes, theirPeak);
  EXPECT_LE(ours.conflicts.cost, theirConflicts.cost);

  for (BankPair &pair : problem.bankPairs)
    pair.cost = 1;
  EXPECT_LE(place(problem, options).conflicts.count, theirConflicts.count);

  options.highWaterLimitBytes.reset();
  options.minimizePeak = true;
  const LmemPlacement low = place(problem, options);
  EXPECT_LE(low.highWaterBytes, ours.highWaterBytes);
  if (low.highWaterBytes == low.lowerBoundBytes) {
    EXPECT_TRUE(low.isPeakProved);
  }
}

TEST_P(RealGroupsTest, NoHigherAndNoMoreConflictsThanTheirs) {
  OwningOpRef<ModuleOp> module = parse("final.mlir");
  ASSERT_TRUE(module);
  const std::vector<tpu::GroupOp> groups = groupsOf(*module);
  EXPECT_EQ(int(groups.size()), GetParam().groups);
  for (size_t i = 0; i < groups.size(); ++i) {
    SCOPED_TRACE("group " + std::to_string(i));
    const LocalSchedule schedule = scheduleOf(groups[i]);
    const LocalProblem local = buildLocalProblem(schedule, *chip, false);
    EXPECT_EQ(checkProblem(local.problem), std::vector<std::string>{});
    const std::vector<int64_t> theirs = currentAddresses(schedule, local);
    EXPECT_EQ(checkAddresses(local.problem, theirs),
              std::vector<std::string>{});
    expectAsGood(local, theirs);
  }
}

/// Lives on the circle, also where we know that time is a line.
std::vector<Interval> onCircle(const planning::Buffer &buffer, int64_t rows) {
  std::vector<Interval> lives;
  for (const Interval &life : buffer.lifespans)
    for (int64_t step = life.begin; step < life.end; ++step)
      lives.push_back({step % rows, step % rows + 1});
  return normalize(std::move(lives));
}

/// The files of lmem_groups were made by a program of somebody else.
TEST_P(RealGroupsTest, LivesAndSizesAreThoseOfTheData) {
  OwningOpRef<ModuleOp> module = parse("final.mlir");
  ASSERT_TRUE(module);
  std::map<std::string, RealGroup> known;
  for (RealGroup &group : realGroups())
    known[group.problem.name] = std::move(group);
  const std::vector<tpu::GroupOp> groups = groupsOf(*module);
  int compared = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto found =
        known.find(std::string(GetParam().name) + ".g" + std::to_string(i));
    if (found == known.end())
      continue;
    ++compared;
    SCOPED_TRACE(found->first);
    const RealGroup &theirs = found->second;
    const LocalSchedule schedule = scheduleOf(groups[i]);
    const LocalProblem ours = buildLocalProblem(schedule, *chip, false);
    ASSERT_EQ(schedule.numRows, theirs.rows);
    ASSERT_EQ(ours.problem.buffers.size(), theirs.problem.buffers.size());
    using Key = std::pair<int64_t, std::vector<std::pair<int64_t, int64_t>>>;
    const auto keys = [&](const LmemProblem &problem) {
      std::vector<Key> keys;
      for (const planning::Buffer &buffer : problem.buffers) {
        Key key{buffer.sizeBytes, {}};
        for (const Interval &life : onCircle(buffer, theirs.rows))
          key.second.push_back({life.begin, life.end});
        keys.push_back(std::move(key));
      }
      std::sort(keys.begin(), keys.end());
      return keys;
    };
    EXPECT_EQ(keys(ours.problem), keys(theirs.problem));
  }
  EXPECT_GT(compared, 0);
}

class PassTest : public RealGroupsTest {
protected:
  void runPass(ModuleOp module, bool minimizePeak, int64_t nodeLimit) {
    AssignLocalAddressOptions options;
    options.minimizePeak = minimizePeak;
    options.nodeLimit = nodeLimit;
    options.chip = chip->name;
    PassManager manager(&context);
    manager.addPass(createAssignLocalAddress(options));
    EXPECT_TRUE(succeeded(manager.run(module)));
  }

  void expectRight(ModuleOp module) {
    int index = 0;
    for (tpu::GroupOp group : groupsOf(module)) {
      SCOPED_TRACE("group " + std::to_string(index++));
      for (const local::Violation &violation : local::checkGroup(group, *chip))
        ADD_FAILURE() << violation.message;
      EXPECT_FALSE(scheduleOf(group).sharesTransfers);
    }
  }
};

/// Another reader of groups, with lives and layouts of its own, agrees.
TEST_P(PassTest, TheVerifierFindsNothing) {
  for (bool minimizePeak : {false, true}) {
    OwningOpRef<ModuleOp> module = parse("final_without_gmem_lmem.mlir");
    ASSERT_TRUE(module);
    runPass(*module, minimizePeak, 10'000);
    expectRight(*module);
  }
}

/// Addresses do not depend on those that were there before, nor on the run.
TEST_P(PassTest, TheSameAddressesFromAnyFile) {
  std::vector<std::vector<int64_t>> found;
  for (const char *file : {"final.mlir", "final_without_gmem.mlir",
                           "final_without_gmem_lmem.mlir"}) {
    OwningOpRef<ModuleOp> module = parse(file);
    ASSERT_TRUE(module);
    runPass(*module, false, 5'000);
    std::vector<int64_t> addresses;
    for (tpu::GroupOp group : groupsOf(*module)) {
      const LocalSchedule schedule = scheduleOf(group);
      for (const LocalOp &op : schedule.ops) {
        addresses.push_back(op.resultAddress);
        addresses.push_back(op.scratchAddress);
      }
    }
    found.push_back(std::move(addresses));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

/// Every section of every group, byte by byte, in three orders of the engines.
TEST_P(PassTest, RunAndAreRight) {
  OwningOpRef<ModuleOp> module = parse("final_without_gmem_lmem.mlir");
  ASSERT_TRUE(module);
  runPass(*module, false, 10'000);
  exec::ExecStats stats;
  const auto error = exec::runGroups(*module, *chip, &stats);
  EXPECT_EQ(error.value_or(""), "");
  EXPECT_EQ(stats.groups, GetParam().groups);
}

const auto kModels = testing::Values(
    RealModel{"blazeface_bm1688_f16", "blazeface_bm1688", "bm1688", 13},
    RealModel{"qwen_block_0_bm1684x", "qwen_block_0", "bm1684x", 3},
    RealModel{"qwen_block_cache_0_bm1684x", "qwen_block_cache_0", "bm1684x", 4},
    RealModel{"yolov8s_cv181x_int8", "yolov8s_cv181x", "cv181x", 33});

std::string nameOf(const testing::TestParamInfo<RealModel> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Models, RealGroupsTest, kModels, nameOf);
INSTANTIATE_TEST_SUITE_P(Models, PassTest, kModels, nameOf);

} // namespace
