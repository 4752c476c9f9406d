//===- ScheduleTest.cpp - From rows and stages to a problem ---------------===//
//
// The model of time is played, loop by loop, and compared with what the problem
// says of lives and meetings.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Local/Schedule.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tpu_mlir;
using Kind = LocalOp::Kind;

namespace {

const target::ChipSpec &chip() { return *target::findChip("bm1688"); }

LocalOp op(const char *name, Kind kind, int64_t stage, int64_t row,
           std::vector<int64_t> operands = {}, int64_t scratchBytes = 0) {
  LocalOp result;
  result.name = name;
  result.kind = kind;
  result.stage = stage;
  result.row = row;
  result.operands = std::move(operands);
  result.resultBytes = kind == Kind::Store ? 0 : 100;
  result.scratchBytes = scratchBytes;
  return result;
}

/// Numbers the ops and links readers to operands.
LocalSchedule schedule(int64_t rows, int64_t sections,
                       std::vector<LocalOp> ops) {
  LocalSchedule result;
  result.numRows = rows;
  result.numSections = sections;
  result.ops = std::move(ops);
  for (size_t i = 0; i < result.ops.size(); ++i) {
    result.ops[i].id = int64_t(i);
    for (int64_t operand : result.ops[i].operands)
      result.ops[operand].readers.push_back(int64_t(i));
  }
  return result;
}

/// A load, an op with scratch, an op, a late store; weights held.
LocalSchedule twoLayers(int64_t sections) {
  LocalSchedule result = schedule(
      2, sections,
      {op("x", Kind::Load, 0, 1), op("w", Kind::Load, 0, 1),
       op("a", Kind::Compute, 1, 0, {0, 1}, 50),
       op("b", Kind::Compute, 1, 1, {2}), op("s", Kind::Store, 2, 0, {3})});
  result.ops[1].isHeld = sections > 1;
  return result;
}

int64_t indexOf(const LocalProblem &problem, const std::string &name) {
  const auto &buffers = problem.problem.buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].name == name)
      return int64_t(i);
  ADD_FAILURE() << "no buffer " << name;
  return 0;
}

const LocalBuffer &buffer(const LocalProblem &problem, const char *name) {
  return problem.buffers[indexOf(problem, name)];
}

int64_t cost(const LocalProblem &problem, const char *a, const char *b) {
  for (const layer::BankPair &pair : problem.problem.bankPairs) {
    const std::string &first = problem.problem.buffers[pair.first].name;
    const std::string &second = problem.problem.buffers[pair.second].name;
    if ((first == a && second == b) || (first == b && second == a))
      return pair.cost;
  }
  return 0;
}

using Lives = std::vector<Interval>;

TEST(LocalScheduleTest, SeveralSectionsAreACircle) {
  const LocalProblem problem = buildLocalProblem(twoLayers(5), chip(), false);
  EXPECT_EQ(problem.problem.period, 2);
  EXPECT_EQ(problem.problem.laneBytes(), 131072);
  EXPECT_EQ(buffer(problem, "x").lifespans, (Lives{{0, 2}}));
  EXPECT_EQ(buffer(problem, "w").lifespans, (Lives{{0, 2}}));
  EXPECT_EQ(buffer(problem, "a").lifespans, (Lives{{0, 2}}));
  EXPECT_EQ(buffer(problem, "scratch of a").lifespans, (Lives{{0, 1}}));
  EXPECT_EQ(buffer(problem, "b").lifespans, (Lives{{0, 2}}));
  // The op itself, for each section.
  EXPECT_EQ(cost(problem, "x", "scratch of a"), 5);
  // Row 1 computes b and loads the next x, but for the last section; row 0
  // reads x and stores the b of the section before, but for the first one.
  EXPECT_EQ(cost(problem, "x", "b"), 4 + 4);
  // Row 1 loads the weights before b runs at all.
  EXPECT_EQ(cost(problem, "w", "b"), 0 + 4);
  // The store of a section meets a of the next one.
  EXPECT_EQ(cost(problem, "scratch of a", "b"), 4);
  EXPECT_EQ(cost(problem, "w", "a"), 5);
}

