//===- EmbeddedChips.h - The chip files of the build ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TARGET_EMBEDDEDCHIPS_H
#define TPU_MLIR_LIB_TARGET_EMBEDDEDCHIPS_H

namespace tpu_mlir::target {

/// One file of tpu_mlir/chips.
struct EmbeddedChip {
  const char *fileName; ///< Without ".json".
  const char *text;
};

/// Written by embed_chips.py, sorted by name.
const EmbeddedChip *embeddedChipsBegin();
const EmbeddedChip *embeddedChipsEnd();

} // namespace tpu_mlir::target

#endif // TPU_MLIR_LIB_TARGET_EMBEDDEDCHIPS_H
