//===- PassRunner.h - Runs the passes under test ----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_PASSRUNNER_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_PASSRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace tpu_mlir::test {

/// Options of the pipeline tpu-global-memory.
struct Choice {
  std::string chip;
  std::string strategy = "auto";
  std::string ioMode;
  int64_t alignment = 0;
  bool dedup = false;
  std::string sameAddr;
  std::string pools;
  bool poolIo = false;
  bool share = false, pack = false;
  bool inOrder = false; ///< With share.
};
std::string describe(const Choice &choice);

/// Errors with their notes, one a line; empty on success.
struct Outcome {
  bool succeeded = false;
  std::string errors;
};
Outcome assignAddresses(mlir::ModuleOp module, const Choice &choice);
Outcome verifyAddresses(mlir::ModuleOp module, const Choice &choice);

std::string print(mlir::ModuleOp module);

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_PASSRUNNER_H
