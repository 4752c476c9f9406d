//===- PlacedGluing.cpp - What fits, where it may lie ---------------------===//
//
// Gluing (Search/Blocks.h) finds tilings of thousands of items, but leaves
// alone what is pinned, what pauses, and what has another alignment than its
// neighbour. Here blocks know where they may begin (Search/Placed), so that
// these are glued, too, and a fit that leaves no place is none. What is left
// when nothing fits any more is searched as blocks, and what comes of it is
// settled (Search/Relatives/Settle.h).
//
// Only for problems in which something of that kind is there; nothing is
// proved. A node is as of the exact search.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Search/Attempts.h"
#include "lib/Planning/Search/Placed/Puzzle.h"
#include "lib/Planning/Search/Relatives/Settle.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// Shares of the node limit: of gluing once, of searching what it left, and of
/// what is tried around the best packing in the end.
constexpr int64_t kForGluing = 32, kForSearch = 64, kForSettling = 4;
/// What an item takes until hardly more is gained, and how many gluings there
/// are all the same.
constexpr int64_t kGluingOfItem = 400, kFewGluings = 4;
/// What few items may use of the node limit, one in so many, and each item
/// more.
constexpr int64_t kForFew = 4, kNodesOfItem = 7'000;
/// More gluings than there will ever be.
constexpr uint64_t kSeeds = 1 << 20;
constexpr SearchOrder kOrders[] = {{RankKey::TWA, 0, 1},
                                   {RankKey::WAT, 0, 1},
                                   {RankKey::Area, 0.5, 1},
                                   {RankKey::TAW, 0.3, 1}};

/// Something keeps items from lying anywhere, or pauses.
bool isPlaced(const PackingProblem &problem) {
  const Item &first = problem.items.front();
  return std::any_of(problem.items.begin(), problem.items.end(),
                     [&](const Item &item) {
                       return item.pinOffset || item.lifespans.size() > 1 ||
                              item.alignment != first.alignment;
                     });
}

class PlacedGluing {
public:
  PlacedGluing(const PackingProblem &problem, const SolveOptions &options,
               const std::vector<int64_t> &known)
      : best(known), bestBytes(problem.highWater(known)), problem(problem),
        options(limited(timed(options), problem.items.size())),
        settler(problem, this->options), granule(Puzzle::granuleOf(problem)) {}

  void run() {
    const auto height = checkedAlignUp(problem.lowerBoundBytes, granule);
    if (!height)
      return;
    // What is left to be gained is less than the granule.
    enough = *height;
    const int64_t last = options.nodeLimit - options.nodeLimit / kForSettling;
    for (uint64_t round = 0; canGoOn() && nodes() < last; ++round) {
      const int64_t before = nodes();
      tryPuzzle(*height, round == 0 ? 0 : options.seed * kSeeds + round);
      if (nodes() == before)
        break;
    }
    if (!canGoOn())
      return;
    if (settler.bestBytes() > bestBytes)
      settler.settle(best);
    settler.improve(enough, options.nodeLimit - nodes());
    takeSettled();
  }

  std::vector<int64_t> best;
  int64_t bestBytes;
  int64_t nodes() const { return ownNodes + settler.nodes(); }

private:
  /// Few items need not all of the nodes.
  static SolveOptions limited(SolveOptions options, size_t items) {
    const int64_t least = options.nodeLimit / kForFew;
    options.nodeLimit =
        std::min(options.nodeLimit, least + kNodesOfItem * int64_t(items));
    return options;
  }
  bool isLate() const { return options.deadline.isOver(); }
  bool canGoOn() const {
    return bestBytes > enough && nodes() < options.nodeLimit && !isLate();
  }

  void offer(std::optional<std::vector<int64_t>> offsets) {
    if (!offsets)
      return;
    const int64_t bytes = problem.highWater(*offsets);
    if (bytes >= bestBytes || !isTrusted(problem, *offsets))
      return;
    bestBytes = bytes;
    best = std::move(*offsets);
  }
  void takeSettled() {
    if (settler.bestBytes() < bestBytes)
      offer(settler.best());
  }

  /// Many gluings, but none that is too short to come to anything.
  int64_t nodesOfGluing() const {
    const int64_t enough = kGluingOfItem * int64_t(problem.items.size());
    return std::max(options.nodeLimit / kForGluing,
                    std::min(enough, options.nodeLimit / kFewGluings));
  }

