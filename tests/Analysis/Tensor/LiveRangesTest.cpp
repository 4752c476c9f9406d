//===- LiveRangesTest.cpp - When storage must not change ------------------===//

#include "tests/Analysis/Tensor/Net.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

/// From the step of one op to after that of another.
Interval between(const Net &net, const char *first, const char *last) {
  return {net.steps(first).begin, net.steps(last).end};
}

TEST(LiveRanges, AreFromTheWriterToTheLastReader) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %b = "tpu.Active"(%a) : (!t) -> !t loc("b")
    %c = "tpu.Add"(%a, %b) : (!t, !t) -> !t loc("c")
    %unused = "tpu.Active"(%c) : (!t) -> !t loc("unused")
    %d = "tpu.Active"(%c) : (!t) -> !t loc("d")
    return %d : !t loc("return")
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("a"), between(net, "a", "c"));
  EXPECT_EQ(net.life("c"), between(net, "c", "d"));
  EXPECT_EQ(net.life("unused"), net.steps("unused"));
  // Inputs from the start, outputs to the end.
  EXPECT_EQ(net.life("x"), (Interval{0, net.steps("a").end}));
  EXPECT_EQ(net.life("d"), between(net, "d", "return"));
  EXPECT_EQ(net.life("d").end, net.facts->schedule.numSteps());
  EXPECT_EQ(net.facts->lives[net.storage("a").classId].readSteps,
            (std::vector<int64_t>{net.steps("b").begin, net.steps("c").begin}));
}

TEST(LiveRanges, FollowValuesThroughCalls) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %0 = func.call @s(%a) : (!t) -> !t loc("call")
    %z = "tpu.Active"(%0) : (!t) -> !t loc("z")
    return %z : !t
  )") + R"(
    func.func @s(%p: !t) -> !t {
      %b = "tpu.Active"(%p) : (!t) -> !t loc("b")
      %c = "tpu.Active"(%b) : (!t) -> !t loc("c")
      %d = "tpu.Active"(%c) : (!t) -> !t loc("d")
      return %c : !t
    })");
  ASSERT_EQ(net.errors, "");
  // To the reader inside, not to the end of the call.
  EXPECT_EQ(net.life("a"), between(net, "a", "b"));
  EXPECT_EQ(net.life("c"), between(net, "c", "z"));
}

TEST(LiveRanges, OfAnIfBeginWithTheFirstYield) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %f2 = "tpu.Active"(%f) : (!c) -> !c loc("f2")
    %r = "tpu.If"(%f2) ({
      %b = "tpu.Active"(%a) : (!t) -> !t loc("b")
      "tpu.Yield"(%k) : (!t) -> () loc("yield")
    }, {
      %c = "tpu.Active"(%x) : (!t) -> !t loc("c")
      %d = "tpu.Active"(%c) : (!t) -> !t loc("d")
      "tpu.Yield"(%k) : (!t) -> ()
    }) : (!c) -> !t loc("if")
    %z = "tpu.Active"(%r) : (!t) -> !t loc("z")
    return %z : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("if"), between(net, "yield", "z"));
  // The condition is read before anything else.
  EXPECT_EQ(net.life("f2").end, net.steps("if").begin + 1);
  // Read in one branch only: the other one has its memory.
  EXPECT_EQ(net.life("a"), between(net, "a", "b"));
}

TEST(LiveRanges, OfWhatALoopReadsLastToItsEnd) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %i = "tpu.Active"(%x) : (!t) -> !t loc("i")
    %l = "tpu.Loop"(%f, %none, %i) ({
    ^bb0(%n: !c loc("n"), %c: none, %s: !t loc("s")):
      %t = "tpu.Add"(%s, %a) : (!t, !t) -> !t loc("t")
      %u = "tpu.Active"(%t) : (!t) -> !t loc("u")
      "tpu.Yield"(%c, %u) : (none, !t) -> () loc("yield")
    }) : (!c, none, !t) -> !t loc("l")
    %z = "tpu.Active"(%l) : (!t) -> !t loc("z")
    return %z : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("a"), between(net, "a", "l"));
  EXPECT_EQ(net.life("i"), between(net, "i", "l"));
  EXPECT_EQ(net.life("s"), net.steps("l"));
  EXPECT_EQ(net.life("n"), net.steps("l"));
  EXPECT_EQ(net.life("t"), between(net, "t", "u"));
  EXPECT_EQ(net.life("u"), between(net, "u", "yield"));
  EXPECT_EQ(net.life("l"), between(net, "l", "z"));
}

