//===- MathKernels.cpp - Convolution, matrices, pooling, norms ------------===//

#include "lib/Interpreter/Call.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Convolution.h"
#include "tpu_mlir/Execution/Normalization.h"
#include "tpu_mlir/Execution/Pooling.h"

using namespace mlir;

namespace tpu_mlir {

using namespace execution;

/// The list, or `length` times `absent` where there is none.
static Shape listOr(const Call &call, llvm::StringRef name, size_t length,
                    int64_t absent) {
  Shape list = call.integers(name);
  return list.empty() ? Shape(length, absent) : list;
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

/// The filter as [oc, ic / group, kernel ..]. Compilers store it in an order of
/// the chip's, with padding; of random numbers any order will do, so the first
/// ones are taken.
static Outcome readFilter(const Call &call, const Convolution &how,
                          TensorView &filter) {
  const TensorView &input = *call.operand(0);
  if (how.group < 1 || input.rank() < 2 || call.result().rank() < 2)
    return KernelError{"the channels do not fit the groups"};
  Shape wanted = {call.result().dim(1), input.dim(1) / how.group};
  wanted.append(how.kernel.begin(), how.kernel.end());
  filter = *call.operand(1);
  if (filter.type.shape == wanted && !call.flag("coeff_merged"))
    return std::nullopt;
  const TensorType type{filter.type.element, wanted, 1, 0};
  const std::optional<int64_t> bytes = type.bytes();
  if (!call.madeUpWeights || call.flag("coeff_merged") || !bytes ||
      *bytes > static_cast<int64_t>(filter.bytes.size()))
    return KernelError{"the filter " + describe(filter.type.shape) +
                       " is in a layout of the chip's, not " +
                       describe(wanted)};
  filter = {type, filter.bytes.take_front(*bytes)};
  return std::nullopt;
}

static Outcome runConvolution(const Call &call, bool isTransposed) {
  if (!call.operand(0) || !call.operand(1))
    return missing();
  Convolution how;
  how.kernel = call.integers("kernel_shape");
  const size_t spatial = how.kernel.size();
  how.strides = listOr(call, "strides", spatial, 1);
  how.dilations = listOr(call, "dilations", spatial, 1);
  how.pads = listOr(call, "pads", 2 * spatial, 0);
  how.group = call.integer("group", 1);
  how.relu = call.relu();
  for (llvm::StringRef name : {"inserts", "ins"})
    for (int64_t count : call.integers(name))
      if (count != 0)
        return KernelError{"zeros are inserted into the input"};
  TensorView filter;
  if (Outcome error = readFilter(call, how, filter))
    return error;
  auto *kernel = isTransposed ? deconvolve : convolve;
  return kernel(how, *call.operand(0), filter, call.operand(2), call.result(),
                call.threads);
}

static Outcome runPool(const Call &call, Pooling::Kind kind) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  Pooling how;
  how.kind = kind;
  how.kernel = call.integers("kernel_shape");
  how.strides = listOr(call, "strides", how.kernel.size(), 1);
  how.pads = listOr(call, "pads", 2 * how.kernel.size(), 0);
  how.countsPads = call.flag("count_include_pad");
  how.isAdaptive = call.flag("is_adaptive");
  how.relu = call.relu();
  if (call.integer("pad_value", 0) != 0)
    return KernelError{"the padding has a value of its own"};
  return pool(how, *input, call.result(), call.threads);
}

static Outcome runTpuPool(const Call &call) {
  auto mode = tpu::readEnum<tpu::PoolModeAttr>(call.op->getAttr("pool_mode"));
  if (!mode)
    return KernelError{"'pool_mode' is no mode that is known"};
  switch (*mode) {
  case tpu::PoolMode::Avg:
    return runPool(call, Pooling::Kind::Average);
  case tpu::PoolMode::Max:
    return runPool(call, Pooling::Kind::Max);
  case tpu::PoolMode::Min:
    return runPool(call, Pooling::Kind::Min);
  }
  return KernelError{"'pool_mode' is no mode that is known"};
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static Outcome runMatMul(const Call &call) {
  const TensorView *left = call.operand(0), *right = call.operand(1);
  if (!left || !right)
    return missing();
  if (call.integer("weight_bits", 0) != 0)
    return KernelError{"the weight is packed"};
  MatMul how;
  how.leftTranspose = call.flag("left_transpose");
  how.rightTranspose = call.flag("right_transpose");
  how.outputTranspose = call.flag("output_transpose");
  how.headsInside = call.flag("hdim_is_batch");
  how.relu = call.relu();
  return matMul(how, *left, *right, call.operand(2), call.result(),
                call.threads);
}

static Outcome runPackedMatMul(const Call &call) {
  const TensorView *left = call.operand(0), *numbers = call.operand(1),
                   *scales = call.operand(2), *zeros = call.operand(3);
  if (!left || !numbers || !scales || !zeros)
    return missing();
  if (!call.flag("w_transpose") && !call.flag("right_transpose"))
    return KernelError{"the weight is not stored column by column"};
  if (!call.word("dq_type").empty() && call.word("dq_type") != "NONE")
    return KernelError{"the input is quantized on the way"};
  PackedWeight right{*numbers, *scales, *zeros, call.integer("weight_bits", 4),
                     call.integer("q_group_size", 0)};
  return matMulPacked(*left, right, call.operand(4), call.relu(), call.result(),
                      call.threads);
}

//===----------------------------------------------------------------------===//
// Norms and reductions
//===----------------------------------------------------------------------===//

static Outcome runSoftmax(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  return softmax(*input, call.integer("axis", -1), call.real("beta", 1),
                 call.flag("log"), call.result(), call.threads);
}

static Outcome runLayerNorm(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  return layerNorm(*input, call.integer("axis", -1), call.real("eps", 1e-5),
                   call.operand(1), call.operand(2), call.result(),
                   call.threads);
}

static Outcome runRmsNorm(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  return rmsNorm(*input, call.real("eps", 1e-5), call.operand(1), call.result(),
                 call.threads);
}

static Outcome runGroupNorm(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input || input->rank() < 2)
    return missing();
  return groupNorm(*input, call.integer("num_groups", input->dim(1)),
                   call.real("eps", 1e-5), call.operand(1), call.operand(2),
                   call.result(), call.threads);
}

static Outcome runScale(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  return scale(*input, call.operand(1), call.operand(2), call.relu(),
               call.result());
}

static Outcome runReduce(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  static const std::pair<llvm::StringRef, Reduction> kModes[] = {
      {"ReduceSum", Reduction::Sum},      {"ReduceMean", Reduction::Mean},
      {"ReduceMax", Reduction::Max},      {"ReduceMin", Reduction::Min},
      {"ReduceProd", Reduction::Product}, {"ReduceL1", Reduction::L1},
      {"ReduceL2", Reduction::L2}};
  for (const auto &[name, kind] : kModes)
    if (call.word("mode") == name)
      return reduce(kind, *input, call.integers("axes"), call.result());
  return KernelError{"'mode' is no reduction that is known"};
}

void addMathKernels(KernelTable &table) {
  auto convolution = [](const Call &call) {
    return runConvolution(call, /*isTransposed=*/false);
  };
  for (auto name : {"top.Conv", "tpu.Conv1D", "tpu.Conv2D", "tpu.Conv3D"})
    table.push_back({name, {convolution}});
  auto transposed = [](const Call &call) {
    return runConvolution(call, /*isTransposed=*/true);
  };
  for (auto name : {"top.Deconv", "tpu.Deconv"})
    table.push_back({name, {transposed}});
  for (auto name : {"tpu.Pool1D", "tpu.Pool2D", "tpu.Pool3D"})
    table.push_back({name, {runTpuPool}});
  table.push_back({"top.AvgPool", {[](const Call &call) {
                     return runPool(call, Pooling::Kind::Average);
                   }}});
  table.push_back({"top.MaxPool", {[](const Call &call) {
                     return runPool(call, Pooling::Kind::Max);
                   }}});
  const std::pair<const char *, Kernel> kBoth[] = {
      {"A16MatMul", runPackedMatMul}, {"MatMul", runMatMul},
      {"Softmax", runSoftmax},        {"LayerNorm", runLayerNorm},
      {"RMSNorm", runRmsNorm},        {"GroupNorm", runGroupNorm},
      {"InstanceNorm", runGroupNorm}, {"Scale", runScale},
      {"Reduce", runReduce}};
  for (auto [name, kernel] : kBoth)
    for (auto dialect : {"top.", "tpu."})
      table.push_back({std::string(dialect) + name, {kernel}});
}

} // namespace tpu_mlir
