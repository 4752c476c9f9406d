//===- OpClasses.td - Words that both dialects' ops use ----*- tablegen -*-===//
//
// An op's record names what somebody here reads of it. Every other attribute is
// kept as it is, and what is read is read in any spelling (Spelling.h):
// versions of the toolchain disagree on widths, on enums and on what is a
// number. All attributes are optional, as dumps leave some out and nothing may
// be added to an op by reading it.
//
// A layer that does not fit its record (operands, results, an attribute that
// says nothing we can read) is no error. It is taken to do anything, like an op
// that has no record; see FormOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD
#define TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tpu_mlir/Dialect/Interfaces/Interfaces.td"

// An operand that an op can do without is `none`.
def TensorOrNone : AnyTypeOf<[AnyTensor, NoneType], "tensor or none">;
// The operands at the end that come and go with versions: tables, scratch.
def Rest : Variadic<TensorOrNone>;

// An optional attribute that `read` of Spelling.h understands; its accessor
// returns `cppType`, made by `value` out of what was read.
class Spelled<string read, string what, string cppType, string value>
    : Attr<CPred<"::tpu_mlir::" # read # "($_self).has_value()">, what> {
  let storageType = "::mlir::Attribute";
  let returnType = cppType;
  let convertFromStorage = "::tpu_mlir::" # read # "($_self)" # value;
  let isOptional = 1;
}

class Int<int absent> : Spelled<"readInteger", "an integer", "int64_t", ".value_or(" # absent # ")">;
class Flag<bit absent> : Spelled<"readFlag", "a flag", "bool", ".value_or(" # !if(absent, "true", "false") # ")">;
// Empty when absent.
def Ints : Spelled<"readIntegers", "a list of integers", "::llvm::SmallVector<int64_t>",
                   ".value_or(::llvm::SmallVector<int64_t>())">;

def AddressedTensors : NativeOpTrait<"AddressedTensors"> {
  let cppNamespace = "::tpu_mlir";
}

// No accessor of ours builds an op from its parts; one builder does for all.
class BareBuilder<string addRegions = ""> : OpBuilder<
    (ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$operands,
         CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes), [{
      $_state.addTypes(resultTypes);
      $_state.addOperands(operands);
      $_state.addAttributes(attributes);
    }] # addRegions>;

class MemoryOp<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, !listconcat(traits, [AddressedTensors])> {
  let skipDefaultBuilders = 1;
  let builders = [BareBuilder<>];
}

// Part of the class of every layer: of its record only the addresses are
// verified. Whoever sets extraClassDeclaration puts this in front.
defvar LenientForm = [{
  static ::mlir::OperationName::VerifyInvariantsFn getVerifyInvariantsFn() {
    return &::tpu_mlir::verifyAddresses;
  }
}];

// The same for layers whose results have names in text (nameResults); with the
// trait OpAsmOpInterface.
defvar NamedLenientForm = LenientForm # [{
  void getAsmResultNames(::mlir::OpAsmSetValueNameFn setNameFn) {
    ::tpu_mlir::nameResults(getOperation(), setNameFn);
  }
}];

// A layer: an op of the network, as opposed to what holds layers together.
class LayerOp<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : MemoryOp<dialect, mnemonic, !listconcat(traits, [FormOpInterface])> {
  let extraClassDeclaration = LenientForm;
}

#endif // TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD
