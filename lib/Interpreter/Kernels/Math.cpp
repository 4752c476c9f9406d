//===- Math.cpp - Convolution, matrices, pooling, norms -------------------===//

#include "lib/Interpreter/Kernels/Float8.h"
#include "lib/Interpreter/Kernels/Packed.h"
#include "lib/Interpreter/Kernels/Quantized.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Convolution.h"
#include "tpu_mlir/Execution/Normalization.h"
#include "tpu_mlir/Execution/Pooling.h"
#include "tpu_mlir/Quantization/PackedMatrix.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::interpreter {

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

/// The first `count` elements of each of `rows` equal rows.
static std::vector<uint8_t> rowStarts(const TensorView &view, int64_t rows,
                                      int64_t count) {
  const int64_t from = static_cast<int64_t>(view.bytes.size()) / rows;
  const int64_t to = count * bitsOf(view.type.element) / 8;
  std::vector<uint8_t> bytes;
  bytes.reserve(rows * to);
  for (int64_t row = 0; row < rows; ++row)
    bytes.insert(bytes.end(), view.bytes.begin() + row * from,
                 view.bytes.begin() + row * from + to);
  return bytes;
}

static Shape withoutOnes(llvm::ArrayRef<int64_t> shape) {
  Shape kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t size) { return size != 1; });
  return kept;
}

/// The same elements in the same order.
static bool isSameButOnes(llvm::ArrayRef<int64_t> a,
                          llvm::ArrayRef<int64_t> b) {
  return withoutOnes(a) == withoutOnes(b);
}

/// The filter as [oc, ic / group, kernel ..]. Compilers store it in an order of
/// the chip's, with padding; of random numbers any order will do, so the first
/// ones are taken, those of a channel's row where each has one. `storage` holds
/// what is not in the operand's order.
static Outcome readFilter(const Call &call, const Convolution &how,
                          TensorView &filter, std::vector<uint8_t> &storage) {
  const TensorView &input = *call.operand(0);
  if (how.group < 1 || input.rank() < 2 || call.result().rank() < 2)
    return KernelError{"the channels do not fit the groups"};
  Shape wanted = {call.result().dim(1), input.dim(1) / how.group};
  wanted.append(how.kernel.begin(), how.kernel.end());
  filter = unpacked(call, *call.operand(1));
  const bool isMerged = call.flag("coeff_merged");
  if (isSameButOnes(filter.type.shape, wanted) && !isMerged) {
    filter.type.shape = wanted;
    return std::nullopt;
  }
  const TensorType type{filter.type.element, wanted, 1, 0};
  if (auto blocked = BlockedFilter::find(call.op, filter.type, wanted[0],
                                         wanted[1], call.chip)) {
    call.attribute("use_3ic_optimize");
    storage = blocked->toPlain(filter.bytes);
    filter = {type, storage};
    return std::nullopt;
  }
  const std::optional<int64_t> bytes = type.bytes();
  if (!call.madeUpWeights || !bytes ||
      *bytes > static_cast<int64_t>(filter.bytes.size()))
    return KernelError{"the filter " + describe(filter.type.shape) +
                       " is in a layout of the chip's, not " +
                       describe(wanted)};
  const int64_t rows = wanted[0], width = bitsOf(filter.type.element);
  if (rows > 0 && channelsOf(filter.type.shape) == rows && width % 8 == 0) {
    storage = rowStarts(filter, rows, *bytes * 8 / width / rows);
    filter = {type, storage};
    return std::nullopt;
  }
  filter = {type, filter.bytes.take_front(*bytes)};
  return std::nullopt;
}

/// Whether the bias is one; compilers put multipliers and shifts beside it.
static const TensorView *biasOf(const Call &call, const Convolution &how) {
  const TensorView *bias = call.operand(2);
  return bias && how.requant && call.madeUpWeights &&
                 bias->elements() != call.result().dim(1)
             ? nullptr
             : bias;
}

