//===- StopTokenTest.cpp - Signals ask, once and for good -----------------===//

#include "tpu_mlir/Support/StopToken.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

using tpu_mlir::stopOnSignals;
using tpu_mlir::StopToken;

namespace {

TEST(StopToken, IsAskedForGood) {
  StopToken token;
  EXPECT_FALSE(token.isRequested());
  token.request();
  EXPECT_TRUE(token.isRequested());
}

TEST(StopToken, IsAskedAfterSoManyLooks) {
  StopToken token;
  EXPECT_EQ(token.unusedLooks(), -1);
  token.requestAfter(2);
  EXPECT_FALSE(token.isRequested());
  EXPECT_EQ(token.unusedLooks(), 1);
  EXPECT_FALSE(token.isRequested());
  EXPECT_EQ(token.unusedLooks(), 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(token.isRequested());
  EXPECT_EQ(token.unusedLooks(), -1);
}

TEST(StopToken, KnowsWhenSomebodyWillAsk) {
  StopToken token;
  EXPECT_EQ(token.secondsLeft(), std::nullopt);
  token.expectIn(1000);
  ASSERT_TRUE(token.secondsLeft());
  EXPECT_GT(*token.secondsLeft(), 900);
  EXPECT_LE(*token.secondsLeft(), 1000);
  for (double seconds : {0.0, -1.0}) {
    token.expectIn(seconds);
    EXPECT_EQ(token.secondsLeft(), 0.0);
  }
  EXPECT_FALSE(token.isRequested());
  for (double seconds : {1e300, std::numeric_limits<double>::infinity()}) {
    token.expectIn(seconds);
    EXPECT_EQ(token.secondsLeft(), std::nullopt);
  }
}

// In processes of their own: the token of the process stays asked.
void raiseAfter(int signal, bool isPrepared, int times) {
  if (isPrepared)
    stopOnSignals();
  for (int i = 0; i < times; ++i)
    std::raise(signal);
  _exit(StopToken::ofProcess().isRequested() ? 42 : 43);
}

TEST(StopTokenDeathTest, TheFirstSignalAsks) {
  for (int signal : {SIGINT, SIGTERM})
    EXPECT_EXIT(raiseAfter(signal, true, 1), testing::ExitedWithCode(42), "");
}

TEST(StopTokenDeathTest, TheSecondOneEndsTheProgram) {
  for (int signal : {SIGINT, SIGTERM})
    EXPECT_EXIT(raiseAfter(signal, true, 2), testing::KilledBySignal(signal),
                "");
}

TEST(StopTokenDeathTest, NothingIsCaughtBefore) {
  EXPECT_EXIT(raiseAfter(SIGTERM, false, 1), testing::KilledBySignal(SIGTERM),
              "");
}

TEST(StopTokenDeathTest, WhatWasIgnoredStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        raiseAfter(SIGINT, true, 2);
      },
      testing::ExitedWithCode(43), "");
}

} // namespace
