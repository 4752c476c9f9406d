//===- Stay.h - Why a buffer has to stay as it is ---------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_STAY_H
#define TPU_MLIR_ANALYSIS_MEMREF_STAY_H

#include "mlir/IR/Operation.h"

#include <string>

namespace tpu_mlir {

/// Why a buffer has to stay as it is.
enum class StayReason {
  Dynamic,         ///< Its size is known at run time only.
  Layout,          ///< Its layout is not the identity.
  ElementSize,     ///< Its elements have no size, or there are too many bytes.
  MemorySpace,     ///< The pass was told to leave this memory space alone.
  SharedByThreads, ///< It is workgroup memory of a GPU kernel.
  UnknownRegion,   ///< It is allocated inside an op of unknown control flow.
  Returned,        ///< The function returns it.
  LoopYield,       ///< A loop hands it on to its next iteration or result.
  Outlives,        ///< It is alive when its alloc runs again.
  Stored,          ///< It is stored where others may find it.
  Pointer,         ///< Its address is taken.
  Tensor,          ///< It becomes a tensor.
  UnknownResult,   ///< It may live on in the result of an op.
  UnknownYield,    ///< An op of unknown control flow gets it from its region.
  Asynchronous,    ///< An op goes on with it after it is done.
  Freed,           ///< Something other than memref.dealloc frees it.
  MayBeFreed,      ///< A function that is called may free it.
  FreedWithOthers, ///< One dealloc frees it or some other buffer that stays.
};

struct Stay {
  StayReason reason;
  /// The op to blame, or nullptr.
  mlir::Operation *op = nullptr;
};

/// "'func.return'".
std::string quoted(mlir::Operation *op);
/// "it is returned by 'func.return'": the rest of the sentence "... stays:".
std::string describe(const Stay &stay);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_STAY_H
