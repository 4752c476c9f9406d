//===- MemrefPlugin.cpp - The passes on memrefs for any mlir-opt ----------===//
//
// mlir-opt of the same LLVM loads it with --load-pass-plugin and then knows the
// passes by name in --pass-pipeline.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/MemrefPasses.h"
#include "tpu_mlir/Support/Version.h"

#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tpu_memory", TPU_MEMORY_VERSION,
          [] { tpu_mlir::registerMemrefPasses(); }};
}
