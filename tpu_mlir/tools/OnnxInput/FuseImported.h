//===- FuseImported.h - Layers of a model that are one ----------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_ONNXINPUT_FUSEIMPORTED_H
#define TPU_MLIR_TOOLS_ONNXINPUT_FUSEIMPORTED_H

#include "tpu_mlir/Import/Import.h"

namespace tpu_mlir {

/// As the pass top-fuse: what several layers of the module compute becomes one
/// layer, and `imported.weights` those that are read then. Numbers are read
/// where a layer needs them; those that factors are folded into are in memory
/// once more.
void fuseImported(importer::Imported &imported);

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_ONNXINPUT_FUSEIMPORTED_H
