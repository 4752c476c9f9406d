//===- TpuLocalSliceWindow.cpp - Convolution, pooling, upsampling ---------===//
//
// Shapes are [n, c, spatial dimensions ...]; pads are all the starts, then all
// the ends.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "LocalFactsBuilder.h"

#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::tpu {

namespace {

/// A kernel in one spatial dimension.
struct Kernel {
  int64_t size = 1, stride = 1, dilation = 1, padBefore = 0;
  /// Elements from the first tap to the last.
  int64_t extent() const { return (size - 1) * dilation + 1; }
};

} // namespace

static bool allWithin(ArrayRef<int64_t> list, int64_t least) {
  return llvm::all_of(list, [&](int64_t number) {
    return number >= least && number <= LocalFactsBuilder::kMaxNumber;
  });
}

/// The kernel in each spatial dimension; strides and dilations that are absent
/// are 1, pads 0. Refuses lists of the wrong length and numbers that make no
/// sense, pads that cut elements off among them; the result then is empty.
static SmallVector<Kernel> readKernels(LocalFactsBuilder &builder,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> strides,
                                       ArrayRef<int64_t> pads,
                                       ArrayRef<int64_t> dilations) {
  size_t count = sizes.size();
  if (builder.rank() != static_cast<int>(count) + 2 ||
      builder.rank(0) != builder.rank()) {
    builder.refuse("its kernel does not have the dimensions of its result");
    return {};
  }
  auto fits = [&](ArrayRef<int64_t> list, size_t length, int64_t least) {
    return (list.empty() || list.size() == length) && allWithin(list, least);
  };
  if (!allWithin(sizes, 1) || !fits(strides, count, 1) ||
      !fits(dilations, count, 1) || !fits(pads, 2 * count, 0)) {
    builder.refuse("its strides, pads or dilations do not fit its kernel");
    return {};
  }
  SmallVector<Kernel> kernels;
  for (size_t i = 0; i < count; ++i) {
    Kernel kernel{sizes[i], strides.empty() ? 1 : strides[i],
                  dilations.empty() ? 1 : dilations[i],
                  pads.empty() ? 0 : pads[i]};
    if (kernel.extent() > LocalFactsBuilder::kMaxNumber) {
      builder.refuse("its kernel is too long");
      return {};
    }
    kernels.push_back(kernel);
  }
  return kernels;
}

/// The product of what `term` says of each kernel and `factor`.
template <typename Term>
static int64_t product(LocalFactsBuilder &builder, ArrayRef<Kernel> kernels,
                       int64_t factor, Term term) {
  int64_t value = factor;
  for (const Kernel &kernel : kernels) {
    std::optional<int64_t> next = checkedMul(value, term(kernel));
    if (!next) {
      builder.refuse("its kernel is too large");
      return 1;
    }
    value = *next;
  }
  return value;
}

/// Rules of the batch and of the channels; the input channels that one result
/// channel reads. Coefficients lie in the lanes for all channels, so the
/// result's channels stay together.
static int64_t stateChannels(LocalFactsBuilder &builder, int64_t group) {
  builder.follow(0, 0, 0);
  builder.keepWhole(1);
  int64_t in = builder.operand(0)[1], out = builder.result()[1];
  if (group < 1 || in % group != 0 || out % group != 0) {
    builder.refuse("its groups do not fit its channels");
    return 1;
  }
  // With one input channel a group, each is read by `out / group` results.
  if (group == in && group > 1)
    builder.set(0, 1,
                out == in ? DimRule::same(1)
                          : DimRule::spread(1, out / group, 0, out / group));
  return in / group;
}

template <typename OpTy> static bool insertsZeros(OpTy op) {
  return llvm::any_of(op.getInserts(),
                      [](int64_t count) { return count != 0; });
}

using RuleOfDim = DimRule (*)(int dim, int64_t stride, int64_t before,
                              int64_t extent);

/// `taps`: of one dimension of the kernel those that meet an element.
template <typename OpTy>
static LocalFacts convFacts(OpTy op, RuleOfDim ruleOf,
                            int64_t (*taps)(const Kernel &kernel)) {
  LocalFactsBuilder builder(op);
  if (insertsZeros(op))
    builder.refuse("it inserts zeros into its input");
  SmallVector<Kernel> kernels =
      readKernels(builder, op.getKernelShape(), op.getStrides(), op.getPads(),
                  op.getDilations());
  if (!builder.ok())
    return builder.take();
  int64_t channels = stateChannels(builder, op.getGroup());
  for (auto [index, kernel] : llvm::enumerate(kernels))
    builder.set(
        0, index + 2,
        ruleOf(index + 2, kernel.stride, kernel.padBefore, kernel.extent()));
  builder.work(product(builder, kernels, channels, taps),
               /*onArray=*/channels > 1);
  return builder.take();
}

static int64_t sizeOf(const Kernel &kernel) { return kernel.size; }

LocalFacts Conv1DOp::statedLocalFacts() {
  return convFacts(*this, DimRule::window, sizeOf);
}
LocalFacts Conv2DOp::statedLocalFacts() {
  return convFacts(*this, DimRule::window, sizeOf);
}
LocalFacts Conv3DOp::statedLocalFacts() {
  return convFacts(*this, DimRule::window, sizeOf);
}

/// Element i is spread over [i * stride - pad, ... + extent): every stride-th
/// tap meets an element of the input.
LocalFacts DeconvOp::statedLocalFacts() {
  return convFacts(*this, DimRule::spread, [](const Kernel &kernel) {
    return (kernel.size - 1) / kernel.stride + 1;
  });
}

template <typename OpTy> static LocalFacts poolFacts(OpTy op) {
  LocalFactsBuilder builder(op);
  if (op.getIsAdaptive())
    builder.refuse("the pooling is adaptive");
  if (builder.rank() < builder.rank(0))
    builder.refuse("it drops dimensions");
  SmallVector<Kernel> kernels = readKernels(builder, op.getKernelShape(),
                                            op.getStrides(), op.getPads(), {});
  if (!builder.ok())
    return builder.take();
  builder.follow(0, 0, 0);
  builder.follow(0, 1, 1);
  for (auto [index, kernel] : llvm::enumerate(kernels))
    builder.set(0, index + 2,
                DimRule::window(index + 2, kernel.stride, kernel.padBefore,
                                kernel.size));
  builder.work(product(builder, kernels, 1, sizeOf));
  return builder.take();
}

LocalFacts Pool1DOp::statedLocalFacts() { return poolFacts(*this); }
LocalFacts Pool2DOp::statedLocalFacts() { return poolFacts(*this); }
LocalFacts Pool3DOp::statedLocalFacts() { return poolFacts(*this); }

LocalFacts UpsampleOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  if (builder.rank() != 4 || builder.rank(0) != 4)
    builder.refuse("it is not of rank 4");
  if (!builder.ok())
    return builder.take();
  builder.follow(0, 0, 0);
  builder.follow(0, 1, 1);
  const int64_t scales[2] = {getScaleH(), getScaleW()};
  for (auto [index, scale] : llvm::enumerate(scales)) {
    int dim = index + 2;
    if (scale < 1 || scale > LocalFactsBuilder::kMaxNumber ||
        builder.operand(0)[dim] * scale != builder.result()[dim])
      builder.refuseShapes();
    builder.set(0, dim, DimRule::spread(dim, scale, 0, scale));
  }
  return builder.take();
}

} // namespace tpu_mlir::tpu