  void tryPuzzle(int64_t height, uint64_t seed) {
    const auto late = [this] { return isLate(); };
    Puzzle puzzle(problem, height, seed, late);
    if (!puzzle.isSound())
      return;
    puzzle.improve(nodesOfGluing(), late);
    ownNodes += puzzle.nodes();
    offer(puzzle.offsetsOfStack());
    if (canGoOn())
      search(puzzle, height);
  }

  /// The blocks as a problem of their own.
  SectionedProblem *sectionsOf(const Puzzle &puzzle) {
    const std::vector<int32_t> ids = puzzle.blocks();
    PackingProblem reduced;
    std::vector<int64_t> indexOf(problem.items.size(), -1);
    for (int32_t id : ids) {
      const PlacedBlock &block = puzzle.all()[id];
      if (const auto lone = puzzle.loneItemOf(id))
        indexOf[*lone] = int64_t(reduced.items.size());
      Item &item = reduced.items.emplace_back();
      item.sizeBytes = block.bytes;
      item.alignment = granule;
      item.lifespans = block.spans;
      if (block.places.last() == block.places.firstFrom(0))
        item.pinOffset = block.places.last();
    }
    for (const auto &[a, b] : problem.forbiddenSharing)
      if (indexOf[size_t(a)] >= 0 && indexOf[size_t(b)] >= 0)
        reduced.forbiddenSharing.push_back(
            std::minmax(indexOf[size_t(a)], indexOf[size_t(b)]));
    sections = SectionedProblem::build(reduced);
    ownNodes += 2 * int64_t(problem.items.size());
    if (!sections)
      return nullptr;
    for (size_t i = 0; i < sections->pieces.size(); ++i) {
      Piece &piece = sections->pieces[i];
      piece.twin = -1;
      if (!piece.pinOffset)
        piece.places = &puzzle.all()[ids[sections->itemOf[i]]].places;
    }
    return &*sections;
  }

  /// Below targets from the height up to what is known.
  void search(const Puzzle &puzzle, int64_t height) {
    if (!sectionsOf(puzzle))
      return;
    const int64_t each =
        kNodesOfPlacement * (1 + int64_t(sections->pieces.size()) / 256);
    const int64_t last =
        nodes() + std::max<int64_t>(options.nodeLimit / kForSearch, 1);
    int64_t target = height;
    for (int64_t more = (bestBytes - height) / 16 + 1;
         target < bestBytes && nodes() < last && canGoOn(); target += more) {
      for (const SearchOrder &order : kOrders) {
        const SearchResult found = searchBelow(
            *sections, options.exact, target, order,
            (last - nodes()) / (8 * each) + 1, [this] { return isLate(); });
        ownNodes += found.nodes * each + 1;
        if (found.outcome != SearchOutcome::Found)
          continue;
        std::vector<int64_t> ofBlocks(puzzle.blocks().size(), 0);
        for (size_t i = 0; i < found.offsets.size(); ++i)
          ofBlocks[sections->itemOf[i]] = found.offsets[i];
        if (auto offsets = puzzle.offsetsOf(ofBlocks)) {
          offer(offsets);
          settler.settle(*offsets);
          takeSettled();
        }
        return;
      }
    }
  }

  const PackingProblem &problem;
  const SolveOptions options;
  Settler settler;
  const int64_t granule;
  std::optional<SectionedProblem> sections;
  int64_t enough = 0, ownNodes = 0;
};

/// The way is the same whatever is known, so that nothing it finds is missed by
/// "auto".
std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  const bool isAsked = options.other != nullptr;
  if (isAsked && (problem.items.empty() || !isPlaced(problem)))
    return Packing();
  SolveOptions quick = options;
  quick.nodeLimit = 1;
  auto packing = StrategyRegistry::find("skyline")->pack(problem, quick);
  if (!packing || problem.items.empty() || !isPlaced(problem))
    return packing;
  PlacedGluing gluing(problem, options, packing->offsets);
  gluing.run();
  packing->nodes += gluing.nodes();
  packing->offsets = std::move(gluing.best);
  if (gluing.bestBytes > problem.lowerBoundBytes)
    packing->proof = Proof::LimitHit;
  if (isAsked &&
      problem.highWater(packing->offsets) >= problem.highWater(*options.other))
    packing->offsets.clear();
  return packing;
}

const RegisterStrategy registration({
    "placed-gluing",
    "glues what fits, and where it may lie: pins, pauses, alignments; stops at "
    "the node limit",
    pack,
    {true, true, false, false},
    AutoPlace{41, 20'000},
});

} // namespace
} // namespace tpu_mlir::planning
