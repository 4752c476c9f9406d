//===- Attempts.cpp - Many short searches instead of a long one -----------===//

#include "lib/Planning/Search/Attempts.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tpu_mlir::planning {

namespace {

/// More gluings than these have not been seen to help.
constexpr size_t kMostGluings = 24;
/// Neighbours in all gluings that are kept, 4 bytes each.
constexpr size_t kMostNeighbours = size_t(1) << 24;
/// Rounds of BlockBuilder::improve() for each block that is left; of a large
/// problem one for so many items at least, and at most.
constexpr int64_t kImprovements = 8, kFewestOfMany = 50, kMostOfMany = 16;
/// What such a round costs, in nodes.
constexpr int64_t kNodesOfImprovement = 100;
/// Such rounds between two looks at the clock.
constexpr int64_t kRoundsInARow = 128;
/// Improving the first gluing pays as long as one round in so many makes a
/// block fewer, or one block in so many goes.
constexpr int64_t kRoundsOfGain = 50, kBlocksOfGain = 8;
/// Placements for each piece of a tiny problem in the first round, counting at
/// least 500 pieces.
constexpr double kTinyShare = 100;
/// Searches of each gluing in a round.
constexpr size_t kGluedTasks = 3;
/// Placements for each piece in the first round, counting at least so many
/// pieces.
constexpr double kNodesOfPiece = 4;
constexpr double kFewestPieces = 500;
/// What the first round searches of few pieces; making the view of a large
/// problem takes more, and is followed by as much.
constexpr double kNodesOfSmallRound =
    double(kGluedTasks) * kNodesOfPiece * kFewestPieces * kNodesOfPlacement;
/// Below so many nodes a round is over before threads have started.
constexpr int64_t kWorthThreads = 200'000;

struct NoisyKey {
  RankKey key;
  double noise;
};
/// In turn. The amounts of noise are those that found packings of hard
/// instances with the fewest nodes.
constexpr NoisyKey kOrders[] = {
    {RankKey::TWA, 0.15}, {RankKey::WAT, 0.5}, {RankKey::Area, 0.5},
    {RankKey::WAT, 0.15}, {RankKey::TAW, 0.3}, {RankKey::TRootWSize, 0.15},
};
constexpr size_t kOrderCount = std::size(kOrders);

} // namespace

/// The problem, glued or as it is, ready to be searched.
struct Attempts::View {
  std::optional<BlockedProblem> blocks;
  std::optional<SectionedProblem> sections;
  /// The highest target that a complete search of this view has ruled out.
  int64_t ruledOut = -1;
};

struct Attempts::Task {
  View *view = nullptr;
  SearchOrder order;
  int64_t nodeLimit = 0;
  SearchOutcome outcome = SearchOutcome::Stopped;
  int64_t nodes = 0;
  std::vector<int64_t> offsets; ///< Of the view's pieces.

  int64_t nodeCost() const {
    return kNodesOfPlacement *
           (1 + int64_t(view->sections->pieces.size()) / 256);
  }
  /// Only a search of the whole problem proves that there is nothing.
  bool isDecisive() const {
    return outcome == SearchOutcome::Found ||
           (outcome == SearchOutcome::Exhausted && !view->blocks);
  }
};

Attempts::Attempts(const PackingProblem &problem, const SolveOptions &options)
    : problem(problem), options(timed(options)) {}

Attempts::~Attempts() = default;

bool Attempts::isLate() const { return options.deadline.isOver(); }

Attempts::View *Attempts::wholeView() {
  if (!whole) {
    whole = std::make_unique<View>();
    whole->sections = SectionedProblem::build(problem);
  }
  return whole->sections ? whole.get() : nullptr;
}

std::unique_ptr<Attempts::View> Attempts::makeView(const BlockBuilder &from) {
  auto view = std::make_unique<View>();
  view->blocks = from.blocked();
  nodeCount += nodesOfView();
  if (view->blocks->reduced.items.size() < problem.items.size())
    view->sections = SectionedProblem::build(view->blocks->reduced);
  return view;
}

