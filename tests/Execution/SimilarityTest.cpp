//===- SimilarityTest.cpp - Similarities by their formulas ----------------===//
//
// And what they are for zeros and for numbers that are not finite.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Similarity.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tpu_mlir::execution;

namespace {

TEST(SimilarityTest, ByTheFormulas) {
  const Similarity near = similarityOf({3.0f, 4.0f}, {4.0f, 3.0f});
  EXPECT_NEAR(near.cosine, 24.0 / 25, 1e-12);
  EXPECT_NEAR(near.euclidean, 1 - std::sqrt(2.0) / (std::sqrt(98.0) / 2 + 1e-7),
              1e-12);
  const Similarity twice = similarityOf({1.0f, -2.0f}, {2.0f, -4.0f});
  EXPECT_NEAR(twice.cosine, 1, 1e-12);
  EXPECT_NEAR(twice.euclidean, 1 - 1 / 1.5, 1e-6);
  EXPECT_NEAR(similarityOf({1.0f}, {-1.0f}).cosine, -1, 1e-12);
  EXPECT_LT(similarityOf({1.0f}, {-1.0f}).euclidean, -1e6);
}

TEST(SimilarityTest, Zeros) {
  EXPECT_EQ(similarityOf({0.0f, 0.0f}, {0.0f, -0.0f}).cosine, 1);
  EXPECT_EQ(similarityOf({0.0f, 0.0f}, {0.0f, 0.0f}).euclidean, 1);
  EXPECT_EQ(similarityOf({0.0f}, {1.0f}).cosine, 0);
  EXPECT_EQ(similarityOf({}, {}).cosine, 1);
  // What is squared fits.
  EXPECT_NEAR(similarityOf({3e38f}, {3e38f}).cosine, 1, 1e-12);
}

TEST(SimilarityTest, NoFiniteNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  EXPECT_NEAR(similarityOf({nan, 1, infinite}, {nan, 1, infinite}).cosine, 1,
              1e-12);
  EXPECT_LT(similarityOf({nan, 1}, {0, 1}).cosine, -1e200);
  EXPECT_LT(similarityOf({infinite, 1}, {-infinite, 1}).euclidean, -1e200);
}

} // namespace