TEST(LiveRanges, InsideALoopReachAnOuterLoopsEnd) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %l = "tpu.Loop"(%f, %none, %x) ({
    ^bb0(%n: !c, %c: none, %s: !t):
      %b = "tpu.Active"(%s) : (!t) -> !t loc("b")
      %m = "tpu.Loop"(%f, %none, %s) ({
      ^bb1(%n2: !c, %c2: none, %s2: !t):
        %t = func.call @add(%a, %b) : (!t, !t) -> !t loc("t")
        "tpu.Yield"(%c2, %t) : (none, !t) -> ()
      }) : (!c, none, !t) -> !t loc("m")
      "tpu.Yield"(%c, %m) : (none, !t) -> ()
    }) : (!c, none, !t) -> !t loc("l")
    return %l : !t
  )") + R"(
    func.func @add(%p: !t, %q: !t) -> !t {
      %0 = "tpu.Add"(%p, %q) : (!t, !t) -> !t
      return %0 : !t
    })");
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("a"), between(net, "a", "l"));
  EXPECT_EQ(net.life("b"), between(net, "b", "m"));
}

TEST(LiveRanges, InsideAParallelOpAreAllOfIt) {
  for (const char *name :
       {"tpu.GroupParallel", "tpu.CoreParallel", "tpu.FromTheFuture"}) {
    SCOPED_TRACE(name);
    Net net(mainOf(R"(
      %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
      %y = ")" + std::string(name) +
                   R"("(%x) ({
        %b = "tpu.Active"(%a) : (!t) -> !t loc("b")
        %s = "tpu.Buffer"() : () -> !t loc("s")
        %c = "tpu.Softmax"(%b, %s) : (!t, !t) -> !t loc("c")
        %d = "tpu.Active"(%c) : (!t) -> !t loc("d")
        "tpu.Yield"(%d) : (!t) -> ()
      }) : (!t) -> !t loc("y")
      return %y : !t
    )"));
    ASSERT_EQ(net.errors, "");
    EXPECT_EQ(net.life("a"), between(net, "a", "y"));
    for (const char *inside : {"b", "c", "s"})
      EXPECT_EQ(net.life(inside), net.steps("y")) << inside;
    EXPECT_EQ(net.life("y").begin, net.steps("y").begin);
  }
}

TEST(LiveRanges, OfScratchAreThoseOfItsReaders) {
  Net net(mainOf(R"(
    %s = "tpu.Buffer"() : () -> !t loc("s")
    %g = "tpu.Buffer"() : () -> !t loc("g")
    %idle = "tpu.Buffer"() : () -> !t loc("idle")
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %b = "tpu.Softmax"(%a, %s) : (!t, !t) -> !t loc("b")
    %c = "tpu.Group"(%b) ({
      %l = "tpu.Load"(%b) : (!t) -> !t
      %st = "tpu.Store"(%l, %g) : (!t, !t) -> !t
      "tpu.Yield"(%st) : (!t) -> ()
    }) : (!t) -> !t loc("c")
    return %c : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("s"), net.steps("b"));
  EXPECT_EQ(net.life("g"), net.steps("c"));
  EXPECT_EQ(net.life("idle").length(), 1);
}

/// A class lives from its first member to its last one.
TEST(LiveRanges, OfAClassCoverItsMembers) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %b = "tpu.Active"(%x) : (!t) -> !t loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (!t, !t) -> tensor<8192xi8> loc("c")
    %d = "tpu.Active"(%c) : (tensor<8192xi8>) -> !t loc("d")
    return %d : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.life("b"), between(net, "a", "d"));
  EXPECT_EQ(valueLife(net.facts->schedule, net.value("b")),
            between(net, "b", "c"));
}

} // namespace
} // namespace tpu_mlir::test
