//===- Search.cpp - Search for an order within a byte limit ---------------===//
//
// Depth-first over the sets of ops that have run, each visited once, up to a
// limit of sets.
//
//===----------------------------------------------------------------------===//

#include "lib/Ordering/Search.h"

#include "tpu_mlir/Support/StopToken.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace tpu_mlir::ordering {

namespace {

/// A set of groups.
using Bits = std::vector<uint64_t>;

struct BitsHash {
  size_t operator()(const Bits &bits) const {
    uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (uint64_t word : bits) {
      hash ^= word + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
      hash *= 0xBF58476D1CE4E5B9ull;
    }
    return hash ^ (hash >> 31);
  }
};

class Search {
public:
  Search(LiveSet &alive, const Groups &groups, int64_t budget, int64_t maxSets);
  SearchResult run();

private:
  /// Where several groups may be next.
  struct Choice {
    std::vector<int> branches; ///< Not tried yet, the best one last.
    size_t ran;                ///< So many groups have run there.
  };
  LiveSet::Step look(int group);
  void runGroup(int group);
  void undoTo(size_t count);
  bool runFree();
  void open();
  SearchResult finish(SearchResult::Answer answer);

  LiveSet &alive;
  const std::vector<Order> &groups;
  int64_t budget, maxSets;
  std::vector<std::vector<int>> successors;
  std::vector<int> waitsFor; ///< Groups still to run before it.
  std::vector<int> ready;    ///< Ascending.
  Bits current;
  std::vector<int> ran;
  std::vector<Choice> choices;
  std::unordered_set<Bits, BitsHash> seen;
  int64_t nextBudget = std::numeric_limits<int64_t>::max();
};

} // namespace

Search::Search(LiveSet &alive, const Groups &all, int64_t budget,
               int64_t maxSets)
    : alive(alive), groups(all.groups), budget(budget), maxSets(maxSets),
      successors(groups.size()), current((groups.size() + 63) / 64) {
  for (size_t group = 0; group < groups.size(); ++group) {
    const int number = static_cast<int>(group);
    for (int before : all.after[group])
      successors[before].push_back(number);
    waitsFor.push_back(static_cast<int>(all.after[group].size()));
    if (waitsFor.back() == 0)
      ready.push_back(number);
  }
}

LiveSet::Step Search::look(int group) {
  const Order &ops = groups[group];
  if (ops.size() == 1)
    return alive.look(ops.front());
  LiveSet::Step all{0, 0};
  for (int op : ops) {
    all.during = std::max(all.during, alive.look(op).during);
    alive.run(op);
  }
  all.after = alive.level();
  for (size_t i = ops.size(); i-- > 0;)
    alive.undo(ops[i]);
  return all;
}

void Search::runGroup(int group) {
  for (int op : groups[group])
    alive.run(op);
  ran.push_back(group);
  current[group / 64] |= uint64_t(1) << (group % 64);
  ready.erase(std::lower_bound(ready.begin(), ready.end(), group));
  for (int next : successors[group])
    if (--waitsFor[next] == 0)
      ready.insert(std::lower_bound(ready.begin(), ready.end(), next), next);
}

void Search::undoTo(size_t count) {
  while (ran.size() > count) {
    const int group = ran.back();
    for (int next : successors[group])
      if (waitsFor[next]++ == 0)
        ready.erase(std::lower_bound(ready.begin(), ready.end(), next));
    ready.insert(std::lower_bound(ready.begin(), ready.end(), group), group);
    current[group / 64] &= ~(uint64_t(1) << (group % 64));
    const Order &ops = groups[group];
    for (size_t i = ops.size(); i-- > 0;)
      alive.undo(ops[i]);
    ran.pop_back();
  }
}

/// What fits and does not lift the level runs at once. True if something did.
bool Search::runFree() {
  for (int group : ready) {
    const LiveSet::Step step = look(group);
    if (step.during <= budget && step.after <= alive.level()) {
      runGroup(group);
      return true;
    }
  }
  return false;
}

/// Goes on from the set that is there, if nobody has yet.
void Search::open() {
  while (runFree())
    ;
  if (ran.size() == groups.size() || !seen.insert(current).second)
    return;
  std::vector<std::pair<int64_t, int>> fits;
  for (int group : ready) {
    const LiveSet::Step step = look(group);
    if (step.during <= budget)
      fits.push_back({step.after, group});
    else
      nextBudget = std::min(nextBudget, step.during);
  }
  std::sort(fits.rbegin(), fits.rend());
  Choice choice{{}, ran.size()};
  for (const auto &[after, group] : fits)
    choice.branches.push_back(group);
  choices.push_back(std::move(choice));
}

SearchResult Search::finish(SearchResult::Answer answer) {
  SearchResult result;
  result.answer = answer;
  if (answer == SearchResult::Answer::Found)
    for (int group : ran)
      result.order.insert(result.order.end(), groups[group].begin(),
                          groups[group].end());
  result.nextBudget = nextBudget;
  result.sets = static_cast<int64_t>(seen.size());
  undoTo(0);
  return result;
}

SearchResult Search::run() {
  open();
  while (ran.size() < groups.size()) {
    if (choices.empty())
      return finish(SearchResult::Answer::None);
    Choice &choice = choices.back();
    undoTo(choice.ran);
    if (choice.branches.empty()) {
      choices.pop_back();
      continue;
    }
    if (static_cast<int64_t>(seen.size()) >= maxSets ||
        StopToken::ofProcess().isRequested())
      return finish(SearchResult::Answer::Limit);
    const int group = choice.branches.back();
    choice.branches.pop_back();
    runGroup(group);
    open();
  }
  return finish(SearchResult::Answer::Found);
}

SearchResult searchOrder(LiveSet &alive, const Groups &groups, int64_t budget,
                         int64_t maxSets) {
  return Search(alive, groups, budget, maxSets).run();
}

} // namespace tpu_mlir::ordering
