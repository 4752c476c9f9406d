//===- ApplyPlan.cpp - Write addresses into types -------------------------===//
//
// Changes the types of values, functions and calls together, so that the
// module verifies at every step.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ApplyPlan/ApplyPlan.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tpu_mlir::addressing {

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
      results.assign(ret.getOperandTypes().begin(),
                     ret.getOperandTypes().end());
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().front().getArgumentTypes(),
      results));
}

/// A declaration says what its call passes and gets.
static void updateDeclaration(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (callee && callee.isExternal())
    callee.setFunctionType(FunctionType::get(
        call.getContext(), call.getOperandTypes(), call.getResultTypes()));
}

/// Ops of other dialects may want operands and results to be of one type, by a
/// trait or in a verifier of their own: asking them is the only way to know.
static LogicalResult checkForeignOps(ModuleOp module) {
  const auto isOurs = [](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return !op->isRegistered() || dialect == "top" || dialect == "tpu" ||
           dialect == "func" || dialect == "builtin";
  };
  const auto walked = module.walk([&](Operation *op) {
    if (isOurs(op))
      return WalkResult::advance();
    std::string why;
    {
      ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &said) {
        if (why.empty())
          why = said.str();
      });
      if (succeeded(verify(op, /*verifyRecursively=*/false)))
        return WalkResult::advance();
    }
    emitCodedError(op->getLoc(), ErrorCode::UnknownOp,
                   "'" + op->getName().getStringRef() +
                       "' cannot be given addresses, which are part of the "
                       "types: " +
                       why + "; write it as an op of 'top' or 'tpu'");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult applyAddresses(ModuleOp module,
                             ArrayRef<AddressedValue> addresses) {
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
  return checkForeignOps(module);
}

void setModuleInteger(ModuleOp module, StringRef name, int64_t value) {
  module->setAttr(name, Builder(module.getContext()).getI64IntegerAttr(value));
}

} // namespace tpu_mlir::addressing
