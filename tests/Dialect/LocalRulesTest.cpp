//===- LocalRulesTest.cpp - What each op reads, element by element --------===//

#include "Dependence.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class LocalRulesTest : public ::testing::Test {
protected:
  TestContext context;
  const Tightness parameter{0, 1, /*isParameter=*/true};
};

/// An operand of extents `shape` that broadcasts from the right.
Reads broadcast(const Index &shape, const Index &result) {
  return [=](const Index &place) {
    std::vector<Index> sets;
    size_t missing = result.size() - shape.size();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sets.push_back({shape[dim] == 1 ? 0 : place[dim + missing]});
    return sets;
  };
}

/// All elements that differ from the place in the dimensions [first, last).
Reads rowsAlong(const Index &shape, size_t first, size_t last) {
  return [=](const Index &place) {
    std::vector<Index> sets;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sets.push_back(dim >= first && dim < last ? all(shape[dim])
                                                : Index{place[dim]});
    return sets;
  };
}

/// Any element of a parameter.
Reads anywhere(const Index &shape) { return rowsAlong(shape, 0, shape.size()); }

//===----------------------------------------------------------------------===//
// Place by place
//===----------------------------------------------------------------------===//

TEST_F(LocalRulesTest, Broadcast) {
  const Index result{2, 3, 4, 5};
  for (const char *name : {"tpu.Add", "tpu.Sub", "tpu.Mul", "tpu.Div",
                           "tpu.Min", "tpu.Max", "tpu.Compare"})
    for (const Index &other : {result, Index{1, 3, 1, 1}, Index{5}, Index{4, 1},
                               Index{2, 1, 4, 1}, Index{1}, Index{3, 1, 5}}) {
      ProbedOp op(context, name, {other, result}, result, "");
      op.expectUncut({});
      op.expectReads(0, broadcast(other, result));
      op.expectReads(1, broadcast(result, result));
    }
}

TEST_F(LocalRulesTest, Choices) {
  const Index result{2, 3, 4}, row{1, 1, 4}, column{3, 1};
  ProbedOp where(context, "tpu.Where", {row, result, column, {}}, result, "");
  where.expectUncut({});
  where.expectReads(0, broadcast(row, result));
  where.expectReads(1, broadcast(result, result));
  where.expectReads(2, broadcast(column, result));
  ProbedOp fill(context, "tpu.MaskedFill", {column, result}, result, "");
  fill.expectUncut({});
  fill.expectReads(0, broadcast(column, result));
  fill.expectReads(1, broadcast(result, result));
}

TEST_F(LocalRulesTest, OneOperand) {
  const Index shape{2, 3, 4, 5};
  for (const char *name :
       {"tpu.Active", "tpu.Cast", "tpu.Relu", "tpu.Clip", "tpu.AddConst",
        "tpu.MulConst", "tpu.LeakyRelu", "tpu.MulShift", "tpu.Trilu",
        "tpu.RequantInt", "tpu.RequantFp", "tpu.DequantInt"}) {
    ProbedOp op(context, name, {shape}, shape, "");
    op.expectUncut({});
    op.expectReads(0, broadcast(shape, shape));
  }
}

TEST_F(LocalRulesTest, Tables) {
  const Index shape{2, 3, 4, 5}, table{1, 1, 1, 256};
  ProbedOp op(context, "tpu.Lut", {shape, table}, shape, "");
  op.expectUncut({});
  op.expectReads(0, broadcast(shape, shape));
  op.expectReads(1, anywhere(table), parameter);
}

