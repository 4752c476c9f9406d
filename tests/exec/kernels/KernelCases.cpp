//===- KernelCases.cpp - Small ops and what they depend on ----------------===//

#include "tests/exec/kernels/KernelCases.h"

#include <algorithm>

namespace tpu_mlir::exec {

using Index = TensorIndex;
using Cases = std::vector<KernelCase>;

/// Result element `o` of a window with `taps` taps reads operand element `i`.
static bool inWindow(int64_t o, int64_t i, int64_t taps, int64_t stride,
                     int64_t pad, int64_t dilation = 1) {
  for (int64_t tap = 0; tap < taps; ++tap)
    if (o * stride - pad + tap * dilation == i)
      return true;
  return false;
}

/// Dimensions [from, to) agree.
static bool same(const Index &a, const Index &b, size_t from, size_t to) {
  return std::equal(a.begin() + from, a.begin() + to, b.begin() + from);
}

/// Shapes that broadcast: an operand's dimension is followed unless its size
/// is 1; `sizes` are the operand's.
static bool follows(const Index &r, const Index &e, const Index &sizes) {
  const size_t missing = r.size() - e.size();
  for (size_t dim = 0; dim < e.size(); ++dim)
    if (sizes[dim] != 1 && e[dim] != r[dim + missing])
      return false;
  return true;
}

static void addConvolutions(Cases &cases) {
  cases.push_back(
      {"Conv2D",
       {"1x4x7x6xi8", "6x2x3x2xi8", "1x6x1x1xi32"},
       R"("tpu.Conv2D"(%0, %1, %2) {kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1], dilations = [2, 1], group = 2 : i64} : (tensor<1x4x7x6xi8>, tensor<6x2x3x2xi8>, tensor<1x6x1x1xi32>) -> tensor<1x6x3x6xi8>)",
       [](const Index &r, int k, const Index &e) {
         if (k > 0)
           return e[k == 1 ? 0 : 1] == r[1];
         return e[1] / 2 == r[1] / 3 && inWindow(r[2], e[2], 3, 2, 1, 2) &&
                inWindow(r[3], e[3], 2, 1, 0);
       }});
  cases.push_back({"DepthwiseWithNone",
                   {"2x5x6x5xf16", "1x5x3x3xf16"},
                   R"(%n = "top.None"() : () -> none
          "tpu.Conv2D"(%0, %1, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 5 : i64} : (tensor<2x5x6x5xf16>, tensor<1x5x3x3xf16>, none) -> tensor<2x5x6x5xf16>)",
                   [](const Index &r, int k, const Index &e) {
                     if (k > 0)
                       return e[1] == r[1];
                     return same(r, e, 0, 2) && inWindow(r[2], e[2], 3, 1, 1) &&
                            inWindow(r[3], e[3], 3, 1, 1);
                   }});
  // Rows of filters that are padded, and more result channels than one block.
  cases.push_back(
      {"ConvStored",
       {"1x3x4x4xf16", "1x9x1x16xf16"},
       R"("tpu.Conv2D"(%0, %1) {kernel_shape = [2, 2], strides = [1, 1], pads = [0, 0, 0, 0]} : (tensor<1x3x4x4xf16>, tensor<1x9x1x16xf16>) -> tensor<1x9x3x3xf16>)",
       [](const Index &r, int k, const Index &e) {
         if (k > 0)
           return e[1] == r[1];
         return inWindow(r[2], e[2], 2, 1, 0) && inWindow(r[3], e[3], 2, 1, 0);
       }});
  // A stride that leaves elements out.
  cases.push_back(
      {"Conv1D",
       {"1x2x11xi16", "3x2x2xi16"},
       R"("tpu.Conv1D"(%0, %1) {kernel_shape = [2], strides = [3], pads = [1, 0]} : (tensor<1x2x11xi16>, tensor<3x2x2xi16>) -> tensor<1x3x4xi16>)",
       [](const Index &r, int k, const Index &e) {
         return k > 0 ? e[0] == r[1] : inWindow(r[2], e[2], 2, 3, 1);
       }});
  cases.push_back(
      {"Conv3D",
       {"1x2x4x5x3xi32", "3x2x2x2x2xi32"},
       R"("tpu.Conv3D"(%0, %1) {kernel_shape = [2, 2, 2], strides = [1, 2, 1], pads = [1, 0, 0, 0, 1, 1]} : (tensor<1x2x4x5x3xi32>, tensor<3x2x2x2x2xi32>) -> tensor<1x3x4x3x3xi32>)",
       [](const Index &r, int k, const Index &e) {
         if (k > 0)
           return e[0] == r[1];
         return inWindow(r[2], e[2], 2, 1, 1) &&
                inWindow(r[3], e[3], 2, 2, 0) && inWindow(r[4], e[4], 2, 1, 0);
       },
       1});
}

