//===- KernelsShape.cpp - Ops that move elements --------------------------===//

#include "tests/exec/kernels/KernelSupport.h"

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tpu_mlir::exec {

/// Each element of the result is the element of operand 0 at from(index); a
/// negative one is a constant that was not read.
template <typename Fn> static void move(Kernel &kernel, Fn from) {
  Reader &input = kernel.operand(0);
  forEachElement(
      kernel.result, [&](int64_t position, int64_t, ArrayRef<int64_t> index) {
        const int64_t flat = from(index);
        kernel.result.values[position] =
            wrapped(flat < 0 ? saltOf(kernel.op) : input.at(flat), kernel.bits);
      });
}

void runConcat(Kernel &kernel) {
  const int64_t axis = kernel.axis("axis", 1, kernel.rank());
  if (axis < 0 || axis >= kernel.rank())
    return kernel.refuse("axis out of range");
  /// For each place along the axis, which operand and where in it.
  std::vector<std::pair<unsigned, int64_t>> places;
  std::vector<SmallVector<int64_t, 6>> strides(kernel.operands.size());
  for (unsigned i = 0; i < kernel.operands.size(); ++i) {
    if (!kernel.has(i))
      continue;
    auto dims = kernel.operands[i].shape().dims;
    strides[i] = stridesOf(dims);
    if (dims.size() != kernel.dims().size())
      return kernel.refuse("ranks differ");
    for (int64_t at = 0; at < dims[axis]; ++at)
      places.push_back({i, at});
    dims[axis] = kernel.dims()[axis];
    if (dims != kernel.dims())
      return kernel.refuse("shapes differ outside of the axis");
  }
  if (static_cast<int64_t>(places.size()) != kernel.dims()[axis])
    return kernel.refuse("the operands do not add up to the result");

  forEachElement(
      kernel.result, [&](int64_t position, int64_t, ArrayRef<int64_t> index) {
        const auto [operand, at] = places[index[axis]];
        int64_t flat = 0;
        for (int64_t dim = 0; dim < kernel.rank(); ++dim)
          flat += (dim == axis ? at : index[dim]) * strides[operand][dim];
        kernel.result.values[position] =
            wrapped(kernel.operands[operand].at(flat), kernel.bits);
      });
}

void runSlice(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  const int64_t rank = kernel.rank();
  if (!input.present() ||
      static_cast<int64_t>(input.shape().dims.size()) != rank)
    return kernel.refuse("ranks differ");
  for (unsigned i = 1; i <= 3; ++i)
    if (kernel.has(i))
      return kernel.refuse("its bounds are known at run time only");
  const auto offset = kernel.numbers("offset"), steps = kernel.numbers("steps");
  auto axes = kernel.numbers("axes");
  for (int64_t dim = 0; axes.size() < offset.size() && dim < rank; ++dim)
    axes.push_back(dim);
  if (offset.size() != axes.size() || steps.size() != axes.size())
    return kernel.refuse("offset, steps and axes do not fit");

  SmallVector<int64_t, 6> from(rank, 0), step(rank, 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t dim = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (dim < 0 || dim >= rank)
      return kernel.refuse("axis out of range");
    const int64_t size = input.shape().dims[dim];
    from[dim] = offset[i] < 0 ? offset[i] + size : offset[i];
    step[dim] = steps[i];
    const int64_t last = from[dim] + (kernel.dims()[dim] - 1) * step[dim];
    if (from[dim] < 0 || from[dim] >= size || last < 0 || last >= size)
      return kernel.refuse("it leaves the operand");
  }
  const auto strides = stridesOf(input.shape().dims);
  move(kernel, [&](ArrayRef<int64_t> index) {
    int64_t flat = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      flat += (from[dim] + index[dim] * step[dim]) * strides[dim];
    return flat;
  });
}

void runUpsample(Kernel &kernel) {
  const int64_t scaleH = kernel.number("scale_h", 1),
                scaleW = kernel.number("scale_w", 1);
  Reader &input = kernel.operand(0);
  const int64_t rank = kernel.rank();
  if (!input.present() || rank < 3 ||
      static_cast<int64_t>(input.shape().dims.size()) != rank || scaleH < 1 ||
      scaleW < 1)
    return kernel.refuse("shape or scales");
  const auto strides = stridesOf(input.shape().dims);
  move(kernel, [&](ArrayRef<int64_t> index) {
    int64_t flat = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      const int64_t scale = dim == rank - 1   ? scaleW
                            : dim == rank - 2 ? scaleH
                                              : 1;
      flat += index[dim] / scale * strides[dim];
    }
    return flat;
  });
}

