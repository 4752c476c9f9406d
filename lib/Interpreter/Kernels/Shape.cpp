//===- Shape.cpp - Ops that move elements ---------------------------------===//

#include "lib/Interpreter/Kernels/Quantized.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Execution/Elementwise.h"
#include "tpu_mlir/Execution/Movement.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

static Outcome runReshape(const Call &call) {
  if (!call.operand(0))
    return missing();
  return reshape(*call.operand(0), call.result());
}

/// Operand by operand.
static Outcome runIdentity(const Call &call) {
  for (unsigned i = 0; i < call.results.size(); ++i) {
    if (!call.given(i))
      continue;
    if (!call.operand(i))
      return missing();
    if (Outcome error = reshape(*call.operand(i), *call.given(i)))
      return error;
  }
  return std::nullopt;
}

/// Whether the tensors are parts of the whole along that axis, and as long as
/// `sizes` says where it says anything.
template <typename Parts>
static bool areAlong(const Call &call, const TensorType &whole,
                     const Parts &parts, int64_t axis) {
  const Shape sizes = call.integers("split_size");
  if (!sizes.empty() && sizes.size() != parts.size())
    return false;
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (part.rank() != whole.rank() ||
        (!sizes.empty() && part.dim(axis) != sizes[i]))
      return false;
    for (int64_t dim = 0; dim < whole.rank(); ++dim)
      if (dim != axis && part.dim(dim) != whole.shape[dim])
        return false;
  }
  return true;
}

/// Whether there is nothing but ones in front of the last dimension in which
/// parts are smaller, and that is the axis or after it.
template <typename Parts>
static bool areRows(const TensorType &whole, const Parts &parts, int64_t axis) {
  int64_t last = 0;
  for (const auto &part : parts) {
    if (part.rank() != whole.rank())
      return false;
    for (int64_t dim = last; dim < whole.rank(); ++dim)
      if (part.dim(dim) != whole.shape[dim])
        last = dim;
  }
  return axis <= last && llvm::all_of(parts, [&](const auto &part) {
           return countOf(part.type.shape, 0, last) == 1;
         });
}

/// Parts are along the axis. For cores a compiler may cut other dimensions,
/// too, and says so in the shapes alone.
template <typename Parts>
static Outcome checkAxis(const Call &call, const TensorType &whole,
                         const Parts &parts) {
  const auto axis = wholeAxis(call.integer("axis", 0), whole.rank());
  if (!call.attribute("axis") ||
      (axis && (areAlong(call, whole, parts, *axis) ||
                (tpu::isForCores(call.op) && areRows(whole, parts, *axis)))))
    return std::nullopt;
  return KernelError{"the parts are not those along its axis"};
}

static Outcome runSplit(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  if (Outcome error = checkAxis(call, input->type, call.results))
    return error;
  return deal(*input, call.results);
}

static Outcome runJoin(const Call &call) {
  const llvm::SmallVector<TensorView> parts = call.present();
  if (Outcome error = checkAxis(call, call.result().type, parts))
    return error;
  return join(parts, call.result());
}

static Outcome runPermute(const Call &call) {
  if (!call.operand(0))
    return missing();
  return run(call, PermuteTask{*call.operand(0), call.integers("order")});
}

/// What is moved to its place, and then the relu that is fused with that.
static Outcome withRelu(const Call &call,
                        llvm::function_ref<Outcome(const TensorSpan &)> move) {
  if (!call.relu().isOn)
    return move(call.result());
  Tensor moved(call.result().type);
  if (Outcome error = move(moved.span()))
    return error;
  return run(call, CombinationTask{Binary::Add, {moved.view()}, call.relu()});
}

static Outcome concatenate(const Call &call) {
  llvm::SmallVector<TensorView> operands = call.present();
  if (isQuantized(call))
    return runQuantizedConcat(call);
  return withRelu(call, [&](const TensorSpan &to) {
    return run(call, ConcatTask{operands, call.integer("axis", 1)}, to);
  });
}

static Outcome runConcat(const Call &call) {
  return moveWholeBytes(call, concatenate);
}

/// Lists go with `axes`, or with the dimensions where there are none.
static Outcome runSlice(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  for (unsigned i = 1; i < 4; ++i)
    if (call.operand(i))
      return KernelError{"offsets, ends or steps are operands"};
  Shape from = call.integers("offset"), by = call.integers("steps");
  Shape axes = call.integers("axes");
  if (axes.empty())
    for (int64_t dim = 0; dim < input->rank(); ++dim)
      axes.push_back(dim);
  if (from.size() != axes.size() || by.size() != axes.size())
    return KernelError{"'offset', 'steps' and 'axes' are not of one length"};
  Shape offsets(input->rank(), 0), steps(input->rank(), 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<int64_t> dim = wholeAxis(axes[i], input->rank());
    if (!dim)
      return KernelError{"there is no axis " + std::to_string(axes[i])};
    offsets[*dim] = from[i] < 0 ? from[i] + input->dim(*dim) : from[i];
    // What begins at or after the end begins, backwards, at the last element.
    if (by[i] < 0)
      offsets[*dim] = std::min(offsets[*dim], input->dim(*dim) - 1);
    steps[*dim] = by[i];
  }
  return slice(*input, offsets, steps, call.result());
}