static void addDeconvolutions(Cases &cases) {
  cases.push_back(
      {"Deconv",
       {"1x4x4x3xi8", "1x2x1x36xi8", "1x2x1x5xi8"},
       R"("tpu.Deconv"(%0, %1, %2) {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 0]} : (tensor<1x4x4x3xi8>, tensor<1x2x1x36xi8>, tensor<1x2x1x5xi8>) -> tensor<1x2x8x5xi8>)",
       [](const Index &r, int k, const Index &e) {
         if (k > 0)
           return e[1] == r[1];
         return inWindow(e[2], r[2], 3, 2, 1) && inWindow(e[3], r[3], 3, 2, 1);
       }});
  cases.push_back(
      {"DeconvDepthwiseDilated",
       {"1x3x4x3xi8", "1x3x2x2xi8"},
       R"("tpu.Deconv"(%0, %1) {kernel_shape = [2, 2], strides = [2, 1], pads = [0, 0, 0, 0], dilations = [3, 1], group = 3 : i64} : (tensor<1x3x4x3xi8>, tensor<1x3x2x2xi8>) -> tensor<1x3x10x4xi8>)",
       [](const Index &r, int k, const Index &e) {
         if (k > 0)
           return e[1] == r[1];
         return e[1] == r[1] && inWindow(e[2], r[2], 2, 2, 0, 3) &&
                inWindow(e[3], r[3], 2, 1, 0);
       }});
}

static void addPools(Cases &cases) {
  cases.push_back(
      {"AvgPool",
       {"1x3x7x6xi8"},
       R"("tpu.Pool2D"(%0) {kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x3x7x6xi8>) -> tensor<1x3x4x3xi8>)",
       [](const Index &r, int, const Index &e) {
         return same(r, e, 0, 2) && inWindow(r[2], e[2], 3, 2, 1) &&
                inWindow(r[3], e[3], 2, 2, 0);
       }});
  cases.push_back(
      {"MaxPool3D",
       {"1x2x4x4x3xf16"},
       R"("tpu.Pool3D"(%0) {kernel_shape = [2, 2, 1], strides = [2, 2, 1], pads = [0, 0, 0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x2x4x4x3xf16>) -> tensor<1x2x2x2x3xf16>)",
       [](const Index &r, int, const Index &e) {
         return same(r, e, 0, 2) && e[2] / 2 == r[2] && e[3] / 2 == r[3] &&
                e[4] == r[4];
       },
       1});
}

