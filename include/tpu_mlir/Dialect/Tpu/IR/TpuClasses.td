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

// The facts are in lib/Dialect/Tpu/IR/TpuLocalSlice*.cpp.
def LocalSlice : DeclareOpInterfaceMethods<LocalSliceOpInterface>;

// Each element of the result depends on the elements of the operands at its
// place.
class Tpu_Elementwise<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_Compute<mnemonic, ins, !listconcat([LocalSliceOpInterface], traits)> {
  let extraClassDeclaration = [{
    ::tpu_mlir::LocalFacts getLocalFacts() { return elementwiseFacts(getOperation()); }
  }];
}

// As Tpu_Elementwise in operand 0; those behind it are tables, read anywhere.
class Tpu_Table<string mnemonic, dag ins>
    : Tpu_Compute<mnemonic, ins, [LocalSliceOpInterface]> {
  let extraClassDeclaration = [{
    ::tpu_mlir::LocalFacts getLocalFacts() { return tableFacts(getOperation()); }
  }];
}

class Tpu_Unary<string mnemonic, dag attrs = (ins)>
    : Tpu_Elementwise<mnemonic, !con((ins TensorOrNone:$input), attrs)>;

class Tpu_ElementwiseNary<string mnemonic, dag attrs = (ins)>
    : Tpu_Elementwise<mnemonic, !con((ins Variadic<TensorOrNone>:$inputs), attrs)>;

// The bytes of the operand, seen under another type.
class Tpu_View<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_Compute<mnemonic, ins, !listconcat([InPlaceOpInterface], traits)> {
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> getInPlaceEdges() {
      return ::tpu_mlir::viewEdges(getOperation());
    }
  }];
}

class Tpu_ShapeView<string mnemonic, dag attrs>
    : Tpu_View<mnemonic, !con((ins TensorOrNone:$input, Rest:$rest), attrs), [LocalSliceOpInterface]> {
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> getInPlaceEdges() {
      return ::tpu_mlir::viewEdges(getOperation());
    }
    ::tpu_mlir::LocalFacts getLocalFacts() { return shapeViewFacts(getOperation()); }
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifySameElementCount(getOperation());
    }
  }];
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD
