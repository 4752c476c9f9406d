//===- Selection.cpp - Choices, indices, other orders ---------------------===//

#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Interpolation.h"
#include "tpu_mlir/Execution/Movement.h"
#include "tpu_mlir/Execution/Selection.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// One number, which spreads over every shape.
static execution::Tensor oneNumber(double number) {
  execution::Tensor tensor({ElementType::F32, {}, 1, 0});
  store(llvm::ArrayRef(static_cast<float>(number)), tensor.span());
  return tensor;
}

static std::optional<Comparison> comparisonOf(const Call &call) {
  static const std::pair<llvm::StringLiteral, Comparison> kModes[] = {
      {"Equal", Comparison::Equal},
      {"NotEqual", Comparison::NotEqual},
      {"Less", Comparison::Less},
      {"LessOrEqual", Comparison::LessOrEqual},
      {"Greater", Comparison::Greater},
      {"GreaterOrEqual", Comparison::GreaterOrEqual},
      {"And", Comparison::And},
      {"Or", Comparison::Or},
      {"Xor", Comparison::Xor}};
  return call.oneOf("mode", kModes);
}

static Outcome runCompare(const Call &call) {
  auto how = comparisonOf(call);
  if (!how)
    return KernelError{"'mode' is no comparison that is known"};
  if (!hasOperands(call, 2))
    return missing();
  return compare(*how, *call.operand(0), *call.operand(1), call.result());
}

/// `inversed`: the number is on the left. Not: whether it is 0.
static Outcome runCompareConst(const Call &call) {
  if (!call.operand(0))
    return missing();
  const bool isNot = call.word("mode").equals_insensitive("Not");
  auto how = isNot ? Comparison::Equal : comparisonOf(call);
  if (!how)
    return KernelError{"'mode' is no comparison that is known"};
  const execution::Tensor number =
      oneNumber(isNot ? 0 : call.real("const_val", 0));
  return call.flag("inversed")
             ? compare(*how, number.view(), *call.operand(0), call.result())
             : compare(*how, *call.operand(0), number.view(), call.result());
}

static Outcome runAnd(const Call &call) {
  if (call.op->getNumOperands() != 2 || !call.operand(0) || !call.operand(1))
    return KernelError{"two operands are expected"};
  return compare(Comparison::And, *call.operand(0), *call.operand(1),
                 call.result());
}

/// Either side may be a number instead of an operand.
static Outcome runWhere(const Call &call) {
  const execution::Tensor x = oneNumber(call.real("x_const_val", 0)),
                          y = oneNumber(call.real("y_const_val", 0));
  const bool isX = call.flag("x_is_const"), isY = call.flag("y_is_const");
  if (!call.operand(0) || (!isX && !call.operand(1)) ||
      (!isY && !call.operand(2)))
    return missing();
  return select(*call.operand(0), isX ? x.view() : *call.operand(1),
                isY ? y.view() : *call.operand(2), call.result());
}

