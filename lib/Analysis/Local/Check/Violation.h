//===- Violation.h - What is wrong with a layer group -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_VIOLATION_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_VIOLATION_H

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace tpu_mlir::local {

/// The invariants of a layer group by number (docs/core/Invariants.md); Form
/// comes before them all: without it nothing else can be asked.
enum class Invariant {
  Form = 0,     ///< The group can be read.
  Coverage = 1, ///< Stored sections cover every output.
  Need = 2,     ///< What a section reads is there.
  Padding = 3,  ///< Padding is read at true borders only.
  Size = 4,     ///< Sizes, alignment and the end of local memory.
  Overlap = 5,  ///< What is alive together shares no byte.
  Order = 6,    ///< Nothing is read before it is there.
  Engines = 7,  ///< In one row the two engines touch different bytes.
  Held = 8,     ///< What is loaded once stays.
  Stores = 9,   ///< Every output is stored, and nothing else.
  Flow = 10,    ///< The schedule lists every op once, in stages that grow.
};

/// One broken invariant. `message` says need and have in words; `notes` point
/// at the other ops that are part of it.
struct Violation {
  Invariant invariant = Invariant::Form;
  mlir::Operation *op = nullptr;
  std::string message;
  std::vector<std::pair<mlir::Operation *, std::string>> notes;
};

using Violations = std::vector<Violation>;

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_VIOLATION_H
