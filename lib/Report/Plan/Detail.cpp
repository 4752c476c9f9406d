//===- Detail.cpp - Many boxes in few bytes -------------------------------===//

#include "lib/Report/Plan/Detail.h"

#include "lib/Report/Plan/PanelDrawing.h"

#include "llvm/Support/Base64.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tpu_mlir::report {

namespace {

void append(std::string &bytes, uint64_t number) {
  for (; number >= 128; number >>= 7)
    bytes += char(128 | (number & 127));
  bytes += char(number);
}

template <typename ColourOf>
std::string encoded(std::vector<const Box *> boxes, int64_t unitBytes,
                    ColourOf colourOf) {
  std::sort(boxes.begin(), boxes.end(), [](const Box *a, const Box *b) {
    return std::tie(a->steps.begin, a->id) < std::tie(b->steps.begin, b->id);
  });
  std::string bytes;
  int64_t step = 0;
  planning::BufferId id = 0;
  for (const Box *box : boxes) {
    append(bytes, uint64_t(box->steps.begin) - uint64_t(step));
    append(bytes, uint64_t(box->steps.length()));
    append(bytes, uint64_t(box->bytes.begin / unitBytes));
    append(bytes, uint64_t(box->bytes.length() / unitBytes));
    const int64_t ahead = int64_t(box->id) - int64_t(id);
    const uint64_t folded = (uint64_t(ahead) << 1) ^ uint64_t(ahead >> 63);
    append(bytes, folded * 8 + uint64_t(colourOf(box->id)));
    step = box->steps.begin;
    id = box->id;
  }
  return llvm::encodeBase64(bytes);
}

} // namespace

Detail detailOf(const Picture &picture, const planning::Problem &problem,
                const Panel &panel, size_t first, size_t mostBytes) {
  std::vector<const Box *> boxes;
  int64_t unit = 0;
  for (size_t i = first; i < panel.boxes.size(); ++i) {
    const Box &box = panel.boxes[i];
    if (box.isAlias || box.bytes.empty() || box.bytes.begin < 0)
      continue;
    boxes.push_back(&box);
    unit = std::gcd(unit, std::gcd(box.bytes.begin, box.bytes.end));
  }
  Detail detail;
  detail.unitBytes = std::max<int64_t>(unit, 1);
  const size_t all = boxes.size();
  // A box has five numbers, a byte each at least.
  boxes.resize(std::min(boxes.size(), mostBytes / 5));
  while (!boxes.empty()) {
    detail.text = encoded(boxes, detail.unitBytes, [&](planning::BufferId id) {
      return colourOf(picture, problem, id);
    });
    if (detail.text.size() <= mostBytes)
      break;
    const double share = double(mostBytes) / double(detail.text.size());
    boxes.resize(
        std::min(size_t(double(boxes.size()) * share * .99), boxes.size() - 1));
    detail.text.clear();
  }
  detail.boxes = boxes.size();
  detail.isAll = boxes.size() == all;
  return detail;
}

} // namespace tpu_mlir::report
