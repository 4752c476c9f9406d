//===- Net.h - A module of a few lines and its facts ------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ANALYSIS_TENSOR_NET_H
#define TPU_MLIR_TESTS_ANALYSIS_TENSOR_NET_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tpu_mlir::test {

/// Parses `text` and, when it parses, analyses it. Values are known by the
/// name of their location. `!t` is tensor<4096xi8>, `!c` is tensor<1xi32>.
class Net {
public:
  explicit Net(const std::string &text, bool fourN = false);

  /// What was wrong; empty when nothing was.
  std::string errors;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<GlobalFacts> facts;

  mlir::Value value(llvm::StringRef name) const;
  mlir::Operation *op(llvm::StringRef name) const;
  ValueStorage storage(llvm::StringRef name) const {
    return *facts->aliases.lookup(value(name));
  }
  bool share(llvm::StringRef a, llvm::StringRef b) const {
    return storage(a).classId == storage(b).classId;
  }
  /// How far `b` is after `a`, with which it shares storage.
  int64_t distance(llvm::StringRef a, llvm::StringRef b) const {
    return storage(b).offsetBytes - storage(a).offsetBytes;
  }
  /// Of the storage that the value is in.
  Interval life(llvm::StringRef name) const {
    return facts->lives[storage(name).classId].steps;
  }
  Interval steps(llvm::StringRef name) const {
    return facts->schedule.steps(op(name));
  }

  /// The problem on one chip, or the error.
  std::optional<GlobalProblem> problem(const std::string &chip,
                                       const GlobalPlanOptions &options = {});
};

/// main with inputs x and k of 4096 bytes and a flag f; `body` ends in a
/// return of `results` ("!t" for one tensor).
std::string mainOf(const std::string &body, const std::string &results = "!t");

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_ANALYSIS_TENSOR_NET_H
