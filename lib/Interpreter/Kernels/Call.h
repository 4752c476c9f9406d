//===- Call.h - One op with its bytes ---------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_CALL_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_CALL_H

#include "tpu_mlir/Execution/Task.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tpu_mlir::interpreter {

/// The type as kernels know it; nullopt for what is no ranked, static tensor of
/// an element type that they have. Quantized elements are their storage, with
/// scale and zero point.
std::optional<execution::TensorType> kernelType(mlir::Type type);

/// Which dimension of coefficients counts channels: the first, or where that is
/// 1 the second; 0 for fewer dimensions.
inline size_t channelDim(llvm::ArrayRef<int64_t> shape) {
  return shape.size() > 1 && shape[0] == 1 ? 1 : 0;
}
/// How many channels that are; 1 for a single number.
inline int64_t channelsOf(llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? 1 : shape[channelDim(shape)];
}

/// An op, the bytes of its operands (nullopt: `none`) and of its results.
struct Call {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<std::optional<execution::TensorView>> operands;
  llvm::SmallVector<execution::TensorSpan> results;
  unsigned threads = 1;
  /// Weights are random numbers, so that their order means nothing.
  bool madeUpWeights = false;
  /// Whose order coefficients may be in; null: one that is not known.
  const target::ChipSpec *chip = nullptr;
  /// Lists of integers that count otherwise than the op's, by name: for a part
  /// of a tensor.
  llvm::StringMap<execution::Shape> instead = {};
  /// Of a part of a tensor the first channel: where lists for each channel are
  /// read.
  int64_t firstChannel = 0;
  /// The same of `group`: a part of the channels of a convolution.
  std::optional<int64_t> groups = std::nullopt;
  /// Computes what it can of tasks, before kernels do, and says so there.
  execution::Executor *executor = nullptr;
  bool *isByExecutor = nullptr;
  /// What is asked for below, if anybody wants to know.
  llvm::StringSet<> *asked = nullptr;

  /// An operand that has to be there; null otherwise, as for one that may be
  /// missing.
  const execution::TensorView *operand(unsigned index) const {
    return index < operands.size() && operands[index] ? &*operands[index]
                                                      : nullptr;
  }
  const execution::TensorSpan &result() const { return results.front(); }
  /// A result; null for one that is `none`.
  const execution::TensorSpan *given(unsigned index) const;
  /// All operands that are there.
  llvm::SmallVector<execution::TensorView> present() const;

  /// An attribute; null where there is none.
  mlir::Attribute attribute(llvm::StringRef name) const;
  // Attributes, in any of their spellings; `absent` where there is none.
  int64_t integer(llvm::StringRef name, int64_t absent) const;
  bool flag(llvm::StringRef name, bool absent = false) const;
  double real(llvm::StringRef name, double absent) const;
  llvm::StringRef word(llvm::StringRef name) const;
  /// What the word means by such a table, in capital or small letters.
  template <typename Case, size_t kCount>
  std::optional<Case>
  oneOf(llvm::StringRef name,
        const std::pair<llvm::StringLiteral, Case> (&cases)[kCount]) const {
    const llvm::StringRef given = word(name);
    for (const auto &[spelling, meaning] : cases)
      if (given.equals_insensitive(spelling))
        return meaning;
    return std::nullopt;
  }
  execution::Shape integers(llvm::StringRef name) const;
  llvm::SmallVector<double> reals(llvm::StringRef name) const;
  /// do_relu and relu_limit.
  execution::FusedRelu relu() const;
};

/// Computes the results of an op.
using Kernel = execution::Outcome (*)(const Call &);

/// What a kernel does with elements that stand for other numbers than they are.
enum class Scales {
  Refused, ///< It computes with numbers.
  Kept,    ///< It moves elements: operands and result have one scale.
  Read,    ///< It knows about scales, or does not have to.
};

struct KernelEntry {
  Kernel kernel = nullptr;
  Scales scales = Scales::Refused;
  /// It knows that an op may have several results, or not all of them.
  bool isManyOut = false;
};
/// How the op of that name is computed; null: it is not.
const KernelEntry *findKernel(llvm::StringRef opName);

/// findKernel() and what it computes; `call.op` has a kernel. An error, too,
/// where an attribute asks for other numbers that the kernel does not know.
execution::Outcome compute(const Call &call);

/// `kernel` on elements of whole bytes where some have half a one: what only
/// moves elements knows no others.
execution::Outcome moveWholeBytes(const Call &call, Kernel kernel);

/// An error when the op has an attribute that changes numbers, at a value that
/// does so, and the kernel did not ask for it.
execution::Outcome checkUnread(const Call &call,
                               const llvm::StringSet<> &asked);

/// The task, by the executor of the call or else by its kernel.
execution::Outcome run(const Call &call, const execution::Task &task,
                       const execution::TensorSpan &result);
inline execution::Outcome run(const Call &call, const execution::Task &task) {
  return run(call, task, call.result());
}
/// An operand of a task that may be missing.
inline execution::OptionalView optional(const execution::TensorView *operand) {
  return operand ? execution::OptionalView(*operand) : std::nullopt;
}

/// The first `count` operands are there.
inline bool hasOperands(const Call &call, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!call.operand(i))
      return false;
  return true;
}
/// What a kernel says without an operand that it needs.
inline execution::KernelError missing() { return {"an operand is missing"}; }

// The chapters of the table.
using KernelTable = std::vector<std::pair<std::string, KernelEntry>>;
/// Of ops of one name in both dialects.
inline void addBoth(KernelTable &table, llvm::StringRef name,
                    KernelEntry entry) {
  for (llvm::StringRef dialect : {"top.", "tpu."})
    table.push_back({(dialect + name).str(), entry});
}
void addMathKernels(KernelTable &table);
void addElementwiseKernels(KernelTable &table);
void addShapeKernels(KernelTable &table);
void addSequenceKernels(KernelTable &table);
void addSelectionKernels(KernelTable &table);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_CALL_H
