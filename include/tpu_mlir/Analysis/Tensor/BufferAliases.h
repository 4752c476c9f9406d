//===- BufferAliases.h - Which tensors share storage ------------*- C++ -*-===//
//
// Puts every global tensor of a module into a storage class. Two values are in
// one class when they are the same bytes at run time:
//
//   * a call's operand and the callee's argument, a returned value and the
//     call's result (G3);
//   * views (reshape, fusible slice, identity): inside their operand;
//   * a merged concat: its operands lie inside the result;
//   * what a parallel or an exclusive region yields and the op's result;
//   * an update in place (insert, running statistics), when nothing reads the
//     old value afterwards.
//
//        class of a merged concat                 offset in the class
//        %0 = conv           [======)              0
//        %1 = conv                  [=====)        bytes of %0
//        %2 = concat %0, %1  [============)        0
//
// Everything else is separate storage: a loop's carried values and results are
// buffers of their own, written by the loop op; so is what an If yields when
// it cannot share.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_BUFFERALIASES_H
#define TPU_MLIR_ANALYSIS_TENSOR_BUFFERALIASES_H

#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

namespace tpu_mlir {

/// Where a value is: `offsetBytes` from the start of its class.
struct ValueStorage {
  int64_t classId = 0;
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0;
};

/// Values that share storage, in program order.
struct AliasClass {
  llvm::SmallVector<mlir::Value, 2> values;
  int64_t sizeBytes = 0;
  /// It holds a top.Weight: the weight's address decides.
  mlir::Value weight;

  void add(mlir::Value value);
  /// The value that people know the class by: the first that is neither an
  /// argument nor the result of a call, else the first.
  mlir::Value representative() const { return knownBy; }

private:
  mlir::Value knownBy;
};

struct AliasOptions {
  /// The chip stores four images side by side: views need equal batches.
  bool fourN = false;
};

class BufferAliases {
public:
  /// Emits E002 (no static size) or E008 (a required sharing is impossible)
  /// and fails. O(values * depth), plus the pieces of merged classes.
  static mlir::FailureOr<BufferAliases> build(mlir::ModuleOp module,
                                              const OpSchedule &schedule,
                                              const AliasOptions &options = {});

  /// Null when the value has no storage in global memory (none, local, host).
  const ValueStorage *lookup(mlir::Value value) const;
  /// By the first value in program order.
  llvm::ArrayRef<AliasClass> classes() const { return aliasClasses; }
  /// All values with storage, in program order.
  llvm::ArrayRef<mlir::Value> values() const { return allValues; }
  /// Joins two classes at one address, whatever is in them: the caller has
  /// shown that the contents are never needed at the same time (same-address
  /// inputs and outputs). False, and nothing changes, when they already are
  /// one class at another offset.
  bool mergeByRequest(mlir::Value a, mlir::Value b);

private:
  friend class AliasBuilder;
  std::vector<mlir::Value> allValues;
  std::vector<AliasClass> aliasClasses;
  std::vector<ValueStorage> storage; ///< By value id.
  llvm::DenseMap<mlir::Value, int64_t> idOf;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_BUFFERALIASES_H
