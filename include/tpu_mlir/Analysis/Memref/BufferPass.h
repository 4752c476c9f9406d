//===- BufferPass.h - A pass that follows buffers ---------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_BUFFERPASS_H
#define TPU_MLIR_ANALYSIS_MEMREF_BUFFERPASS_H

#include "tpu_mlir/Analysis/Memref/Aliases.h"

namespace tpu_mlir {

/// `Base`, the base that is generated for a pass, with what the analyses of
/// memrefs need of the context.
template <typename Base> class BufferPass : public Base {
public:
  using Base::Base;
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerBufferFlowModels(registry);
  }
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_BUFFERPASS_H
