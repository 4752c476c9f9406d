//===- SourceLocations.h - Where in the file an op stands -------*- C++ -*-===//
//
// Modules carry the names of layers as locations. Errors should say the line
// as well, also of one of several layers with one name: while parsing, each
// location gets its position in the file for a child. Passes hand it on to what
// they make of an op; it goes before the module is printed.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <deque>
#include <string>
#include <vector>

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace tpu_mlir::deploy {

struct SourcePosition {
  unsigned line = 0, column = 0;
};

class SourceLocations {
public:
  /// Parses and verifies `path`. Null after an error was emitted.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &path,
                                          mlir::MLIRContext &context);
  /// "net.mlir:31:10" where known, else "net.mlir: 'conv1'", the name that is
  /// in the location, or the file alone.
  std::string describe(mlir::Location location) const;
  /// One line for the diagnostic and one for each of its notes.
  std::string render(mlir::Diagnostic &diagnostic) const;

private:
  void mark(const mlir::AsmParserState &state, llvm::StringRef text);

  std::string file;
  /// Locations point at these.
  std::deque<SourcePosition> positions;
};

/// While it lives, `module` has the locations that its file has.
class PlainLocations {
public:
  explicit PlainLocations(mlir::ModuleOp module);
  PlainLocations(const PlainLocations &) = delete;
  PlainLocations &operator=(const PlainLocations &) = delete;
  ~PlainLocations();

private:
  mlir::ModuleOp module;
  std::vector<mlir::Location> marked; ///< In the order of the text.
};

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_SOURCELOCATIONS_H
