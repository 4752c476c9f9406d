//===- OpClasses.td - Words that both dialects' ops use ----*- tablegen -*-===//
//
// Attributes are optional everywhere: dumps of other versions leave some out,
// and nothing may be added to an op by reading it. An attribute with a default
// has an accessor that returns it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD
#define TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tpu_mlir/Dialect/Interfaces/Interfaces.td"

// An operand that an op can do without is `none`.
def TensorOrNone : AnyTypeOf<[AnyTensor, NoneType], "tensor or none">;
// The operands at the end that come and go with versions: tables, scratch.
def Rest : Variadic<TensorOrNone>;

// Plain i64, with a signed accessor.
def IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

class Int<int value> : DefaultValuedOptionalAttr<IntAttr, !cast<string>(value)>;
class Flag<bit value> : DefaultValuedOptionalAttr<BoolAttr, !if(value, "true", "false")>;
class Real<string value> : DefaultValuedOptionalAttr<F64Attr, value>;
class SInt32<int value> : DefaultValuedOptionalAttr<SI32Attr, !cast<string>(value)>;
class Str<string value> : DefaultValuedOptionalAttr<StrAttr, "\"" # value # "\"">;
def Ints : OptionalAttr<I64ArrayAttr>;
def Reals : OptionalAttr<F64ArrayAttr>;
def OptInt : OptionalAttr<IntAttr>;
def OptReal : OptionalAttr<F64Attr>;
def OptStr : OptionalAttr<StrAttr>;
def OptFlag : OptionalAttr<BoolAttr>;

defvar ReluAttrs = (ins Flag<0>:$do_relu, Real<"-1.0">:$relu_limit);

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

#endif // TPU_MLIR_DIALECT_INTERFACES_OPCLASSES_TD
