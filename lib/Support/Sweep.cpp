//===- Sweep.cpp - How far a result begins below what it is made of -------===//
//
// Element k = (k_0, k_1, ...) of the result ends at byte
//
//   end(k) = unit * (sum of k_d * stride_d + 1),
//
// and the lowest byte that it reads is a sum over the same indices,
//
//   low(k) = sum of B_d(k_d),
//
// where B_d is what the operand's dimensions that follow d add; no B_d falls.
// The least distance is the largest end(k) - low(k') over all k' after k. In
// row-major order such a k' agrees with k up to some dimension j, is larger
// there and may be anything behind it, so that the lowest of them has k_j + 1
// at j and 0 behind. For a fixed j each index then counts for itself:
//
//   d < j   the largest of  k_d * unit * stride_d - B_d(k_d)
//   d = j   the largest of  k_j * unit * stride_j - B_j(k_j + 1)
//   d > j   the last index: (size_d - 1) * unit * stride_d - B_d(0)
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Support/Sweep.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir {
namespace {

constexpr int64_t kMostBytes = int64_t(1) << 48;

/// Units from one index to the next, in each dimension.
std::vector<int64_t> stridesOf(const SweptTensor &tensor) {
  std::vector<int64_t> strides(tensor.extents.size(), 1);
  for (size_t d = strides.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * tensor.extents[d - 1];
  return strides;
}

bool isMeasured(const SweptTensor &tensor) {
  int64_t bytes = tensor.unitBytes;
  for (int64_t extent : tensor.extents)
    bytes = saturatedMul(bytes, std::max<int64_t>(extent, 0));
  return bytes > 0 && bytes < kMostBytes;
}

class Sweep {
public:
  Sweep(const SweptTensor &result, const SweptTensor &operand,
        const std::vector<DimRule> &rules)
      : result(result), operand(operand), rules(rules),
        strides(stridesOf(result)), operandStrides(stridesOf(operand)) {}

  int64_t distance() const {
    const size_t rank = result.extents.size();
    // Of the dimensions behind j, then of those in front of it.
    std::vector<int64_t> behind(rank + 1, 0);
    for (size_t d = rank; d > 0; --d)
      behind[d - 1] =
          behind[d] + endOf(d - 1, result.extents[d - 1] - 1) - lowOf(d - 1, 0);
    int64_t least = 0, inFront = 0;
    for (size_t j = 0; j < rank; ++j) {
      if (result.extents[j] > 1)
        least = std::max(least, inFront + largest(j, /*ahead=*/1) +
                                    behind[j + 1] + result.unitBytes);
      inFront += largest(j, /*ahead=*/0);
    }
    return least;
  }

private:
  int64_t endOf(size_t dim, int64_t index) const {
    return index * strides[dim] * result.unitBytes;
  }
  /// B of the file comment.
  int64_t lowOf(size_t dim, int64_t index) const {
    int64_t units = 0;
    for (size_t i = 0; i < rules.size(); ++i)
      if (rules[i].kind != DimRule::Kind::Whole &&
          rules[i].resultDim == static_cast<int>(dim))
        units +=
            neededInterval(rules[i], {index, index + 1}, operand.extents[i])
                .begin *
            operandStrides[i];
    return units * operand.unitBytes;
  }
  int64_t largest(size_t dim, int64_t ahead) const {
    int64_t most = endOf(dim, 0) - lowOf(dim, ahead);
    for (int64_t i = 1; i + ahead < result.extents[dim]; ++i)
      most = std::max(most, endOf(dim, i) - lowOf(dim, i + ahead));
    return most;
  }

  const SweptTensor &result;
  const SweptTensor &operand;
  const std::vector<DimRule> &rules;
  const std::vector<int64_t> strides, operandStrides;
};

} // namespace

std::optional<int64_t> sweepDistance(const SweptTensor &result,
                                     const SweptTensor &operand,
                                     const std::vector<DimRule> &rules) {
  if (!isMeasured(result) || !isMeasured(operand) ||
      rules.size() != operand.extents.size())
    return std::nullopt;
  return Sweep(result, operand, rules).distance();
}

} // namespace tpu_mlir