static Outcome runPad(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  if (call.operand(1) || call.flag("with_insert_zero"))
    return KernelError{"pads are operands, or zeros are inserted"};
  Shape pads = call.integers("paddings");
  if (static_cast<int64_t>(pads.size()) != 2 * input->rank())
    return KernelError{"'paddings' does not have a start and an end for each "
                       "dimension"};
  auto mode = tpu::readEnum<tpu::PaddingModeAttr>(call.attribute("mode"));
  static const PadMode kModes[] = {PadMode::Constant, PadMode::Reflect,
                                   PadMode::Symmetric, PadMode::Edge};
  if (!mode)
    return KernelError{"'mode' is no mode that is known"};
  pads.resize(input->rank());
  return pad(kModes[static_cast<int>(*mode)], *input, pads, call.real("val", 0),
             call.result());
}

static Outcome runTriangle(const Call &call) {
  if (!call.operand(0))
    return missing();
  return triangle(call.integer("upper", 1) != 0, call.integer("diagonal", 0),
                  *call.operand(0), call.result());
}

static Outcome runUpsample(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  if (input->rank() != 4)
    return KernelError{"the input is not of rank 4"};
  if (call.operand(1))
    return KernelError{"places are an operand"};
  const UpsampleTask task = {
      *input, {1, 1, call.integer("scale_h", 1), call.integer("scale_w", 1)}};
  return withRelu(call,
                  [&](const TensorSpan &to) { return run(call, task, to); });
}

static Outcome runGather(const Call &call) {
  if (!call.operand(0) || !call.operand(1))
    return missing();
  return gather(*call.operand(0), *call.operand(1), call.integer("axis", 0),
                call.result());
}

static Outcome runTile(const Call &call) {
  if (!call.operand(0))
    return missing();
  return tile(*call.operand(0), call.result());
}

/// A state that moves on: both operands one after the other, and of that the
/// last elements along the axis, as many as the first has.
static Outcome runConcatSlice(const Call &call) {
  const TensorView *state = call.operand(0), *next = call.operand(1);
  if (!state || !next)
    return missing();
  std::optional<int64_t> axis =
      wholeAxis(call.integer("axis", -1), state->rank());
  if (!axis || next->rank() != state->rank())
    return KernelError{"the axis or the ranks do not fit"};
  TensorType type = state->type;
  type.shape[*axis] += next->dim(*axis);
  if (!type.bytes())
    return KernelError{"the operands are too large"};
  Tensor whole(type);
  if (Outcome error = concat({*state, *next}, *axis, whole.span()))
    return error;
  Shape offsets(state->rank(), 0), steps(state->rank(), 1);
  offsets[*axis] = next->dim(*axis);
  return slice(whole.view(), offsets, steps, call.result());
}

void addShapeKernels(KernelTable &table) {
  // From a group's values to global memory.
  for (const char *name : {"tpu.Store", "tpu.LineBuffer"})
    table.push_back({name, {runReshape, Scales::Kept}});
  for (auto name : {"tpu.CoreSplit", "tpu.Split", "top.Split"})
    table.push_back({name, {runSplit, Scales::Kept, true}});
  for (auto name : {"tpu.CoreJoin", "tpu.Join"})
    table.push_back({name, {runJoin, Scales::Kept}});
  for (auto name : {"top.Flatten", "top.View", "tpu.Weight2Activation"})
    table.push_back({name, {runReshape, Scales::Kept}});
  addBoth(table, "Identity", {runIdentity, Scales::Kept, true});
  addBoth(table, "Trilu", {runTriangle, Scales::Kept});
  const std::pair<const char *, Kernel> kBoth[] = {
      {"Reshape", runReshape},   {"Squeeze", runReshape},
      {"Unsqueeze", runReshape}, {"Permute", runPermute},
      {"Concat", runConcat},     {"ConcatSlice", runConcatSlice},
      {"Slice", runSlice},       {"Pad", runPad},
      {"Upsample", runUpsample}, {"Gather", runGather},
      {"Tile", runTile},         {"Expand", runTile}};
  for (auto [name, kernel] : kBoth)
    addBoth(table, name,
            {kernel,
             name == llvm::StringRef("Concat") ? Scales::Read : Scales::Kept});
}

} // namespace tpu_mlir::interpreter
