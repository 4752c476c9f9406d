#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_STRIPIOCAST
#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h.inc"

namespace {

/// `narrow` has smaller elements than `wide`.
bool isNarrower(Type narrow, Type wide) {
  const auto bitsOf = [](Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    return tensor ? elementBits(tensor.getElementType()) : std::nullopt;
  };
  const auto narrowBits = bitsOf(narrow), wideBits = bitsOf(wide);
  return narrowBits && wideBits && *narrowBits < *wideBits;
}

/// The type that every user of `input` casts it to; null when they do not.
Type commonCast(top::InputOp input) {
  Type type;
  for (Operation *user : input->getUsers()) {
    auto cast = dyn_cast<tpu::CastOp>(user);
    if (!cast || (type && cast->getResult(0).getType() != type))
      return nullptr;
    type = cast->getResult(0).getType();
  }
  return type;
}

/// False: there was nothing to strip.
bool stripInput(top::InputOp input) {
  Type type = commonCast(input);
  if (!type || !isNarrower(type, input->getResult(0).getType()))
    return false;
  for (Operation *user : llvm::make_early_inc_range(input->getUsers())) {
    user->getResult(0).replaceAllUsesWith(input->getResult(0));
    user->erase();
  }
  input->getResult(0).setType(type);
  return true;
}

/// False: there was nothing to strip.
bool stripOutputs(func::FuncOp function) {
  auto terminator =
      dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!terminator)
    return false;
  bool isStripped = false;
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<tpu::CastOp>();
    if (!cast || !isNarrower(cast->getOperand(0).getType(),
                             cast->getResult(0).getType()))
      continue;
    isStripped = true;
    operand.set(cast->getOperand(0));
    if (cast->use_empty())
      cast->erase();
  }
  function.setFunctionType(
      FunctionType::get(function.getContext(), function.getArgumentTypes(),
                        llvm::to_vector(terminator->getOperandTypes())));
  return isStripped;
}

class StripIoCastPass : public impl::StripIoCastBase<StripIoCastPass> {
public:
  using StripIoCastBase::StripIoCastBase;

  void runOnOperation() override {
    if (!inputs && !outputs)
      emitRemark(getOperation().getLoc())
          << "'inputs=false outputs=false' leaves no casts to strip";
    bool isStripped = false;
    llvm::StringSet<> called;
    getOperation().walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    getOperation().walk([&](func::FuncOp function) {
      if (function.isDeclaration() || called.contains(function.getSymName()) ||
          !function.getBody().hasOneBlock())
        return;
      if (inputs)
        for (auto input : llvm::make_early_inc_range(
                 function.getBody().getOps<top::InputOp>()))
          isStripped |= stripInput(input);
      if (outputs)
        isStripped |= stripOutputs(function);
    });
    if (!isStripped && (inputs || outputs))
      emitRemark(getOperation().getLoc())
          << "there is nothing to strip: no "
          << (inputs && outputs ? "input or output"
              : inputs          ? "input"
                                : "output")
          << " of the network is cast to a narrower type";
  }
};

} // namespace

} // namespace tpu_mlir
