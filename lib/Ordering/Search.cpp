#include "lib/Ordering/Search.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace tpu_mlir::ordering {

namespace {

/// A set of ops of the part, by their place in it.
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
  Search(const Uses &uses, LiveSet &alive, const Part &part, int64_t budget,
         int64_t maxSets);
  SearchResult run();

private:
  /// Where several ops may be next.
  struct Choice {
    std::vector<int> branches; ///< Not tried yet, the best one last.
    size_t ran;                ///< So many ops have run there.
  };
  void runOp(int op);
  void undoTo(size_t count);
  bool runFree();
  void open();
  SearchResult finish(SearchResult::Answer answer);

  const Uses &uses;
  LiveSet &alive;
  const Part &part;
  int64_t budget, maxSets;
  std::unordered_map<int, int> places;
  std::vector<int> waitsFor; ///< By place: ops of the part still to run.
  std::vector<int> ready;    ///< Ascending.
  Bits current;
  Order ran;
  std::vector<Choice> choices;
  std::unordered_set<Bits, BitsHash> seen;
  int64_t nextBudget = std::numeric_limits<int64_t>::max();
};

} // namespace

Search::Search(const Uses &uses, LiveSet &alive, const Part &part,
               int64_t budget, int64_t maxSets)
    : uses(uses), alive(alive), part(part), budget(budget), maxSets(maxSets),
      waitsFor(part.ops.size()), current((part.ops.size() + 63) / 64) {
  for (size_t place = 0; place < part.ops.size(); ++place)
    places[part.ops[place]] = static_cast<int>(place);
  for (size_t place = 0; place < part.ops.size(); ++place) {
    for (int before : uses.after(part.ops[place]))
      waitsFor[place] += static_cast<int>(places.count(before));
    if (waitsFor[place] == 0)
      ready.push_back(part.ops[place]);
  }
  std::sort(ready.begin(), ready.end());
}

void Search::runOp(int op) {
  alive.run(op);
  ran.push_back(op);
  const int place = places[op];
  current[place / 64] |= uint64_t(1) << (place % 64);
  ready.erase(std::lower_bound(ready.begin(), ready.end(), op));
  for (int next : uses.before(op))
    if (auto found = places.find(next);
        found != places.end() && --waitsFor[found->second] == 0)
      ready.insert(std::lower_bound(ready.begin(), ready.end(), next), next);
}

void Search::undoTo(size_t count) {
  while (ran.size() > count) {
    const int op = ran.back(), place = places[op];
    for (int next : uses.before(op))
      if (auto found = places.find(next);
          found != places.end() && waitsFor[found->second]++ == 0)
        ready.erase(std::lower_bound(ready.begin(), ready.end(), next));
    ready.insert(std::lower_bound(ready.begin(), ready.end(), op), op);
    current[place / 64] &= ~(uint64_t(1) << (place % 64));
    alive.undo(op);
    ran.pop_back();
  }
}

/// What fits and does not lift the level runs at once. True if something did.
bool Search::runFree() {
  for (int op : ready) {
    const LiveSet::Step step = alive.look(op);
    if (step.during <= budget && step.after <= alive.level()) {
      runOp(op);
      return true;
    }
  }
  return false;
}

/// Goes on from the set that is there, if nobody has yet.
void Search::open() {
  while (runFree())
    ;
  if (ran.size() == part.ops.size() || !seen.insert(current).second)
    return;
  std::vector<std::pair<int64_t, int>> fits;
  for (int op : ready) {
    const LiveSet::Step step = alive.look(op);
    if (step.during <= budget)
      fits.push_back({step.after, op});
    else
      nextBudget = std::min(nextBudget, step.during);
  }
  std::sort(fits.rbegin(), fits.rend());
  Choice choice{{}, ran.size()};
  for (const auto &[after, op] : fits)
    choice.branches.push_back(op);
  choices.push_back(std::move(choice));
}

SearchResult Search::finish(SearchResult::Answer answer) {
  SearchResult result;
  result.answer = answer;
  if (answer == SearchResult::Answer::Found)
    result.order = ran;
  result.nextBudget = nextBudget;
  result.sets = static_cast<int64_t>(seen.size());
  undoTo(0);
  return result;
}

SearchResult Search::run() {
  open();
  while (ran.size() < part.ops.size()) {
    if (choices.empty())
      return finish(SearchResult::Answer::None);
    Choice &choice = choices.back();
    undoTo(choice.ran);
    if (choice.branches.empty()) {
      choices.pop_back();
      continue;
    }
    if (static_cast<int64_t>(seen.size()) >= maxSets)
      return finish(SearchResult::Answer::Limit);
    const int op = choice.branches.back();
    choice.branches.pop_back();
    runOp(op);
    open();
  }
  return finish(SearchResult::Answer::Found);
}

SearchResult searchOrder(const Uses &uses, LiveSet &alive, const Part &part,
                         int64_t budget, int64_t maxSets) {
  return Search(uses, alive, part, budget, maxSets).run();
}

} // namespace tpu_mlir::ordering
