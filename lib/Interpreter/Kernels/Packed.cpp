//===- Packed.cpp - Coefficients in the order of a chip -------------------===//

#include "lib/Interpreter/Kernels/Packed.h"

#include "lib/Interpreter/Kernels/Quantized.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Quantization/Weights.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;
using quantization::FilterShape;

bool isPacked(const Call &call) {
  return !call.madeUpWeights && isQuantized(call) &&
         !isFloat(call.result().type.element) &&
         !call.attribute("multiplier") && !call.attribute("rshift");
}

/// The filter's shape as a layer has it: [oc, ic / group, kernel ..].
static std::optional<FilterShape> shapeOf(const Call &call,
                                          const Convolution &how) {
  const TensorView &input = *call.operand(0);
  FilterShape shape;
  if (how.group < 1 || input.rank() < 2 || call.result().rank() < 2)
    return std::nullopt;
  shape.outputs = call.result().dim(1);
  shape.inputs = input.dim(1) / how.group;
  for (int64_t size : how.kernel)
    shape.taps *= size;
  shape.isDepthwise = how.group > 1 && shape.inputs == 1;
  return shape.outputs < 1 || shape.row() < 1
             ? std::nullopt
             : std::optional<FilterShape>(shape);
}

static void setFactors(llvm::ArrayRef<quantization::Factor> factors,
                       Convolution &how, Requant::Mode mode) {
  how.requant.emplace();
  how.requant->mode = mode;
  for (const quantization::Factor &factor : factors) {
    how.requant->multipliers.push_back(factor.multiplier);
    how.requant->shifts.push_back(factor.shift);
  }
}

static Outcome unpackQdm(const Call &call, const FilterShape &shape,
                         Convolution &how, PackedCoefficients &to) {
  const TensorView &filter = *call.operand(1), *packed = call.operand(2);
  auto channels = packed ? quantization::unpackQdm(packed->bytes, shape.outputs)
                         : std::nullopt;
  const int64_t places = shape.outputs * shape.taps;
  const int64_t inputs = filter.elements() / places;
  if (!channels || inputs * places != filter.elements() ||
      inputs < shape.inputs)
    return KernelError{"the coefficients " + describe(filter.type.shape) +
                       " are none of " + std::to_string(shape.outputs) +
                       " channels with multipliers and shifts beside them"};
  to.filter = quantization::channelsFirst(filter.bytes, shape, inputs);
  to.bias = quantization::bytesOf(channels->bias);
  setFactors(channels->factors, how, Requant::Mode::Qdm);
  return std::nullopt;
}

/// Which taps are among the input channels.
static quantization::Fold foldOf(int64_t use3ic, size_t spatial) {
  return spatial == 2 ? quantization::Fold(use3ic & 3) : quantization::Fold();
}

static Outcome unknownChip() {
  return KernelError{"'module.chip' names no chip whose order of coefficients "
                     "is known"};
}

static Outcome notMerged(const Call &call, const FilterShape &shape) {
  return KernelError{"the coefficients " +
                     describe(call.operand(1)->type.shape) +
                     " are no merged ones of " + std::to_string(shape.outputs) +
                     " channels on '" + call.chip->name + "'"};
}

static quantization::MergedForm mergedForm(const target::ChipSpec &chip) {
  return {chip.lanes, chip.euBytes, chip.icParallelBytes,
          chip.requantBytes / 4};
}

static Outcome unpackMerged(const Call &call, const FilterShape &shape,
                            Convolution &how, PackedCoefficients &to) {
  if (!call.chip)
    return unknownChip();
  const TensorView &merged = *call.operand(1);
  const auto fold =
      foldOf(call.integer("use_3ic_optimize", 0), how.kernel.size());
  auto plain = quantization::unpackMerged(
      mergedForm(*call.chip), quantization::folded(shape, how.kernel, fold),
      call.flag("with_bias"), merged.bytes);
  if (!plain)
    return notMerged(call, shape);
  to.filter = quantization::unfoldFilter(plain->filter, how.kernel, fold);
  to.bias = quantization::bytesOf(plain->channels.bias);
  setFactors(plain->channels.factors, how, Requant::Mode::MultiplierShift);
  return readRounding(call, how.requant->rounding);
}

/// Of the filter in the order of layers, and of the bias.
static void setTypes(const Call &call, const FilterShape &shape,
                     const Convolution &how, ElementType bias,
                     PackedCoefficients &to) {
  to.filterType = {
      call.operand(1)->type.element, {shape.outputs, shape.inputs}, 1, 0};
  to.filterType.shape.append(how.kernel.begin(), how.kernel.end());
  to.biasType = {bias, {shape.outputs}, 1, 0};
}

Outcome unpackCoefficients(const Call &call, Convolution &how,
                           PackedCoefficients &to) {
  auto shape = shapeOf(call, how);
  if (!shape)
    return KernelError{"the channels do not fit the groups"};
  // What is read there says it, too.
  for (llvm::StringRef name :
       {"quant_mode", "round_mode", "use_3ic_optimize", "kernel_zp"})
    call.attribute(name);
  if (call.integer("kernel_zp", 0) != 0)
    return KernelError{
        "a zero point is taken off a filter in the chip's order"};
  Outcome error = call.flag("coeff_merged")
                      ? unpackMerged(call, *shape, how, to)
                      : unpackQdm(call, *shape, how, to);
  if (error)
    return error;
  how.requant->offset = call.result().type.zeroPoint;
  setTypes(call, *shape, how, ElementType::I32, to);
  return std::nullopt;
}

