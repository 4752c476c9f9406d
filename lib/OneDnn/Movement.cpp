//===- Movement.cpp - Elements in other places, images of another size ----===//

#include "lib/OneDnn/Session.h"

namespace tpu_mlir::onednn {

using namespace execution;

bool compute(Session &session, const PermuteTask &task,
             const TensorSpan &result) {
  const memory::dims dims = dimsOf(task.input.type.shape);
  const memory::dims steps = stepsOf(dims);
  memory::dims moved, movedSteps;
  llvm::SmallVector<bool> isTaken(dims.size(), false);
  for (int64_t from : task.order) {
    const auto dim = wholeAxis(from, task.input.rank());
    if (!dim || std::exchange(isTaken[*dim], true))
      return false;
    moved.push_back(dims[*dim]);
    movedSteps.push_back(steps[*dim]);
  }
  const memory output = session.at(result);
  if (moved != output.get_desc().dims())
    return false;
  session.copy(
      session.at(task.input,
                 memory::desc(moved, memory::data_type::f32, movedSteps)),
      output);
  return true;
}

bool compute(Session &session, const ConcatTask &task,
             const TensorSpan &result) {
  const auto axis = wholeAxis(task.axis, result.rank());
  if (!axis)
    return false;
  const memory output = session.at(result);
  std::vector<memory::desc> parts;
  Args args = {{DNNL_ARG_DST, output}};
  for (const TensorView &operand : task.operands) {
    const memory part = session.at(operand);
    args[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(parts.size())] = part;
    parts.push_back(part.get_desc());
  }
  session.run<dnnl::concat>(
      {output.get_desc(), static_cast<int>(*axis), parts, session.engine},
      args);
  return true;
}

/// The last two dimensions, those in front as one.
static memory::desc planesOf(const execution::TensorType &type) {
  const int64_t height = type.shape[type.rank() - 2],
                width = type.shape[type.rank() - 1];
  return rowMajor({countOf(type.shape, 0, type.rank() - 2), 1, height, width});
}

static void resample(Session &session, dnnl::algorithm algorithm,
                     const TensorView &input, const TensorSpan &result) {
  const memory from = session.at(input, planesOf(input.type)),
               to = session.at(result, planesOf(result.type));
  session.run<dnnl::resampling_forward>(
      {{dnnl::prop_kind::forward_inference, algorithm, from.get_desc(),
        to.get_desc()},
       session.engine},
      {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
}

/// Only the last two dimensions differ, and have elements in both.
static bool areImages(const TensorView &input, const TensorSpan &result) {
  const int64_t rank = input.rank();
  return rank >= 2 && result.rank() == rank &&
         llvm::ArrayRef(input.type.shape).drop_back(2) ==
             llvm::ArrayRef(result.type.shape).drop_back(2);
}

bool compute(Session &session, const UpsampleTask &task,
             const TensorSpan &result) {
  const int64_t rank = task.input.rank();
  if (!areImages(task.input, result) ||
      static_cast<int64_t>(task.scales.size()) != rank)
    return false;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (task.scales[dim] < 1 ||
        task.input.dim(dim) * task.scales[dim] != result.dim(dim))
      return false;
  resample(session, dnnl::algorithm::resampling_nearest, task.input, result);
  return true;
}

/// The library's places are those of half a pixel, by the sizes. The nearest
/// element is the same one where no place is in the middle between two: where
/// every element becomes a whole number of them.
bool compute(Session &session, const InterpolationTask &task,
             const TensorSpan &result) {
  using Coordinates = Interpolation::Coordinates;
  if (!areImages(task.input, result))
    return false;
  const bool isNearest = task.how.mode == Interpolation::Mode::Nearest;
  const Coordinates coordinates = task.how.coordinates;
  const int64_t rank = task.input.rank();
  for (int i = 0; i < 2; ++i) {
    const int64_t in = task.input.dim(rank - 2 + i),
                  out = result.dim(rank - 2 + i);
    const double scale = task.how.scales[i];
    if (scale > 0 &&
        static_cast<double>(in) * scale != static_cast<double>(out))
      return false;
    const bool isSame =
        coordinates == Coordinates::HalfPixel ||
        (coordinates == Coordinates::PytorchHalfPixel && out > 1) ||
        (coordinates == Coordinates::Asymmetric && isNearest);
    if (!isSame || (isNearest && out % in != 0))
      return false;
  }
  resample(session,
           isNearest ? dnnl::algorithm::resampling_nearest
                     : dnnl::algorithm::resampling_linear,
           task.input, result);
  return true;
}

} // namespace tpu_mlir::onednn
