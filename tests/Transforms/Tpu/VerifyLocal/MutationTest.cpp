//===- MutationTest.cpp - Groups broken in every way, and an oracle -------===//
//
// Each group is changed in every single way that Mutations.h knows. The oracle
// is the simulator of local memory, which shares no code with the verifier: it
// runs the group byte by byte in three orders of the engines and compares
// every number with whole-tensor execution. What the verifier accepts has to
// run right; what it rejects although it runs right is counted.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"

#include "lib/Analysis/Local/Check/Checks.h"
#include "tests/exec/groups/Mixing.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <map>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

/// What became of mutations.
struct Counts {
  int accepted = 0; ///< And run right.
  int rejected = 0;
  int rejectedButRunRight = 0; ///< Part of `rejected`; if the oracle was asked.
  int storedTwice = 0; ///< Accepted; rows of two sections are stored twice.
};

using CountsOfKinds = std::map<std::string, Counts>;

/// Runs the chain of groups that a group belongs to.
class Oracle {
public:
  Oracle(Operation *root, tpu::GroupOp group, const target::ChipSpec &chip)
      : root(root), group(group), chip(chip) {
    auto chain = readChain();
    if (auto *error = std::get_if<std::string>(&chain)) {
      ADD_FAILURE() << *error;
      return;
    }
    auto computed = exec::runReference(std::get<0>(chain));
    if (auto *error = std::get_if<std::string>(&computed))
      ADD_FAILURE() << *error;
    else
      reference = std::move(std::get<exec::ChainReference>(computed));
  }

  /// Why the group does not run right as it stands now.
  std::optional<std::string> findError() {
    auto chain = readChain();
    if (auto *error = std::get_if<std::string>(&chain))
      return *error;
    return exec::simulateAllOrders(std::get<0>(chain), chip, reference, cache);
  }

private:
  std::variant<std::vector<exec::GroupModel>, std::string> readChain() {
    auto chains = exec::readChains(root, chip);
    if (auto *error = std::get_if<std::string>(&chains))
      return *error;
    for (auto &chain : std::get<0>(chains))
      for (const exec::GroupModel &model : chain)
        if (model.op == group)
          return std::move(chain);
    return std::string("the group is in no chain");
  }

  Operation *root;
  tpu::GroupOp group;
  const target::ChipSpec &chip;
  exec::ChainReference reference;
  exec::KernelCache cache;
};

bool isRejected(ArrayRef<tpu::GroupOp> groups, const target::ChipSpec &chip) {
  return llvm::any_of(groups, [&](tpu::GroupOp group) {
    return !local::checkGroup(group, chip).empty();
  });
}

/// The simulator wants every element to be stored once; that sections of a
/// tensor with several readers may overlap is documented.
bool isOnlyStoredTwice(const std::string &error) {
  return error.find("a second time") != std::string::npos;
}

class MutationTest : public testing::Test {
protected:
  MutationTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Breaks a group in the ways of `mutations`; `neighbours` is the group
  /// itself and those next to it.
  void breakGroup(ArrayRef<tpu::GroupOp> neighbours,
                  const target::ChipSpec &chip, Oracle &oracle,
                  std::vector<Mutation> mutations, bool asksAlways) {
    for (Mutation &mutation : mutations) {
      mutation.swapIn();
      const bool rejected = isRejected(neighbours, chip);
      std::optional<std::string> error;
      if (!rejected || asksAlways)
        error = oracle.findError();
      Counts &count = counts[mutation.kind];
      if (rejected) {
        ++count.rejected;
        count.rejectedButRunRight += asksAlways && !error;
      } else if (error && isOnlyStoredTwice(*error)) {
        ++count.storedTwice;
      } else {
        ++count.accepted;
        EXPECT_FALSE(error) << mutation.kind << ", " << mutation.what
                            << ": accepted, but " << *error;
      }
      mutation.swapIn();
    }
    ASSERT_FALSE(isRejected(neighbours, chip)) << "a mutation was not undone";
  }

