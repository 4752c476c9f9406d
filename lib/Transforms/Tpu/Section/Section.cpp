//===- Section.cpp - Layers in parts ------------------------------------===//

#include "lib/Transforms/Tpu/Section/Section.h"

#include "lib/Transforms/Tpu/Section/CutOps.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Names.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir {

using namespace section;

#define GEN_PASS_DEF_SECTION
#include "lib/Transforms/Tpu/Section/Section.h.inc"

namespace {

class SectionPass : public impl::SectionBase<SectionPass> {
public:
  using SectionBase::SectionBase;

  LogicalResult initialize(MLIRContext *context) override {
    const Location location = UnknownLoc::get(context);
    return success(succeeded(checkAtLeast(location, "dim", dim, 0)) &&
                   succeeded(checkAtLeast(location, "parts", parts, 2)));
  }

  void runOnOperation() override {
    const Location location = getOperation().getLoc();
    SmallVector<Operation *> ops;
    if (failed(findOps(ops)))
      return signalPassFailure();
    if (ops.empty()) {
      emitRemark(location) << "'tensors' names none: nothing is cut";
      return;
    }
    auto plan = planCut(ops, dim);
    if (auto *why = std::get_if<std::string>(&plan))
      return refuse(ops.back()->getLoc(), *why);
    const Cut &cut = std::get<Cut>(plan);
    if (cut.length < parts)
      return refuse(ops.back()->getLoc(),
                    "there are " + std::to_string(cut.length) +
                        " elements in that dimension, and " +
                        std::to_string(int64_t(parts)) + " parts");
    applyCut(cut, parts);
  }

private:
  void refuse(Location location, const std::string &why) {
    emitCodedError(location, ErrorCode::BadOption,
                   "option 'tensors': the layers cannot run in parts: " + why);
    signalPassFailure();
  }

  /// The ops that make the tensors, in the order of their block.
  LogicalResult findOps(SmallVector<Operation *> &ops) {
    for (StringRef name : namesIn(tensors)) {
      const auto tensor = tensorOfOption(getOperation(), name);
      if (failed(tensor))
        return failure();
      ops.push_back(tensor->getDefiningOp());
      if (ops.back()->getBlock() != ops.front()->getBlock() ||
          !isa<func::FuncOp>(ops.back()->getParentOp()))
        return emitCodedError(ops.back()->getLoc(), ErrorCode::BadOption,
                              "option 'tensors': '" + name +
                                  "' is made in another block, or inside of "
                                  "an op");
    }
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