TEST(LocalScheduleTest, OneSectionIsALine) {
  const LocalProblem problem = buildLocalProblem(twoLayers(1), chip(), false);
  EXPECT_EQ(problem.problem.period, std::nullopt);
  EXPECT_EQ(buffer(problem, "x").lifespans, (Lives{{1, 3}}));
  EXPECT_EQ(buffer(problem, "scratch of a").lifespans, (Lives{{2, 3}}));
  EXPECT_EQ(buffer(problem, "b").lifespans, (Lives{{3, 5}}));
  EXPECT_EQ(cost(problem, "x", "a"), 1);
  EXPECT_EQ(cost(problem, "x", "b"), 0);
}

TEST(LocalScheduleTest, LivesWrap) {
  const LocalProblem problem = buildLocalProblem(
      schedule(4, 3,
               {op("x", Kind::Load, 0, 3), op("a", Kind::Compute, 1, 0, {0}),
                op("b", Kind::Compute, 1, 1, {1}),
                op("s", Kind::Store, 1, 2, {2})}),
      chip(), false);
  EXPECT_EQ(buffer(problem, "x").lifespans, (Lives{{0, 1}, {3, 4}}));
  EXPECT_EQ(buffer(problem, "b").lifespans, (Lives{{1, 3}}));
}

using Aliases = std::vector<planning::Alias>;