static void addElementwise(Cases &cases) {
  const auto identity = [](const Index &r, int, const Index &e) {
    return r == e;
  };
  cases.push_back(
      {"AddBroadcast",
       {"2x3x4x5xi8", "1x3x1x1xi8", "5xi8"},
       R"("tpu.Add"(%0, %1, %2) : (tensor<2x3x4x5xi8>, tensor<1x3x1x1xi8>, tensor<5xi8>) -> tensor<2x3x4x5xi8>)",
       [](const Index &r, int k, const Index &e) {
         static const std::vector<Index> kSizes = {
             {2, 3, 4, 5}, {1, 3, 1, 1}, {5}};
         return follows(r, e, kSizes[k]);
       }});
  cases.push_back(
      {"Where",
       {"1x1x4x3xi8", "1x3x4x3xf16", "1x3x1x3xf16"},
       R"("tpu.Where"(%0, %1, %2) : (tensor<1x1x4x3xi8>, tensor<1x3x4x3xf16>, tensor<1x3x1x3xf16>) -> tensor<1x3x4x3xf16>)",
       [](const Index &r, int k, const Index &e) {
         static const std::vector<Index> kSizes = {
             {1, 1, 4, 3}, {1, 3, 4, 3}, {1, 3, 1, 3}};
         return follows(r, e, kSizes[k]);
       }});
  cases.push_back(
      {"SubSameOperand",
       {"1x3x4xi8"},
       R"("tpu.Sub"(%0, %0) : (tensor<1x3x4xi8>, tensor<1x3x4xi8>) -> tensor<1x3x4xi8>)",
       identity});
  cases.push_back(
      {"CastNarrow",
       {"1x4x6xf32"},
       R"("tpu.Cast"(%0) : (tensor<1x4x6xf32>) -> tensor<1x4x6xi8>)",
       identity});
  cases.push_back(
      {"CastWide",
       {"1x4x6xi8"},
       R"("tpu.Cast"(%0) : (tensor<1x4x6xi8>) -> tensor<1x4x6xf32>)",
       identity});
  cases.push_back(
      {"ActiveSmallC",
       {"1x2x6x5xf16"},
       R"("tpu.Active"(%0) {mode = #tpu<active_mode SILU>} : (tensor<1x2x6x5xf16>) -> tensor<1x2x6x5xf16>)",
       identity,
       2});
}

static void addTables(Cases &cases) {
  cases.push_back(
      {"Reshape",
       {"1x4x6xi8"},
       R"("tpu.Reshape"(%0) : (tensor<1x4x6xi8>) -> tensor<1x4x2x3xi8>)",
       [](const Index &r, int, const Index &e) {
         return r[1] == e[1] && r[2] * 3 + r[3] == e[2];
       }});
  cases.push_back(
      {"Lut",
       {"1x3x4x2xi8", "1x1x1x16xsi8"},
       R"("tpu.Lut"(%0, %1) : (tensor<1x3x4x2xi8>, tensor<1x1x1x16xsi8>) -> tensor<1x3x4x2xi8>)",
       [](const Index &r, int k, const Index &e) { return k > 0 || r == e; }});
  cases.push_back(
      {"RequantIntAxis",
       {"1x5x2x3xi32", "1x5x1x3xi32"},
       R"("tpu.RequantIntAxis"(%0, %1) : (tensor<1x5x2x3xi32>, tensor<1x5x1x3xi32>) -> tensor<1x5x2x3xi8>)",
       [](const Index &r, int k, const Index &e) {
         return k > 0 ? r[1] == e[1] : r == e;
       }});
  cases.push_back(
      {"Scale",
       {"1x5x2x3xf16", "1x5x1x1xf16", "1x5x1x1xf16"},
       R"("tpu.Scale"(%0, %1, %2) : (tensor<1x5x2x3xf16>, tensor<1x5x1x1xf16>, tensor<1x5x1x1xf16>) -> tensor<1x5x2x3xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k > 0 ? r[1] == e[1] : r == e;
       }});
}

