#include "lib/Transforms/ApplyPlan/ApplyPlan.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tpu_mlir {

/// A group's body has no addresses but those of its stores.
static void addressGroup(tpu::GroupOp group) {
  Operation *yield = group->getRegion(0).front().getTerminator();
  for (auto [yielded, result] :
       llvm::zip(yield->getOperands(), group->getResults()))
    if (auto address = getAddress(result.getType());
        address && yielded.getParentRegion() == &group->getRegion(0))
      yielded.setType(withAddress(yielded.getType(), *address));
}

static void updateFunctionType(func::FuncOp function) {
  SmallVector<Type> results(function.getFunctionType().getResults());
  for (Block &block : function.getBody())
    if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
      results.assign(ret.getOperandTypes().begin(), ret.getOperandTypes().end());
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().front().getArgumentTypes(),
      results));
}

/// A declaration says what its call passes and gets.
static void updateDeclaration(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (callee && callee.isExternal())
    callee.setFunctionType(FunctionType::get(call.getContext(),
                                             call.getOperandTypes(),
                                             call.getResultTypes()));
}

void applyAddresses(ModuleOp module, ArrayRef<AddressedValue> addresses) {
  for (const AddressedValue &entry : addresses) {
    Value value = entry.value;
    value.setType(withAddress(value.getType(), entry.address));
  }
  module.walk([](tpu::GroupOp group) { addressGroup(group); });
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      updateFunctionType(function);
  SymbolTable symbols(module);
  module.walk([&](func::CallOp call) { updateDeclaration(call, symbols); });
}

void setModuleInteger(ModuleOp module, StringRef name, int64_t value) {
  module->setAttr(name, Builder(module.getContext()).getI64IntegerAttr(value));
}

} // namespace tpu_mlir
