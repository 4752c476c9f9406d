//===- NeededBox.h - Which elements have to be there, at least --*- C++ -*-===//
//
// Products of sets of indices, one set for each dimension of a tensor, and what
// of an operand is needed for such a part of a result. Without IR.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDEDBOX_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDEDBOX_H

#include "tpu_mlir/Support/SliceRule.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace tpu_mlir::local_report {

/// Indices of one dimension: normalized, none of them empty.
using IndexSet = std::vector<Interval>;

/// Elements at all combinations of these indices; of a tensor without
/// dimensions its one element.
using NeededBox = std::vector<IndexSet>;

/// Where a set would have more intervals, some of its indices are left out.
constexpr size_t kMaxRuns = size_t(1) << 14;

NeededBox wholeBox(llvm::ArrayRef<int64_t> shape);
/// Elements of it; what leaves 63 bits is the largest number there is.
int64_t countElements(const NeededBox &box);
bool isWhole(const NeededBox &box, llvm::ArrayRef<int64_t> shape);

/// All of both where they differ in one dimension at most, else the larger one,
/// `a` of two equally large ones. Both have as many dimensions. O(intervals).
NeededBox unite(const NeededBox &a, const NeededBox &b);

/// The indices of a dimension of `length` elements that `rule` reads, one of
/// the results after the other, for `results`. A window reads all that is
/// between its ends, as neededInterval() has it. O(min(results, kMaxRuns)).
IndexSet neededSet(const DimRule &rule, const IndexSet &results,
                   int64_t length);

/// Of two shapes of as many elements: for each dimension of `from` those of
/// `to` that are as many elements together with it and its neighbours. nullopt
/// for shapes that have no such dimensions, or not as many elements.
std::optional<std::vector<std::vector<int>>>
viewPlaces(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// A box of the elements that `box`, of a tensor of shape `to`, has in the one
/// of shape `from` of which that is a view: all of them where they are one,
/// else rows, or a part of a row. O(min(elements, kMaxRuns)).
NeededBox boxOfView(const NeededBox &box, llvm::ArrayRef<int64_t> from,
                    llvm::ArrayRef<int64_t> to);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_NEEDEDBOX_H
