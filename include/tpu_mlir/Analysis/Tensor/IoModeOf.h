//===- IoModeOf.h - Which I/O mode a module is planned in -------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_IOMODEOF_H
#define TPU_MLIR_ANALYSIS_TENSOR_IOMODEOF_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

namespace tpu_mlir {

/// The mode `option`, where it is not empty; else that of module.addr_mode, or
/// 'basic'. What a module has of another toolchain is no reason to stop:
/// 'io_tag_fuse' is planned as 'io_tag', others as 'basic', and a remark says
/// so if `remarks`. Emits E007 where the option is no mode, E005 where the
/// attribute is no string, and fails.
mlir::FailureOr<IoMode> ioModeOf(mlir::ModuleOp module, llvm::StringRef option,
                                 bool remarks);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_IOMODEOF_H
