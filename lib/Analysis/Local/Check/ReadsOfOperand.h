//===- ReadsOfOperand.h - One operand of one op, for Reads.cpp --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READSOFOPERAND_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READSOFOPERAND_H

#include "lib/Analysis/Local/Check/LocalGroup.h"
#include "lib/Analysis/Local/Check/Reads.h"

namespace tpu_mlir::local {

/// Strides, pads and kernels beyond this make no sense.
constexpr int64_t kMaxAttribute = int64_t(1) << 31;

/// One operand of one op, with the attributes that say how it is read.
class ReadsOfOperand {
public:
  ReadsOfOperand(mlir::Operation *op, unsigned operand)
      : op(op), operand(operand) {
    inShape = shapeOf(op->getOperand(operand));
    outShape = shapeOf(op->getResult(0));
  }

  /// nullopt: not known.
  std::optional<llvm::SmallVector<DimReads>> run() const;

private:
  using Result = std::optional<llvm::SmallVector<DimReads>>;

  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }
  /// No operand after the first is a tensor: nothing is decided at run time.
  bool isStatic() const;
  int rank() const { return static_cast<int>(inShape.size()); }
  llvm::SmallVector<DimReads> allWhole() const {
    return llvm::SmallVector<DimReads>(inShape.size());
  }
  int64_t number(llvm::StringRef name, int64_t fallback) const {
    return readInteger(op->getAttr(name)).value_or(fallback);
  }
  bool flag(llvm::StringRef name, bool fallback = false) const {
    return readFlag(op->getAttr(name)).value_or(fallback);
  }
  /// `count` numbers in a sensible range; with nothing written all are
  /// `fallback`.
  std::optional<llvm::SmallVector<int64_t>> numbers(llvm::StringRef name,
                                                    size_t count,
                                                    int64_t fallback,
                                                    int64_t least) const;
  int axis(int64_t fallback) const {
    const int64_t value = number("axis", fallback);
    return static_cast<int>(value < 0 ? value + rank() : value);
  }

  Result broadcast() const;
  Result elementwise() const;
  Result channelNumbers() const;
  Result sameExcept(llvm::function_ref<bool(int)> isWhole) const;
  Result table() const;
  Result rowTable() const;
  Result mixing(llvm::function_ref<bool(int)> isMixed) const;
  Result alongAxis() const;
  Result fromAxis() const;
  Result lastAxis() const;
  Result rows() const;
  Result planes() const;
  Result images() const;
  Result allChannels() const;

  struct Window {
    size_t numSpatial;
    llvm::SmallVector<int64_t> kernel, strides, pads, dilations;
  };
  /// Along the dimensions after the second; nullopt: it makes no sense.
  std::optional<Window> windowOf() const;
  Result convolution() const;
  Result pooling() const;
  Result window(bool isPool) const;
  Result transposedConvolution() const;
  Result channels(llvm::SmallVector<DimReads> reads) const;
  Result filter() const;
  Result matrix() const;

  Result concat() const;
  Result slice() const;
  Result pad() const;
  Result upsample() const;
  Result permute() const;
  Result tile() const;
  Result reduce() const;
  Result reshape() const;

  mlir::Operation *op;
  unsigned operand;
  llvm::ArrayRef<int64_t> inShape, outShape;
};

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_READSOFOPERAND_H
