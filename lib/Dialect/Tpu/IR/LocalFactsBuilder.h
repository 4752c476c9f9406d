//===- LocalFactsBuilder.h - Stating the facts of one op --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_DIALECT_TPU_IR_LOCALFACTSBUILDER_H
#define TPU_MLIR_LIB_DIALECT_TPU_IR_LOCALFACTSBUILDER_H

#include "tpu_mlir/Support/LocalFacts.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tpu_mlir::tpu {

/// Collects the facts of `op`. Starts with every operand read whole, nothing
/// uncut, no scratch and one operation for each element. The first reason to
/// refuse is the one that is kept; after it all calls do nothing that matters,
/// so a caller need only ask ok() before it relies on shapes that fit.
///
/// Refuses by itself: a result 0 or an operand that is neither static nor
/// `none`, dimensions of no element or of 2^31 and more, and element types
/// without a size. Numbers below 2^31 keep every index of a DimRule in 63
/// bits.
class LocalFactsBuilder {
public:
  static constexpr int64_t kMaxNumber = (int64_t(1) << 31) - 1;

  explicit LocalFactsBuilder(mlir::Operation *op);

  void refuse(std::string why);
  /// refuse("its shapes do not fit").
  void refuseShapes();
  bool ok() const { return !facts.isGlobal(); }

  /// The extents of result 0, and of an operand (none: no extents).
  llvm::ArrayRef<int64_t> result() const { return resultShape; }
  llvm::ArrayRef<int64_t> operand(unsigned index) const;
  int rank() const { return resultShape.size(); }
  int rank(unsigned index) const { return operand(index).size(); }
  unsigned numOperands() const { return operandShapes.size(); }
  bool isNone(unsigned index) const;
  /// Bits of an element of result 0 and of operand 0.
  int64_t resultBits() const { return bitsOfResult; }
  int64_t operandBits() const { return bitsOfOperand; }
  /// An attribute's `axis`, negative from the end, as a dimension of an
  /// `axisRank`-dimensional shape; refuses and returns 0 when there is none.
  int axisOf(int64_t axis, int axisRank);

  /// Dimension `dim` of operand `index` is read by `rule`.
  void set(unsigned index, int dim, DimRule rule);
  /// It follows dimension `resultDim` of the same size; one of size 1 is read
  /// whole; others do not fit.
  void follow(unsigned index, int dim, int resultDim);
  /// All dimensions follow, aligned at the last; none is left alone.
  void broadcast(unsigned index);
  /// Numbers of the result's channels, or one for all: where they lie on its
  /// channels, [1, c, 1 ..], they follow these. In any other dimension they are
  /// read whole, also where it happens to be as long as the result's, and the
  /// channels stay together.
  void followChannels(unsigned index);
  /// Operand 0 has the shape of the result and follows it.
  void followAll();

  /// Dimension `resultDim` of the result must not be cut.
  void keepWhole(int resultDim);

  void scratch(int64_t tiles, int64_t tileBits, int64_t tableBytes = 0,
               LocalScratch::Of of = LocalScratch::Of::Result);
  void work(int64_t opsPerElement, bool onArray = false);

  LocalFacts take() { return std::move(facts); }

private:
  LocalFacts facts;
  llvm::SmallVector<int64_t> resultShape;
  llvm::SmallVector<llvm::SmallVector<int64_t>> operandShapes;
  mlir::Operation *op;
  int64_t bitsOfResult = 8, bitsOfOperand = 8;
};

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_LIB_DIALECT_TPU_IR_LOCALFACTSBUILDER_H
