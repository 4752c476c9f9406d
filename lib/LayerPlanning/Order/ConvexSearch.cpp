//===- ConvexSearch.cpp - Groups of layers that are apart in the order ----===//

#include "lib/LayerPlanning/Order/ConvexSearch.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tpu_mlir::layer {
namespace {

/// In stretches of up to so many layers any convex set may be a group, whether
/// it hangs together or not.
constexpr int kAnySet = 8;
/// Longer stretches are searched along their order alone.
constexpr size_t kMostLayers = 2000;
/// Places by which a layer may run ahead.
constexpr int kFarthest = 64;
/// Layers of one group.
constexpr size_t kLongest = 32;
/// In longer ones, larger groups of which nothing fits are not looked at after
/// so many layers, nor after so many that cost no less than in pieces.
constexpr int kGiveUpAfter = 4, kDominatedAfter = 8;
/// Layers of all sets that are looked at there, and more for each layer.
constexpr int64_t kWork = 100'000, kWorkForEach = 256;
/// Hardly any ideal has less.
constexpr int64_t kWorkOfIdeal = 64;

/// What has run by some time: all layers in front of `missing`, and of those
/// behind it the ones of `ahead`, bit by bit.
struct Ideal {
  int missing = 0;
  uint64_t ahead = 0;

  bool operator<(const Ideal &o) const {
    return std::pair(missing, ahead) < std::pair(o.missing, o.ahead);
  }
  bool has(int position) const {
    return position < missing || (position > missing && isAhead(position));
  }
  Ideal with(int position) const {
    Ideal result = *this;
    if (position > missing) {
      result.ahead |= uint64_t(1) << (position - missing - 1);
      return result;
    }
    bool isNextIn = true;
    for (; isNextIn; ++result.missing) {
      isNextIn = (result.ahead & 1) != 0;
      result.ahead >>= 1;
    }
    return result;
  }

private:
  bool isAhead(int position) const {
    const int bit = position - missing - 1;
    return bit < 64 && (ahead >> bit & 1) != 0;
  }
};

/// Places in the stretch, ascending.
using Places = std::vector<int>;

Places withPlace(const Places &places, int place) {
  Places result = places;
  result.insert(std::lower_bound(result.begin(), result.end(), place), place);
  return result;
}

/// From one ideal to a larger one: a group, or one global layer.
struct IdealStep {
  int end = 0;
  Places places; ///< What runs.
  int hint = 0;
  bool isPlanned = false;
  bool isPossible = true;
  Cost cost;
};

/// What may have run by some time, and what may run next.
class IdealGraph {
public:
  IdealGraph(const LayerGraph &graph, const LayerRange &stretch) {
    std::map<LayerId, int> placeOf;
    for (size_t i = 0; i < stretch.size(); ++i)
      placeOf.emplace(stretch[i], static_cast<int>(i));
    for (LayerId id : stretch) {
      Places &places = producers.emplace_back();
      for (const LayerOperand &operand : graph.layers[id].operands)
        if (const auto at =
                placeOf.find(graph.tensors[operand.tensor].producer);
            at != placeOf.end())
          places.push_back(at->second);
    }
  }

  /// Finds those without layers that run ahead by more than `reach` places.
  /// False: there are more than `most`.
  bool find(int reach, int64_t most) {
    ideals.assign(1, Ideal());
    nextOf.clear();
    std::map<Ideal, int> numbers;
    for (size_t i = 0; i < ideals.size(); ++i) {
      if (static_cast<int64_t>(ideals.size()) > most)
        return false;
      // Those of the same size lie next to each other.
      nextOf.emplace_back();
      for (int place : readyAfter(ideals[i], reach)) {
        const Ideal next = ideals[i].with(place);
        const auto [it, isNew] =
            numbers.emplace(next, static_cast<int>(ideals.size()));
        if (isNew)
          ideals.push_back(next);
        nextOf[i].emplace_back(place, it->second);
      }
    }
    return true;
  }

