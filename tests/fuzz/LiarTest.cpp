//===- LiarTest.cpp - The fuzz entry notices a strategy that lies ---------===//

#include "tests/fuzz/Entries.h"

#include "tpu_mlir/Planning/Strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir::planning;
using testing::HasSubstr;

namespace {

/// What the next packing of the liar claims.
Proof claim = Proof::None;
bool claimsOver = false;

/// Any plan of "sequential", with a proof that it does not have.
std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  auto packing = StrategyRegistry::find("sequential")->pack(problem, options);
  if (packing) {
    packing->proof = claim;
    packing->isProvedOver = claimsOver;
  }
  return packing;
}

const RegisterStrategy registration({"a-liar", "claims what it likes", pack});

/// Everything that the entry objects to in 100 inputs.
std::string allBroken() {
  std::mt19937_64 engine(3);
  std::string all;
  for (int64_t i = 0; i < 100; ++i) {
    std::string input;
    for (int64_t left = 20 + int64_t(engine() % 100); left > 0; --left)
      input += char(engine() % 256);
    all += fuzzSolveValidate(input).broken + "\n";
  }
  return all;
}

TEST(Liar, HonestPlansPass) {
  EXPECT_EQ(allBroken().find_first_not_of('\n'), std::string::npos);
}

TEST(Liar, ProofsThatAreRefutedShow) {
  claim = Proof::Optimal;
  EXPECT_THAT(allBroken(), HasSubstr("a-liar says that"));
  claim = Proof::None;
  claimsOver = true;
  EXPECT_THAT(allBroken(), HasSubstr("a-liar says that nothing fits"));
}

} // namespace
