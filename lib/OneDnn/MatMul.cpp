//===- MatMul.cpp - Products of matrices ----------------------------------===//

#include "lib/OneDnn/Session.h"

namespace tpu_mlir::onednn {

using namespace execution;

namespace {

/// A tensor as a stack of matrices; the last two dimensions are rows and
/// columns, however they lie.
struct Stack {
  memory::dims dims, steps;

  /// With dimensions of 1 in front, `rank` in all.
  void extend(size_t rank) {
    const size_t more = rank - dims.size();
    dims.insert(dims.begin(), more, 1);
    steps.insert(steps.begin(), more, steps.front() * dims[more]);
  }
  memory::desc desc() const { return {dims, memory::data_type::f32, steps}; }
};

} // namespace

static Stack stackOf(const Shape &shape, bool isTransposed, bool headsInside) {
  Stack stack;
  stack.dims = dimsOf(shape);
  stack.steps = stepsOf(stack.dims);
  const size_t rank = shape.size();
  auto exchange = [&](size_t one, size_t other) {
    std::swap(stack.dims[one], stack.dims[other]);
    std::swap(stack.steps[one], stack.steps[other]);
  };
  if (headsInside)
    exchange(rank - 3, rank - 2);
  if (isTransposed)
    exchange(rank - 2, rank - 1);
  return stack;
}

bool compute(Session &session, const MatMulTask &task,
             const TensorSpan &result) {
  const MatMul &how = task.how;
  const int64_t least = how.headsInside ? 3 : 2;
  const size_t rank = result.rank();
  if (how.requant || result.rank() < least || task.left.rank() < least ||
      task.right.rank() < least || task.left.rank() > result.rank() ||
      task.right.rank() > result.rank())
    return false;
  Stack left =
            stackOf(task.left.type.shape, how.leftTranspose, how.headsInside),
        right =
            stackOf(task.right.type.shape, how.rightTranspose, how.headsInside),
        out = stackOf(result.type.shape, how.outputTranspose, how.headsInside);
  left.extend(rank);
  right.extend(rank);
  const int64_t columns = out.dims.back();
  std::optional<memory> bias;
  if (task.bias) {
    memory::dims dims(rank, 1);
    dims.back() = columns;
    bias = session.spread(*task.bias, columns, dims);
    if (!bias)
      return false;
  }
  // The library writes rows only.
  const memory output = session.at(result, out.desc()),
               made = how.outputTranspose
                          ? memory(rowMajor(out.dims), session.engine)
                          : output;
  const dnnl::matmul::desc desc =
      bias ? dnnl::matmul::desc(left.desc(), right.desc(), bias->get_desc(),
                                made.get_desc())
           : dnnl::matmul::desc(left.desc(), right.desc(), made.get_desc());
  Args args = {{DNNL_ARG_SRC, session.at(task.left, left.desc())},
               {DNNL_ARG_WEIGHTS, session.at(task.right, right.desc())},
               {DNNL_ARG_DST, made}};
  if (bias)
    args[DNNL_ARG_BIAS] = *bias;
  session.run<dnnl::matmul>({desc, attributes(how.relu), session.engine}, args);
  if (how.outputTranspose)
    session.copy(made, output);
  return true;
}

} // namespace tpu_mlir::onednn
