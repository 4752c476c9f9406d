//===- KernelsPool.cpp - Windows and pooling ------------------------------===//

#include "tests/exec/kernels/Windows.h"

namespace tpu_mlir::exec {

/// Of a kernel, stride, dilation or padding; of all that one result reads.
constexpr int64_t kMaxNumber = 1 << 16;
constexpr int64_t kMaxExtent = 1 << 24;

std::optional<Windows> windowsOf(Kernel &kernel, bool isTransposed) {
  const auto refuse = [&](const char *why) {
    kernel.refuse(why);
    return std::nullopt;
  };
  const auto box = tensorBoxOf(kernel.result.shape, kernel.result.box);
  const int64_t rank = kernel.rank(), spatial = rank - 2;
  if (!box || rank < 3 || rank > 5 || !kernel.has(0) ||
      static_cast<int64_t>(kernel.operand(0).shape().dims.size()) != rank)
    return refuse("shapes");
  const auto &input = kernel.operand(0).shape().dims;
  const auto taps = kernel.numbers("kernel_shape");
  auto strides = kernel.numbers("strides"), pads = kernel.numbers("pads"),
       dilations = kernel.numbers("dilations");
  dilations.resize(spatial, 1);
  if (pads.empty())
    pads.assign(2 * spatial, 0);
  if (static_cast<int64_t>(taps.size()) != spatial ||
      static_cast<int64_t>(strides.size()) != spatial ||
      static_cast<int64_t>(pads.size()) != 2 * spatial)
    return refuse("kernel, strides and pads do not fit the shapes");
  for (int64_t insert : kernel.numbers("inserts"))
    if (insert != 0)
      return refuse("inserts");

  Windows windows;
  windows.n0 = box->lo[0], windows.images = box->size[0];
  windows.c0 = box->lo[1], windows.channels = box->size[1];
  windows.inputChannels = input[1], windows.resultChannels = kernel.dims()[1];
  for (int64_t dim = 0; dim < spatial; ++dim) {
    Axis &axis = windows.axes[3 - spatial + dim];
    for (int64_t number : {taps[dim], strides[dim], dilations[dim]})
      if (number < 1 || number > kMaxNumber)
        return refuse("a kernel, stride or dilation below 1 or very large");
    if (pads[dim] > kMaxNumber || pads[dim] < -kMaxNumber)
      return refuse("a very large padding");
    axis.length = input[2 + dim];
    axis.taps = taps[dim];
    axis.lo = box->lo[2 + dim], axis.size = box->size[2 + dim];
    axis.stride = isTransposed ? 1 : strides[dim];
    axis.shift = isTransposed ? pads[dim] : -pads[dim];
    axis.step = isTransposed ? -dilations[dim] : dilations[dim];
    axis.spread = isTransposed ? strides[dim] : 1;
    if (axis.extent() > kMaxExtent)
      return refuse("a window that is very long");
  }
  return windows;
}

/// An odd multiple of each element of the window, times an odd number that
/// stands for the divisor: how many of them are no padding.
static uint32_t poolOne(Reader &input, const Windows &windows,
                        const std::array<int64_t, 3> &at, int64_t plane) {
  const auto &[axisD, axisH, axisW] = windows.axes;
  uint32_t sum = 0;
  int64_t tap = 0, count = 0;
  for (int64_t kd = 0; kd < axisD.taps; ++kd)
    for (int64_t kh = 0; kh < axisH.taps; ++kh)
      for (int64_t kw = 0; kw < axisW.taps; ++kw, ++tap) {
        const int64_t d = axisD.element(at[0] * axisD.stride + kd * axisD.step),
                      h = axisH.element(at[1] * axisH.stride + kh * axisH.step),
                      w = axisW.element(at[2] * axisW.stride + kw * axisW.step);
        if (d < 0 || h < 0 || w < 0)
          continue;
        sum += odd(tap) *
               input.at(((plane * axisD.length + d) * axisH.length + h) *
                            axisW.length +
                        w);
        ++count;
      }
  return sum * odd(count);
}

void runPool(Kernel &kernel) {
  if (kernel.flag("is_adaptive", false))
    return kernel.refuse("it is adaptive");
  const auto windows = windowsOf(kernel, /*isTransposed=*/false);
  if (!windows)
    return;
  if (windows->inputChannels != windows->resultChannels)
    return kernel.refuse("channels");
  const auto &[axisD, axisH, axisW] = windows->axes;
  int64_t position = 0;
  for (int64_t n = 0; n < windows->images; ++n)
    for (int64_t c = 0; c < windows->channels; ++c) {
      const int64_t plane =
          (windows->n0 + n) * windows->inputChannels + windows->c0 + c;
      std::array<int64_t, 3> at;
      for (at[0] = 0; at[0] < axisD.size; ++at[0])
        for (at[1] = 0; at[1] < axisH.size; ++at[1])
          for (at[2] = 0; at[2] < axisW.size; ++at[2])
            kernel.result.values[position++] =
                wrapped(saltOf(kernel.op) +
                            poolOne(kernel.operand(0), *windows, at, plane),
                        kernel.bits);
    }
}

} // namespace tpu_mlir::exec