/// The number where the condition holds, or `inversed` where it does not.
static Outcome runMaskedFill(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  const execution::Tensor number = oneNumber(call.real("const_val", 0));
  return call.flag("inversed") ? select(*call.operand(0), *call.operand(1),
                                        number.view(), call.result())
                               : select(*call.operand(0), number.view(),
                                        *call.operand(1), call.result());
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// An operand that may say the same as the indices, in an order of the chip's.
static Outcome checkOtherIndices(const Call &call, unsigned operand) {
  if (!call.operand(operand) || call.madeUpWeights)
    return std::nullopt;
  return KernelError{"indices are among the coefficients, too"};
}

static Outcome runGatherElements(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  if (Outcome error = checkOtherIndices(call, 2))
    return error;
  return gatherElements(*call.operand(0), *call.operand(1),
                        call.integer("axis", 2), call.result());
}

static Outcome checkReduction(const Call &call) {
  if (call.integer("reduction", 0) == 0)
    return std::nullopt;
  return KernelError{"updates are combined with what is there"};
}

static Outcome runScatterElements(const Call &call) {
  if (!hasOperands(call, 3))
    return missing();
  if (Outcome error = checkReduction(call))
    return error;
  if (Outcome error = checkOtherIndices(call, 3))
    return error;
  return scatterElements(*call.operand(0), *call.operand(1), *call.operand(2),
                         call.integer("axis", 0), call.result());
}

static Outcome runGatherSlices(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  return gatherSlices(*call.operand(0), *call.operand(1),
                      call.integer("batch_dims", 0), call.result());
}

static Outcome runScatterSlices(const Call &call) {
  if (!hasOperands(call, 3))
    return missing();
  if (Outcome error = checkReduction(call))
    return error;
  return scatterSlices(*call.operand(0), *call.operand(1), *call.operand(2),
                       call.result());
}

//===----------------------------------------------------------------------===//
// Other orders
//===----------------------------------------------------------------------===//

/// The input seen as `as`, its dimensions in another order.
static Outcome reorder(const TensorView &input, const Shape &as,
                       llvm::ArrayRef<int64_t> order,
                       const TensorSpan &result) {
  TensorView from = input;
  from.type.shape = as;
  TensorSpan to = result;
  to.type.shape.clear();
  for (int64_t dim : order)
    to.type.shape.push_back(as[dim]);
  if (from.type.elements() != input.type.elements() ||
      to.type.elements() != result.type.elements())
    return KernelError{describe(input.type.shape) +
                       " cannot be cut as the op says"};
  return permute(from, order, to);
}

static Outcome runReverse(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  auto axis = wholeAxis(call.integer("axis", 0), input->rank());
  if (!axis)
    return KernelError{"there is no such axis"};
  Shape offsets(input->rank(), 0), steps(input->rank(), 1);
  offsets[*axis] = input->dim(*axis) - 1;
  steps[*axis] = -1;
  return slice(*input, offsets, steps, call.result());
}

static Outcome runTranspose(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  auto a = wholeAxis(call.integer("dim0", 0), input->rank()),
       b = wholeAxis(call.integer("dim1", 1), input->rank());
  if (!a || !b)
    return KernelError{"there is no such axis"};
  Shape order;
  for (int64_t dim = 0; dim < input->rank(); ++dim)
    order.push_back(dim);
  std::swap(order[*a], order[*b]);
  return permute(*input, order, call.result());
}

/// [n, group, c / group, ..] to [n, c / group, group, ..].
static Outcome runShuffleChannel(const Call &call) {
  const TensorView *input = call.operand(0);
  const int64_t group = call.integer("group", 1);
  if (!input || input->rank() < 2)
    return missing();
  if (group < 1 || input->dim(1) % group != 0)
    return KernelError{"the channels do not fit the groups"};
  return reorder(*input,
                 {input->dim(0), group, input->dim(1) / group,
                  countOf(input->type.shape, 2, input->rank())},
                 {0, 2, 1, 3}, call.result());
}

/// Channel i is channel channel_order[i] of the input.
static Outcome runSwapChannel(const Call &call) {
  if (!call.operand(0))
    return missing();
  const Shape order = call.integers("channel_order");
  execution::Tensor indices(
      {ElementType::I32, {static_cast<int64_t>(order.size())}, 1, 0});
  store(llvm::ArrayRef<int64_t>(order), indices.span());
  return gather(*call.operand(0), indices.view(), 1, call.result());
}

/// Blocks of `block_h` x `block_w` pixels from channels, or `is_inversed` into
/// them. Channels are [c, block_h, block_w] with `is_CRD`, else [block_h,
/// block_w, c], before rows and columns or after them.
static Outcome runDepthToSpace(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input || input->rank() != 4 || call.result().rank() != 4)
    return KernelError{"the input is not of rank 4"};
  if (call.flag("swap_cr"))
    return KernelError{"'swap_cr' is not computed"};
  const int64_t h = call.integer("block_h", 1), w = call.integer("block_w", 1);
  const bool isInverse = call.flag("is_inversed"), crd = call.flag("is_CRD");
  const bool front[] = {call.flag("in_is_NCHW", true),
                        call.flag("out_is_NCHW", true)};
  const Shape deep = isInverse ? call.result().type.shape : input->type.shape;
  const bool isFront = front[isInverse];
  const int64_t channels = deep[isFront ? 1 : 3];
  if (h < 1 || w < 1 || channels % h != 0 || channels / h % w != 0)
    return KernelError{"the channels do not fit the blocks"};
  // By name, as each side has them: blocks are channels or pixels.
  const std::map<char, int64_t> sizes = {{'n', deep[0]},
                                         {'c', channels / h / w},
                                         {'h', h},
                                         {'w', w},
                                         {'y', deep[isFront ? 2 : 1]},
                                         {'x', deep[isFront ? 3 : 2]}};
  const std::string blocks = crd ? "chw" : "hwc";
  const std::string small = isFront ? "n" + blocks + "yx" : "nyx" + blocks;
  const std::string large = front[!isInverse] ? "ncyhxw" : "nyhxwc";
  const std::string &from = isInverse ? large : small,
                    &to = isInverse ? small : large;
  Shape as, order;
  for (char dim : from)
    as.push_back(sizes.at(dim));
  for (char dim : to)
    order.push_back(static_cast<int64_t>(from.find(dim)));
  return reorder(*input, as, order, call.result());
}

/// The part [from, to) along an axis.
static Outcome cutAlong(const TensorView &input, int64_t axis, int64_t from,
                        int64_t to, std::vector<execution::Tensor> &parts) {
  TensorType type = input.type;
  type.shape[axis] = to - from;
  Shape offsets(input.rank(), 0);
  offsets[axis] = from;
  parts.emplace_back(type);
  return slice(input, offsets, Shape(input.rank(), 1), parts.back().span());
}

