//===- MutationTest.cpp - Wrong plans are found wrong ---------------------===//
//
// Changes plans in many ways. Execution and a second opinion that does not
// execute must agree on each: what is harmful is rejected, what is harmless
// still computes the right bytes. Hand-written groups, and with
// $TPU_MEMORY_DATA real ones.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/groups/GroupRunner.h"
#include "tests/exec/groups/GroupText.h"
#include "tests/exec/groups/Mixing.h"
#include "tests/exec/groups/RealModels.h"
#include "tests/exec/mutations/Mutations.h"
#include "tests/exec/mutations/PlanOracle.h"

#include "gtest/gtest.h"

#include <map>

using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

struct Count {
  int made = 0, harmful = 0, rejected = 0;
};

class Mutations {
protected:
  /// Applies each mutation `times` times to the group.
  void mutate(const GroupModel &group, const target::ChipSpec &chip,
              int times) {
    auto read = runReference({group});
    ASSERT_EQ(read.index(), 0u) << std::get<1>(read);
    const auto &reference = std::get<0>(read);
    KernelCache cache;
    ASSERT_EQ(findConflict(group, chip).value_or(""), "");
    ASSERT_EQ(simulateAllOrders({group}, chip, reference, cache).value_or(""),
              "");
    for (const Mutation &mutation : allMutations())
      for (int i = 0; i < times; ++i) {
        GroupModel changed = group;
        if (!mutation.apply(changed, chip, random))
          break;
        const auto expected = findConflict(changed, chip);
        const auto error = simulateAllOrders({changed}, chip, reference, cache);
        ASSERT_EQ(error.has_value(), expected.has_value())
            << mutation.name << "\n  oracle: " << expected.value_or("fine")
            << "\n  execution: " << error.value_or("fine");
        Count &count = counts[mutation.name];
        ++count.made;
        count.harmful += expected.has_value();
        count.rejected += error.has_value();
      }
  }

  /// Every lent transfer in every timestep of the borrower, and at every
  /// address of another buffer.
  void mutateLoans(const std::vector<GroupModel> &chain,
                   const target::ChipSpec &chip) {
    auto read = runReference(chain);
    ASSERT_EQ(read.index(), 0u) << std::get<1>(read);
    KernelCache cache;
    const auto judge = [&](const char *name,
                           const std::vector<GroupModel> &changed) {
      const auto expected = findConflict(changed, chip);
      const auto error =
          simulateAllOrders(changed, chip, std::get<0>(read), cache);
      EXPECT_EQ(error.has_value(), expected.has_value())
          << name << "\n  oracle: " << expected.value_or("fine")
          << "\n  execution: " << error.value_or("fine");
      ++counts[name].made;
      counts[name].harmful += expected.has_value();
      counts[name].rejected += error.has_value();
    };
    judge("unchanged", chain);
    EXPECT_EQ(counts["unchanged"].harmful, 0);
    for (size_t group = 0; group < chain.size(); ++group) {
      const int64_t rows = static_cast<int64_t>(chain[group].rows.size());
      for (auto list : {&GroupModel::fromNext, &GroupModel::fromPrevious})
        for (size_t i = 0; i < (chain[group].*list).size(); ++i)
          for (int64_t row = 0; row < rows; ++row) {
            auto changed = chain;
            (changed[group].*list)[i].row = row;
            judge("moveLoan", changed);
          }
      for (int64_t id : chain[group].lentToPrevious)
        for (const GroupItem &other : chain[group - 1].items) {
          auto changed = chain;
          GroupItem &lent = changed[group].items[changed[group].itemWithId(id)];
          if (other.address + lent.bytes > chip.laneBytes)
            continue;
          lent.address = other.address;
          judge("overlapLoan", changed);
        }
    }
  }

  void report(int leastHarmful, int leastHarmless) {
    Count all;
    for (const auto &[name, count] : counts) {
      testing::Test::RecordProperty(
          name, std::to_string(count.made) + " made, " +
                    std::to_string(count.harmful) + " harmful, " +
                    std::to_string(count.rejected) + " rejected");
      all.made += count.made, all.harmful += count.harmful;
      all.rejected += count.rejected;
    }
    EXPECT_EQ(all.rejected, all.harmful);
    EXPECT_GE(all.harmful, leastHarmful);
    EXPECT_GE(all.made - all.harmful, leastHarmless);
  }

  std::map<std::string, Count> counts;
  std::mt19937 random{20240607};
};

class HandWrittenTest : public testing::Test, protected Mutations {};
class MutationTest : public testing::TestWithParam<RealModel>,
                     protected Mutations {};

TEST_F(HandWrittenTest, HarmIsRejectedAndNothingElse) {
  for (const std::string &text :
       {convPool(), manyCuts(false), addition(32, false), addition(0, false),
        addition(32, true)}) {
    GroupRunner runner(text);
    ASSERT_EQ(runner.readError, "");
    mutate(runner.chain[0], runner.chip, /*times=*/60);
  }
  report(/*leastHarmful=*/2000, /*leastHarmless=*/500);
}

TEST_F(HandWrittenTest, ReferenceExample) {
  GroupRunner runner(referenceExample(), *target::findChip("bm1684x"));
  ASSERT_EQ(runner.readError, "");
  mutate(runner.chain[0], runner.chip, /*times=*/10);
  report(/*leastHarmful=*/80, /*leastHarmless=*/10);
}

TEST_P(MutationTest, HarmIsRejectedAndNothingElse) {
  if (!haveRealModels())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  LoadedModel model(GetParam());
  ASSERT_TRUE(model.module());
  auto chains = readChains(model.module(), model.chip());
  ASSERT_EQ(chains.index(), 0u) << std::get<1>(chains);
  // Large groups take a second each.
  const int times = GetParam().groups == 3    ? 1
                    : GetParam().groups == 33 ? 2
                                              : 4;
  int number = 0;
  for (auto &chain : std::get<0>(chains))
    for (GroupModel &group : chain) {
      SCOPED_TRACE("group " + std::to_string(number++));
      // Each for itself: what is lent runs where it was.
      group.fromNext.clear();
      group.fromPrevious.clear();
      group.lentToPrevious.clear();
      group.lentToNext.clear();
      mutate(group, model.chip(), times);
      if (HasFatalFailure())
        return;
    }
  report(/*leastHarmful=*/GetParam().groups * times * 6,
         /*leastHarmless=*/GetParam().groups);
}

TEST_P(MutationTest, LentTransfers) {
  if (!haveRealModels())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  LoadedModel model(GetParam());
  ASSERT_TRUE(model.module());
  auto chains = readChains(model.module(), model.chip());
  ASSERT_EQ(chains.index(), 0u) << std::get<1>(chains);
  bool isLinked = false;
  for (const auto &chain : std::get<0>(chains))
    if (chain.size() > 1) {
      isLinked = true;
      mutateLoans(chain, model.chip());
    }
  if (isLinked)
    report(/*leastHarmful=*/60, /*leastHarmless=*/20);
}

INSTANTIATE_TEST_SUITE_P(Models, MutationTest, testing::ValuesIn(realModels()),
                         [](const auto &info) {
                           return std::string(info.param.folder);
                         });

} // namespace
