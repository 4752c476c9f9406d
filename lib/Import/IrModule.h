//===- IrModule.h - The Top module that is made -----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_IRMODULE_H
#define TPU_MLIR_LIB_IMPORT_IRMODULE_H

#include "lib/Import/TopModule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace tpu_mlir::importer {

class IrModule : public TopModule {
public:
  IrModule(mlir::MLIRContext &context, llvm::StringRef network);
  ~IrModule() override;

  Value input(const std::string &name, const Shape &shape,
              DataType type) override;
  Value weight(const std::string &name, const Shape &shape) override;
  std::vector<Value> layer(llvm::StringRef op,
                           const std::vector<std::string> &names,
                           const std::vector<Value> &operands,
                           const std::vector<std::optional<Shape>> &shapes,
                           const LayerAttributes &attributes) override;
  std::string nameOf(const Value &value) const override;
  void rename(const Value &value, const std::string &name) override;
  void annotate(const Value &value, const LayerAttributes &attributes) override;
  void note(llvm::StringRef attribute,
            const std::vector<std::string> &names) override;

  /// Closes the function. The module is used up.
  mlir::OwningOpRef<mlir::ModuleOp> finish(const std::vector<Value> &outputs);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_IRMODULE_H
