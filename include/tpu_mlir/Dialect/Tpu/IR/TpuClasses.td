//===- TpuClasses.td - Families of Tpu ops -----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.td"

class Opt<Attr attr> : OptionalAttr<attr>;

defvar GroupInfo = (ins Opt<LayerGroupAttr>:$ginfo);
defvar QuantAttrs = (ins Opt<RequantModeAttr>:$quant_mode, Opt<RoundModeAttr>:$round_mode);

class Tpu_Op<string mnemonic, list<Trait> traits = []>
    : MemoryOp<Tpu_Dialect, mnemonic, traits>;

// One result, no effect but that; may run from local memory.
class Tpu_Compute<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = !con(ins, GroupInfo);
  let results = (outs TensorOrNone:$output);
}

// As Tpu_Compute, with any number of results.
class Tpu_ManyOut<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = !con(ins, GroupInfo);
  let results = (outs Variadic<TensorOrNone>:$outputs);
}

// Any number of operands: the ones in front are the data.
class Tpu_Nary<string mnemonic, dag attrs = (ins), list<Trait> traits = []>
    : Tpu_Compute<mnemonic, !con((ins Variadic<TensorOrNone>:$inputs), attrs), traits>;

// Each element of the result depends on the elements of the operands at its
// place.
class Tpu_Elementwise<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_Compute<mnemonic, ins, !listconcat([LocalSliceOpInterface], traits)> {
  let extraClassDeclaration = [{
    ::llvm::FailureOr<::llvm::SmallVector<::tpu_mlir::DimSlice>>
    getOperandSlice(unsigned operand, ::llvm::ArrayRef<::tpu_mlir::DimSlice> result) {
      return ::tpu_mlir::elementwiseOperandSlice(getOperation(), operand, result);
    }
  }];
}

class Tpu_Unary<string mnemonic, dag attrs = (ins)>
    : Tpu_Elementwise<mnemonic, !con((ins TensorOrNone:$input), attrs)>;

class Tpu_ElementwiseNary<string mnemonic, dag attrs = (ins)>
    : Tpu_Elementwise<mnemonic, !con((ins Variadic<TensorOrNone>:$inputs), attrs)>;

// The bytes of the operand, seen under another type.
class Tpu_View<string mnemonic, dag ins> : Tpu_Compute<mnemonic, ins, [InPlaceOpInterface]> {
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> getInPlaceEdges() {
      return ::tpu_mlir::viewEdges(getOperation());
    }
  }];
}

class Tpu_ShapeView<string mnemonic, dag attrs>
    : Tpu_View<mnemonic, !con((ins TensorOrNone:$input, Rest:$rest), attrs)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifySameElementCount(getOperation());
    }
  }];
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD
