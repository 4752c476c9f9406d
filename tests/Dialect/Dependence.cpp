//===- Dependence.cpp - Rules against elements, one by one ----------------===//

#include "Dependence.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

using namespace mlir;

namespace tpu_mlir::test {

Index all(int64_t size) {
  Index elements(size);
  std::iota(elements.begin(), elements.end(), 0);
  return elements;
}

static std::string typeText(const Index &shape, const std::string &element) {
  if (shape.empty())
    return "none";
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

ProbedOp::ProbedOp(TestContext &context, const std::string &name,
                   std::vector<Index> operands, Index result,
                   const std::string &attributes, const std::string &element)
    : operandShapes(std::move(operands)), resultShape(std::move(result)) {
  std::string arguments, uses, types;
  for (auto [number, shape] : llvm::enumerate(operandShapes)) {
    std::string comma = number ? ", " : "";
    std::string value = "%a" + std::to_string(number);
    std::string type = typeText(shape, element);
    arguments += comma + value + ": " + type;
    uses += comma + value;
    types += comma + type;
  }
  printed = "%0 = \"" + name + "\"(" + uses + ") {" + attributes + "} : (" +
            types + ") -> " + typeText(resultShape, element);
  module = context.parseOps(arguments, printed);
  if (module)
    probed = dyn_cast<LocalSliceOpInterface>(findOp(*module, name));
  EXPECT_TRUE(probed) << printed;
}

void ProbedOp::expectUncut(const std::vector<int> &uncut) {
  if (!probed)
    return;
  ASSERT_EQ(probed.whyGlobal(), "") << printed;
  llvm::SmallVector<bool> expected(resultShape.size(), false);
  for (int dim : uncut)
    expected[dim] = true;
  EXPECT_EQ(probed.getUncutDims(), expected) << printed;
}

namespace {

/// What every element of a result reads: an interval for each dimension of an
/// operand, or nothing at all.
class ReadTable {
public:
  ReadTable(const Reads &reads, const Index &operand, const Index &result)
      : result(result) {
    forEach(whole(), [&](const Index &place) {
      table.push_back(hullOf(reads(place), operand));
    });
  }

  std::vector<Interval> whole() const {
    std::vector<Interval> part;
    for (int64_t size : result)
      part.push_back({0, size});
    return part;
  }

  /// The hull over the elements of `part`; empty when nothing is read.
  std::vector<Interval> of(const std::vector<Interval> &part) const {
    std::vector<Interval> hull;
    forEach(part, [&](const Index &place) {
      size_t number = 0;
      for (size_t dim = 0; dim < result.size(); ++dim)
        number = number * result[dim] + place[dim];
      const std::vector<Interval> &read = table[number];
      if (hull.empty())
        hull = read;
      for (size_t dim = 0; dim < read.size(); ++dim)
        hull[dim] = {std::min(hull[dim].begin, read[dim].begin),
                     std::max(hull[dim].end, read[dim].end)};
    });
    return hull;
  }

private:
  static std::vector<Interval> hullOf(const std::vector<Index> &sets,
                                      const Index &operand) {
    EXPECT_EQ(sets.size(), operand.size());
    std::vector<Interval> hull;
    for (size_t dim = 0; dim < operand.size(); ++dim) {
      Interval read{operand[dim], 0};
      for (int64_t i : sets[dim])
        if (i >= 0 && i < operand[dim])
          read = {std::min(read.begin, i), std::max(read.end, i + 1)};
      if (read.empty())
        return {};
      hull.push_back(read);
    }
    return hull;
  }

  /// In the order of memory, last dimension fastest.
  template <typename Visit>
  static void forEach(const std::vector<Interval> &part, Visit visit) {
    Index place;
    for (const Interval &interval : part)
      place.push_back(interval.begin);
    while (true) {
      visit(place);
      int dim = static_cast<int>(part.size()) - 1;
      for (; dim >= 0 && ++place[dim] == part[dim].end; --dim)
        place[dim] = part[dim].begin;
      if (dim < 0)
        return;
    }
  }

  Index result;
  std::vector<std::vector<Interval>> table;
};

/// Whether `stated` is as close to `read` as it can be.
bool agrees(const std::vector<Interval> &stated,
            const std::vector<Interval> &read, Tightness tightness,
            int64_t length) {
  bool mayExceed = tightness.isParameter || length < tightness.exactFrom;
  auto isUpTo = [&](const Interval &interval) {
    return interval.length() <= tightness.slack;
  };
  // Nothing is read as soon as one dimension has nothing to read.
  if (read.empty())
    return mayExceed || llvm::any_of(stated, isUpTo);
  for (auto [interval, need] : llvm::zip_equal(stated, read)) {
    if (!interval.contains(need))
      return false;
    if (!mayExceed && (interval.begin < need.begin - tightness.slack ||
                       interval.end > need.end + tightness.slack))
      return false;
  }
  return true;
}

/// Every interval of every dimension, with the other dimensions whole, at
/// their start and at their end; a dimension that is uncut stays whole.
std::set<std::vector<Interval>> partsOf(const Index &result,
                                        ArrayRef<bool> uncut) {
  std::set<std::vector<Interval>> parts;
  for (int others = 0; others < 3; ++others) {
    std::vector<Interval> base;
    for (auto [size, isWhole] : llvm::zip_equal(result, uncut))
      base.push_back(isWhole || others == 0 ? Interval{0, size}
                     : others == 1          ? Interval{0, 1}
                                            : Interval{size - 1, size});
    parts.insert(base);
    for (size_t dim = 0; dim < result.size(); ++dim)
      for (int64_t begin = 0; begin < result[dim] && !uncut[dim]; ++begin)
        for (int64_t end = begin + 1; end <= result[dim]; ++end) {
          std::vector<Interval> part = base;
          part[dim] = {begin, end};
          parts.insert(part);
        }
  }
  return parts;
}

} // namespace

int64_t ProbedOp::expectReads(unsigned operand, const Reads &reads,
                              Tightness tightness) {
  if (!probed)
    return 0;
  auto rules = probed.getOperandRules(operand);
  if (failed(rules)) {
    ADD_FAILURE() << probed.whyGlobal() << ": " << printed;
    return 0;
  }
  const Index &shape = operandShapes[operand];
  ReadTable table(reads, shape, resultShape);
  auto parts = partsOf(resultShape, probed.getUncutDims());
  for (const std::vector<Interval> &part : parts) {
    std::vector<Interval> stated;
    for (auto [rule, size] : llvm::zip_equal(*rules, shape))
      stated.push_back(neededInterval(
          rule, rule.resultDim < 0 ? Interval{0, 1} : part[rule.resultDim],
          size));
    int64_t shortest = std::numeric_limits<int64_t>::max();
    for (const DimRule &rule : *rules)
      if (rule.kind == DimRule::Kind::Spread)
        shortest = std::min(shortest, part[rule.resultDim].length());
    if (agrees(stated, table.of(part), tightness, shortest))
      continue;
    std::string text;
    for (const Interval &interval : part)
      text += " [" + std::to_string(interval.begin) + ", " +
              std::to_string(interval.end) + ")";
    ADD_FAILURE() << "operand " << operand << " for" << text << " of "
                  << printed;
    break;
  }
  return parts.size();
}

} // namespace tpu_mlir::test