// Numbers of each channel follow the channel, and no other dimension that is as
// long.
TEST_F(LocalRulesTest, PerChannel) {
  const Index shape{2, 3, 4, 5}, channel{1, 3, 1, 1}, cube{3, 3, 3, 3};
  for (const char *name : {"tpu.PRelu", "tpu.Scale"}) {
    ProbedOp op(context, name, {shape, channel}, shape, "");
    op.expectUncut({});
    op.expectReads(0, broadcast(shape, shape));
    op.expectReads(1, broadcast(channel, shape));
    // One for all is read by any channel.
    ProbedOp shared(context, name, {shape, {1, 1, 1, 1}}, shape, "");
    shared.expectUncut({});
    // In another shape it is read whole, by all channels together.
    for (const Index &all : {shape, cube})
      for (const Index &other : {Index{3}, Index{1, 1, 1, 3}, Index{1, 1, 3, 1},
                                 Index{3, 1, 1, 1}}) {
        ProbedOp op(context, name, {all, other}, all, "");
        op.expectUncut({1});
        op.expectReads(1, anywhere(other), parameter);
      }
  }
  const Index table{1, 3, 1, 2};
  for (const char *name : {"tpu.RequantIntAxis", "tpu.RequantFpAxis",
                           "tpu.DequantIntAxis", "tpu.ScaleLut"}) {
    ProbedOp op(context, name, {shape, table}, shape, "");
    op.expectUncut({});
    op.expectReads(0, broadcast(shape, shape));
    op.expectReads(1, [](const Index &place) {
      return std::vector<Index>{{0}, {place[1]}, {0}, {0, 1}};
    });
    ProbedOp other(context, name, {shape, {1, 1, 1, 6}}, shape, "");
    other.expectUncut({1});
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Where a product's rows, depth and columns are.
struct Product {
  Index batch, leftBatch, rightBatch;
  bool leftTransposed, rightTransposed, outputTransposed;
};

Index matrix(Index batch, int64_t rows, int64_t columns, bool isTransposed) {
  batch.push_back(isTransposed ? columns : rows);
  batch.push_back(isTransposed ? rows : columns);
  return batch;
}

Reads factor(const Product &p, bool isLeft, int64_t depth) {
  return [=](const Index &place) {
    size_t rank = place.size();
    const Index &own = isLeft ? p.leftBatch : p.rightBatch;
    std::vector<Index> sets;
    for (size_t dim = 0; dim < own.size(); ++dim)
      sets.push_back(
          {own[dim] == 1 ? 0 : place[dim + p.batch.size() - own.size()]});
    int64_t row = place[rank - (p.outputTransposed ? 1 : 2)];
    int64_t column = place[rank - (p.outputTransposed ? 2 : 1)];
    bool isDepthLast = isLeft ? !p.leftTransposed : p.rightTransposed;
    Index fixed{isLeft ? row : column};
    sets.push_back(isDepthLast ? fixed : all(depth));
    sets.push_back(isDepthLast ? all(depth) : fixed);
    return sets;
  };
}

std::string flag(const std::string &name, bool value) {
  return name + " = " + (value ? "true" : "false");
}

TEST_F(LocalRulesTest, MatMul) {
  const int64_t rows = 3, depth = 4, columns = 5;
  const std::vector<std::array<Index, 3>> batches = {
      {Index{}, Index{}, Index{}},
      {Index{2}, Index{2}, Index{}},
      {Index{2}, Index{2}, Index{2}},
      {Index{2}, Index{2}, Index{1}},
      {Index{2, 3}, Index{2, 3}, Index{1, 3}},
      {Index{2, 3}, Index{2, 3}, Index{3}},
      {Index{2, 3}, Index{1, 3}, Index{2, 3}},
      {Index{2, 1, 3}, Index{2, 1, 3}, Index{}}};
  for (const auto &[batch, left, right] : batches)
    for (int flags = 0; flags < 8; ++flags) {
      Product p{
          batch,           left, right, (flags & 1) != 0, (flags & 2) != 0,
          (flags & 4) != 0};
      Index bias(batch.size() + 1, 1);
      bias.push_back(columns);
      ProbedOp op(context, "tpu.MatMul",
                  {matrix(left, rows, depth, p.leftTransposed),
                   matrix(right, depth, columns, p.rightTransposed),
                   bias,
                   {},
                   {}},
                  matrix(batch, rows, columns, p.outputTransposed),
                  flag("left_transpose", p.leftTransposed) + ", " +
                      flag("right_transpose", p.rightTransposed) + ", " +
                      flag("output_transpose", p.outputTransposed));
      op.expectUncut({});
      op.expectReads(0, factor(p, true, depth));
      op.expectReads(1, factor(p, false, depth));
      op.expectReads(2, [&](const Index &place) {
        std::vector<Index> sets(bias.size() - 1, Index{0});
        sets.push_back({place[place.size() - (p.outputTransposed ? 2 : 1)]});
        return sets;
      });
    }
}

// Two weights a byte: no element of the operand belongs to one column.
TEST_F(LocalRulesTest, PackedMatMul) {
  ProbedOp op(context, "tpu.MatMul", {{2, 3, 8}, {4, 5}, {}}, {2, 3, 5},
              "weight_bits = 4 : i64");
  op.expectUncut({2});
  op.expectReads(0, rowsAlong({2, 3, 8}, 2, 3));
  op.expectReads(1, anywhere({4, 5}), parameter);
}

TEST_F(LocalRulesTest, A16MatMul) {
  const Index left{2, 3, 64}, result{2, 3, 8}, weight{8, 32}, scale{8, 2};
  ProbedOp op(context, "tpu.A16MatMul", {left, weight, scale, scale, {8}},
              result, "w_transpose = true, weight_bits = 4 : i64");
  op.expectUncut({2});
  op.expectReads(0, [](const Index &place) {
    return std::vector<Index>{{place[0]}, {place[1]}, all(64)};
  });
  for (unsigned operand : {1u, 2u, 3u})
    op.expectReads(operand, anywhere(operand == 1 ? weight : scale), parameter);
  op.expectReads(
      4, [](const Index &place) { return std::vector<Index>{{place[2]}}; });
}

//===----------------------------------------------------------------------===//
// Norms and reductions
//===----------------------------------------------------------------------===//

TEST_F(LocalRulesTest, Softmax) {
  const Index shape{2, 3, 4, 5}, table{1, 1, 32, 8};
  for (int axis = -4; axis < 4; ++axis) {
    int dim = (axis + 4) % 4;
    for (const char *name : {"tpu.Softmax", "tpu.SoftmaxCast"}) {
      ProbedOp op(context, name, {shape, table, {}}, shape,
                  "axis = " + std::to_string(axis) + " : si32");
      op.expectUncut({dim});
      op.expectReads(0, rowsAlong(shape, dim, dim + 1));
      op.expectReads(1, anywhere(table), parameter);
      // Even one element reads all of the axis.
      EXPECT_EQ((*op.op().getOperandRules(0))[dim], DimRule::whole());
    }
  }
}

TEST_F(LocalRulesTest, Norms) {
  const Index shape{2, 3, 4, 5}, weight{1, 3, 1, 1};
  for (int axis : {1, 2, 3}) {
    Index own(shape.begin() + axis, shape.end());
    ProbedOp op(context, "tpu.LayerNorm", {shape, own, own}, shape,
                "axis = " + std::to_string(axis) + " : si32");
    std::vector<int> uncut;
    for (int dim = axis; dim < 4; ++dim)
      uncut.push_back(dim);
    op.expectUncut(uncut);
    op.expectReads(0, rowsAlong(shape, axis, 4));
    op.expectReads(1, anywhere(own), parameter);
  }
  ProbedOp rms(context, "tpu.RMSNorm", {shape, {1, 1, 1, 5}}, shape, "");
  rms.expectUncut({3});
  rms.expectReads(0, rowsAlong(shape, 3, 4));
  ProbedOp pixel(context, "tpu.PixelNorm", {shape, weight, weight}, shape, "");
  pixel.expectUncut({1});
  pixel.expectReads(0, rowsAlong(shape, 1, 2));
  // Only the batch is cut, so the channels of other groups come along.
  for (const char *name : {"tpu.GroupNorm", "tpu.InstanceNorm"}) {
    ProbedOp group(context, name, {shape, weight, weight}, shape, "");
    group.expectUncut({1, 2, 3});
    group.expectReads(0, rowsAlong(shape, 1, 4));
  }
}

TEST_F(LocalRulesTest, Reduce) {
  const Index shape{2, 3, 4, 5};
  for (const Index &axes :
       {Index{1}, Index{2}, Index{-1}, Index{2, 3}, Index{1, 3}, Index{0, 2}})
    for (bool keep : {false, true}) {
      Index result;
      std::vector<int> uncut;
      std::string text = flag("keepdims", keep) + ", axes = [";
      std::vector<bool> isReduced(4, false);
      for (int64_t axis : axes) {
        isReduced[(axis + 4) % 4] = true;
        text += (text.back() == '[' ? "" : ", ") + std::to_string(axis);
      }
      for (int dim = 0; dim < 4; ++dim) {
        if (isReduced[dim] && keep) {
          uncut.push_back(result.size());
          result.push_back(1);
        } else if (!isReduced[dim]) {
          result.push_back(shape[dim]);
        }
      }
      ProbedOp op(context, "tpu.Reduce", {shape, {}, {}}, result, text + "]");
      op.expectUncut(uncut);
      op.expectReads(0, [&](const Index &place) {
        std::vector<Index> sets;
        size_t next = 0;
        for (int dim = 0; dim < 4; ++dim) {
          sets.push_back(isReduced[dim] ? all(shape[dim]) : Index{place[next]});
          next += keep || !isReduced[dim];
        }
        return sets;
      });
    }
}

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

TEST_F(LocalRulesTest, Concat) {
  for (int axis : {0, 1, 2, -1}) {
    int dim = (axis + 3) % 3;
    std::vector<Index> pieces(4, Index{3, 3, 3});
    Index result{3, 3, 3};
    pieces[1].clear();
    pieces[2][dim] = 1;
    pieces[3][dim] = 4;
    result[dim] = 8;
    ProbedOp op(context, "tpu.Concat", pieces, result,
                "axis = " + std::to_string(axis) + " : si32");
    op.expectUncut({dim});
    for (auto [number, shift] : {std::pair(0u, 0), {2u, 3}, {3u, 4}})
      op.expectReads(number, [dim = dim, shift = shift](const Index &place) {
        std::vector<Index> sets{{place[0]}, {place[1]}, {place[2]}};
        sets[dim][0] -= shift;
        return sets;
      });
    EXPECT_EQ(op.op().getOperandRules(1)->size(), 0u);
    // Part of it: also what the rules say where the axis is cut after all.
    llvm::SmallVector<Interval> part(3, Interval{0, 3});
    part[dim] = {2, 5};
    auto need = op.op().getOperandSlice(3, part);
    ASSERT_TRUE(succeeded(need));
    EXPECT_EQ((*need)[dim], (Interval{0, 1}));
  }
}

TEST_F(LocalRulesTest, Slice) {
  const Index shape{2, 7, 9};
  for (int64_t offset : {0, 1, 3, -4, -2})
    for (int64_t step : {1, 2, 3}) {
      int64_t start = offset < 0 ? offset + 9 : offset;
      Index result{2, 3, (9 - start + step - 1) / step};
      auto reads = [=](const Index &place) {
        return std::vector<Index>{
            {place[0]}, {2 + 2 * place[1]}, {start + place[2] * step}};
      };
      std::string last = std::to_string(offset),
                  lastStep = std::to_string(step);
      ProbedOp op(context, "tpu.Slice", {shape, {}, {}, {}, {}}, result,
                  "offset = [0, 2, " + last + "], steps = [1, 2, " + lastStep +
                      "], axes = []");
      op.expectUncut({});
      op.expectReads(0, reads);
      ProbedOp axes(context, "tpu.Slice", {shape, {}, {}, {}, {}}, result,
                    "offset = [" + last + ", -5], steps = [" + lastStep +
                        ", 2], axes = [-1, 1]");
      axes.expectUncut({});
      axes.expectReads(0, reads);
    }
}

TEST_F(LocalRulesTest, Pad) {
  // Starts and ends; a negative one cuts off.
  const std::vector<std::array<int64_t, 4>> pads = {
      {0, 0, 0, 0}, {0, 0, 4, 0}, {2, 1, 0, 3}, {5, 0, 0, 0}, {-1, 2, 1, -2}};
  for (const auto &[top, left, bottom, right] : pads) {
    const Index shape{2, 3, 4, 5};
    Index result{2, 4, 4 + top + bottom, 5 + left + right};
    ProbedOp op(context, "tpu.Pad", {shape, {}, {}, {}, {}}, result,
                "mode = #tpu<Pad_Mode constant>, paddings = [0, 0, " +
                    std::to_string(top) + ", " + std::to_string(left) +
                    ", 0, 1, " + std::to_string(bottom) + ", " +
                    std::to_string(right) + "]");
    op.expectUncut({});
    op.expectReads(0, [top = top, left = left](const Index &place) {
      return std::vector<Index>{
          {place[0]}, {place[1]}, {place[2] - top}, {place[3] - left}};
    });
  }
}

TEST_F(LocalRulesTest, Rope) {
  const Index shape{2, 4, 3, 6}, table{1, 4, 1, 6};
  ProbedOp op(context, "tpu.Rope", {shape, table, {4, 1, 6}}, shape, "");
  op.expectUncut({3});
  op.expectReads(0, rowsAlong(shape, 3, 4));
  op.expectReads(1, [](const Index &place) {
    return std::vector<Index>{{0}, {place[1]}, {0}, all(6)};
  });
  op.expectReads(2, [](const Index &place) {
    return std::vector<Index>{{place[1]}, {0}, all(6)};
  });
}

/// The element of `shape` that is number `number` in memory.
std::vector<Index> unflatten(int64_t number, const Index &shape) {
  std::vector<Index> sets(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; number /= shape[dim])
    sets[dim] = {number % shape[dim]};
  return sets;
}

TEST_F(LocalRulesTest, ShapeViews) {
  const std::vector<std::tuple<const char *, Index, Index>> views = {
      {"tpu.Reshape", {2, 3, 4, 5}, {2, 3, 20}},
      {"tpu.Reshape", {2, 3, 20}, {2, 3, 2, 2, 5}},
      {"tpu.Reshape", {2, 3, 4, 5}, {2, 3, 5, 4}},
      {"tpu.Squeeze", {2, 3, 1, 4}, {2, 3, 4}},
      {"tpu.Unsqueeze", {2, 3}, {2, 3, 1, 1}}};
  for (const auto &[name, from, to] : views) {
    ProbedOp op(context, name, {from}, to, "");
    std::vector<int> uncut;
    for (size_t dim = 2; dim < to.size(); ++dim)
      uncut.push_back(dim);
    op.expectUncut(uncut);
    op.expectReads(0, [&, from = from, to = to](const Index &place) {
      int64_t number = 0;
      for (size_t dim = 0; dim < to.size(); ++dim)
        number = number * to[dim] + place[dim];
      return unflatten(number, from);
    });
  }
}

} // namespace
