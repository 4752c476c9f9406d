//===- LivenessTest.cpp - When an allocated memref is in use --------------===//

#include "tests/Analysis/Memref/MarkedFunction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace mlir;

namespace tpu_mlir {
namespace {

TEST(MemrefTicks, CountEveryOpOnce) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    scf.if %p {
      "test.use"(%a) {t = "in"} : (!t) -> ()
    } else {
      "test.other"() {t = "else"} : () -> ()
    }
    return {t = "end"})");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.ticks->of(f.function), 1);
  EXPECT_EQ(f.ticks->range(f.allocs["a"]), (Interval{2, 3}));
  EXPECT_EQ(f.span("in"), (Interval{4, 5}));
  EXPECT_EQ(f.span("else"), (Interval{6, 7}));
  EXPECT_EQ(f.span("end"), (Interval{8, 9}));
  EXPECT_EQ(f.ticks->range(f.function.getOperation()), (Interval{1, 9}));
}

TEST(MemrefLife, IsFromTheFirstToTheLastAccess) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    "test.other"() : () -> ()
    "test.use"(%a) {t = "first"} : (!t) -> ()
    "test.other"() : () -> ()
    %v = memref.cast %a : !t to memref<?xf32>
    "test.use"(%v) {t = "last"} : (memref<?xf32>) -> ()
    %w = memref.cast %a : !t to memref<?xf32>
    memref.dealloc %a : !t
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("first", "last")});
  EXPECT_EQ(f.hull("a"), f.span("first", "last"));
  EXPECT_EQ(f.uses("a").deallocs.size(), 1u);
}

TEST(MemrefLife, OfNoAccessIsEmpty) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %c = arith.constant 0 : index
    %d = memref.dim %a, %c : !t
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_TRUE(f.life("a").empty());
  EXPECT_TRUE(f.hull("a").empty());
}

TEST(MemrefLife, CoversEveryLoopItIsCarriedRound) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.alloc() {n = "b"} : !t
    scf.for %i = %lb to %ub step %s {
      "test.other"() {t = "top"} : () -> ()
      scf.for %j = %lb to %ub step %s {
        "test.use"(%a) {t = "a"} : (!t) -> ()
      }
      scf.for %j = %lb to %ub step %s {
        "test.use"(%b) {t = "b"} : (!t) -> ()
        scf.yield {t = "inner"}
      }
      scf.yield {t = "outer"}
    } {t = "loop"}
    return)");
  ASSERT_TRUE(f.module);
  // All of the body: a later round needs what an earlier one has left.
  EXPECT_EQ(f.life("a"), Life{f.span("top", "outer")});
  EXPECT_EQ(f.life("b"), Life{f.span("top", "outer")});
  EXPECT_EQ(f.hull("a"), f.span("loop"));
}

TEST(MemrefLife, OfALoopLocalBufferIsExact) {
  Function f(R"(
    scf.for %i = %lb to %ub step %s {
      %a = memref.alloc() {n = "a"} : !t
      %b = memref.alloc() {n = "b"} : !t
      "test.use"(%a) {t = "a"} : (!t) -> ()
      scf.for %j = %lb to %ub step %s {
        "test.use"(%a) : (!t) -> ()
        scf.yield {t = "inner"}
      }
      "test.use"(%b) {t = "b"} : (!t) -> ()
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("a", "inner")});
  EXPECT_EQ(f.life("b"), Life{f.span("b")});
}

TEST(MemrefLife, LeavesOutTheOtherBranch) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.alloc() {n = "b"} : !t
    scf.if %p {
      "test.use"(%a) {t = "a"} : (!t) -> ()
      "test.use"(%a) {t = "a2"} : (!t) -> ()
    } else {
      "test.use"(%b) {t = "b"} : (!t) -> ()
      "test.use"(%a) {t = "a3"} : (!t) -> ()
      "test.use"(%b) {t = "b2"} : (!t) -> ()
      scf.yield {t = "end"}
    }
    "test.use"(%a) {t = "a4"} : (!t) -> ()
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("b"), Life{f.span("b", "b2")});
  // In the second branch from its access on; the yield of the first is between
  // its last access there and the one after.
  Life life = f.life("a");
  ASSERT_EQ(life.size(), 2u);
  EXPECT_EQ(life[0].begin, f.span("a").begin);
  EXPECT_EQ(life[0].end, f.span("b").begin);
  EXPECT_EQ(life[1], f.span("a3", "a4"));
  EXPECT_TRUE(f.meet("a", "b"));
}

TEST(MemrefLife, FollowsWhatAnIfYields) {
  Function f(R"(
    %r = scf.if %p -> !t {
      %a = memref.alloc() {n = "a"} : !t
      "test.use"(%a) {t = "a"} : (!t) -> ()
      scf.yield %a : !t
    } else {
      %b = memref.alloc() {n = "b"} : !t
      "test.use"(%b) {t = "b"} : (!t) -> ()
      scf.yield {t = "yield"} %b : !t
    }
    "test.other"() {t = "behind"} : () -> ()
    "test.use"(%r) {t = "last"} : (!t) -> ()
    "test.other"() : () -> ()
    return)");
  ASSERT_TRUE(f.module);
  Life a = f.life("a"), b = f.life("b");
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a[0].begin, f.span("a").begin);
  EXPECT_EQ(a[1], f.span("behind", "last"));
  EXPECT_EQ(b, Life{f.span("b", "last")});
}

