//===- Models.h - Published networks by name --------------------*- C++ -*-===//

#ifndef TPU_MLIR_MODELBUILDER_MODELS_H
#define TPU_MLIR_MODELBUILDER_MODELS_H

#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tpu_mlir {

/// What to build. An option that is set and that the model does not have is
/// an error, so that no request is ignored.
struct ModelOptions {
  std::string model;
  Level level = Level::Top;
  /// Images or sequences at once, 1 to kMaxBatch.
  int64_t batch = 1;
  /// Tokens in a sequence.
  std::optional<int64_t> seq;
  /// Layers of a generated network, 1 to kMaxOps. Inputs, weights and the
  /// return are not counted.
  std::optional<int64_t> ops;
  /// Of a network that is drawn at random.
  std::optional<uint64_t> seed;
};

inline constexpr int64_t kMaxBatch = 1024;
inline constexpr int64_t kMaxOps = 1'000'000;

/// A range of sequence lengths; {} for a network without sequences.
struct SeqRange {
  int64_t preset = 0;
  int64_t max = 0;
};

/// What --list says of a model.
struct ModelInfo {
  llvm::StringLiteral name;
  /// One line: what it is and from which paper.
  llvm::StringLiteral summary;
  SeqRange seq = {};
  /// As long as the option `ops` says.
  bool isGenerated = false;
  /// Drawn at random.
  bool hasSeed = false;
};

/// All models, in the order of --list.
llvm::ArrayRef<ModelInfo> models();

/// Why there is no module; the user's options are at fault.
struct ModelError {
  std::string message;
};

/// The module that the options name. The same options give the same module,
/// here and on every machine.
std::variant<mlir::OwningOpRef<mlir::ModuleOp>, ModelError>
buildModel(mlir::MLIRContext &context, const ModelOptions &options);

/// Writes the module as text with its locations, the way the examples are
/// written; ends in a newline.
void printModel(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace tpu_mlir

#endif // TPU_MLIR_MODELBUILDER_MODELS_H
