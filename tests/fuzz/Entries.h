//===- Entries.h - What is done with arbitrary bytes ------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_FUZZ_ENTRIES_H
#define TPU_MLIR_TESTS_FUZZ_ENTRIES_H

#include <string>
#include <string_view>

namespace tpu_mlir::planning {

/// What one input showed.
struct FuzzOutcome {
  /// Which property does not hold and how; empty when all do.
  std::string broken;
  /// The bytes were a problem, or a network, not just an error.
  bool isProblem = false;
};

/// Bytes as CSV: an error with a message and a position, or a problem that
/// passes check() and survives printing and reading, as does a plan for it.
FuzzOutcome fuzzProblemCsv(std::string_view bytes);
/// The same for JSON.
FuzzOutcome fuzzProblemJson(std::string_view bytes);
/// Bytes become a small legal problem with everything that a problem can have.
/// All strategies with few nodes: plans are valid, and nobody proves what
/// another one refutes.
FuzzOutcome fuzzSolveValidate(std::string_view bytes);
/// Bytes as a model of ONNX: errors with messages, or layers that read what is
/// there, have elements, and weights with as many numbers.
FuzzOutcome fuzzOnnxImport(std::string_view bytes);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_FUZZ_ENTRIES_H