/// Where element `at` of a padded dimension comes from; -1: the constant.
static int64_t unpadded(int64_t at, int64_t size, llvm::StringRef mode) {
  if (at >= 0 && at < size)
    return at;
  if (mode == "edge")
    return at < 0 ? 0 : size - 1;
  if (mode == "reflect") // The element at the border is not repeated.
    at = at < 0 ? -at : 2 * (size - 1) - at;
  else if (mode == "symmetric")
    at = at < 0 ? -1 - at : 2 * size - 1 - at;
  else
    return -1;
  return at >= 0 && at < size ? at : -1;
}

void runPad(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  const auto paddings = kernel.numbers("paddings");
  const int64_t rank = kernel.rank();
  if (!input.present() || static_cast<int64_t>(paddings.size()) != 2 * rank ||
      static_cast<int64_t>(input.shape().dims.size()) != rank ||
      kernel.flag("with_insert_zero", false))
    return kernel.refuse("paddings");
  const auto &dims = input.shape().dims;
  const auto strides = stridesOf(dims);
  const std::string mode = kernel.word("mode");
  move(kernel, [&](ArrayRef<int64_t> index) -> int64_t {
    int64_t flat = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      const int64_t at = unpadded(index[dim] - paddings[dim], dims[dim], mode);
      if (at < 0)
        return -1;
      flat += at * strides[dim];
    }
    return flat;
  });
}

void runPermute(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  const auto order = kernel.numbers("order");
  if (!input.present() || order.size() != kernel.dims().size() ||
      input.shape().dims.size() != order.size())
    return kernel.refuse("order");
  const auto strides = stridesOf(input.shape().dims);
  for (auto [dim, source] : llvm::enumerate(order))
    if (source < 0 || source >= kernel.rank() ||
        input.shape().dims[source] != kernel.dims()[dim])
      return kernel.refuse("order");
  move(kernel, [&](ArrayRef<int64_t> index) {
    int64_t flat = 0;
    for (auto [at, source] : llvm::zip_equal(index, order))
      flat += at * strides[source];
    return flat;
  });
}

/// An element with its partner of the last dimension, each times an element of
/// the tables of sines and cosines, which repeat along dimensions of size 1.
void runRope(Kernel &kernel) {
  const int64_t rank = kernel.rank();
  const int64_t size = rank == 0 ? 1 : kernel.dims().back();
  if (size % 2 != 0 || !kernel.has(0) ||
      kernel.operand(0).shape().dims != kernel.dims())
    return kernel.refuse("shape");
  const bool isHalves = kernel.word("rope_mode") == "contiguous_halves";
  std::array<SmallVector<int64_t, 6>, 3> steps;
  for (unsigned i = 1; i <= 2; ++i) {
    if (!kernel.has(i) ||
        kernel.operand(i).shape().dims.size() != kernel.dims().size())
      return kernel.refuse("tables");
    const auto &dims = kernel.operand(i).shape().dims;
    steps[i] = stridesOf(dims);
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dims[dim] == 1)
        steps[i][dim] = 0;
      else if (dims[dim] != kernel.dims()[dim])
        return kernel.refuse("tables");
    }
  }
  forEachElement(kernel.result, [&](int64_t position, int64_t flat,
                                    ArrayRef<int64_t> index) {
    const int64_t at = index.back();
    const int64_t partner = isHalves ? (at + size / 2) % size : at ^ 1;
    uint32_t sum = saltOf(kernel.op) + 3 * kernel.operand(0).at(flat) +
                   5 * kernel.operand(0).at(flat - at + partner);
    for (unsigned i = 1; i <= 2; ++i) {
      int64_t place = 0;
      for (int64_t dim = 0; dim < rank; ++dim)
        place += index[dim] * steps[i][dim];
      sum += odd(i + 2) * kernel.operand(i).at(place);
    }
    kernel.result.values[position] = wrapped(sum, kernel.bits);
  });
}

} // namespace tpu_mlir::exec
