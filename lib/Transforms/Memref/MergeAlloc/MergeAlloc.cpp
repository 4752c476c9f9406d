//===- MergeAlloc.cpp - Merge allocations into one for each scope ---------===//
//
// The pass: reads its options, then runs the four stages on each function.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/MergeAlloc.h"

#include "lib/Transforms/Memref/MergeAlloc/DeadAllocs.h"
#include "lib/Transforms/Memref/MergeAlloc/Options.h"
#include "lib/Transforms/Memref/MergeAlloc/Stages.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_MERGEALLOC
#include "lib/Transforms/Memref/MergeAlloc/MergeAlloc.h.inc"

using namespace merging;

namespace {

/// Several items are one text.
template <typename Option>
constexpr bool isList = std::is_same_v<Option, SmallVector<std::string>>;

class MergeAllocPass : public BufferPass<impl::MergeAllocBase<MergeAllocPass>> {
public:
  using BufferPass::BufferPass;
  explicit MergeAllocPass(const MergeAllocationOptions &given)
      : BufferPass(inWords(given)), base(given) {}

  LogicalResult initialize(MLIRContext *context) override {
    resolved = readOptions();
    return resolveOptions(context, resolved);
  }

  void runOnOperation() override {
    MergeAllocationOptions options = resolved;
    CallSummaries calls(getOperation());
    options.calls = &calls;
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          return failed(merge(function, options)) ? WalkResult::interrupt()
                                                  : WalkResult::skip();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Hands each option that can be said on a command line to `both`, with what
  /// is said there.
  template <typename Given, typename Said, typename Both>
  static void forEachOption(Given &given, Said &said, Both both) {
    both(given.checkOnly, said.analysisOnly);
    both(given.strategy, said.planner);
    both(given.plannerOptions, said.plannerOptions);
    both(given.alignment, said.alignment);
    both(given.memorySpaces, said.memorySpaces);
    both(given.capacity, said.capacity);
    both(given.inPlace, said.inPlace);
    both(given.hoistThreads, said.hoistThreads);
    both(given.free, said.free);
    both(given.mergeAlways, said.mergeAlways);
    both(given.reorder, said.reorder);
    both(given.remarks, said.remarks);
  }
  static MergeAllocOptions inWords(const MergeAllocationOptions &given);
  MergeAllocationOptions readOptions() const;
  LogicalResult merge(Operation *function,
                      const MergeAllocationOptions &options);

  /// The stages, which have no textual form.
  MergeAllocationOptions base;
  /// All options, checked, and with the stages that run.
  MergeAllocationOptions resolved;
};

} // namespace

MergeAllocOptions MergeAllocPass::inWords(const MergeAllocationOptions &given) {
  MergeAllocOptions result;
  forEachOption(given, result, [](const auto &option, auto &said) {
    if constexpr (isList<std::decay_t<decltype(option)>>)
      said = llvm::join(option, ",");
    else
      said = option;
  });
  return result;
}

MergeAllocationOptions MergeAllocPass::readOptions() const {
  MergeAllocationOptions options;
  forEachOption(options, *this, [](auto &option, const auto &said) {
    if constexpr (isList<std::decay_t<decltype(option)>>)
      option = splitItems(said);
    else
      option = said;
  });
  options.tracer = base.tracer ? base.tracer : collectTicks;
  options.planner = base.planner ? base.planner : planTicks;
  options.mutator = base.mutator ? base.mutator : mergeIntoViews;
  return options;
}

LogicalResult MergeAllocPass::merge(Operation *function,
                                    const MergeAllocationOptions &options) {
  if (options.remarks)
    remarkOtherAllocs(function, "buffer stays");
  if (!options.checkOnly)
    removeDeadAllocs(function, options);
  if (!options.checkOnly && options.hoistThreads &&
      failed(hoistThreadBuffers(function, options)))
    return failure();
  if (!options.checkOnly && options.reorder)
    reorderOps(function, options);
  return mergeScopes(function, options, [](Block *) { return true; });
}

std::unique_ptr<Pass> createMergeAllocPass() {
  return std::make_unique<MergeAllocPass>();
}

std::unique_ptr<Pass>
createMergeAllocPass(const MergeAllocationOptions &options) {
  return std::make_unique<MergeAllocPass>(options);
}

void registerMergeAllocPass() {
  registerPass([] { return createMergeAllocPass(); });
}

} // namespace tpu_mlir
