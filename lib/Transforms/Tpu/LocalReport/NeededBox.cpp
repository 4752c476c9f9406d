//===- NeededBox.cpp - Which elements have to be there, at least ----------===//

#include "lib/Transforms/Tpu/LocalReport/NeededBox.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::local_report {

static int64_t countIndices(const IndexSet &set) {
  int64_t sum = 0;
  for (const Interval &run : set)
    sum += run.length();
  return sum;
}

static IndexSet wholeSet(int64_t length) {
  return length > 0 ? IndexSet{{0, length}} : IndexSet();
}

NeededBox wholeBox(llvm::ArrayRef<int64_t> shape) {
  NeededBox box;
  for (int64_t length : shape)
    box.push_back(wholeSet(length));
  return box;
}

int64_t countElements(const NeededBox &box) {
  int64_t product = 1;
  for (const IndexSet &set : box)
    product = saturatedMul(product, countIndices(set));
  return product;
}

bool isWhole(const NeededBox &box, llvm::ArrayRef<int64_t> shape) {
  return box == wholeBox(shape);
}

NeededBox unite(const NeededBox &a, const NeededBox &b) {
  std::optional<size_t> differing;
  bool isOne = true;
  for (size_t dim = 0; dim < a.size(); ++dim)
    if (a[dim] != b[dim]) {
      isOne &= !differing;
      differing = dim;
    }
  if (!isOne)
    return countElements(a) < countElements(b) ? b : a;
  NeededBox both = a;
  if (differing) {
    IndexSet &set = both[*differing];
    set.insert(set.end(), b[*differing].begin(), b[*differing].end());
    set = normalize(std::move(set));
  }
  return both;
}

IndexSet neededSet(const DimRule &rule, const IndexSet &results,
                   int64_t length) {
  if (results.empty())
    return {};
  if (rule.kind == DimRule::Kind::Whole)
    return wholeSet(length);
  IndexSet needed;
  const bool hasGaps =
      rule.kind == DimRule::Kind::Window && rule.stride > rule.extent;
  for (const Interval &run : results) {
    if (!hasGaps) {
      needed.push_back(neededInterval(rule, run, length));
      continue;
    }
    for (int64_t result = run.begin;
         result < run.end && needed.size() < kMaxRuns; ++result)
      needed.push_back(neededInterval(rule, {result, result + 1}, length));
  }
  return normalize(std::move(needed));
}

std::optional<std::vector<std::vector<int>>>
viewPlaces(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  std::vector<std::vector<int>> places(from.size());
  size_t next = 0;
  for (size_t dim = 0; dim < from.size();) {
    std::vector<int> group;
    const size_t begin = dim;
    int64_t here = from[dim++], there = 1;
    while (next < to.size() && (there < here || group.empty())) {
      group.push_back(static_cast<int>(next));
      there = saturatedMul(there, to[next++]);
      for (; here < there && dim < from.size(); ++dim)
        here = saturatedMul(here, from[dim]);
    }
    if (here != there)
      return std::nullopt;
    for (size_t each = begin; each < dim; ++each)
      places[each] = group;
  }
  for (; next < to.size(); ++next)
    if (to[next] != 1)
      return std::nullopt;
  return places;
}

namespace {

/// The elements of `sets` in the order of memory; the last dimension is the
/// innermost one.
IndexSet flatten(llvm::ArrayRef<IndexSet> sets,
                 llvm::ArrayRef<int64_t> extents) {
  IndexSet flat = {{0, 1}};
  for (size_t dim = 0; dim < sets.size(); ++dim) {
    const int64_t extent = extents[dim];
    IndexSet inner;
    if (sets[dim] == wholeSet(extent))
      for (const Interval &run : flat)
        inner.push_back({run.begin * extent, run.end * extent});
    else
      for (const Interval &run : flat)
        for (int64_t outer = run.begin;
             outer < run.end && inner.size() < kMaxRuns; ++outer)
          for (const Interval &set : sets[dim])
            inner.push_back(
                {outer * extent + set.begin, outer * extent + set.end});
    flat = normalize(std::move(inner));
  }
  return flat;
}

/// A box in a grid of these extents whose elements are all among `flat`: all
/// whole rows of the outermost dimension, or the longest part of one.
NeededBox boxIn(const IndexSet &flat, llvm::ArrayRef<int64_t> extents) {
  if (extents.empty())
    return {};
  if (extents.size() == 1)
    return {flat};
  int64_t inner = 1;
  for (int64_t extent : extents.drop_front())
    inner = saturatedMul(inner, extent);
  IndexSet rows;
  Interval longest;
  for (const Interval &run : flat) {
    const Interval whole = {ceilDiv(run.begin, inner), run.end / inner};
    if (!whole.empty())
      rows.push_back(whole);
    for (const Interval &part :
         {Interval{run.begin, std::min(run.end, whole.begin * inner)},
          Interval{std::max(run.begin, whole.end * inner), run.end}})
      if (part.length() > longest.length())
        longest = part;
  }
  NeededBox box;
  if (!rows.empty()) {
    box = wholeBox(extents);
    box.front() = normalize(std::move(rows));
  } else if (longest.empty()) {
    box.resize(extents.size());
  } else {
    const int64_t row = longest.begin / inner;
    box = boxIn({{longest.begin - row * inner, longest.end - row * inner}},
                extents.drop_front());
    box.insert(box.begin(), IndexSet{{row, row + 1}});
  }
  return box;
}

} // namespace

NeededBox boxOfView(const NeededBox &box, llvm::ArrayRef<int64_t> from,
                    llvm::ArrayRef<int64_t> to) {
  if (countElements(box) == 0)
    return NeededBox(from.size());
  auto places = viewPlaces(from, to);
  if (!places) { // All dimensions are one group.
    std::vector<int> all(to.size());
    for (size_t dim = 0; dim < to.size(); ++dim)
      all[dim] = static_cast<int>(dim);
    places.emplace(from.size(), all);
  }
  NeededBox result;
  for (size_t begin = 0, end; begin < from.size(); begin = end) {
    for (end = begin + 1; end < from.size() && !(*places)[begin].empty() &&
                          (*places)[end] == (*places)[begin];)
      ++end;
    std::vector<IndexSet> sets;
    std::vector<int64_t> extents;
    for (int dim : (*places)[begin]) {
      sets.push_back(box[dim]);
      extents.push_back(to[dim]);
    }
    for (IndexSet &set :
         boxIn(flatten(sets, extents), from.slice(begin, end - begin)))
      result.push_back(std::move(set));
  }
  return result;
}

} // namespace tpu_mlir::local_report
