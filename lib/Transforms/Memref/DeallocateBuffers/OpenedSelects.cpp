//===- OpenedSelects.cpp - Turn selects into branches ---------------------===//
//
// Where the two operands of a select differ in who owns them, a branch can
// carry the flag.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/OpenedSelects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

static scf::IfOp openSelect(arith::SelectOp select) {
  OpBuilder builder(select);
  auto yields = [](Value value) {
    return [value](OpBuilder &builder, Location location) {
      scf::YieldOp::create(builder, location, value);
    };
  };
  auto choice = scf::IfOp::create(
      builder, select.getLoc(), select.getCondition(),
      yields(select.getTrueValue()), yields(select.getFalseValue()));
  select.replaceAllUsesWith(choice.getResult(0));
  select.erase();
  return choice;
}

bool OpenedSelects::open(ArrayRef<Value> names) {
  bool isNew = false;
  for (Value name : names) {
    if (auto select = name.getDefiningOp<arith::SelectOp>()) {
      choices.push_back(openSelect(select));
      name = choices.back().getResult(0);
    }
    isNew |= critical.insert(name).second;
  }
  return isNew;
}

void OpenedSelects::keep(const Owners &owners) {
  llvm::erase_if(choices, [&](scf::IfOp choice) {
    const auto root = owners.rootOf(choice.getResult(0));
    return root && owners.roots[*root].managed;
  });
}

void OpenedSelects::close() {
  for (scf::IfOp choice : choices) {
    if (!llvm::hasSingleElement(*choice.thenBlock()) ||
        !llvm::hasSingleElement(*choice.elseBlock()))
      continue;
    OpBuilder builder(choice);
    auto select = arith::SelectOp::create(
        builder, choice.getLoc(), choice.getCondition(),
        choice.thenYield().getOperand(0), choice.elseYield().getOperand(0));
    choice.getResult(0).replaceAllUsesWith(select.getResult());
    choice.erase();
  }
  choices.clear();
  critical.clear();
}

} // namespace tpu_mlir::deallocation