TEST(MemrefLife, DoesNotGoRoundTheLoopWithAnIf) {
  // Every round makes the buffer anew, or uses the other: nothing is carried.
  Function f(R"(
    %x = memref.alloc() {n = "x"} : !t
    scf.for %i = %lb to %ub step %s {
      "test.other"() {t = "top"} : () -> ()
      %r = scf.if %p -> !t {
        %a = memref.alloc() {n = "a"} : !t
        "test.use"(%a) {t = "a"} : (!t) -> ()
        scf.yield %a : !t
      } else {
        scf.yield %outer : !t
      }
      "test.use"(%r) {t = "last"} : (!t) -> ()
      "test.other"() {t = "bottom"} : () -> ()
    }
    return)");
  ASSERT_TRUE(f.module);
  Life life = f.life("a");
  EXPECT_EQ(life.front().begin, f.span("a").begin);
  EXPECT_EQ(life.back().end, f.span("last").end);
}

TEST(MemrefLife, OfAWhileLoopCoversItsCondition) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    scf.while : () -> () {
      %go = "test.read"(%a) {t = "read"} : (!t) -> i1
      scf.condition(%go)
    } do {
      "test.other"() : () -> ()
      scf.yield {t = "end"}
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("read", "end")});
}

TEST(MemrefLife, OfASwitchIsInItsCase) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.alloc() {n = "b"} : !t
    %c = memref.alloc() {n = "c"} : !t
    scf.index_switch %lb
    case 0 {
      "test.use"(%a) {t = "a"} : (!t) -> ()
      scf.yield
    }
    case 7 {
      "test.use"(%b) {t = "b"} : (!t) -> ()
      scf.yield
    }
    default {
      "test.use"(%c) {t = "c"} : (!t) -> ()
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("a")});
  EXPECT_EQ(f.life("b"), Life{f.span("b")});
  EXPECT_EQ(f.life("c"), Life{f.span("c")});
}

TEST(MemrefLife, FollowsALoopOfBranchesInARegion) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    scf.execute_region {
      "test.other"() : () -> ()
      cf.br ^loop
    ^loop:
      "test.other"() {t = "top"} : () -> ()
      "test.use"(%a) {t = "a"} : (!t) -> ()
      cf.br ^more
    ^more:
      "test.other"() : () -> ()
      cf.cond_br %p, ^loop, ^end {t = "back"}
    ^end:
      scf.yield
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("top", "back")});
}

TEST(MemrefLife, FollowsBlocksInAnyOrder) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.alloc() {n = "b"} : !t
    "test.use"(%a) {t = "first"} : (!t) -> ()
    cf.cond_br %p, ^left, ^right {t = "branch"}
  ^end:
    "test.other"() {t = "end"} : () -> ()
    "test.use"(%a) {t = "last"} : (!t) -> ()
    return
  ^left:
    "test.use"(%b) {t = "b"} : (!t) -> ()
    "test.other"() : () -> ()
    return
  ^right:
    "test.other"() {t = "right"} : () -> ()
    cf.br ^end {t = "back"}
  })" + std::string(R"(
  func.func @unused() {
    return)"));
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"),
            (Life{f.span("first", "last"), f.span("right", "back")}));
  EXPECT_EQ(f.life("b"), Life{f.span("b")});
  EXPECT_FALSE(f.meet("a", "b"));
}

TEST(MemrefLife, CoversAllOfWhatRunsInParallel) {
  for (const char *loop :
       {"scf.forall (%t) in (4) {", "affine.parallel (%t) = (0) to (4) {",
        "\"test.region\"() ({"}) {
    bool unknown = std::string(loop).find("test") != std::string::npos;
    Function f(std::string(R"(
      %a = memref.alloc() {n = "a"} : !t
      %b = memref.alloc() {n = "b"} : !t
    )") + loop +
               R"(
        "test.other"() : () -> ()
        "test.use"(%a) {t = "a"} : (!t) -> ()
        %v = memref.cast %b : !t to memref<?xf32>
        "test.use"(%v) {t = "b"} : (memref<?xf32>) -> ()
        "test.other"() : () -> ()
      })" + (unknown ? ") : () -> ()" : "") +
               "\nreturn");
    ASSERT_TRUE(f.module) << loop;
    Operation *parallel = f.marks["a"]->getParentOp();
    EXPECT_EQ(f.life("a"), Life{f.ticks->range(parallel)}) << loop;
    EXPECT_EQ(f.life("b"), Life{f.ticks->range(parallel)}) << loop;
  }
}

TEST(MemrefLife, InsideAThreadIsExact) {
  Function f(R"(
    scf.forall (%t) in (4) {
      %a = memref.alloc() {n = "a"} : !t
      %b = memref.alloc() {n = "b"} : !t
      "test.use"(%a) {t = "a"} : (!t) -> ()
      "test.use"(%b) {t = "b"} : (!t) -> ()
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("a")});
  EXPECT_EQ(f.life("b"), Life{f.span("b")});
}