int64_t Attempts::improveGluing() {
  const int64_t items = int64_t(problem.items.size());
  int64_t rounds = kImprovements * int64_t(builder->blockCount());
  if (items > kManyToGlue)
    rounds = std::clamp(rounds, items / kFewestOfMany, items / kMostOfMany);
  for (int64_t left = rounds; left > 0 && !isLate(); left -= kRoundsInARow) {
    const int64_t now = std::min(left, kRoundsInARow);
    builder->improve(now);
    nodeCount += kNodesOfImprovement * now;
  }
  return rounds;
}

/// Making a view of a large problem takes longer than improving what is left of
/// a tiling, so that is done for as long as it pays.
void Attempts::improveFirst() {
  while (isTiling() && !isLate()) {
    const int64_t before = int64_t(builder->blockCount());
    const int64_t rounds = improveGluing();
    const int64_t gain = before - int64_t(builder->blockCount());
    if (gain < rounds / kRoundsOfGain && gain < before / kBlocksOfGain + 1)
      return;
  }
}

/// Gluing leaves most items of what is none.
bool Attempts::isTiling() const {
  const int64_t blocks = int64_t(builder->blockCount());
  return blocks > 1 && blocks < int64_t(problem.items.size()) / 2;
}

/// Every other round brings a gluing from scratch, the rounds between better
/// versions of the first one; large problems get only these, and problems that
/// are no tilings have nothing to gain from them. nullptr when gluing does not
/// make the problem small enough.
Attempts::View *Attempts::gluedView(int64_t round) {
  const int64_t items = int64_t(problem.items.size());
  if (!builder) {
    builder = std::make_unique<BlockBuilder>(problem, 0);
    if (items > kManyToGlue)
      improveFirst();
  }
  const bool isFromScratch = items <= kManyToGlue && round % 2 == 0;
  if (round > 0 && isTiling() && !isFromScratch) {
    improveGluing();
    improved.reset(); // Two at a time would be much of a large problem.
    improved = makeView(*builder);
    return improved->sections ? improved.get() : nullptr;
  }
  size_t index = items <= kManyToGlue ? size_t(round / 2) % kMostGluings : 0;
  while (glued.size() <= index) {
    // Large ones are searched again rather than added to.
    if (neighboursKept > kMostNeighbours) {
      index %= glued.size();
      break;
    }
    const uint64_t seed = options.seed * kMostGluings + glued.size();
    glued.push_back(glued.empty() ? makeView(*builder)
                                  : makeView(BlockBuilder(problem, seed)));
    if (glued.back()->sections)
      neighboursKept += glued.back()->sections->neighbours.size();
  }
  return glued[index]->sections ? glued[index].get() : nullptr;
}

bool Attempts::isTooLarge() {
  const bool hasGlued = options.exact.restarts && gluedView(0);
  return !hasGlued && !wholeView();
}

SearchOrder Attempts::nextOrder() {
  const NoisyKey &next = kOrders[ordersUsed % kOrderCount];
  SearchOrder order{next.key, 0, options.seed + ordersUsed / kOrderCount};
  // The first of each kind follows its keys exactly.
  if (options.exact.restarts && ordersUsed >= kOrderCount)
    order.noise = next.noise;
  ++ordersUsed;
  return order;
}

void Attempts::addTasks(View *view, size_t count, double nodesEach,
                        std::vector<Task> &tasks) {
  if (!view)
    return;
  // Small problems are searched to the end at once.
  const double pieces = double(view->sections->pieces.size());
  const double limit = nodesEach * std::max(pieces + 1, kFewestPieces);
  for (size_t i = 0; i < count; ++i) {
    Task task;
    task.view = view;
    task.order = nextOrder();
    task.nodeLimit = int64_t(std::min(limit, 1e15));
    tasks.push_back(task);
  }
}

