//===- SweepRun.h - A result written over operands that are read -*- C++ -*-=//
//
// An op with the attribute `in_order` whose result lies over the end of an
// operand. What its kernel may rely on is tried in two ways:
//
//   1. Unit by unit in the order of memory: no byte that an element reads has
//      been written over by those in front of it.
//   2. The kernel computes stretches of the result one after the other, each
//      from the bytes that the ones before have left, and has to come to the
//      bits that it computes from an operand that nobody writes over. Small
//      results element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_INTERPRETER_SWEEPRUN_H
#define TPU_MLIR_LIB_INTERPRETER_SWEEPRUN_H

#include "lib/Interpreter/Kernels/Call.h"
#include "lib/Interpreter/StorageForm.h"
#include "tpu_mlir/Support/Interval.h"
#include "tpu_mlir/Support/LocalFacts.h"

namespace tpu_mlir::interpreter {

/// Where a tensor is, and how it is stored there.
struct StoredTensor {
  Interval place;
  StorageForm form;
  execution::Shape shape;
};

/// An operand that the result lies over.
struct OverlappedOperand {
  unsigned index = 0;
  StoredTensor tensor;
  std::vector<DimRule> rules;
  /// What is in its place before the op runs.
  llvm::ArrayRef<uint8_t> stored;
};

class SweepRun {
public:
  SweepRun(StoredTensor result, std::vector<OverlappedOperand> operands);

  /// An operand, and the first byte of it that is read too late.
  struct Late {
    unsigned operand = 0;
    int64_t address = 0;
    int64_t element = 0; ///< Of the result, which reads it.
  };
  /// The first way. O(elements of the result), where all is well.
  std::optional<Late> findLate() const;

  /// The second way: the elements that `call` comes to. An error is one of the
  /// kernel. O(work of the kernel * stretches).
  std::variant<std::vector<uint8_t>, execution::KernelError>
  compute(const Call &call, int64_t opsPerElement);

private:
  std::optional<Late> findLate(const OverlappedOperand &operand,
                               int64_t element, int64_t written) const;
  llvm::MutableArrayRef<uint8_t> bytesAt(Interval place) {
    return llvm::MutableArrayRef(memory).slice(place.begin - hull.begin,
                                               place.length());
  }
  int64_t unitBytes() const;

  StoredTensor result;
  std::vector<OverlappedOperand> operands;
  std::vector<int64_t> order; ///< Elements of the result as they are stored.
  Interval hull;              ///< Of all places.
  std::vector<uint8_t> memory;
};

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_SWEEPRUN_H