TEST(MemrefLife, OfBothSidesOfASelect) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.alloc() {n = "b"} : !t
    "test.use"(%a) {t = "a"} : (!t) -> ()
    "test.use"(%b) {t = "b"} : (!t) -> ()
    %r = arith.select %p, %a, %b : !t
    "test.use"(%r) {t = "last"} : (!t) -> ()
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("a", "last")});
  EXPECT_EQ(f.life("b"), Life{f.span("b", "last")});
}

TEST(MemrefLife, OfACallGoesOnInItsResult) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %r = func.call @g(%a) {t = "call"} : (!t) -> !t
    "test.other"() : () -> ()
    "test.use"(%r) {t = "last"} : (!t) -> ()
    return
  }
  func.func private @g(%x: !t) -> !t
  func.func @unused() {
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.life("a"), Life{f.span("call", "last")});
}

TEST(MemrefLife, OfALoopArgumentThatIsNotHandedOn) {
  // The loop begins with %a and goes on with %outer.
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    "test.use"(%a) {t = "first"} : (!t) -> ()
    %r = scf.for %i = %lb to %ub step %s iter_args(%x = %a) -> !t {
      "test.use"(%x) {t = "in"} : (!t) -> ()
      scf.yield {t = "end"} %outer : !t
    }
    "test.use"(%r) {t = "last"} : (!t) -> ()
    return)");
  ASSERT_TRUE(f.module);
  Life life = f.life("a");
  EXPECT_EQ(life.front().begin, f.span("first").begin);
  EXPECT_EQ(life.back().end, f.span("last").end);
}

/// Blocks in the order of the text, with few branches far away: rows that
/// control has to pass, diamonds, loops, dead ends, blocks that nobody reaches.
/// Buffers are allocated at the start and used in some of the blocks.
std::string randomBlocks(std::mt19937 &random, int blocks, int buffers) {
  auto below = [&](int end) { return int(random() % unsigned(end)); };
  std::string body;
  for (int i = 0; i < buffers; ++i) {
    const std::string id = std::to_string(i);
    body += "%a" + id + " = memref.alloc() {n = \"" + id + "\"} : !t\n";
  }
  body += "cf.br ^b0\n";
  for (int at = 0; at < blocks; ++at) {
    body += "^b" + std::to_string(at) + ":\n";
    for (int uses = below(3); uses > 0; --uses)
      body += "\"test.use\"(%a" + std::to_string(below(buffers)) +
              ") : (!t) -> ()\n";
    auto target = [&] {
      const int distance = below(8) == 0 ? -below(4) : 1 + below(3);
      const int to = std::clamp(at + distance, 0, blocks - 1);
      return "^b" + std::to_string(to);
    };
    if (at + 1 == blocks || below(40) == 0)
      body += "return\n";
    else if (below(2) == 0)
      body += "cf.br ^b" + std::to_string(at + 1) + "\n";
    else
      body += "cf.cond_br %p, " + target() + ", " + target() + "\n";
  }
  return body;
}

/// Every op on a way from one access to another, by steps from op to op.
std::vector<Interval> lifeByOps(func::FuncOp function, const OpTicks &ticks,
                                const MemrefUses &uses) {
  std::map<Operation *, std::vector<Operation *>> next, previous;
  auto link = [&](Operation *from, Operation *to) {
    next[from].push_back(to);
    previous[to].push_back(from);
  };
  for (Block &block : function.getBody()) {
    for (Operation &op : block)
      if (Operation *behind = op.getNextNode())
        link(&op, behind);
    for (Block *successor : block.getSuccessors())
      link(&block.back(), &successor->front());
  }
  auto reached = [&](std::map<Operation *, std::vector<Operation *>> &edges) {
    std::set<Operation *> seen;
    std::vector<Operation *> work;
    for (const MemrefUses::Access &access : uses.accesses)
      work.push_back(access.op);
    while (!work.empty()) {
      Operation *op = work.back();
      work.pop_back();
      if (seen.insert(op).second)
        llvm::append_range(work, edges[op]);
    }
    return seen;
  };
  const std::set<Operation *> after = reached(next), before = reached(previous);
  std::vector<Interval> life;
  for (Operation *op : after)
    if (before.count(op))
      life.push_back(ticks.range(op));
  return normalize(std::move(life));
}

TEST(MemrefLife, OfManyBlocksIsWhatStepsFromOpToOpSay) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int buffers = 4;
    const std::string body = randomBlocks(random, 3 + round % 40, buffers);
    Function function(body);
    ASSERT_TRUE(function.module) << body;
    for (int i = 0; i < buffers; ++i) {
      const std::string name = std::to_string(i);
      EXPECT_EQ(
          function.life(name),
          lifeByOps(function.function, *function.ticks, function.uses(name)))
          << "buffer " << i << " of\n"
          << body;
    }
  }
}

} // namespace
} // namespace tpu_mlir
