//===- Spared.cpp - Recognise guarded frees of arguments ------------------===//
//
// Arguments that a flag proves not to be freed are treated as left alone.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Spared.h"

#include "lib/Analysis/Memref/Deallocation/FreshResults.h"
#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

using namespace verify_deallocation;

/// An argument with more worlds may be freed, and all of a function together
/// have 16 times as many.
static constexpr size_t kMostWorlds = 16384;

/// Something may free it, or it is not known.
static bool mayBeFreedFrom(const Worlds &worlds, int start) {
  return llvm::any_of(worlds.reachable({start}), [&](int index) {
    const WorldNode &node = worlds[index];
    return node.freedBy || node.isLost || node.end == WorldNode::End::Open;
  });
}

static void spareIn(FunctionOpInterface function,
                    ArrayRef<BlockArgument> arguments, FreshResults &fresh,
                    CallSummaries &freeing) {
  // What it may return it does, so that nobody frees that either.
  auto returns = [&](OpResult result, Value operand) {
    Returns returns = fresh.returns(result, operand);
    return returns == Returns::Sometimes ? Returns::Always : returns;
  };
  auto frees = [&](Operation *op, Value value) {
    auto call = dyn_cast<CallOpInterface>(op);
    bool mayFree =
        isa<memref::ReallocOp>(op) || (call && freeing.mayFree(call, value));
    return mayFree ? Frees::Sometimes : Frees::Never;
  };
  Callees callees{returns, frees};
  Flow flow(function);
  Names names(flow, function, fresh.waits());
  Relations relations(function, callees);
  Worlds worlds(flow, names, callees);
  for (BlockArgument argument : arguments) {
    if (mayBeKept(argument, relations, callees, names.asynchronous))
      continue;
    size_t left =
        16 * kMostWorlds - std::min<size_t>(worlds.size(), 16 * kMostWorlds);
    int start = worlds.explore(argument, std::min(kMostWorlds, left));
    if (!mayBeFreedFrom(worlds, start))
      freeing.spare(argument);
  }
}

void spareByFlags(CallSummaries &freeing, Operation *root,
                  ArrayRef<Operation *> calleesFirst) {
  FreshResults fresh(root);
  for (Operation *op : calleesFirst) {
    auto function = cast<FunctionOpInterface>(op);
    SmallVector<BlockArgument> arguments;
    for (BlockArgument argument : function.getArguments())
      if (freeing.mayBeFreed(argument))
        arguments.push_back(argument);
    if (!arguments.empty())
      spareIn(function, arguments, fresh, freeing);
  }
}

} // namespace tpu_mlir::deallocation
