//===- PackedMatrix.cpp - Matrices in 4 or 8 bits beside floats -----------===//

#include "tpu_mlir/Quantization/PackedMatrix.h"

#include "tpu_mlir/Execution/Element.h"

#include <algorithm>
#include <cmath>

namespace tpu_mlir::quantization {

namespace {

struct Group {
  uint16_t scaleBits = 0;
  double scale = 1;
  int64_t zeroPoint = 0;
};

} // namespace

/// Zero is a number of every group.
static Group groupOf(llvm::ArrayRef<float> numbers, const PackingRule &rule) {
  double least = 0, most = 0;
  for (float number : numbers) {
    least = std::min<double>(least, number);
    most = std::max<double>(most, number);
  }
  if (rule.isSymmetric)
    least = -(most = std::max(-least, most));
  const int64_t steps = (int64_t(1) << rule.bits) - 1;
  const double exact = most > least ? (most - least) / steps : 1;
  Group group;
  const auto scale = static_cast<float>(exact);
  group.scaleBits = rule.isHalf ? execution::floatToHalf(scale)
                                : execution::floatToBfloat(scale);
  // Numbers are read with the scale as it is stored.
  group.scale = rule.isHalf ? execution::halfToFloat(group.scaleBits)
                            : execution::bfloatToFloat(group.scaleBits);
  if (group.scale <= 0)
    group.scale = exact;
  group.zeroPoint =
      rule.isSymmetric
          ? (steps + 1) / 2
          : std::clamp<int64_t>(-std::llround(least / group.scale), 0, steps);
  return group;
}

PackedMatrix packMatrix(llvm::ArrayRef<float> numbers, int64_t rows,
                        const PackingRule &rule) {
  PackedMatrix result;
  const int64_t steps = (int64_t(1) << rule.bits) - 1;
  const auto count = static_cast<int64_t>(numbers.size());
  result.weights.resize(count * rule.bits / 8);
  for (int64_t first = 0; rows > 0 && first < count; first += rule.groupSize) {
    llvm::ArrayRef<float> own = numbers.slice(first, rule.groupSize);
    const Group group = groupOf(own, rule);
    result.scales.push_back(static_cast<uint8_t>(group.scaleBits));
    result.scales.push_back(static_cast<uint8_t>(group.scaleBits >> 8));
    result.zeroPoints.push_back(static_cast<uint8_t>(group.zeroPoint));
    for (int64_t i = 0; i < rule.groupSize; ++i) {
      const auto element = static_cast<uint8_t>(std::clamp<int64_t>(
          std::llround(own[i] / group.scale) + group.zeroPoint, 0, steps));
      const int64_t place = first + i;
      if (rule.bits == 8)
        result.weights[place] = element;
      else
        result.weights[place / 2] |= element << (place % 2 ? 4 : 0);
    }
  }
  return result;
}

} // namespace tpu_mlir::quantization
