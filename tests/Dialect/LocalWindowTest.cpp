//===- LocalWindowTest.cpp - Convolution and pooling, tap by tap ----------===//

#include "Dependence.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

/// A kernel in one dimension.
struct Taps {
  int64_t length, kernel, stride, dilation, before, behind, extra = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  /// Result elements of a convolution; below 1 when there is none.
  int64_t convLength() const {
    int64_t room = length + before + behind - extent();
    return room < 0 ? 0 : room / stride + 1;
  }
  int64_t deconvLength() const {
    return (length - 1) * stride + extent() - before - behind + extra;
  }
};

/// Result element `place` is the sum over taps of the padded input.
Index convReads(const Taps &taps, int64_t place) {
  Index read;
  for (int64_t tap = 0; tap < taps.kernel; ++tap)
    read.push_back(place * taps.stride + tap * taps.dilation - taps.before);
  return read;
}

/// Input element i adds to result i * stride + tap * dilation - before.
Index deconvReads(const Taps &taps, int64_t place) {
  Index read;
  for (int64_t i = 0; i < taps.length; ++i)
    for (int64_t tap = 0; tap < taps.kernel; ++tap)
      if (i * taps.stride + tap * taps.dilation - taps.before == place)
        read.push_back(i);
  return read;
}

std::string list(const std::string &name, const Index &numbers) {
  std::string text = name + " = [";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "], ";
}

/// All the attributes of a kernel; pads are all the starts, then all the ends.
std::string attributes(const std::vector<Taps> &taps, bool withDilations) {
  Index kernel, strides, dilations, pads, extra;
  for (const Taps &t : taps) {
    kernel.push_back(t.kernel);
    strides.push_back(t.stride);
    dilations.push_back(t.dilation);
    pads.push_back(t.before);
    extra.push_back(t.extra);
  }
  for (const Taps &t : taps)
    pads.push_back(t.behind);
  return list("kernel_shape", kernel) + list("strides", strides) +
         list("pads", pads) +
         (withDilations
              ? list("dilations", dilations) + list("output_padding", extra)
              : "") +
         "do_relu = false";
}

/// The input channels that result channel `out` of a grouped convolution
/// reads.
Index groupReads(int64_t in, int64_t outs, int64_t group, int64_t out) {
  int64_t perGroup = in / group, mine = out / (outs / group);
  Index read;
  for (int64_t i = 0; i < perGroup; ++i)
    read.push_back(mine * perGroup + i);
  return read;
}

enum class What { Conv, Deconv, Pool };

class LocalWindowTest : public ::testing::Test {
protected:
  struct Channels {
    int64_t n = 1, in = 1, out = 1, group = 1;
  };

  /// False when the kernel does not fit the input.
  bool probe(What what, const std::string &name, const std::vector<Taps> &taps,
             Channels c) {
    Index in{c.n, c.in}, out{c.n, c.out}, filter{c.out, c.in / c.group};
    Tightness tightness;
    for (const Taps &t : taps) {
      in.push_back(t.length);
      out.push_back(what == What::Deconv ? t.deconvLength() : t.convLength());
      filter.push_back(t.kernel);
      if (out.back() < 1)
        return false;
      // Between the taps of a dilated kernel there are gaps.
      if (what == What::Deconv)
        tightness.exactFrom = std::max(tightness.exactFrom, t.dilation);
      else
        tightness.slack = std::max(tightness.slack, t.dilation - 1);
    }
    bool isPool = what == What::Pool;
    std::string text = attributes(taps, !isPool);
    if (!isPool)
      text += ", group = " + std::to_string(c.group) + " : i64";
    ProbedOp op(context, name,
                isPool ? std::vector<Index>{in}
                       : std::vector<Index>{in, filter, {1, c.out, 1, 1}},
                out, text);
    op.expectUncut(isPool ? std::vector<int>{} : std::vector<int>{1});
    compared += op.expectReads(
        0,
        [&](const Index &place) {
          std::vector<Index> sets{{place[0]}};
          sets.push_back(isPool ? Index{place[1]}
                                : groupReads(c.in, c.out, c.group, place[1]));
          for (auto [i, t] : llvm::enumerate(taps))
            sets.push_back(what == What::Deconv ? deconvReads(t, place[i + 2])
                                                : convReads(t, place[i + 2]));
          return sets;
        },
        tightness);
    if (isPool)
      return true;
    op.expectReads(1,
                   [&](const Index &place) {
                     std::vector<Index> sets{{place[1]}};
                     for (size_t i = 1; i < filter.size(); ++i)
                       sets.push_back(all(filter[i]));
                     return sets;
                   },
                   {0, 1, /*isParameter=*/true});
    return true;
  }