std::vector<Attempts::Task> Attempts::tasksOfRound(int64_t round) {
  std::vector<Task> tasks;
  // 5/4 is exact, and so are its products by repeated multiplication on every
  // machine.
  double growth = 1;
  for (int64_t i = 0; i < round; ++i)
    growth *= 1.25;
  if (!options.exact.restarts)
    growth = 1e12;
  // One long search settles a tiny problem sooner than many short ones.
  if (problem.items.size() <= kTinyProblem)
    addTasks(wholeView(), 1, kTinyShare * growth, tasks);
  if (options.exact.restarts)
    addTasks(gluedView(round), kGluedTasks,
             kNodesOfPiece * growth *
                 std::max(1.0, double(nodesOfView()) / kNodesOfSmallRound),
             tasks);
  addTasks(wholeView(), options.exact.restarts ? kOrderCount : 1,
           kNodesOfPiece * growth, tasks);
  return tasks;
}

SearchOutcome Attempts::run(int64_t targetBytes, int64_t nodes) {
  const int64_t limit = nodeCount + nodes;
  for (int64_t round = 0; nodeCount < limit && !isLate(); ++round) {
    std::vector<Task> tasks = tasksOfRound(round);
    if (tasks.empty() && round >= int64_t(kMostGluings))
      return SearchOutcome::Stopped;
    for (Task &task : tasks)
      task.nodeLimit =
          std::min(task.nodeLimit, (limit - nodeCount) / task.nodeCost() + 1);
    const Task *decisive = runTasks(tasks, targetBytes);
    if (!decisive)
      continue;
    if (decisive->outcome == SearchOutcome::Exhausted)
      return SearchOutcome::Exhausted;
    const View &view = *decisive->view;
    const PackingProblem &searched =
        view.blocks ? view.blocks->reduced : problem;
    std::vector<int64_t> offsets(searched.items.size(), 0);
    for (size_t i = 0; i < offsets.size(); ++i)
      offsets[i] = searched.items[i].pinOffset.value_or(0);
    for (size_t i = 0; i < decisive->offsets.size(); ++i)
      offsets[view.sections->itemOf[i]] = decisive->offsets[i];
    found = view.blocks ? view.blocks->expand(offsets) : std::move(offsets);
    return SearchOutcome::Found;
  }
  return SearchOutcome::Stopped;
}

/// Adds up the nodes up to the task that decides, or of all.
const Attempts::Task *Attempts::runTasks(std::vector<Task> &tasks,
                                         int64_t target) {
  int64_t work = 0;
  for (const Task &task : tasks)
    work += task.nodeLimit;
  const bool isParallel = options.threads != 1 && work > kWorthThreads;
  if (isParallel)
    runInParallel(tasks, target);
  for (Task &task : tasks) {
    if (!isParallel && isLate())
      break;
    if (!isParallel)
      runTask(task, target, [this] { return isLate(); });
    // At least one, so that a round without any search comes to an end too.
    nodeCount += task.nodes * task.nodeCost() + 1;
    if (task.isDecisive())
      return &task;
  }
  // Only now: tasks of one round must not depend on each other's outcome, or
  // threads would do other work than a single one.
  for (Task &task : tasks)
    if (task.outcome == SearchOutcome::Exhausted)
      task.view->ruledOut = std::max(task.view->ruledOut, target);
  return nullptr;
}

void Attempts::runTask(Task &task, int64_t target,
                       const std::function<bool()> &mustStop) const {
  if (target <= task.view->ruledOut) {
    task.outcome = SearchOutcome::Exhausted;
    return;
  }
  SearchResult found = searchBelow(*task.view->sections, options.exact, target,
                                   task.order, task.nodeLimit, mustStop);
  task.outcome = found.outcome;
  task.nodes = found.nodes;
  task.offsets = std::move(found.offsets);
}

void Attempts::runInParallel(std::vector<Task> &tasks, int64_t target) {
  std::atomic<size_t> nextTask = 0, firstDecisive = tasks.size();
  auto work = [&] {
    for (size_t i = nextTask++; i < tasks.size(); i = nextTask++) {
      // What comes after a decision does not count, so it need not finish.
      auto mustStop = [&] { return i > firstDecisive || isLate(); };
      if (mustStop())
        return;
      runTask(tasks[i], target, mustStop);
      size_t known = firstDecisive;
      while (tasks[i].isDecisive() && i < known &&
             !firstDecisive.compare_exchange_weak(known, i))
        ;
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t wanted = options.threads > 0 ? size_t(options.threads) : cores;
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(wanted, tasks.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace tpu_mlir::planning