bool isMergedFloat8(const Call &call) {
  const ElementType element = call.operand(1)->type.element;
  return !call.madeUpWeights && call.flag("coeff_merged") && isFloat(element) &&
         bitsOf(element) == 8;
}

/// The op has them in f64, the coefficients in f32.
static Outcome checkScales(const Call &call,
                           llvm::ArrayRef<quantization::Factor> factors) {
  const llvm::SmallVector<double> scales = call.reals("out_f8_scales");
  for (auto [channel, factor] : llvm::enumerate(factors)) {
    const float stored =
        llvm::bit_cast<float>(static_cast<int32_t>(factor.multiplier));
    const double said = channel < scales.size() ? scales[channel]
                        : scales.empty()        ? 1.0
                                                : NAN;
    if (stored != static_cast<float>(said))
      return KernelError{"the coefficients' scale of channel " +
                         std::to_string(channel) + " is " +
                         std::to_string(stored) + ", that of the op " +
                         std::to_string(said)};
  }
  return std::nullopt;
}

Outcome unpackFloat8(const Call &call, const Convolution &how,
                     PackedCoefficients &to) {
  auto shape = shapeOf(call, how);
  if (!shape)
    return KernelError{"the channels do not fit the groups"};
  if (!call.chip)
    return unknownChip();
  call.attribute("use_3ic_optimize"); // No taps are folded.
  auto plain = quantization::unpackMerged(
      quantization::float8Form(mergedForm(*call.chip)), *shape,
      call.flag("with_bias"), call.operand(1)->bytes);
  if (!plain)
    return notMerged(call, *shape);
  if (Outcome error = checkScales(call, plain->channels.factors))
    return error;
  to.filter = std::move(plain->filter);
  to.bias = quantization::bytesOf(plain->channels.bias);
  setTypes(call, *shape, how, ElementType::F32, to);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Filters of floats
//===----------------------------------------------------------------------===//

/// Of 16 bits an element.
static constexpr int64_t kBytes = 2;

std::optional<BlockedFilter>
BlockedFilter::find(Operation *conv, const TensorType &stored, int64_t outputs,
                    int64_t inputs, const target::ChipSpec *chip) {
  auto kernel = readIntegers(conv->getAttr("kernel_shape"));
  if (!isa<tpu::Conv2DOp>(conv) || !kernel || kernel->size() != 2 || !chip ||
      chip->icParallelBytes < 2 * kBytes || outputs < 1 || inputs < 1 ||
      !isFloat(stored.element) || bitsOf(stored.element) != 8 * kBytes ||
      llvm::any_of(*kernel, [](int64_t size) { return size < 1; }))
    return std::nullopt;
  BlockedFilter found;
  found.kernel.assign(kernel->begin(), kernel->end());
  found.plain = {stored.element, {outputs, inputs}, 1, 0};
  found.plain.shape.append(found.kernel.begin(), found.kernel.end());
  const int64_t group = readInteger(conv->getAttr("group")).value_or(1);
  const FilterShape plain{outputs, inputs, found.kernel[0] * found.kernel[1],
                          group > 1 && inputs == 1};
  found.block = chip->icParallelBytes / kBytes;
  found.fold =
      foldOf(readInteger(conv->getAttr("use_3ic_optimize")).value_or(0), 2);
  found.shape = quantization::folded(plain, found.kernel, found.fold);
  const bool isBlocked =
      !plain.isDepthwise && stored.shape.size() == 4 && stored.shape[0] == 1 &&
      stored.shape[1] == outputs &&
      ArrayRef(stored.shape).drop_front(2) != ArrayRef(found.kernel) &&
      stored.elements() ==
          outputs * quantization::blockedRow(found.shape, found.block);
  return isBlocked ? std::optional(std::move(found)) : std::nullopt;
}

/// The convolution whose filter the value is, in a layer group through a Load;
/// null for none.
static Operation *convolutionOf(Value filter) {
  for (OpOperand &use : filter.getUses()) {
    if (auto load = dyn_cast<tpu::LoadOp>(use.getOwner()))
      if (Operation *conv = convolutionOf(load.getOutput()))
        return conv;
    if (isa<tpu::Conv2DOp>(use.getOwner()) && use.getOperandNumber() == 1)
      return use.getOwner();
  }
  return nullptr;
}

std::optional<BlockedFilter> BlockedFilter::find(Value weight,
                                                 const target::ChipSpec *chip) {
  Operation *conv = convolutionOf(weight);
  auto stored = kernelType(weight.getType());
  if (!conv || !stored)
    return std::nullopt;
  auto input = kernelType(conv->getOperand(0).getType()),
       result = kernelType(conv->getResult(0).getType());
  const int64_t group = readInteger(conv->getAttr("group")).value_or(1);
  if (!input || !result || input->shape.size() < 2 ||
      result->shape.size() < 2 || group < 1)
    return std::nullopt;
  return find(conv, *stored, result->shape[1], input->shape[1] / group, chip);
}

std::vector<uint8_t>
BlockedFilter::toPlain(llvm::ArrayRef<uint8_t> stored) const {
  return quantization::unfoldFilter(
      quantization::unblockFilter(stored, shape, block, kBytes), kernel, fold,
      kBytes);
}

std::vector<uint8_t>
BlockedFilter::toStored(llvm::ArrayRef<uint8_t> filter) const {
  return quantization::blockFilter(
      quantization::foldFilter(filter, kernel, fold, kBytes), shape, block,
      kBytes);
}

} // namespace tpu_mlir::interpreter