  Counts report() const {
    Counts total;
    llvm::errs() << "kind             accepted  stored twice  rejected  of "
                    "these run right\n";
    for (auto &[kind, count] : counts) {
      llvm::errs() << llvm::formatv("{0,-16} {1,8} {2,13} {3,9} {4,19}\n", kind,
                                    count.accepted, count.storedTwice,
                                    count.rejected, count.rejectedButRunRight);
      total.accepted += count.accepted;
      total.storedTwice += count.storedTwice;
      total.rejected += count.rejected;
      total.rejectedButRunRight += count.rejectedButRunRight;
    }
    llvm::errs() << llvm::formatv("{0,-16} {1,8} {2,13} {3,9} {4,19}\n",
                                  "total", total.accepted, total.storedTwice,
                                  total.rejected, total.rejectedButRunRight);
    return total;
  }

  static std::vector<tpu::GroupOp> groupsIn(Operation *root) {
    std::vector<tpu::GroupOp> groups;
    root->walk([&](tpu::GroupOp group) { groups.push_back(group); });
    return groups;
  }

  MLIRContext context;
  CountsOfKinds counts;
};

//===----------------------------------------------------------------------===//
// Small groups: everything is run
//===----------------------------------------------------------------------===//

TEST_F(MutationTest, SmallGroups) {
  auto file = llvm::MemoryBuffer::getFile(
      "tests/Transforms/Tpu/VerifyLocal/basic.mlir");
  ASSERT_TRUE(file) << "basic.mlir";
  SmallVector<StringRef> texts;
  (*file)->getBuffer().split(texts, "// -----");
  const target::ChipSpec &chip = *target::findChip("cv184x");
  for (StringRef text : texts) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    SCOPED_TRACE(module->getSymName()->str());
    const std::vector<tpu::GroupOp> groups = groupsIn(*module);
    for (tpu::GroupOp group : groups) {
      Oracle oracle(*module, group, chip);
      ASSERT_FALSE(HasFailure());
      EXPECT_EQ(oracle.findError().value_or(""), "");
      breakGroup(groups, chip, oracle, mutationsOf(group),
                 /*asksAlways=*/true);
    }
  }
  const Counts total = report();
  EXPECT_EQ(texts.size(), 12u);
  EXPECT_GT(total.rejected, 1000);
  EXPECT_GT(total.accepted, 50);
  for (auto &[kind, count] : counts)
    EXPECT_GT(count.rejected, count.rejectedButRunRight)
        << "no " << kind << " did harm";
}

//===----------------------------------------------------------------------===//
// Real groups: what is accepted is run
//===----------------------------------------------------------------------===//

struct RealModel {
  const char *folder;
  const char *chip;
  size_t numGroups;
};

class RealMutationTest : public MutationTest,
                         public testing::WithParamInterface<RealModel> {};

TEST_P(RealMutationTest, AcceptsOnlyWhatRunsRight) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  const auto path = std::filesystem::path(data) / "tpu_mlir" /
                    GetParam().folder / "final.mlir";
  auto module = parseSourceFile<ModuleOp>(path.string(), &context);
  ASSERT_TRUE(module);
  const target::ChipSpec &chip = *target::findChip(GetParam().chip);
  const std::vector<tpu::GroupOp> groups = groupsIn(*module);
  EXPECT_EQ(groups.size(), GetParam().numGroups);
  for (size_t i = 0; i < groups.size(); ++i) {
    SCOPED_TRACE("group " + std::to_string(i));
    EXPECT_TRUE(local::checkGroup(groups[i], chip).empty());
    // What a group lends is checked with the group after it.
    const size_t count = std::min<size_t>(2, groups.size() - i);
    Oracle oracle(groups[i]->getParentOp(), groups[i], chip);
    breakGroup(ArrayRef(groups).slice(i, count), chip, oracle,
               sampleOfEachKind(mutationsOf(groups[i]), 5),
               /*asksAlways=*/false);
  }
  const Counts total = report();
  const int numGroups = static_cast<int>(groups.size());
  EXPECT_GT(total.rejected, 40 * numGroups);
  EXPECT_GT(total.accepted, 5 * numGroups);
}

INSTANTIATE_TEST_SUITE_P(
    Models, RealMutationTest,
    testing::Values(RealModel{"blazeface_bm1688_f16", "bm1688", 13},
                    RealModel{"qwen_block_0_bm1684x", "bm1684x", 3},
                    RealModel{"qwen_block_cache_0_bm1684x", "bm1684x", 4},
                    RealModel{"yolov8s_cv181x_int8", "cv181x", 33}),
    [](const auto &info) { return std::string(info.param.folder); });

} // namespace
