//===- GenerateCuts.cpp - Perfect packings, cut from a strip --------------===//
//
// The piece with the largest area times a random weight is cut next, which
// keeps the pieces of similar area without making them equal. Each piece has a
// number and ties go to the lower one: the order does not depend on how a heap
// is laid out.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Generators.h"

#include <algorithm>
#include <queue>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kStepsPerPiece = 4;
/// A wheel needs three steps and three units of bytes, and makes five of one.
constexpr int64_t kWheelExtent = 3;
constexpr int64_t kWheelGain = 4;

struct Strip {
  int64_t heightBytes;
  int64_t gridBytes; ///< Cuts are at multiples of this.
};

Strip stripFor(int64_t count) {
  if (count <= 2'000)
    return {int64_t(1) << 20, 64};
  if (count <= 200'000)
    return {int64_t(1) << 30, 512};
  return {int64_t(1) << 34, 512};
}

/// In steps and units of the grid.
struct Rectangle {
  Interval steps, units;
};

class Cutter {
public:
  Cutter(int64_t count, int64_t wheelPercent, SeededDraw &draw)
      : count(count), wheelPercent(wheelPercent), draw(draw) {}

  std::vector<Rectangle> run(const Rectangle &whole) {
    pieces.reserve(size_t(count));
    add(whole);
    // Something can be cut as long as there are fewer pieces than cells, and
    // a strip has far more cells than that.
    while (int64_t(pieces.size()) < count && !queue.empty()) {
      const size_t id = queue.top().id;
      queue.pop();
      if (isWheel(pieces[id]))
        cutWheel(id);
      else
        cutInTwo(id);
    }
    return std::move(pieces);
  }

private:
  struct Entry {
    uint64_t weight;
    size_t id;
    bool operator<(const Entry &o) const {
      return weight != o.weight ? weight < o.weight : id > o.id;
    }
  };

  void add(const Rectangle &piece) {
    pieces.push_back(piece);
    enqueue(pieces.size() - 1);
  }
  void replace(size_t id, const Rectangle &piece) {
    pieces[id] = piece;
    enqueue(id);
  }
  /// At most 2^26 steps, 2^25 units and 3 * 2^9: below 2^63.
  void enqueue(size_t id) {
    const uint64_t area = uint64_t(pieces[id].steps.length()) *
                          uint64_t(pieces[id].units.length());
    if (area > 1)
      queue.push({area * uint64_t(512 + draw.below(1024)), id});
  }

  bool isWheel(const Rectangle &piece) {
    return draw.chance(wheelPercent) &&
           int64_t(pieces.size()) + kWheelGain <= count &&
           piece.steps.length() >= kWheelExtent &&
           piece.units.length() >= kWheelExtent;
  }

  void cutInTwo(size_t id) {
    Rectangle first = pieces[id], second = first;
    const bool hasTime = first.steps.length() > 1;
    const bool hasSpace = first.units.length() > 1;
    const bool isInTime = hasTime && (!hasSpace || draw.below(2) == 0);
    Interval &a = isInTime ? first.steps : first.units;
    Interval &b = isInTime ? second.steps : second.units;
    a.end = b.begin = a.begin + 1 + draw.below(a.length() - 1);
    replace(id, first);
    add(second);
  }

  /// Two different cuts inside `whole`, in order.
  Interval twoCuts(const Interval &whole) {
    const int64_t a = draw.below(whole.length() - 1);
    int64_t b = draw.below(whole.length() - 2);
    b += b >= a;
    return {whole.begin + 1 + std::min(a, b), whole.begin + 1 + std::max(a, b)};
  }
  /// Turns either way: the mirror image swaps what begins with what ends.
  void cutWheel(size_t id) {
    const Rectangle whole = pieces[id];
    const Interval t = twoCuts(whole.steps), u = twoCuts(whole.units);
    const bool isMirrored = draw.below(2) == 0;
    const Interval before{whole.steps.begin, t.begin};
    const Interval behind{t.end, whole.steps.end};
    const Interval toEnd{t.begin, whole.steps.end};
    const Interval toBegin{whole.steps.begin, t.end};
    const Interval low{whole.units.begin, u.end},
        high{u.begin, whole.units.end};
    replace(id, {t, u});
    add({isMirrored ? toEnd : toBegin, {whole.units.begin, u.begin}});
    add({isMirrored ? before : behind, low});
    add({isMirrored ? toBegin : toEnd, {u.end, whole.units.end}});
    add({isMirrored ? behind : before, high});
  }

  const int64_t count, wheelPercent;
  SeededDraw &draw;
  std::vector<Rectangle> pieces;
  std::priority_queue<Entry> queue;
};

} // namespace

RawBuffers cutStrip(int64_t count, int64_t wheelPercent, SeededDraw &draw) {
  const Strip strip = stripFor(count);
  RawBuffers pieces;
  pieces.steps = kStepsPerPiece * count;
  pieces.packedBytes = strip.heightBytes;
  const Rectangle whole{{0, pieces.steps},
                        {0, strip.heightBytes / strip.gridBytes}};
  pieces.list.reserve(size_t(count));
  for (const Rectangle &cut : Cutter(count, wheelPercent, draw).run(whole))
    pieces.list.push_back({cut.steps, cut.units.length() * strip.gridBytes,
                           cut.units.begin * strip.gridBytes});
  return pieces;
}

} // namespace tpu_mlir::planning