static void addShapes(Cases &cases) {
  cases.push_back(
      {"Concat",
       {"1x3x2x4xi8", "1x3x1x4xi8", "1x3x3x4xi8"},
       R"("tpu.Concat"(%0, %1, %2) {axis = 2 : si32} : (tensor<1x3x2x4xi8>, tensor<1x3x1x4xi8>, tensor<1x3x3x4xi8>) -> tensor<1x3x6x4xi8>)",
       [](const Index &r, int k, const Index &e) {
         static const int64_t kStart[] = {0, 2, 3};
         return r[1] == e[1] && r[2] == e[2] + kStart[k] && r[3] == e[3];
       }});
  cases.push_back({"Slice",
                   {"1x9x6xi8"},
                   R"(%n = "top.None"() : () -> none
          "tpu.Slice"(%0, %n, %n, %n, %n) {offset = [0, -8, 1], steps = [1, 3, 1], ends = [1, 9, 5]} : (tensor<1x9x6xi8>, none, none, none, none) -> tensor<1x3x4xi8>)",
                   [](const Index &r, int, const Index &e) {
                     return e[1] == 1 + 3 * r[1] && e[2] == 1 + r[2];
                   }});
  cases.push_back(
      {"SliceAxes",
       {"1x9x6xi8"},
       R"("tpu.Slice"(%0) {offset = [4], steps = [1], ends = [6], axes = [-1]} : (tensor<1x9x6xi8>) -> tensor<1x9x2xi8>)",
       [](const Index &r, int, const Index &e) {
         return e[1] == r[1] && e[2] == 4 + r[2];
       }});
  cases.push_back(
      {"Upsample",
       {"1x3x3x2xi8"},
       R"("tpu.Upsample"(%0) {scale_h = 2 : i64, scale_w = 3 : i64} : (tensor<1x3x3x2xi8>) -> tensor<1x3x6x6xi8>)",
       [](const Index &r, int, const Index &e) {
         return e[1] == r[1] && e[2] == r[2] / 2 && e[3] == r[3] / 3;
       }});
  const auto pad = [&](const char *mode, int64_t (*from)(int64_t)) {
    cases.push_back(
        {std::string("Pad_") + mode,
         {"1x2x4x3xi8"},
         std::string(
             R"("tpu.Pad"(%0) {paddings = [0, 0, 2, 0, 0, 0, 1, 0], mode = #tpu<Pad_Mode )") +
             mode + R"(>} : (tensor<1x2x4x3xi8>) -> tensor<1x2x7x3xi8>)",
         [from](const Index &r, int, const Index &e) {
           return e[1] == r[1] && e[2] == from(r[2] - 2) && e[3] == r[3];
         }});
  };
  pad("constant", [](int64_t at) { return at < 0 || at > 3 ? -1 : at; });
  pad("edge", [](int64_t at) { return std::clamp<int64_t>(at, 0, 3); });
  pad("reflect", [](int64_t at) {
    return at < 0 ? -at : at > 3 ? 6 - at : at;
  });
  pad("symmetric", [](int64_t at) {
    return at < 0 ? -1 - at : at > 3 ? 7 - at : at;
  });
}

static void addTurns(Cases &cases) {
  cases.push_back(
      {"Permute",
       {"2x3x4xi8"},
       R"("tpu.Permute"(%0) {order = [2, 0, 1]} : (tensor<2x3x4xi8>) -> tensor<4x2x3xi8>)",
       [](const Index &r, int, const Index &e) {
         return r == Index{e[2], e[0], e[1]};
       }});
  const auto rope = [&](const char *mode, int64_t (*partner)(int64_t)) {
    cases.push_back(
        {std::string("Rope_") + mode,
         {"1x3x2x6xf16", "1x3x1x6xf16", "1x3x1x6xf16"},
         std::string(R"("tpu.Rope"(%0, %1, %2) {rope_mode = #tpu<rope_mode )") +
             mode +
             R"(>} : (tensor<1x3x2x6xf16>, tensor<1x3x1x6xf16>, tensor<1x3x1x6xf16>) -> tensor<1x3x2x6xf16>)",
         [partner](const Index &r, int k, const Index &e) {
           if (k > 0)
             return e[1] == r[1] && e[3] == r[3];
           return same(r, e, 0, 3) && (e[3] == r[3] || e[3] == partner(r[3]));
         }});
  };
  rope("interleaved_pairs", [](int64_t at) { return at ^ 1; });
  rope("contiguous_halves", [](int64_t at) { return (at + 3) % 6; });
}

