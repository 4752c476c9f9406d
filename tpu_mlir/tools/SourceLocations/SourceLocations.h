//===- SourceLocations.h - Where in the file an op stands -------*- C++ -*-===//
//
// Modules carry the names of layers as locations. Errors should say the line
// as well, also of one of several layers with one name: after parsing, each
// location gets a mark for a child, which passes hand on to what they make of
// an op and which goes before the module is printed. Most runs say nothing, so
// the marks learn their positions when the first message asks, from the text.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_SOURCELOCATIONS_SOURCELOCATIONS_H
#define TPU_MLIR_TOOLS_SOURCELOCATIONS_SOURCELOCATIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tpu_mlir {

/// From 1 on; 0: not known.
struct SourcePosition {
  unsigned line = 0, column = 0;
};

class SourceLocations {
public:
  /// Parses and verifies `path`. Null after an error was emitted.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &path,
                                          mlir::MLIRContext &context);
  /// Says of what the module was made that is not parsed here.
  void setFile(const std::string &path) { file = path; }
  /// "net.mlir:31:10" where known, else "net.mlir: 'conv1'", the name that is
  /// in the location, or the file alone. Never a place in another file.
  std::string describe(mlir::Location location);
  /// One line for the diagnostic and one for each of its notes.
  std::string render(mlir::Diagnostic &diagnostic);

private:
  void mark(mlir::Block &file);
  void findPositions(mlir::MLIRContext &context);

  /// As the caller names it, and as the parser does.
  std::string file, parsed;
  /// Until the positions are known.
  std::unique_ptr<llvm::MemoryBuffer> text;
  /// What marks point at; of all zeros before the positions are known.
  std::deque<SourcePosition> positions;
};

/// Where a program reads its module: a context that knows the dialects here,
/// lets others pass, and says on stderr, with the line, what is wrong.
class ModuleReader {
public:
  /// `quiet`: errors alone.
  explicit ModuleReader(bool quiet);
  mlir::OwningOpRef<mlir::ModuleOp> read(const std::string &path) {
    return sources.parse(path, context);
  }

  mlir::MLIRContext context;

private:
  SourceLocations sources;
  mlir::ScopedDiagnosticHandler handler;
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

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_SOURCELOCATIONS_SOURCELOCATIONS_H
