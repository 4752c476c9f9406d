//===- AnalyzeModule.cpp - All facts about one module ---------------------===//

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tpu_mlir {

/// Inputs: the results of top.Input in argument order, and the arguments that
/// other ops read. Outputs: what the entry returns.
static void collectNetworkValues(GlobalFacts &facts) {
  for (auto entry : facts.schedule.entries()) {
    for (BlockArgument argument : entry.getArguments()) {
      if (facts.aliases.lookup(argument))
        facts.inputs.push_back(argument);
      // Users come in reverse order of their text.
      SmallVector<Operation *> users(argument.getUsers());
      for (Operation *user : llvm::reverse(users))
        if (isa<top::InputOp>(user) && facts.aliases.lookup(user->getResult(0)))
          facts.inputs.push_back(user->getResult(0));
    }
    for (Block &block : entry.getBody())
      if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
        for (Value value : ret.getOperands())
          if (facts.aliases.lookup(value))
            facts.outputs.push_back(value);
  }
}

LogicalResult forwardInnerInputs(ModuleOp module) {
  llvm::DenseSet<StringAttr> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  SmallVector<top::InputOp> inner;
  module.walk([&](top::InputOp input) {
    if (input->getNumOperands() != 1 || input->getNumResults() != 1)
      return;
    auto argument = dyn_cast<BlockArgument>(input->getOperand(0));
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    if (!function || called.contains(function.getSymNameAttr()))
      inner.push_back(input);
  });
  for (top::InputOp input : inner) {
    Value from = input->getOperand(0), to = input->getResult(0);
    if (withoutAddress(from.getType()) != withoutAddress(to.getType()))
      return emitCodedError(input.getLoc(), ErrorCode::InPlaceImpossible,
                            "'top.Input' of what is no input of the network "
                            "has another type than its operand");
    to.replaceAllUsesWith(from);
    input.erase();
  }
  return success();
}

FailureOr<GlobalFacts> analyzeModule(ModuleOp module, bool fourN) {
  FailureOr<OpSchedule> schedule = OpSchedule::build(module);
  if (failed(schedule))
    return failure();
  GlobalFacts facts;
  facts.schedule = std::move(*schedule);
  FailureOr<BufferAliases> aliases =
      BufferAliases::build(module, facts.schedule, {fourN});
  if (failed(aliases))
    return failure();
  facts.aliases = std::move(*aliases);
  facts.lives = computeLiveRanges(facts.schedule, facts.aliases);
  collectNetworkValues(facts);
  return facts;
}

} // namespace tpu_mlir