static void addMatrices(Cases &cases) {
  cases.push_back(
      {"MatMul",
       {"2x3x4xi8", "4x5xi8", "1x1x5xi32"},
       R"("tpu.MatMul"(%0, %1, %2) : (tensor<2x3x4xi8>, tensor<4x5xi8>, tensor<1x1x5xi32>) -> tensor<2x3x5xi8>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0   ? same(r, e, 0, 2)
                : k == 1 ? e[1] == r[2]
                         : e[2] == r[2];
       }});
  cases.push_back(
      {"MatMulSmallC",
       {"1x2x6x4xf16", "1x1x4x5xf16"},
       R"("tpu.MatMul"(%0, %1) : (tensor<1x2x6x4xf16>, tensor<1x1x4x5xf16>) -> tensor<1x2x6x5xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? same(r, e, 0, 3) : e[3] == r[3];
       },
       2});
  cases.push_back(
      {"MatMulTransposed",
       {"2x4x3xf16", "1x5x4xf16"},
       R"("tpu.MatMul"(%0, %1) {left_transpose = true, right_transpose = true, output_transpose = true} : (tensor<2x4x3xf16>, tensor<1x5x4xf16>) -> tensor<2x5x3xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? e[0] == r[0] && e[2] == r[2] : e[1] == r[1];
       }});
  cases.push_back(
      {"MatMulBatches",
       {"2x3x2x4xi32", "2x1x4x3xi32"},
       R"("tpu.MatMul"(%0, %1) : (tensor<2x3x2x4xi32>, tensor<2x1x4x3xi32>) -> tensor<2x3x2x3xi32>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? same(r, e, 0, 3) : e[0] == r[0] && e[3] == r[3];
       }});
  const auto heads = [&](bool isTransposed) {
    const std::string right = isTransposed ? "2x5x3x4xf16" : "2x4x3x5xf16";
    cases.push_back(
        {isTransposed ? "MatMulHeadsTransposed" : "MatMulHeads",
         {"2x2x3x4xf16", right},
         R"("tpu.MatMul"(%0, %1) {hdim_is_batch = true, right_transpose = )" +
             std::string(isTransposed ? "true" : "false") +
             "} : (tensor<2x2x3x4xf16>, tensor<" + right +
             ">) -> tensor<2x2x3x5xf16>",
         [isTransposed](const Index &r, int k, const Index &e) {
           return k == 0 ? same(r, e, 0, 3)
                         : e[0] == r[0] && e[2] == r[2] &&
                               e[isTransposed ? 1 : 3] == r[3];
         }});
  };
  heads(false);
  heads(true);
}

static void addPackedMatrices(Cases &cases) {
  cases.push_back({"A16MatMulPacked",
                   {"1x3x8xf16", "5x4xui8", "5x2xf16", "5x2xui8"},
                   R"(%n = "top.None"() : () -> none
          "tpu.A16MatMul"(%0, %1, %2, %3, %n) {w_transpose = true, weight_bits = 4 : i64, q_group_size = 4 : i64} : (tensor<1x3x8xf16>, tensor<5x4xui8>, tensor<5x2xf16>, tensor<5x2xui8>, none) -> tensor<1x3x5xf16>)",
                   [](const Index &r, int k, const Index &e) {
                     return k == 0 ? e[1] == r[1] : e[0] == r[2];
                   }});
  cases.push_back(
      {"A16MatMulPlain",
       {"1x3x4xf16", "4x5xi8", "1x5xf16", "1x5xi8", "5xf16"},
       R"("tpu.A16MatMul"(%0, %1, %2, %3, %4) {weight_bits = 8 : i64} : (tensor<1x3x4xf16>, tensor<4x5xi8>, tensor<1x5xf16>, tensor<1x5xi8>, tensor<5xf16>) -> tensor<1x3x5xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? e[1] == r[1] : e.back() == r[2];
       }});
}

