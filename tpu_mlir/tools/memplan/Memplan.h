//===- Memplan.h - The whole program, to link with more ---------*- C++ -*-===//
//
// A program that calls runMemplan() and is linked with further strategies has
// these on its command line: they register themselves
// (tpu_mlir/docs/add/AddAStrategy.md).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_MEMPLAN_H
#define TPU_MLIR_TOOLS_MEMPLAN_MEMPLAN_H

namespace tpu_mlir::memplan {

/// Does what the command line says; returns an ExitCode (Command.h). Once in a
/// process: options are global in LLVM.
int runMemplan(int argc, const char *const *argv);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_MEMPLAN_H