/// With coefficients in the order of a chip's, whose numbers count.
static Outcome runPackedConvolution(const Call &call, bool isTransposed,
                                    Convolution how) {
  PackedCoefficients packed;
  if (Outcome error = unpackCoefficients(call, how, packed))
    return error;
  how.padding = call.operand(0)->type.zeroPoint;
  return run(call, ConvolutionTask{isTransposed, how, *call.operand(0),
                                   packed.filterView(), packed.biasView()});
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
  how.group = call.groups.value_or(call.integer("group", 1));
  how.relu = call.relu();
  for (llvm::StringRef name : {"inserts", "ins"})
    for (int64_t count : call.integers(name))
      if (count != 0)
        return KernelError{"zeros are inserted into the input"};
  if (isPacked(call))
    return runPackedConvolution(call, isTransposed, how);
  TensorView filter;
  std::vector<uint8_t> storage;
  PackedCoefficients packed;
  if (isMergedFloat8(call)) {
    if (Outcome error = unpackFloat8(call, how, packed))
      return error;
    filter = packed.filterView();
  } else if (Outcome error = readFilter(call, how, filter, storage)) {
    return error;
  }
  if (Outcome error = readRequant(
          call, filter.elements() / std::max<int64_t>(call.result().dim(1), 1),
          how.requant))
    return error;
  how.filterZeroPoint = call.integer("kernel_zp", 0);
  if (!how.requant && how.filterZeroPoint != 0)
    return KernelError{"a zero point is taken off floats"};
  how.padding = how.requant ? call.operand(0)->type.zeroPoint : 0;
  const execution::OptionalView bias =
      packed.filter.empty() ? optional(biasOf(call, how)) : packed.biasView();
  const ConvolutionTask task{isTransposed, how, *call.operand(0), filter, bias};
  if (hasFactors(call, "out_f8_scales"))
    return runScaled(call, "out_f8_scales", [&](const TensorSpan &sums) {
      return run(call, task, sums);
    });
  return run(call, task);
}

/// By a scale and an offset in floats.
static bool isRescaled(const Call &call) {
  return call.real("scale", 1) != 1 || call.real("offset", 0) != 0;
}

/// The largest or smallest is that of the integers. An average is requantized
/// by the op's multiplier and shift, or its scale and offset; without any it is
/// that of the numbers.
static Outcome runQuantizedPool(const Call &call, Pooling how) {
  const TensorView &input = *call.operand(0);
  if (how.kind != Pooling::Kind::Average) {
    if (input.type.scale != call.result().type.scale ||
        input.type.zeroPoint != call.result().type.zeroPoint)
      return KernelError{"the largest of integers keeps their scale"};
    return pool(how, raw(input), raw(call.result()), call.threads);
  }
  how.padding = input.type.zeroPoint;
  if (call.attribute("multiplier") || call.attribute("rshift")) {
    if (isRescaled(call))
      return KernelError{"there are a multiplier and a scale"};
    if (Outcome error = readRequant(call, 1, how.requant))
      return error;
  } else if (call.attribute("scale")) {
    if (how.relu.isOn)
      return KernelError{"a relu after a scale is not computed"};
    how.factor = call.real("scale", 1);
    how.offset = call.real("offset", 0);
  } else {
    execution::Tensor numbers(
        {ElementType::F32, call.result().type.shape, 1, 0});
    if (Outcome error = pool(how, input, numbers.span(), call.threads))
      return error;
    return convert(numbers.view(), call.result());
  }
  return pool(how, input, call.result(), call.threads);
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
  const bool isPlain = !isQuantized(call);
  const int64_t padding = isPlain ? 0 : input->type.zeroPoint;
  if (call.integer("pad_value", padding) != padding &&
      call.integer("pad_value", 0) != 0)
    return KernelError{"the padding has a value of its own"};
  if (!isPlain)
    return runQuantizedPool(call, how);
  if (isRescaled(call))
    return KernelError{"'scale' and 'offset' are for integers with a scale"};
  if (hasFactors(call, "fp8_out_scale"))
    return runScaled(call, "fp8_out_scale", [&](const TensorSpan &averages) {
      return run(call, PoolingTask{how, *input}, averages);
    });
  return run(call, PoolingTask{how, *input});
}

