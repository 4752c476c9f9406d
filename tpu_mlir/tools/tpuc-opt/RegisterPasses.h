//===- RegisterPasses.h - The passes of tpuc-opt ----------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_TPUC_OPT_REGISTERPASSES_H
#define TPU_MLIR_TOOLS_TPUC_OPT_REGISTERPASSES_H

namespace tpu_mlir {

/// Registers every pass and pipeline that tpuc-opt offers.
void registerPasses();

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_TPUC_OPT_REGISTERPASSES_H