  /// A kernel out of a small box; asymmetrical pads, strides above the kernel.
  Taps randomTaps(bool dilated) {
    auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % (high - low + 1));
    };
    return {draw(1, 7), draw(1, 4), draw(1, 4), dilated ? draw(1, 3) : 1,
            draw(0, 3), draw(0, 3), draw(0, 1)};
  }

  TestContext context;
  std::mt19937 random{7};
  int64_t compared = 0;
};

TEST_F(LocalWindowTest, EverySmallConv1D) {
  int64_t cases = 0;
  for (int64_t length = 1; length <= 7; ++length)
    for (int64_t kernel = 1; kernel <= 3; ++kernel)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t dilation = 1; dilation <= 3; ++dilation)
          for (int64_t before = 0; before <= 2; ++before)
            for (int64_t behind = 0; behind <= 2; behind += 2)
              cases += probe(
                  What::Conv, "tpu.Conv1D",
                  {{length, kernel, stride, dilation, before, behind}}, {});
  EXPECT_GT(cases, 1000);
  EXPECT_GT(compared, 5000);
}

TEST_F(LocalWindowTest, EverySmallDeconv1D) {
  int64_t cases = 0;
  for (int64_t length = 1; length <= 4; ++length)
    for (int64_t kernel = 1; kernel <= 3; ++kernel)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t dilation = 1; dilation <= 3; ++dilation)
          for (int64_t before = 0; before <= 2; ++before)
            for (int64_t behind = 0; behind <= 1; ++behind)
              for (int64_t extra = 0; extra <= 1; ++extra)
                cases += probe(
                    What::Deconv, "tpu.Deconv",
                    {{length, kernel, stride, dilation, before, behind, extra}},
                    {});
  EXPECT_GT(cases, 1000);
  EXPECT_GT(compared, 20000);
}

TEST_F(LocalWindowTest, Conv2DWithGroups) {
  // Plain, grouped, depthwise, depthwise with two results a channel.
  const Channels channels[] = {
      {1, 3, 2, 1}, {2, 4, 6, 2}, {1, 3, 3, 3}, {1, 2, 4, 2}};
  int64_t cases = 0;
  for (int round = 0; round < 60; ++round)
    for (const Channels &c : channels)
      cases += probe(What::Conv, "tpu.Conv2D",
                     {randomTaps(true), randomTaps(true)}, c);
  EXPECT_GT(cases, 100);
}

TEST_F(LocalWindowTest, Conv3D) {
  int64_t cases = 0;
  for (int round = 0; round < 60; ++round)
    cases += probe(What::Conv, "tpu.Conv3D",
                   {randomTaps(false), randomTaps(true), randomTaps(false)},
                   {1, 2, 1, 1});
  EXPECT_GT(cases, 30);
}

TEST_F(LocalWindowTest, Deconv2D) {
  int64_t cases = 0;
  for (int round = 0; round < 60; ++round)
    cases +=
        probe(What::Deconv, "tpu.Deconv", {randomTaps(false), randomTaps(true)},
              round % 2 ? Channels{1, 2, 2, 2} : Channels{2, 2, 3, 1});
  EXPECT_GT(cases, 30);
}

TEST_F(LocalWindowTest, Pools) {
  int64_t cases = 0;
  for (int round = 0; round < 60; ++round) {
    Taps d = randomTaps(false), h = randomTaps(false), w = randomTaps(false);
    cases += probe(What::Pool, "tpu.Pool1D", {w}, {2, 3, 3});
    cases += probe(What::Pool, "tpu.Pool2D", {h, w}, {2, 3, 3});
    cases += probe(What::Pool, "tpu.Pool3D", {d, h, w}, {1, 2, 2});
  }
  // A global pool is a window over all of it.
  cases += probe(What::Pool, "tpu.Pool2D",
                 {{7, 7, 1, 1, 0, 0}, {5, 5, 1, 1, 0, 0}}, {1, 4, 4});
  EXPECT_GT(cases, 100);
}

TEST_F(LocalWindowTest, Upsample) {
  for (int64_t h : {1, 2, 3})
    for (int64_t w : {1, 2, 4}) {
      ProbedOp op(context, "tpu.Upsample", {{2, 3, 3, 2}}, {2, 3, 3 * h, 2 * w},
                  "scale_h = " + std::to_string(h) +
                      " : i64, scale_w = " + std::to_string(w) + " : i64");
      op.expectUncut({});
      op.expectReads(0, [&](const Index &place) {
        return std::vector<Index>{
            {place[0]}, {place[1]}, {place[2] / h}, {place[3] / w}};
      });
    }
}

} // namespace
