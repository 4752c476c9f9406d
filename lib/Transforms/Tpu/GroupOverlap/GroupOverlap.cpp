//===- GroupOverlap.cpp - Groups that load for the next one ---------------===//

#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h"

#include "lib/Transforms/Tpu/GroupOverlap/OverlapPair.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_GROUPOVERLAP
#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h.inc"

using namespace group_overlap;

namespace {

class GroupOverlapPass : public impl::GroupOverlapBase<GroupOverlapPass> {
public:
  using GroupOverlapBase::GroupOverlapBase;

  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation())) {
      FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
      if (failed(spec))
        return signalPassFailure();
      if (spec->usedCores > 1)
        continue;
      for (auto function : module.getOps<func::FuncOp>())
        if (!isDynamicFunction(function))
          for (Block &block : function.getBody())
            overlapGroups(block, *spec);
    }
  }

private:
  /// Each pair in turn: what the second group then is for the third one is
  /// known by then.
  static void overlapGroups(Block &block, const target::ChipSpec &spec) {
    std::optional<GroupEnds> last;
    for (auto group : block.getOps<tpu::GroupOp>()) {
      std::optional<GroupEnds> ends = readEnds(group, spec);
      if (ends && last && groupBefore(group) == last->group())
        overlap(*last, *ends);
      last = std::move(ends);
    }
  }
};

} // namespace

} // namespace tpu_mlir
