//===- Commands.h - The tpuc-opt lines that stand for a run -----*- C++ -*-===//
//
// And what they go by: facts of a module.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_COMMANDS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_COMMANDS_H

#include "lib/Transforms/Tpu/Reorder/Reorder.h"
#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tpu_mlir::deploy {

/// What is in the one option list and not in the other, both as they are
/// printed: "{a=1 b={x y}}".
std::string optionsNotIn(llvm::StringRef all, llvm::StringRef others);

/// What differs from the defaults, as tpuc-opt takes it.
template <typename Options> std::string changedOptions(const Options &options) {
  const auto print = [](const Options &some) {
    std::string text;
    llvm::raw_string_ostream out(text);
    some.print(out);
    return text;
  };
  return optionsNotIn(print(options), print(Options()));
}

/// The options of a run of tpu-reorder, and of tpu-strip-io-cast.
std::string describeReorder(const ReorderOptions &options);
std::string describeStrip(const StripIoCastOptions &options);
/// The options of a run of tpu-local-memory.
std::string describeGroups(const LocalMemoryOptions &options);
/// The chip alone, as the options of a pass; "" where the module tells it.
std::string describeChip(const LocalMemoryOptions &options);

/// Ops, attributes or types of dialects that tpuc-opt takes when it is told to.
bool hasUnknownDialects(mlir::ModuleOp module);
/// Layer groups.
bool hasGroups(mlir::ModuleOp module);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_COMMANDS_H
