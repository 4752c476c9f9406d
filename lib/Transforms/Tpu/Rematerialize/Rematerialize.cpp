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

  void runOnOperation() override {
    if (failed(checkAtLeast(getOperation().getLoc(), "depth", depth, 1)))
      return signalPassFailure();
    SmallVector<StringRef> names;
    StringRef(tensors).split(names, ';', -1, /*KeepEmpty=*/false);
    if (names.empty())
      emitRemark(getOperation().getLoc())
          << "'tensors' names none: nothing is computed again";
    for (StringRef name : names)
      if (failed(computeAgainNamed(name.trim())))
        return signalPassFailure();
  }

private:
  LogicalResult computeAgainNamed(StringRef name) {
    const SmallVector<Value> found = tensorsNamed(getOperation(), name);
    if (found.size() != 1)
      return emitCodedError(
          getOperation().getLoc(), ErrorCode::BadOption,
          "option 'tensors': " + std::to_string(found.size()) +
              " tensors are called '" + name + "', and it has to be one");
    if (std::string why = computeAgain(found.front(), depth); !why.empty())
      return emitCodedError(found.front().getLoc(), ErrorCode::BadOption,
                            "option 'tensors': '" + name +
                                "' cannot be computed again: " + why);
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
