//===- StripIoCast.cpp - Remove casts at inputs and outputs ---------------===//
//
// The pass: an input takes the narrower type that every user casts it to, an
// output the type before its cast.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_STRIPIOCAST
#include "lib/Transforms/Tpu/StripIoCast/StripIoCast.h.inc"

namespace {

/// Elements stand for real numbers: a cast between such types changes how they
/// are kept. One to integers cuts them, which is the network's own work.
bool holdsReals(Type type) {
  return isa<FloatType, quant::QuantizedType>(getElementTypeOrSelf(type));
}

/// `narrow` has smaller elements than `wide`, of numbers of the same kind.
bool isNarrower(Type narrow, Type wide) {
  if (!holdsReals(narrow) || !holdsReals(wide))
    return false;
  const auto bitsOf = [](Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    return tensor ? elementBits(tensor.getElementType()) : std::nullopt;
  };
  const auto narrowBits = bitsOf(narrow), wideBits = bitsOf(wide);
  return narrowBits && wideBits && *narrowBits < *wideBits;
}

/// A cast, by the chip or by the processor.
bool isCast(Operation *op) {
  return isa<tpu::CastOp>(op) ||
         (op->getName().getStringRef() == "tpu.GenericCpu" &&
          readWord(op->getAttr("cpu_op_name")) == StringRef("quant"));
}

/// The type that every user of `input` casts it to; null when they do not.
Type commonCast(top::InputOp input) {
  Type type;
  for (Operation *user : input->getUsers()) {
    if (!isCast(user) || (type && user->getResult(0).getType() != type))
      return nullptr;
    type = user->getResult(0).getType();
  }
  return type;
}

/// Numbers counted from 1; empty: all of them.
using Places = llvm::SmallDenseSet<int64_t>;

/// nullopt when the text is no list of such numbers.
std::optional<Places> readPlaces(StringRef text) {
  Places places;
  SmallVector<StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    int64_t place = 0;
    if (word.trim().getAsInteger(10, place) || place < 1)
      return std::nullopt;
    places.insert(place);
  }
  return places;
}

bool isChosen(const Places &places, int64_t index) {
  return places.empty() || places.contains(index + 1);
}

int64_t largest(const Places &places) {
  return places.empty() ? 0 : *llvm::max_element(places);
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
bool stripOutputs(func::FuncOp function, const Places &places) {
  auto terminator =
      dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!terminator)
    return false;
  bool isStripped = false;
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<tpu::CastOp>();
    if (!isChosen(places, operand.getOperandNumber()) || !cast ||
        !isNarrower(cast->getOperand(0).getType(),
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
    const auto ins = readPlaces(inputList), outs = readPlaces(outputList);
    if (!ins || !outs) {
      emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                     Twine("'") + (ins ? "output-list" : "input-list") +
                         "' has to be numbers from 1 with ',' between: 1,3");
      return signalPassFailure();
    }
    if (failed(checkPlaces("input", *ins, countInputs())) ||
        failed(checkPlaces("output", *outs, countOutputs())))
      return signalPassFailure();
    llvm::StringSet<> called;
    getOperation().walk(
        [&](func::CallOp call) { called.insert(call.getCallee()); });
    getOperation().walk([&](func::FuncOp function) {
      if (function.isDeclaration() || called.contains(function.getSymName()) ||
          !function.getBody().hasOneBlock())
        return;
      int64_t number = 0;
      if (inputs)
        for (auto input : llvm::make_early_inc_range(
                 function.getBody().getOps<top::InputOp>()))
          if (isChosen(*ins, number++))
            isStripped |= stripInput(input);
      if (outputs)
        isStripped |= stripOutputs(function, *outs);
    });
    if (!isStripped && (inputs || outputs))
      emitRemark(getOperation().getLoc())
          << "there is nothing to strip: no "
          << (inputs && outputs ? "input or output"
              : inputs          ? "input"
                                : "output")
          << " of the network is cast to a narrower type";
  }

private:
  LogicalResult checkPlaces(StringRef what, const Places &places,
                            int64_t count) {
    if (largest(places) <= count)
      return success();
    return emitCodedError(getOperation().getLoc(), ErrorCode::BadOption,
                          "'" + what + "-list' names " + what + " " +
                              Twine(largest(places)) + ", of the network's " +
                              Twine(count));
  }
  /// Of the function that has the most.
  int64_t countInputs() {
    int64_t most = 0;
    getOperation().walk([&](func::FuncOp function) {
      if (!function.isDeclaration())
        most = std::max<int64_t>(
            most, llvm::range_size(function.getBody().getOps<top::InputOp>()));
    });
    return most;
  }
  int64_t countOutputs() {
    int64_t most = 0;
    getOperation().walk([&](func::ReturnOp op) {
      most = std::max<int64_t>(most, op->getNumOperands());
    });
    return most;
  }
};

} // namespace

} // namespace tpu_mlir
