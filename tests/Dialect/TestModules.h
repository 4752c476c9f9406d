//===- TestModules.h - Modules for the dialects' tests ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_DIALECT_TESTMODULES_H
#define TPU_MLIR_TESTS_DIALECT_TESTMODULES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace tpu_mlir::test {

/// A context with the project's dialects.
class TestContext {
public:
  TestContext();

  mlir::MLIRContext *get() { return &context; }
  mlir::Type type(llvm::StringRef text);
  mlir::Attribute attribute(llvm::StringRef text);
  /// The verified module, or null after a failure of the running test.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  /// A module whose only function takes `arguments` ("%a: tensor<4xf32>, ...")
  /// and holds `ops`.
  mlir::OwningOpRef<mlir::ModuleOp> parseOps(llvm::StringRef arguments,
                                             llvm::StringRef ops);

private:
  mlir::MLIRContext context;
};

/// The text with locations; `generic`: no op in a form of its own.
std::string print(mlir::ModuleOp module, bool generic = false);

/// The first op called `name` anywhere in the module; null when there is none.
mlir::Operation *findOp(mlir::ModuleOp module, llvm::StringRef name);

/// Every .mlir file in $TPU_MEMORY_DATA/tpu_mlir, tpu_mlir_more and
/// tpu_mlir_old, sorted; empty when the variable is unset.
std::vector<std::string> realModules();

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_DIALECT_TESTMODULES_H
