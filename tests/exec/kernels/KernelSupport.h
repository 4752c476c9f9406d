//===- KernelSupport.h - What the kernels share -----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_KERNELS_KERNELSUPPORT_H
#define TPU_MLIR_TESTS_EXEC_KERNELS_KERNELSUPPORT_H

#include "tests/exec/kernels/Kernels.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tpu_mlir::exec {

/// A kernel under way: readers for the operands and what may go wrong.
class Kernel {
public:
  explicit Kernel(const KernelCall &call);

  mlir::Operation *op;
  TensorPart &result;
  int bits; ///< Of the result's elements.
  std::vector<Reader> operands;

  /// The operand, absent where there is none of this number.
  Reader &operand(unsigned index) {
    return index < operands.size() ? operands[index] : absent;
  }
  bool has(unsigned index) { return operand(index).present(); }
  const std::vector<int64_t> &dims() const { return result.shape.dims; }
  int64_t rank() const { return static_cast<int64_t>(dims().size()); }

  void refuse(std::string why) {
    if (refusal.empty())
      refusal = std::move(why);
  }
  /// The refusal, or the first operand with something missing.
  std::optional<std::string> error() const;

  // Attributes; defaults where they are absent.
  int64_t number(llvm::StringRef name, int64_t otherwise) const;
  bool flag(llvm::StringRef name, bool otherwise) const;
  std::vector<int64_t> numbers(llvm::StringRef name) const;
  /// The word of an enum attribute "#tpu<rope_mode contiguous_halves>", or of
  /// a string.
  std::string word(llvm::StringRef name) const;
  /// An axis attribute as a dimension of a tensor of `rank` dimensions.
  int64_t axis(llvm::StringRef name, int64_t otherwise, int64_t rank) const;

private:
  std::string refusal;
  Reader absent;
};

/// A number that differs from op to op, so that one is not taken for another.
uint32_t saltOf(mlir::Operation *op);

/// One odd number for each place: x * odd(i) loses nothing of x.
inline uint32_t odd(int64_t place) {
  return static_cast<uint32_t>(2 * place + 1);
}

/// Row `channel` of a parameter with one row for each channel, mixed. A
/// channel that the parameter does not have starts again from the first.
uint32_t mixedRow(Reader &parameter, int64_t channel);
/// All of a parameter, mixed.
uint32_t mixedWhole(Reader &parameter);

/// How a parameter's elements belong to channels: dimension 1 counts them when
/// dimension 0 is 1, otherwise dimension 0 does.
struct ParameterRows {
  int64_t rows = 1, length = 1;
  int64_t flat(int64_t channel, int64_t weightsPerChannel,
               int64_t weight) const {
    const int64_t at = (channel / rows) * weightsPerChannel + weight;
    return (channel % rows) * length + at % length;
  }
};
ParameterRows rowsOf(const TensorShape &parameter);

/// Index of `flat` in a tensor of `dims`.
llvm::SmallVector<int64_t, 6> indexIn(const std::vector<int64_t> &dims,
                                      int64_t flat);
llvm::SmallVector<int64_t, 6> stridesOf(const std::vector<int64_t> &dims);

/// Calls fn(position, flat, index) for each element of the result's part.
template <typename Fn> void forEachElement(TensorPart &result, Fn fn) {
  const auto &dims = result.shape.dims;
  for (const Run &run : runsOf(result.shape, result.box)) {
    auto index = indexIn(dims, run.flat);
    for (int64_t i = 0; i < run.length; ++i) {
      fn(run.position + i, run.flat + i, index);
      for (int dim = static_cast<int>(dims.size()) - 1; dim >= 0; --dim) {
        if (++index[dim] < dims[dim])
          break;
        index[dim] = 0;
      }
    }
  }
}

// One function for each family of ops; runKernel knows the names.
void runElementwise(Kernel &kernel);
void runTable(Kernel &kernel);
void runAxisTable(Kernel &kernel);
void runView(Kernel &kernel);
void runConvolution(Kernel &kernel);
void runDeconvolution(Kernel &kernel);
void runPool(Kernel &kernel);
void runMatMul(Kernel &kernel);
void runA16MatMul(Kernel &kernel);
void runSoftmax(Kernel &kernel);
void runLayerNorm(Kernel &kernel);
void runRmsNorm(Kernel &kernel);
void runChannelNorm(Kernel &kernel);
void runScale(Kernel &kernel);
void runReduce(Kernel &kernel);
void runConcat(Kernel &kernel);
void runSlice(Kernel &kernel);
void runUpsample(Kernel &kernel);
void runPad(Kernel &kernel);
void runPermute(Kernel &kernel);
void runRope(Kernel &kernel);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_KERNELS_KERNELSUPPORT_H