  int size() const { return static_cast<int>(ideals.size()); }
  /// Ideals have numbers, smaller ones first.
  const std::vector<std::pair<int, int>> &next(int ideal) const {
    return nextOf[ideal];
  }

private:
  /// All that can run next.
  Places readyAfter(const Ideal &ideal, int reach) const {
    Places ready;
    const int last =
        std::min(static_cast<int>(producers.size()) - 1, ideal.missing + reach);
    for (int place = ideal.missing; place <= last; ++place)
      if (!ideal.has(place) &&
          std::all_of(producers[place].begin(), producers[place].end(),
                      [&](int producer) { return ideal.has(producer); }))
        ready.push_back(place);
    return ready;
  }

  std::vector<Places> producers; ///< Of each layer, in the stretch.
  std::vector<Ideal> ideals;     ///< By size.
  /// For each ideal what may run next, and the ideal that that leads to.
  std::vector<std::vector<std::pair<int, int>>> nextOf;
};

class ConvexSearch {
public:
  ConvexSearch(SearchState &state, const LayerRange &stretch)
      : state(state), stretch(stretch), ideals(state.graph, stretch) {}

  std::optional<LayerRange> run(const Cost &known) {
    for (int reach = kFarthest; reach >= 1; reach /= 4) {
      if (!ideals.find(reach, budget() / kWorkOfIdeal))
        continue;
      if (ideals.size() == size() + 1)
        return std::nullopt; // No layer can run ahead.
      if (explore())
        return settle(known);
      if (state.isLookingOver())
        return std::nullopt;
    }
    return std::nullopt;
  }

private:
  int size() const { return static_cast<int>(stretch.size()); }
  bool isSmall() const { return size() <= kAnySet; }
  int64_t budget() const {
    return isSmall() ? std::numeric_limits<int64_t>::max()
                     : kWork + kWorkForEach * size();
  }

  LayerRange layersOf(const Places &places) const {
    LayerRange layers;
    for (int place : places)
      layers.push_back(stretch[place]);
    return layers;
  }

  /// Whether they follow one another in the stretch, as it is.
  static bool isPiece(const Places &places) {
    return places.back() - places.front() + 1 == int(places.size());
  }

  /// Whether they hang together.
  bool isConnected(const Places &places) const {
    std::map<TensorId, int> firstWith;
    std::vector<int> set(places.size());
    std::iota(set.begin(), set.end(), 0);
    const auto rootOf = [&](int i) {
      while (set[i] != i)
        i = set[i] = set[set[i]];
      return i;
    };
    size_t parts = places.size();
    const auto join = [&](TensorId tensor, int i) {
      const auto [it, isNew] = firstWith.emplace(tensor, i);
      const int a = rootOf(it->second), b = rootOf(i);
      if (a != b)
        --parts;
      set[a] = b;
    };
    for (size_t i = 0; i < places.size(); ++i) {
      const Layer &layer = state.graph.layers[stretch[places[i]]];
      join(layer.result, static_cast<int>(i));
      for (const LayerOperand &operand : layer.operands)
        join(operand.tensor, static_cast<int>(i));
    }
    return parts == 1;
  }

  /// An ideal on the way from another one.
  struct Reached {
    Places places; ///< What runs in between.
    int failures = 0, dominated = 0, hint = 0;
  };

  /// Finds the steps from all ideals. False: there are too many.
  bool explore() {
    steps.assign(ideals.size(), {});
    ways.assign(ideals.size(), {});
    int64_t work = 0;
    for (int from = ideals.size() - 1; from >= 0; --from) {
      // By number, so smaller ones first.
      std::map<int, Reached> reached{{from, {{}, 0, 0, state.hints.add({})}}};
      ways[from] = {from, {}};
      for (auto &[to, at] : reached) {
        work += static_cast<int64_t>(at.places.size());
        if (work > budget() || state.isLookingOver())
          return false;
        if (to != from)
          look(from, to, at);
        passOn(from, to);
        if (isWorthMore(at))
          extend(to, at, reached);
      }
    }
    return true;
  }

  bool isWorthMore(const Reached &at) const {
    const auto asked = static_cast<size_t>(state.options.maxLayers);
    const size_t most = asked == 0 ? kLongest : std::min(asked, kLongest);
    return at.places.size() < most &&
           (isSmall() ||
            (at.failures < kGiveUpAfter && at.dominated < kDominatedAfter));
  }

