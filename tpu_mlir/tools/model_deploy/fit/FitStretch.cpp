//===- FitStretch.cpp - Stretches of layers that may run in parts ---------===//

#include "tpu_mlir/tools/model_deploy/fit/FitStretch.h"

#include "lib/Transforms/Tpu/Section/CutOps.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Names.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::deploy {

/// A stretch goes on until its result is smaller than this part of the tensor
/// that it is for.
static constexpr int64_t kSmall = 4;
static constexpr size_t kMostInFront = 8;
static constexpr int64_t kUsualParts = 8;

namespace {

using Ops = llvm::SetVector<Operation *>;

class Grower {
public:
  Grower(Operation *op, int64_t dim) : lastDim(dim) { ops.insert(op); }

  bool isPossible() const { return isPossible(ops, lastDim); }

  /// To where tensors are small again.
  void growDown() {
    const int64_t enough = bytesOf(ops.front()) / kSmall;
    while (bytesOf(ops.back()) > enough && addReader()) {
    }
  }

  /// What only works for the stretch.
  bool growUp() {
    const size_t before = ops.size();
    for (size_t at = 0; at < ops.size(); ++at)
      for (Value operand : ops[at]->getOperands())
        if (Operation *made = operand.getDefiningOp();
            made && ops.size() < before + kMostInFront)
          addMaker(made);
    return ops.size() > before;
  }

  Parts parts() const {
    Parts result;
    for (Operation *op : sorted(ops))
      result.tensors.push_back(valueName(op->getResult(0)));
    result.dim = lastDim;
    const auto type = cast<RankedTensorType>(last()->getResult(0).getType());
    result.parts = std::min(kUsualParts, type.getDimSize(lastDim));
    return result;
  }

private:
  static int64_t bytesOf(Operation *op) {
    return typeBytes(op->getResult(0).getType()).value_or(0);
  }
  static SmallVector<Operation *> sorted(const Ops &some) {
    SmallVector<Operation *> result(some.begin(), some.end());
    llvm::sort(result, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return result;
  }
  static bool isPossible(const Ops &some, int64_t dim) {
    const auto plan = section::planCut(sorted(some), dim);
    const auto *cut = std::get_if<section::Cut>(&plan);
    return cut && cut->length >= 2;
  }
  Operation *last() const { return sorted(ops).back(); }

  bool addReader() {
    Operation *from = ops.back();
    if (!from->hasOneUse())
      return false;
    OpOperand &use = *from->use_begin();
    auto local = dyn_cast<LocalSliceOpInterface>(use.getOwner());
    if (!local || use.getOwner()->getBlock() != from->getBlock())
      return false;
    auto rules = local.getOperandRules(use.getOperandNumber());
    if (failed(rules) || size_t(lastDim) >= rules->size() ||
        !(*rules)[lastDim].isSame())
      return false;
    const int64_t dim = (*rules)[lastDim].resultDim;
    Ops more = ops;
    more.insert(use.getOwner());
    if (!isPossible(more, dim))
      return false;
    ops = more;
    lastDim = dim;
    return true;
  }

  void addMaker(Operation *made) {
    const bool isOurs = llvm::all_of(
        made->getUsers(), [&](Operation *user) { return ops.contains(user); });
    if (!isOurs || ops.contains(made) || !isa<LocalSliceOpInterface>(made) ||
        made->getBlock() != ops.front()->getBlock())
      return;
    Ops more = ops;
    more.insert(made);
    if (isPossible(more, lastDim))
      ops = more;
  }

  Ops ops;
  int64_t lastDim;
};

} // namespace

static void addStretches(Operation *op, int64_t dim,
                         std::vector<Parts> &result) {
  Grower grower(op, dim);
  if (!grower.isPossible())
    return;
  grower.growDown();
  const Parts alone = grower.parts();
  if (grower.growUp())
    result.push_back(grower.parts());
  result.push_back(alone);
}

std::vector<Parts> stretchesAround(ModuleOp module, StringRef tensor) {
  const SmallVector<Value> found = tensorsNamed(module, tensor);
  if (found.size() != 1)
    return {};
  Operation *op = found.front().getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(found.front().getType());
  if (!type || !isa<func::FuncOp>(op->getParentOp()))
    return {};
  std::vector<Parts> result;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    addStretches(op, dim, result);
  return result;
}

} // namespace tpu_mlir::deploy
