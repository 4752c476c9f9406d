//===- CensusTest.cpp - Summaries of long rows of names -------------------===//
//
// Rows that are long enough for summaries. What a summary says of a buffer is
// compared with what is found when all its names are followed.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Census.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

/// Their names are more than are followed.
constexpr int64_t kLong = 600;

std::string store(const std::string &name) {
  return "memref.store %x, " + name + "[%l] : memref<8xf32>\n";
}

/// Each diamond makes a buffer or hands on what there was.
std::string diamonds(int64_t count) {
  std::string text = "%m0 = memref.alloc() : memref<8xf32>\n" + store("%m0");
  for (int64_t i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "cf.cond_br %c, ^make" + n + ", ^join" + n + "(%m" + before +
            " : memref<8xf32>)\n^make" + n + ":\n%a" + n +
            " = memref.alloc() : memref<8xf32>\n" + store("%a" + n) +
            "cf.br ^join" + n + "(%a" + n + " : memref<8xf32>)\n^join" + n +
            "(%m" + n + ": memref<8xf32>):\n" + store("%m" + n);
  }
  return text;
}

/// Each loop replaces a buffer in every iteration, which may be none.
std::string loops(int64_t count) {
  std::string text = "%m0 = memref.alloc() : memref<8xf32>\n" + store("%m0");
  for (int64_t i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "%m" + n + " = scf.for %i" + n +
            " = %l to %u step %u iter_args(%p" + n + " = %m" + before +
            ") -> memref<8xf32> {\n" + store("%p" + n) + "%a" + n +
            " = memref.alloc() : memref<8xf32>\n" + store("%a" + n) +
            "scf.yield %a" + n + " : memref<8xf32>\n}\n";
  }
  return text + store("%m" + std::to_string(count));
}

/// Each branch makes a buffer or hands on what there was.
std::string ifs(int64_t count) {
  std::string text = "%m0 = memref.alloc() : memref<8xf32>\n" + store("%m0");
  for (int64_t i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "%m" + n + " = scf.if %c -> (memref<8xf32>) {\n%a" + n +
            " = memref.alloc() : memref<8xf32>\n" + store("%a" + n) +
            "scf.yield %a" + n + " : memref<8xf32>\n} else {\nscf.yield %m" +
            before + " : memref<8xf32>\n}\n";
  }
  return text;
}

class Function {
public:
  explicit Function(const std::string &body) {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerBufferFlowModels(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%c: i1, %l: index, %u: index, %x: f32) {\n" + body + "}",
        &context);
    if (!module)
      return;
    function = *module->getOps<func::FuncOp>().begin();
    ticks.emplace(function);
    flow.emplace(function);
    dominance.emplace(function.getOperation());
    liveness.emplace(*ticks, *flow);
    allocs = allocsIn(function);
    census.emplace(resultsOf(allocs), *flow, *ticks, *dominance, *liveness);
  }

  MemrefUses followed(memref::AllocOp alloc) {
    return collectUses(alloc.getResult(), *flow, *ticks, *dominance);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<OpTicks> ticks;
  std::optional<BufferViewFlowAnalysis> flow;
  std::optional<DominanceInfo> dominance;
  std::optional<MemrefLiveness> liveness;
  std::vector<memref::AllocOp> allocs;
  std::optional<MemrefCensus> census;
};

/// The number of summaries.
int64_t compare(Function &f) {
  int64_t summaries = 0;
  for (auto [index, alloc] : llvm::enumerate(f.allocs)) {
    SCOPED_TRACE(index);
    MemrefUses all = f.followed(alloc), some = f.census->uses(alloc);
    EXPECT_EQ(all.escape.has_value(), some.escape.has_value());
    if (all.escape && some.escape) {
      EXPECT_EQ(describe(*all.escape), describe(*some.escape));
      EXPECT_EQ(all.escape->op, some.escape->op);
    }
    EXPECT_EQ(all.deallocs, some.deallocs);
    EXPECT_EQ(all.homes(*f.ticks), some.homes(*f.ticks));
    if (!some.summary) {
      EXPECT_EQ(all.names, some.names);
      continue;
    }
    if (all.escape)
      continue;
    ++summaries;
    auto life = f.liveness->life(alloc, all);
    EXPECT_EQ(f.liveness->life(alloc, some),
              (std::vector<Interval>{{life.front().begin, life.back().end}}));
  }
  return summaries;
}

TEST(MemrefCensus, ShortRowsAreFollowed) {
  Function f(diamonds(100) + "return\n");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.census->classes(), nullptr);
  EXPECT_EQ(compare(f), 0);
}

TEST(MemrefCensus, OneBufferWithManyViewsIsFollowed) {
  std::string text = "%a = memref.alloc() : memref<8xf32>\n";
  for (int64_t i = 0; i < 10 * kLong; ++i)
    text += "%v" + std::to_string(i) +
            " = memref.cast %a : memref<8xf32> to memref<?xf32>\n";
  Function f(text + "return\n");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(compare(f), 0);
}

TEST(MemrefCensus, SummariesOfLongRows) {
  Function f(diamonds(kLong) + "return\n");
  ASSERT_TRUE(f.module);
  EXPECT_GT(compare(f), kLong / 2);
}

TEST(MemrefCensus, WhatIsFreedAtTheEndIsFreedForAll) {
  Function f(ifs(kLong) + "memref.dealloc %m" + std::to_string(kLong) +
             " : memref<8xf32>\nreturn\n");
  ASSERT_TRUE(f.module);
  EXPECT_GT(compare(f), kLong / 2);
  std::vector<std::optional<Stay>> stays(f.allocs.size());
  std::vector<MemrefUses> uses;
  for (memref::AllocOp alloc : f.allocs)
    uses.push_back(f.census->uses(alloc));
  std::vector<FreedBuffer> freed;
  for (size_t i = 0; i < uses.size(); ++i)
    freed.push_back({f.allocs[i], &uses[i].deallocs, &stays[i]});
  settleSharedDeallocs(freed, *f.flow, f.function);
  EXPECT_TRUE(
      llvm::none_of(stays, [](auto &stay) { return stay.has_value(); }));
  // The dealloc cannot go for one of them: so it does not for any.
  stays[kLong / 2] = Stay{StayReason::Dynamic};
  settleSharedDeallocs(freed, *f.flow, f.function);
  EXPECT_TRUE(llvm::all_of(stays, [](auto &stay) { return stay.has_value(); }));
}

TEST(MemrefCensus, WhatTheLastNameDoesAllEscapeBy) {
  Function f(diamonds(kLong) + "\"test.keep\"(%m" + std::to_string(kLong) +
             ") : (memref<8xf32>) -> i64\nreturn\n");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(compare(f), 0);
  EXPECT_TRUE(f.census->uses(f.allocs.front()).summary);
  EXPECT_TRUE(f.census->uses(f.allocs.front()).escape);
}

TEST(MemrefCensus, LoopsThatHandOnKeepWhatIsInside) {
  Function f(loops(kLong) + "return\n");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(compare(f), 1); // The one before the first loop.
}

TEST(MemrefCensus, RowsInALoopOutliveAnIteration) {
  std::string text = diamonds(kLong);
  text += "cf.cond_br %c, ^join1(%m" + std::to_string(kLong) +
          " : memref<8xf32>), ^end\n^end:\nreturn\n";
  Function f(text);
  ASSERT_TRUE(f.module);
  // All but the first two, which are made once.
  EXPECT_EQ(compare(f), 2);
}

} // namespace
} // namespace tpu_mlir