/// The second operand in the place of what is `offset` along the axis.
static Outcome runInsert(const Call &call) {
  const TensorView *input = call.operand(0), *rhs = call.operand(1);
  if (!input || !rhs)
    return missing();
  auto axis = wholeAxis(call.integer("axis", 0), input->rank());
  const int64_t offset = call.integer("offset", 0);
  if (!axis || rhs->rank() != input->rank() || offset < 0 ||
      rhs->dim(*axis) > input->dim(*axis) - offset)
    return KernelError{"what is inserted does not fit in"};
  std::vector<execution::Tensor> parts;
  if (Outcome error = cutAlong(*input, *axis, 0, offset, parts))
    return error;
  if (Outcome error = cutAlong(*input, *axis, offset + rhs->dim(*axis),
                               input->dim(*axis), parts))
    return error;
  return concat({parts[0].view(), *rhs, parts[1].view()}, *axis, call.result());
}

/// Along each dimension with an offset what is in front of it goes to the end.
static Outcome runSwapDimInner(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  const Shape offsets = call.integers("offset");
  if (static_cast<int64_t>(offsets.size()) > input->rank())
    return KernelError{"there are more offsets than dimensions"};
  execution::Tensor now(input->type), next(input->type);
  if (Outcome error = reshape(*input, now.span()))
    return error;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    if (offset < 0 || offset > input->dim(dim))
      return KernelError{"an offset is not inside of its dimension"};
    std::vector<execution::Tensor> parts;
    if (Outcome error =
            cutAlong(now.view(), dim, offset, input->dim(dim), parts))
      return error;
    if (Outcome error = cutAlong(now.view(), dim, 0, offset, parts))
      return error;
    if (Outcome error =
            concat({parts[0].view(), parts[1].view()}, dim, next.span()))
      return error;
    std::swap(now, next);
  }
  return reshape(now.view(), call.result());
}

//===----------------------------------------------------------------------===//
// Images of another size
//===----------------------------------------------------------------------===//

static Outcome runInterpolation(const Call &call) {
  if (!call.operand(0))
    return missing();
  auto mode = tpu::readEnum<tpu::ResizeModeAttr>(call.attribute("mode"));
  auto coordinates =
      tpu::readEnum<tpu::ResizeCoordModeAttr>(call.attribute("coord_mode"));
  using Coordinates = Interpolation::Coordinates;
  static const std::pair<tpu::ResizeCoordMode, Coordinates> kKnown[] = {
      {tpu::ResizeCoordMode::align_corners, Coordinates::AlignCorners},
      {tpu::ResizeCoordMode::half_pixel, Coordinates::HalfPixel},
      {tpu::ResizeCoordMode::pytorch_half_pixel, Coordinates::PytorchHalfPixel},
      {tpu::ResizeCoordMode::asymmetric, Coordinates::Asymmetric}};
  Interpolation how;
  how.scales[0] = call.real("scale_h", 0);
  how.scales[1] = call.real("scale_w", 0);
  if (mode)
    how.mode = *mode == tpu::ResizeMode::linear ? Interpolation::Mode::Linear
                                                : Interpolation::Mode::Nearest;
  for (auto [known, meaning] : kKnown)
    if (mode && coordinates && *coordinates == known) {
      how.coordinates = meaning;
      return run(call, InterpolationTask{how, *call.operand(0)});
    }
  return KernelError{"'mode' or 'coord_mode' is not known"};
}

static Outcome runGridSample(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  const int64_t mode = call.integer("mode", 0),
                padding = call.integer("padding_mode", 0);
  if (mode < 0 || mode > 1 || padding < 0 || padding > 2)
    return KernelError{"'mode' or 'padding_mode' is not known"};
  if (call.real("mean", 0) != 0 || call.real("scale", 1) != 1 ||
      call.flag("need_permute"))
    return KernelError{"'mean', 'scale' and 'need_permute' are not computed"};
  return sampleGrid({mode == 1, static_cast<GridSample::Padding>(padding),
                     call.flag("align_corners")},
                    *call.operand(0), *call.operand(1), call.result(),
                    call.threads);
}

void addSelectionKernels(KernelTable &table) {
  const std::pair<const char *, Kernel> kMoves[] = {
      {"Reverse", runReverse},
      {"Transpose", runTranspose},
      {"ShuffleChannel", runShuffleChannel},
      {"SwapChannel", runSwapChannel},
      {"Depth2Space", runDepthToSpace},
      {"Insert", runInsert},
      {"SwapDimInner", runSwapDimInner},
      {"GatherElements", runGatherElements},
      {"ScatterElements", runScatterElements},
      {"GatherND", runGatherSlices},
      {"ScatterND", runScatterSlices}};
  const std::pair<const char *, Kernel> kChoices[] = {
      {"Compare", runCompare},       {"CompareConst", runCompareConst},
      {"LogicalAnd", runAnd},        {"Where", runWhere},
      {"MaskedFill", runMaskedFill}, {"Interp", runInterpolation}};
  addBoth(table, "GridSampler", {runGridSample});
  for (auto [name, kernel] : kMoves)
    addBoth(table, name, {kernel, Scales::Kept});
  for (auto [name, kernel] : kChoices)
    addBoth(table, name, {kernel});
}

} // namespace tpu_mlir::interpreter
