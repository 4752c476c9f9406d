//===- Skyline.h - The tops of what is placed, over time --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_SKYLINE_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_SKYLINE_H

#include "lib/Planning/Kit/Placing.h"

#include <algorithm>
#include <queue>

namespace tpu_mlir::planning {

/// Segments of equal height, by the step where they begin.
class Skyline {
public:
  explicit Skyline(int32_t steps)
      : segments(size_t(steps) + 1), stepCount(steps) {
    set(0, stepCount, -1, 0);
  }
  struct Segment {
    int32_t end = 0;
    int32_t previous = -1;
    int64_t height = -1; ///< -1: no segment begins here.
  };
  const Segment &at(int32_t begin) const { return segments[size_t(begin)]; }

  /// The begin of the lowest segment, the first of them when there are several.
  int32_t lowest() {
    while (true) {
      const auto [height, begin] = queue.top();
      if (segments[size_t(begin)].height == height)
        return begin;
      queue.pop();
    }
  }
  /// Up to the lower neighbour. False when the segment is all there is.
  bool raise(int32_t begin) {
    const Segment segment = segments[size_t(begin)];
    const bool hasLeft = segment.previous >= 0,
               hasRight = segment.end < stepCount;
    if (!hasLeft && !hasRight)
      return false;
    const int64_t left = hasLeft ? at(segment.previous).height : kMaxOffset;
    const int64_t right = hasRight ? at(segment.end).height : kMaxOffset;
    put(begin, segment.end, std::min(left, right));
    return true;
  }
  /// Gives [begin, end), a part of one segment, another height.
  void place(int32_t segmentBegin, int32_t begin, int32_t end, int64_t height) {
    const Segment segment = segments[size_t(segmentBegin)];
    // What is left on the left keeps its place in the queue.
    segments[size_t(segmentBegin)].end = begin;
    if (end < segment.end) {
      set(end, segment.end, begin, segment.height);
      if (segment.end < stepCount)
        segments[size_t(segment.end)].previous = end;
    }
    segments[size_t(begin)].previous =
        begin > segmentBegin ? segmentBegin : segment.previous;
    put(begin, end, height);
  }

private:
  void set(int32_t begin, int32_t end, int32_t previous, int64_t height) {
    segments[size_t(begin)] = {end, previous, height};
    queue.push({height, begin});
  }
  /// Makes [begin, end) one segment and joins neighbours of equal height.
  void put(int32_t begin, int32_t end, int64_t height) {
    int32_t previous = segments[size_t(begin)].previous;
    if (end < stepCount && at(end).height == height) {
      Segment &right = segments[size_t(end)];
      end = right.end;
      right.height = -1;
    }
    if (previous >= 0 && at(previous).height == height) {
      segments[size_t(begin)].height = -1;
      begin = previous;
      previous = at(begin).previous;
    }
    set(begin, end, previous, height);
    if (end < stepCount)
      segments[size_t(end)].previous = begin;
  }

  using Entry = std::pair<int64_t, int32_t>;
  std::vector<Segment> segments;
  const int32_t stepCount;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_SKYLINE_H
