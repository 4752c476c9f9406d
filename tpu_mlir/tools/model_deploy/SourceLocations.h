//===- SourceLocations.h - Where in the file an op stands -------*- C++ -*-===//
//
// Modules carry the names of layers as locations. Errors should say the line
// as well: this table knows where each location was used first. Most runs say
// nothing, so it is made when the first message asks, from the text.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tpu_mlir::deploy {

class SourceLocations {
public:
  /// Parses and verifies `path`. Null after an error was emitted.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &path,
                                          mlir::MLIRContext &context);
  /// "net.mlir:31:10" where known, else "net.mlir: 'conv1'", the name that is
  /// in the location, or the file alone.
  std::string describe(mlir::Location location);
  /// One line for the diagnostic and one for each of its notes.
  std::string render(mlir::Diagnostic &diagnostic);

private:
  void findPositions(mlir::MLIRContext &context);

  std::string file;
  /// Until the positions are known.
  std::unique_ptr<llvm::MemoryBuffer> text;
  using Positions =
      llvm::DenseMap<mlir::Location, std::pair<unsigned, unsigned>>;
  Positions::const_iterator find(mlir::Location location) const;
  Positions positions;
};

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H
