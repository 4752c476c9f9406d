//===- LocalMemory.cpp - Local memory that knows whose each byte is -------===//

#include "tpu_mlir/Execution/LocalMemory.h"

#include <algorithm>

namespace tpu_mlir::execution {

void LocalMemory::claim(int64_t address, int64_t bytes, Tag tag) {
  std::fill_n(&tags[address], bytes, tag);
}

std::optional<LocalMemory::Stranger>
LocalMemory::findStranger(int64_t address, int64_t bytes, Tag tag) const {
  const auto first = tags.begin() + address, last = first + bytes;
  const auto stranger =
      std::find_if(first, last, [&](Tag other) { return other != tag; });
  if (stranger == last)
    return std::nullopt;
  return Stranger{stranger - tags.begin(), *stranger};
}

void LocalMemory::release(int64_t address, int64_t bytes, Tag tag) {
  const int64_t end = address + bytes;
  for (int64_t at = address; at < end;) {
    const bool isOurs = tags[at] == tag;
    int64_t next = at;
    while (next < end && (tags[next] == tag) == isOurs)
      ++next;
    if (isOurs) {
      std::fill(&tags[at], &tags[at] + (next - at), 0);
      for (int64_t lane = 0; lane < lanes; ++lane)
        std::fill_n(&data[lane * laneBytes + at], next - at, kPoison);
    }
    at = next;
  }
}

/// fn(lane, offset, position): each h * w plane of the layout, with the
/// position of its first element in the box.
template <typename Fn>
static void forEachPlane(const LaneLayout &layout, Fn fn) {
  const Index5 &size = layout.size;
  int64_t position = 0;
  for (int64_t n = 0; n < size[N]; ++n)
    for (int64_t c = 0; c < size[C]; ++c)
      for (int64_t d = 0; d < size[D]; ++d, position += size[H] * size[W])
        fn(layout.lane(c), layout.planeOffset(n, c, d), position);
}

void LocalMemory::write(const TensorPart &part, const LaneLayout &layout,
                        int64_t address, bool toAllLanes, Tag tag) {
  claim(address, layout.bytes(), tag);
  const int64_t count = layout.size[H] * layout.size[W];
  forEachPlane(layout, [&](int64_t lane, int64_t offset, int64_t position) {
    for (int64_t to = toAllLanes ? 0 : lane;
         to < (toAllLanes ? lanes : lane + 1); ++to)
      writeElements({&part.values[position], size_t(count)}, layout.bits,
                    &data[to * laneBytes + address + offset]);
  });
}

void LocalMemory::read(TensorPart &part, const LaneLayout &layout,
                       int64_t address) const {
  const int64_t count = layout.size[H] * layout.size[W];
  forEachPlane(layout, [&](int64_t lane, int64_t offset, int64_t position) {
    readElements(&data[lane * laneBytes + address + offset], layout.bits,
                 {&part.values[position], size_t(count)});
  });
}

} // namespace tpu_mlir::execution
