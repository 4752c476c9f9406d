//===- PlanOptionsOf.h - How a module wants to be planned -------*- C++ -*-===//
//
// Options of passes, and the attributes that stand in for them: whoever asks
// what addresses will be reads both as the pass that assigns them does.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_PLANOPTIONSOF_H
#define TPU_MLIR_ANALYSIS_TENSOR_PLANOPTIONSOF_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

namespace tpu_mlir {

/// The mode `option`, where it is not empty; else that of module.addr_mode, or
/// 'basic'. What a module has of another toolchain is no reason to stop:
/// 'io_tag_fuse' is planned as 'io_tag', others as 'basic', and a remark says
/// so if `remarks`. Emits E007 where the option is no mode, E005 where the
/// attribute is no string, and fails.
mlir::FailureOr<IoMode> ioModeOf(mlir::ModuleOp module, llvm::StringRef option,
                                 bool remarks);

/// Where pairs of an input and an output that share an address are recorded.
inline constexpr llvm::StringLiteral kSameAddress = "module.same_addr";

/// The pairs of `option` ("0:0,1:2": positions of an input and an output),
/// where it is not empty; else those that the module records. Emits E009 where
/// that is no list of pairs, E005 where the attribute is no string, and fails.
mlir::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
sameAddressOf(mlir::ModuleOp module, llvm::StringRef option);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_PLANOPTIONSOF_H