TEST(LocalScheduleTest, ChainsInPlace) {
  LocalSchedule chain = schedule(
      4, 1,
      {op("x", Kind::Load, 0, 0), op("a", Kind::Compute, 1, 1, {0}),
       op("b", Kind::Compute, 1, 2, {1}), op("s", Kind::Store, 1, 3, {2})});
  chain.ops[1].mayLieOn = 0;
  chain.ops[2].mayLieOn = 1;
  const LocalProblem linear = buildLocalProblem(chain, chip(), true);
  EXPECT_EQ(linear.problem.aliases, (Aliases{{1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(linear.problem.buffers[0].lifespans, (Lives{{0, 8}}));
  EXPECT_EQ(buffer(linear, "x").lifespans, (Lives{{0, 6}}));
  EXPECT_TRUE(layer::checkProblem(linear.problem).empty());
  EXPECT_EQ(buildLocalProblem(chain, chip(), false).problem.aliases, Aliases{});
  // On the circle x and a take three rows, and b would meet the next x.
  chain.numSections = 2;
  chain.ops[0].stage = 0;
  chain.ops[0].row = 3;
  const LocalProblem circle = buildLocalProblem(chain, chip(), true);
  EXPECT_EQ(circle.problem.aliases, (Aliases{{1, 0, 0}}));
  EXPECT_TRUE(layer::checkProblem(circle.problem).empty());
}

/// The whole run, loop by loop.
class Play {
public:
  explicit Play(const LocalSchedule &schedule, const LocalProblem &problem)
      : schedule(schedule), problem(problem),
        alive((schedule.numSections + 2) * schedule.numRows) {
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      addLives(int64_t(i));
    for (int64_t time = 0; time < int64_t(alive.size()); ++time)
      meetAt(time);
  }

  bool liveTogether(int64_t a, int64_t b) const {
    return std::any_of(alive.begin(), alive.end(), [&](const auto &here) {
      return here.count(a) && here.count(b);
    });
  }
  int64_t meetings(int64_t a, int64_t b) const {
    const auto found = met.find({std::min(a, b), std::max(a, b)});
    return found == met.end() ? 0 : found->second;
  }

private:
  bool acts(const LocalOp &op, int64_t section) const {
    return section >= 0 && section < (op.isHeld ? 1 : schedule.numSections);
  }
  int64_t time(const LocalOp &op, int64_t section) const {
    return (section + op.stage) * schedule.numRows + op.row;
  }

  /// Of each section: from when it is written until it is read last. Held: from
  /// the first row of all, as nothing else may be there before either.
  void addLives(int64_t id) {
    const LocalBuffer &what = problem.buffers[id];
    const LocalOp &op = schedule.ops[what.op];
    for (int64_t section = 0; acts(op, section); ++section) {
      int64_t begin = time(op, section), end = begin;
      for (int64_t reader : op.readers)
        if (!what.isScratch)
          end = std::max(end,
                         time(schedule.ops[reader],
                              op.isHeld ? schedule.numSections - 1 : section));
      for (int64_t at = begin; at <= end; ++at)
        alive[at].insert(id);
    }
  }

  std::vector<int64_t> buffersOf(int64_t index) const {
    std::vector<int64_t> buffers;
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      const LocalBuffer &what = problem.buffers[i];
      const std::vector<int64_t> &operands = schedule.ops[index].operands;
      const bool isRead = !what.isScratch &&
                          std::count(operands.begin(), operands.end(), what.op);
      if (isRead || what.op == index)
        buffers.push_back(int64_t(i));
    }
    return buffers;
  }

  void meetAt(int64_t time) {
    std::set<std::pair<int64_t, int64_t>> here;
    const auto meet = [&](const std::vector<int64_t> &left,
                          const std::vector<int64_t> &right) {
      for (int64_t a : left)
        for (int64_t b : right)
          if (a != b)
            here.insert({std::min(a, b), std::max(a, b)});
    };
    std::vector<int64_t> running;
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      const LocalOp &op = schedule.ops[i];
      if (time % schedule.numRows == op.row &&
          acts(op, time / schedule.numRows - op.stage))
        running.push_back(int64_t(i));
    }
    for (int64_t a : running)
      for (int64_t b : running) {
        const bool isCompute = schedule.ops[a].kind == Kind::Compute;
        if (isCompute && (a == b || schedule.ops[b].kind != Kind::Compute))
          meet(buffersOf(a), buffersOf(b));
      }
    for (const auto &pair : here)
      ++met[pair];
  }

  const LocalSchedule &schedule;
  const LocalProblem &problem;
  std::vector<std::set<int64_t>> alive; ///< By time.
  std::map<std::pair<int64_t, int64_t>, int64_t> met;
};

/// Loads, ops that read what was made before, stores of some results; every
/// result dies before the next section comes.
LocalSchedule randomSchedule(std::mt19937_64 &random) {
  const auto below = [&](int64_t limit) {
    return int64_t(random() % uint64_t(limit));
  };
  const int64_t rows = 1 + below(5), sections = 1 + below(4);
  std::vector<LocalOp> ops;
  const auto step = [&](const LocalOp &op) { return op.stage * rows + op.row; };
  const auto isDead = [&](const LocalOp &from, const LocalOp &to) {
    const bool isOneEngine =
        from.kind == Kind::Compute && to.kind == Kind::Compute;
    return step(to) < step(from) + (isOneEngine ? 0 : 1) ||
           (sections > 1 && !from.isHeld && step(to) >= step(from) + rows);
  };
  for (int64_t count = 2 + below(8); count > 0; --count) {
    LocalOp next = op("", below(3) ? Kind::Compute : Kind::Load, 0, 0);
    next.stage = next.kind == Kind::Load ? below(2) : 1;
    next.row = below(rows);
    next.isHeld = next.kind == Kind::Load && sections > 1 && below(3) == 0;
    next.scratchBytes = below(3) ? 0 : 10;
    for (size_t from = 0; from < ops.size(); ++from)
      if (next.kind == Kind::Compute && ops[from].kind != Kind::Store &&
          !isDead(ops[from], next) && below(2))
        next.operands.push_back(int64_t(from));
    ops.push_back(next);
    LocalOp store = op("", Kind::Store, 1 + below(2), below(rows),
                       {int64_t(ops.size()) - 1});
    if (next.kind == Kind::Compute && !isDead(next, store) && below(2))
      ops.push_back(store);
  }
  return schedule(rows, sections, std::move(ops));
}

/// How many steps two buffers live in together.
int64_t commonSteps(const LocalBuffer &a, const LocalBuffer &b) {
  int64_t steps = 0;
  for (const Interval &x : a.lifespans)
    for (const Interval &y : b.lifespans)
      steps += std::max<int64_t>(0, std::min(x.end, y.end) -
                                        std::max(x.begin, y.begin));
  return steps;
}

/// Those that have one address live one after the other, but for the step in
/// which one takes over.
TEST(LocalScheduleTest, ChainsAreOneAfterTheOther) {
  std::mt19937_64 random(6);
  int64_t linked = 0, apart = 0;
  for (int round = 0; round < 6000 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    LocalSchedule schedule = randomSchedule(random);
    // As readers of groups have it: whoever reads last may write over it.
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      LocalOp &op = schedule.ops[i];
      if (op.kind != Kind::Compute || op.operands.empty() || random() % 3 == 0)
        continue;
      const LocalOp &operand = schedule.ops[op.operands.front()];
      const bool isLast = std::all_of(
          operand.readers.begin(), operand.readers.end(), [&](int64_t reader) {
            return reader == int64_t(i) ||
                   schedule.step(schedule.ops[reader]) < schedule.step(op);
          });
      if (isLast && !operand.isHeld)
        op.mayLieOn = op.operands.front();
    }
    const LocalProblem problem = buildLocalProblem(schedule, chip(), true);
    ASSERT_EQ(layer::checkProblem(problem.problem), std::vector<std::string>{});
    std::map<int64_t, std::set<int64_t>> chains;
    for (const planning::Alias &alias : problem.problem.aliases)
      chains[alias.root].insert({alias.root, alias.member});
    for (const auto &[root, members] : chains)
      for (int64_t a : members)
        for (int64_t b : members) {
          if (a >= b)
            continue;
          const LocalBuffer &below = problem.buffers[a];
          const LocalBuffer &above = problem.buffers[b];
          const bool isOnIt = schedule.ops[above.op].mayLieOn == below.op;
          EXPECT_LE(commonSteps(below, above), isOnIt) << a << " and " << b;
          ++(isOnIt ? linked : apart);
        }
  }
  EXPECT_GT(linked, 500);
  EXPECT_GT(apart, 3);
}

TEST(LocalScheduleTest, ProblemsAreWhatHappens) {
  std::mt19937_64 random(5);
  int64_t together = 0, apart = 0, met = 0;
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const LocalSchedule schedule = randomSchedule(random);
    const LocalProblem problem = buildLocalProblem(schedule, chip(), false);
    ASSERT_EQ(layer::checkProblem(problem.problem), std::vector<std::string>{});
    const Play play(schedule, problem);
    std::map<std::pair<int64_t, int64_t>, int64_t> costs;
    for (const layer::BankPair &pair : problem.problem.bankPairs)
      costs[{pair.first, pair.second}] += pair.cost;
    const auto &buffers = problem.problem.buffers;
    for (size_t a = 0; a < buffers.size(); ++a)
      for (size_t b = a + 1; b < buffers.size(); ++b) {
        const bool overlap = anyOverlap(normalize(buffers[a].lifespans),
                                        normalize(buffers[b].lifespans));
        const bool isTogether = play.liveTogether(a, b);
        EXPECT_TRUE(overlap || !isTogether) << a << " and " << b;
        if (schedule.numSections == 1) {
          EXPECT_EQ(overlap, isTogether) << a << " and " << b;
        }
        const int64_t expected = play.meetings(a, b);
        EXPECT_EQ((costs[{int64_t(a), int64_t(b)}]), expected)
            << a << " and " << b;
        together += isTogether;
        apart += !overlap;
        met += expected > 0;
      }
  }
  EXPECT_GT(together, 1000);
  EXPECT_GT(apart, 1000);
  EXPECT_GT(met, 1000);
}

} // namespace
