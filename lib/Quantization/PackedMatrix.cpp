//===- PackedMatrix.cpp - Matrices in 4 or 8 bits beside floats -----------===//

#include "tpu_mlir/Quantization/PackedMatrix.h"

#include "tpu_mlir/Execution/Element.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tpu_mlir::quantization {

namespace {

struct Group {
  uint16_t scaleBits = 0;
  double scale = 1;
  int64_t zeroPoint = 0;
};

} // namespace

/// What is no number counts as 0, infinities as the largest number.
static double finite(float number) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::isnan(number) ? 0
                            : std::clamp<double>(number, -kLargest, kLargest);
}

static int64_t rounded(double number, int64_t least, int64_t most) {
  return std::llround(std::clamp<double>(number, least, most));
}

/// The bits of a scale; one that is too large is the largest there.
static uint16_t scaleBits(double exact, bool isHalf) {
  constexpr float kLargestHalf = 65504;
  if (!isHalf)
    return std::min<uint16_t>(
        execution::floatToBfloat(static_cast<float>(
            std::min<double>(exact, std::numeric_limits<float>::max()))),
        0x7f7f);
  return execution::floatToHalf(
      static_cast<float>(std::min<double>(exact, kLargestHalf)));
}

/// Zero is a number of every group.
static Group groupOf(llvm::ArrayRef<float> numbers, const PackingRule &rule) {
  double least = 0, most = 0;
  for (float number : numbers) {
    least = std::min<double>(least, finite(number));
    most = std::max<double>(most, finite(number));
  }
  if (rule.isSymmetric)
    least = -(most = std::max(-least, most));
  const int64_t steps = (int64_t(1) << rule.bits) - (rule.isSigned ? 2 : 1);
  const double exact = most > least ? (most - least) / steps : 1;
  Group group;
  group.scaleBits = scaleBits(exact, rule.isHalf);
  // Numbers are read with the scale as it is stored.
  group.scale = rule.isHalf ? execution::halfToFloat(group.scaleBits)
                            : execution::bfloatToFloat(group.scaleBits);
  if (group.scale <= 0)
    group.scale = exact;
  if (rule.isSigned)
    group.zeroPoint = 0;
  else if (rule.isSymmetric)
    group.zeroPoint = (steps + 1) / 2;
  else
    group.zeroPoint = rounded(-least / group.scale, 0, steps);
  return group;
}

PackedMatrix packMatrix(llvm::ArrayRef<float> numbers, int64_t rows,
                        const PackingRule &rule) {
  PackedMatrix result;
  const int64_t most = rule.isSigned ? 127 : (int64_t(1) << rule.bits) - 1;
  const int64_t least = rule.isSigned ? -127 : 0;
  const auto count = static_cast<int64_t>(numbers.size());
  result.weights.resize(count * rule.bits / 8);
  for (int64_t first = 0; rows > 0 && first < count; first += rule.groupSize) {
    llvm::ArrayRef<float> own = numbers.slice(first, rule.groupSize);
    const Group group = groupOf(own, rule);
    result.scales.push_back(static_cast<uint8_t>(group.scaleBits));
    result.scales.push_back(static_cast<uint8_t>(group.scaleBits >> 8));
    result.zeroPoints.push_back(static_cast<uint8_t>(group.zeroPoint));
    for (int64_t i = 0; i < rule.groupSize; ++i) {
      const auto element = static_cast<uint8_t>(
          rounded(std::round(finite(own[i]) / group.scale) + group.zeroPoint,
                  least, most));
      const int64_t place = first + i;
      if (rule.bits == 8)
        result.weights[place] = element;
      else
        result.weights[place / 2] |= element << (place % 2 ? 4 : 0);
    }
  }
  return result;
}

std::vector<uint8_t> inLanes(llvm::ArrayRef<uint8_t> bytes, int64_t rows,
                             int64_t lanes) {
  const auto width = static_cast<int64_t>(bytes.size()) / rows;
  std::vector<uint8_t> result;
  result.reserve(bytes.size());
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t row = lane; row < rows; row += lanes) {
      llvm::ArrayRef<uint8_t> own = bytes.slice(row * width, width);
      result.insert(result.end(), own.begin(), own.end());
    }
  return result;
}

std::vector<uint8_t> pairScales(llvm::ArrayRef<uint8_t> scales,
                                llvm::ArrayRef<uint8_t> zeroPoints) {
  std::vector<uint8_t> pairs;
  pairs.reserve(4 * zeroPoints.size());
  for (size_t i = 0; i < zeroPoints.size(); ++i)
    pairs.insert(pairs.end(),
                 {zeroPoints[i], 0, scales[2 * i], scales[2 * i + 1]});
  return pairs;
}

ScalesAndZeroPoints unpairScales(llvm::ArrayRef<uint8_t> pairs) {
  ScalesAndZeroPoints plain;
  for (; pairs.size() >= 4; pairs = pairs.drop_front(4)) {
    plain.zeroPoints.push_back(pairs[1] ? 255 : pairs[0]);
    plain.scales.insert(plain.scales.end(), {pairs[2], pairs[3]});
  }
  return plain;
}

} // namespace tpu_mlir::quantization