static Outcome runTpuPool(const Call &call) {
  auto mode = tpu::readEnum<tpu::PoolModeAttr>(call.attribute("pool_mode"));
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
  if (call.operand(3) && !call.madeUpWeights)
    return KernelError{"multipliers are an operand"};
  const TensorView weight = unpacked(call, *right);
  MatMul how;
  how.leftTranspose = call.flag("left_transpose");
  how.rightTranspose = call.flag("right_transpose");
  how.outputTranspose = call.flag("output_transpose");
  how.headsInside = call.flag("hdim_is_batch");
  how.relu = call.relu();
  const int64_t depth =
      left->rank() == 0
          ? 1
          : left->dim(left->rank() -
                      (how.leftTranspose && left->rank() > 1 ? 2 : 1));
  if (Outcome error = readRequant(call, depth, how.requant))
    return error;
  how.leftZeroPoint = call.integer("input_zp", 0);
  how.rightZeroPoint = call.integer("right_zp", 0);
  if (!how.requant && (how.leftZeroPoint != 0 || how.rightZeroPoint != 0))
    return KernelError{"a zero point is taken off floats"};
  const MatMulTask task{how, *left, weight, optional(call.operand(2))};
  if (hasFactors(call, "out_scales"))
    return runScaled(call, "out_scales", [&](const TensorSpan &sums) {
      return run(call, task, sums);
    });
  return run(call, task);
}

/// Scales and zero points of `right` out of pairs of them.
static Outcome readPairs(const Call &call, PackedWeight &right,
                         quantization::ScalesAndZeroPoints &storage) {
  const TensorView &pairs = *call.operand(2);
  const ElementType floats = call.operand(0)->type.element;
  if (bitsOf(pairs.type.element) != 16 || bitsOf(floats) != 16 ||
      !isFloat(floats) || pairs.rank() != 3 || pairs.dim(2) % 2 != 0)
    return KernelError{"without zero points there have to be pairs of 16 bits "
                       "[lanes, columns / lanes, 2 groups]"};
  storage = quantization::unpairScales(pairs.bytes);
  Shape shape = pairs.type.shape;
  shape[2] /= 2;
  right.scales = {{floats, shape, 1, 0}, storage.scales};
  right.zeroPoints = {{ElementType::U8, shape, 1, 0}, storage.zeroPoints};
  return std::nullopt;
}

static Outcome runPackedMatMul(const Call &call) {
  const TensorView *left = call.operand(0), *numbers = call.operand(1),
                   *scales = call.operand(2), *zeros = call.operand(3);
  if (!left || !numbers || !scales)
    return missing();
  if (!call.flag("w_transpose") && !call.flag("right_transpose"))
    return KernelError{"the weight is not stored column by column"};
  if (!call.word("dq_type").empty() &&
      !call.word("dq_type").equals_insensitive("NONE"))
    return KernelError{"the input is quantized on the way"};
  PackedWeight right{*numbers, *scales, zeros ? *zeros : *scales,
                     call.integer("weight_bits", 4),
                     call.integer("q_group_size", 0)};
  quantization::ScalesAndZeroPoints storage;
  if (!zeros)
    if (Outcome error = readPairs(call, right, storage))
      return error;
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
  return run(call, SoftmaxTask{*input, call.integer("axis", -1),
                               call.real("beta", 1), call.flag("log")});
}

static Outcome runLayerNorm(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  return run(call, LayerNormTask{
                       *input, call.integer("axis", -1), call.real("eps", 1e-5),
                       optional(call.operand(1)), optional(call.operand(2))});
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
  return run(call,
             GroupNormTask{*input, call.integer("num_groups", input->dim(1)),
                           call.real("eps", 1e-5), optional(call.operand(1)),
                           optional(call.operand(2))});
}

