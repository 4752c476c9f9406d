//===- GroupRunner.h - Executes a hand-written group ------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_GROUPRUNNER_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_GROUPRUNNER_H

#include "tests/exec/groups/Mixing.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace tpu_mlir::exec {

/// Four lanes of 1 KiB, 16 bytes an execution unit.
inline target::ChipSpec smallChip() {
  target::ChipSpec chip;
  chip.name = "small";
  chip.lanes = 4;
  chip.euBytes = 16;
  chip.laneBytes = 1024;
  chip.banks = 4;
  return chip;
}

/// The groups of a module's text, as one chain that a test may change before
/// it runs.
class GroupRunner {
public:
  explicit GroupRunner(const std::string &text,
                       target::ChipSpec chip = smallChip())
      : chip(std::move(chip)) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return;
    auto read = readChains(*module, this->chip);
    if (auto *problem = std::get_if<std::string>(&read))
      readError = *problem;
    else if (std::get<0>(read).size() == 1)
      chain = std::move(std::get<0>(read).front());
    else
      readError = "not one chain";
  }

  GroupItem &item(int64_t id, size_t group = 0) {
    return chain[group].items[chain[group].itemWithId(id)];
  }
  /// "" when everything is right.
  std::string run() {
    if (!readError.empty())
      return readError;
    auto reference = runReference(chain);
    if (auto *problem = std::get_if<std::string>(&reference))
      return *problem;
    KernelCache cache;
    return simulateAllOrders(chain, chip, std::get<ChainReference>(reference),
                             cache)
        .value_or("");
  }

  target::ChipSpec chip;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<GroupModel> chain;
  std::string readError;
};

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_GROUPRUNNER_H