static void addNorms(Cases &cases) {
  cases.push_back(
      {"Softmax",
       {"2x3x4x2xf16"},
       R"("tpu.Softmax"(%0) {axis = 2 : si32} : (tensor<2x3x4x2xf16>) -> tensor<2x3x4x2xf16>)",
       [](const Index &r, int, const Index &e) {
         return same(r, e, 0, 2) && r[3] == e[3];
       }});
  cases.push_back(
      {"LayerNorm",
       {"2x3x2x4xf16", "2x4xf16", "1x1x2x4xf16"},
       R"("tpu.LayerNorm"(%0, %1, %2) {axis = 2 : si32, normalized_shape = [2, 4]} : (tensor<2x3x2x4xf16>, tensor<2x4xf16>, tensor<1x1x2x4xf16>) -> tensor<2x3x2x4xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? same(r, e, 0, 2)
                       : e[e.size() - 2] == r[2] && e.back() == r[3];
       }});
  cases.push_back(
      {"RMSNorm",
       {"1x3x5xf16", "1x1x5xf16"},
       R"("tpu.RMSNorm"(%0, %1) : (tensor<1x3x5xf16>, tensor<1x1x5xf16>) -> tensor<1x3x5xf16>)",
       [](const Index &r, int k, const Index &e) {
         return k == 0 ? same(r, e, 0, 2) : e[2] == r[2];
       }});
  const auto channelNorm = [&](const char *op,
                               const std::function<bool(
                                   const Index &, const Index &)> &mixes) {
    cases.push_back(
        {op,
         {"2x4x3x2xf16", "1x4x1x1xf16", "1x4x1x1xf16"},
         "\"tpu." + std::string(op) +
             R"("(%0, %1, %2) {num_groups = 2 : i64} : (tensor<2x4x3x2xf16>, tensor<1x4x1x1xf16>, tensor<1x4x1x1xf16>) -> tensor<2x4x3x2xf16>)",
         [mixes](const Index &r, int k, const Index &e) {
           return k > 0 ? e[1] == r[1] : e[0] == r[0] && mixes(r, e);
         }});
  };
  channelNorm("GroupNorm", [](const Index &r, const Index &e) {
    return r[1] / 2 == e[1] / 2;
  });
  channelNorm("InstanceNorm",
              [](const Index &r, const Index &e) { return r[1] == e[1]; });
  channelNorm("PixelNorm",
              [](const Index &r, const Index &e) { return same(r, e, 2, 4); });
  cases.push_back(
      {"ReduceKept",
       {"2x3x4x2xi8"},
       R"("tpu.Reduce"(%0) {axes = [2], keepdims = true, mode = "ReduceMean"} : (tensor<2x3x4x2xi8>) -> tensor<2x3x1x2xi8>)",
       [](const Index &r, int, const Index &e) {
         return same(r, e, 0, 2) && r[3] == e[3];
       }});
  cases.push_back(
      {"ReduceDropped",
       {"2x3x4x2xi8"},
       R"("tpu.Reduce"(%0) {axes = [1, -1], keepdims = false, mode = "ReduceSum"} : (tensor<2x3x4x2xi8>) -> tensor<2x4xi8>)",
       [](const Index &r, int, const Index &e) {
         return r[0] == e[0] && r[1] == e[2];
       }});
}

std::vector<KernelCase> kernelCases() {
  Cases cases;
  addConvolutions(cases);
  addDeconvolutions(cases);
  addPools(cases);
  addElementwise(cases);
  addTables(cases);
  addShapes(cases);
  addTurns(cases);
  addMatrices(cases);
  addPackedMatrices(cases);
  addNorms(cases);
  return cases;
}

} // namespace tpu_mlir::exec