static Outcome runScale(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  if (isQuantized(call))
    return runQuantizedScale(call);
  if (call.operand(3))
    return KernelError{"shifts are an operand of floats"};
  return run(call, ScaleTask{*input, optional(call.operand(1)),
                             optional(call.operand(2)), call.relu()});
}

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta, as a factor and an
/// addend for each channel.
static Outcome runBatchNorm(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input || input->rank() < 2 || !call.operand(1) || !call.operand(2))
    return missing();
  const int64_t channels = input->dim(1);
  std::vector<float> lists[4];
  for (unsigned i = 0; i < 4; ++i) {
    const TensorView *list = call.operand(i + 1);
    lists[i] =
        list ? floatsOf(*list) : std::vector<float>(channels, i == 2 ? 1 : 0);
    if (static_cast<int64_t>(lists[i].size()) != channels)
      return KernelError{"operand " + std::to_string(i + 1) +
                         " has no number for each channel"};
  }
  const auto &[mean, variance, gamma, beta] = lists;
  const double epsilon = call.real("epsilon", 1e-5);
  std::vector<float> factors, addends;
  for (int64_t c = 0; c < channels; ++c) {
    factors.push_back(
        static_cast<float>(gamma[c] / std::sqrt(variance[c] + epsilon)));
    addends.push_back(beta[c] - mean[c] * factors.back());
  }
  const TensorType type{ElementType::F32, {channels}, 1, 0};
  execution::Tensor factor(type), addend(type);
  store(llvm::ArrayRef<float>(factors), factor.span());
  store(llvm::ArrayRef<float>(addends), addend.span());
  return run(call,
             ScaleTask{*input, factor.view(), addend.view(), call.relu()});
}

static Outcome runLocalResponseNorm(const Call &call) {
  if (!call.operand(0))
    return missing();
  return localResponseNorm({call.integer("size", 1), call.real("alpha", 1e-4),
                            call.real("beta", 0.75), call.real("bias", 1)},
                           *call.operand(0), call.result(), call.threads);
}

static Outcome runReduce(const Call &call) {
  const TensorView *input = call.operand(0);
  if (!input)
    return missing();
  static const std::pair<llvm::StringLiteral, Reduction> kModes[] = {
      {"ReduceSum", Reduction::Sum},      {"ReduceMean", Reduction::Mean},
      {"ReduceMax", Reduction::Max},      {"ReduceMin", Reduction::Min},
      {"ReduceProd", Reduction::Product}, {"ReduceL1", Reduction::L1},
      {"ReduceL2", Reduction::L2}};
  auto kind = call.oneOf("mode", kModes);
  if (!kind)
    return KernelError{"'mode' is no reduction that is known"};
  return run(call, ReductionTask{*kind, *input, call.integers("axes")});
}

void addMathKernels(KernelTable &table) {
  auto convolution = [](const Call &call) {
    return runConvolution(call, /*isTransposed=*/false);
  };
  for (auto name : {"top.Conv", "tpu.Conv1D", "tpu.Conv2D", "tpu.Conv3D"})
    table.push_back({name, {convolution, Scales::Read}});
  auto transposed = [](const Call &call) {
    return runConvolution(call, /*isTransposed=*/true);
  };
  addBoth(table, "Deconv", {transposed, Scales::Read});
  table.push_back({"tpu.Deconv3D", {transposed, Scales::Read}});
  for (auto name : {"tpu.Pool1D", "tpu.Pool2D", "tpu.Pool3D"})
    table.push_back({name, {runTpuPool, Scales::Read}});
  table.push_back({"top.AvgPool", {[](const Call &call) {
                     return runPool(call, Pooling::Kind::Average);
                   }}});
  table.push_back({"top.MaxPool", {[](const Call &call) {
                     return runPool(call, Pooling::Kind::Max);
                   }}});
  addBoth(table, "LRN", {runLocalResponseNorm});
  const std::pair<const char *, Kernel> kBoth[] = {
      {"A16MatMul", runPackedMatMul}, {"MatMul", runMatMul},
      {"Softmax", runSoftmax},        {"LayerNorm", runLayerNorm},
      {"RMSNorm", runRmsNorm},        {"GroupNorm", runGroupNorm},
      {"InstanceNorm", runGroupNorm}, {"Scale", runScale},
      {"BatchNorm", runBatchNorm},    {"Reduce", runReduce}};
  for (auto [name, kernel] : kBoth)
    addBoth(
        table, name,
        {kernel, llvm::is_contained({"MatMul", "Scale"}, llvm::StringRef(name))
                     ? Scales::Read
                     : Scales::Refused});
}

} // namespace tpu_mlir::interpreter