  /// Looks at the group, or layer, that leads from one ideal to another one.
  void look(int from, int to, Reached &at) {
    const int hint = at.hint;
    std::optional<Cost> cost;
    if (at.places.size() == 1) {
      cost = state.costOf(stretch[at.places[0]]);
    } else if (isSmall() || isPiece(at.places) || isConnected(at.places)) {
      const Draft &draft = state.draftOf(layersOf(at.places), hint);
      if (draft.exists) {
        at.hint = draft.hint;
        cost = draft.cost;
      }
    }
    at.failures = cost ? 0 : at.failures + 1;
    at.dominated = cost && offer(from, to, *cost) ? 0 : at.dominated + 1;
    if (cost)
      steps[from].push_back(
          {to, at.places, hint, at.places.size() == 1, true, *cost});
  }

  /// A way from one ideal to another one. False: it costs no less than what is
  /// known.
  bool offer(int from, int to, const Cost &cost) {
    if (ways[to].from == from && !state.isBetter(cost, ways[to].cost))
      return false;
    ways[to] = {from, cost};
    return true;
  }

  /// The ways that lead on from where one is known to.
  void passOn(int from, int by) {
    if (by == from || ways[by].from != from)
      return;
    for (const IdealStep &step : steps[by]) {
      Cost cost = ways[by].cost;
      cost += step.cost;
      offer(from, step.end, cost);
    }
  }

  void extend(int to, const Reached &at, std::map<int, Reached> &reached) {
    for (auto [place, next] : ideals.next(to)) {
      const auto [it, isNew] = reached.try_emplace(next, at);
      Reached &further = it->second;
      if (isNew)
        further.places = withPlace(at.places, place);
      further.failures = std::min(further.failures, at.failures);
      further.dominated = std::min(further.dominated, at.dominated);
    }
  }

  /// The cheapest path, whose groups all are planned.
  std::optional<LayerRange> settle(const Cost &known) {
    while (!state.isOver()) {
      const std::vector<IdealStep *> path = cheapestPath();
      if (!state.isBetter(bound, known))
        return std::nullopt;
      if (std::all_of(path.begin(), path.end(),
                      [](const IdealStep *step) { return step->isPlanned; }))
        return orderOf(path);
      for (IdealStep *step : path)
        plan(*step);
    }
    return std::nullopt;
  }

  void plan(IdealStep &step) {
    if (step.isPlanned || state.isOver())
      return;
    const auto found = state.planOf(layersOf(step.places), step.hint);
    step.isPlanned = true;
    step.isPossible = found.has_value();
    if (found)
      step.cost = found->cost;
  }

  std::vector<IdealStep *> cheapestPath() {
    // From the largest ideal to the empty one; a layer alone is always
    // possible.
    std::vector<Cost> toEnd(ideals.size());
    std::vector<IdealStep *> first(ideals.size());
    for (int from = ideals.size() - 1; from-- > 0;)
      for (IdealStep &step : steps[from]) {
        Cost cost = step.cost;
        cost += toEnd[step.end];
        if (step.isPossible &&
            (!first[from] || state.isBetter(cost, toEnd[from]))) {
          toEnd[from] = cost;
          first[from] = &step;
        }
      }
    bound = toEnd.front();
    std::vector<IdealStep *> path;
    for (int at = 0; first[at]; at = first[at]->end)
      path.push_back(first[at]);
    return path;
  }

  LayerRange orderOf(const std::vector<IdealStep *> &path) const {
    Places places;
    for (const IdealStep *step : path)
      places.insert(places.end(), step->places.begin(), step->places.end());
    return layersOf(places);
  }

  SearchState &state;
  const LayerRange &stretch;
  IdealGraph ideals;
  std::vector<std::vector<IdealStep>> steps; ///< From each ideal.
  /// The cheapest way to an ideal from the one it was asked for last.
  struct Way {
    int from = -1;
    Cost cost;
  };
  std::vector<Way> ways;
  Cost bound; ///< Of the cheapest path.
};

} // namespace

std::optional<LayerRange> orderForGroups(SearchState &state,
                                         const LayerRange &stretch,
                                         const Cost &known) {
  if (stretch.size() < 3 || stretch.size() > kMostLayers)
    return std::nullopt;
  return ConvexSearch(state, stretch).run(known);
}

} // namespace tpu_mlir::layer
