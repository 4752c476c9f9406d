//===- Rematerialize.cpp - Tensors made again ---------------------------===//

#include "lib/Transforms/Tpu/Rematerialize/Rematerialize.h"

#include "lib/Transforms/Tpu/Rematerialize/CopyOps.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Names.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_REMATERIALIZE
#include "lib/Transforms/Tpu/Rematerialize/Rematerialize.h.inc"

namespace {

class RematerializePass : public impl::RematerializeBase<RematerializePass> {
public:
  using RematerializeBase::RematerializeBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkAtLeast(UnknownLoc::get(context), "depth", depth, 1);
  }

  void runOnOperation() override {
    const SmallVector<StringRef> names = namesIn(tensors);
    if (names.empty())
      emitRemark(getOperation().getLoc())
          << "'tensors' names none: nothing is computed again";
    // A name may be that of a copy which one before it has made.
    for (StringRef name : names)
      if (failed(computeAgainNamed(name)))
        return signalPassFailure();
  }

private:
  LogicalResult computeAgainNamed(StringRef name) {
    const auto found = tensorOfOption(getOperation(), name);
    if (failed(found))
      return failure();
    if (std::string why = computeAgain(*found, depth); !why.empty())
      return emitCodedError(found->getLoc(), ErrorCode::BadOption,
                            "option 'tensors': '" + name +
                                "' cannot be computed again: " + why);
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
