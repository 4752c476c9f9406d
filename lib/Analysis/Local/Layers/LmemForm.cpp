//===- LmemForm.cpp - The shape an operand has in local memory ------------===//

#include "lib/Analysis/Local/Layers/LmemForm.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::grouping {

namespace {

/// No dimension of a descriptor may be larger.
constexpr int64_t kMaxExtent = 65535;

template <typename... Ops> bool isAnyOf(Operation *op) {
  return (isa<Ops>(op) || ...);
}

class FormBuilder {
public:
  FormBuilder(Operation *op, unsigned index, ArrayRef<DimRule> rules,
              const target::ChipSpec &chip)
      : op(op), index(index), chip(chip) {
    form.type =
        cast<RankedTensorType>(withoutAddress(op->getOperand(index).getType()));
    form.rules.assign(rules.begin(), rules.end());
    form.isEuAligned = index == 0 || !isWeight(op->getOperand(index)) ||
                       !op->hasTrait<tpu::CompactCoefficients>();
    // Where each channel has a row, every lane gets those of its channels.
    form.isBroadcast = index > 0 && op->hasTrait<tpu::BroadcastTables>() &&
                       (rank() < 2 || form.type.getDimSize(1) == 1);
  }

  LmemForm run() {
    if (!isWeight(op->getOperand(index)))
      return std::move(form);
    if (isAnyOf<tpu::Conv2DOp, tpu::DeconvOp>(op) && index == 1)
      arrangeFilter();
    else if (isAnyOf<tpu::Conv2DOp, tpu::DeconvOp>(op) && index == 2)
      arrangeBias();
    else if (isAnyOf<tpu::MatMulOp, tpu::A16MatMulOp>(op) && rank() == 2)
      pad(3); // Rows in lanes, whatever the rank of the result.
    else
      pad(resultRank());
    return std::move(form);
  }

private:
  int64_t rank() const { return form.type.getRank(); }
  int64_t resultRank() const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return type ? type.getRank() : 0;
  }
  int64_t outputChannels() const {
    return cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
  }

  /// Puts dimensions of 1 in front until there are `target`.
  void pad(int64_t target) {
    if (rank() >= target)
      return;
    const int64_t missing = target - rank();
    SmallVector<int64_t> shape(missing, 1);
    llvm::append_range(shape, form.type.getShape());
    SmallVector<DimRule> rules(missing, DimRule::whole());
    llvm::append_range(rules, form.rules);
    form.rules = std::move(rules);
    form.type = form.type.clone(shape);
  }

  /// A shape whose channels are the output channels of a convolution.
  void setChannelShape(ArrayRef<int64_t> shape) {
    form.type = form.type.clone(shape);
    followChannels();
  }
  void followChannels() {
    form.rules.assign(rank(), DimRule::whole());
    // The result's part of the channels needs these rows only. A transposed
    // convolution's rows are its input's.
    if (isa<tpu::Conv2DOp>(op) && rank() >= 2 &&
        form.type.getDimSize(1) == outputChannels())
      form.rules[1] = DimRule::same(1);
  }

  void arrangeFilter() {
    ArrayRef<int64_t> shape = form.type.getShape();
    const int64_t channels = outputChannels();
    if (rank() != 4)
      return followChannels();
    auto kernel = readIntegers(op->getAttr("kernel_shape"));
    const bool hasKernel = !kernel || shape.drop_front(2) == ArrayRef(*kernel);
    // Arranged already. With one output channel it has as many in front.
    if (shape[0] != channels || (channels == 1 && !hasKernel))
      return followChannels();
    const int64_t inner = shape[1], taps = shape[2] * shape[3];
    const int64_t bits = elementBits(form.type.getElementType()).value_or(8);
    const int64_t block = std::max<int64_t>(1, chip.icParallelBytes * 8 / bits);
    if (inner == 1 && channels > 1)
      setChannelShape({1, channels, shape[2], shape[3]});
    else if (block == 1)
      setChannelShape({1, channels, taps, inner});
    else if (bits >= 32)
      setChannelShape({1, channels, inner, taps});
    else if (ceilDiv(inner, block) * taps * block <= kMaxExtent)
      setChannelShape({1, channels, 1, ceilDiv(inner, block) * taps * block});
    else
      setChannelShape({1, channels, ceilDiv(inner, block), taps * block});
  }

  /// The bias of an integer convolution carries the multiplier and the shift
  /// of its channel.
  void arrangeBias() {
    const int64_t channels = outputChannels();
    auto multipliers = readIntegers(op->getAttr("multiplier"));
    const bool isRequantised = multipliers && !multipliers->empty() &&
                               chip.requantBytes > 0 &&
                               form.type.getNumElements() == channels;
    if (isRequantised) {
      const int64_t bits = elementBits(form.type.getElementType()).value_or(32);
      form.type = RankedTensorType::get(
          {1, channels, 1, ceilDiv(bits, 8) + chip.requantBytes},
          IntegerType::get(op->getContext(), 8));
      return followChannels();
    }
    if (rank() != 4 && form.type.getNumElements() == channels)
      return setChannelShape({1, channels, 1, 1});
    followChannels();
  }

  Operation *op;
  const unsigned index;
  const target::ChipSpec &chip;
  LmemForm form;
};

} // namespace

bool isWeight(Value value) {
  return value.getDefiningOp<top::WeightOp>() != nullptr;
}

LmemForm lmemForm(Operation *op, unsigned index, ArrayRef<DimRule> rules,
                  const target::ChipSpec &chip) {
  return FormBuilder(op, index, rules, chip).run();
}

} // namespace tpu_mlir::grouping
