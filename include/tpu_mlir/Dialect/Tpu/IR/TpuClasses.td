//===- TpuClasses.td - Families of Tpu ops -----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.td"

// An enum as such, as its name or as its number.
class Enum<string enum, string absent>
    : Spelled<"tpu::readEnum<::tpu_mlir::tpu::" # enum # "Attr>", "a case of " # enum,
              "::tpu_mlir::tpu::" # enum, ".value_or(::tpu_mlir::tpu::" # enum # "::" # absent # ")">;

// Structure, not a layer: its record is binding.
class Tpu_Op<string mnemonic, list<Trait> traits = []>
    : MemoryOp<Tpu_Dialect, mnemonic, traits>;

class Tpu_Layer<string mnemonic, dag ins, list<Trait> traits = []>
    : LayerOp<Tpu_Dialect, mnemonic, traits> {
  let arguments = ins;
  let results = (outs Variadic<TensorOrNone>:$outputs);
}

// No effect but its results, of which there may be any number.
class Tpu_ManyOut<string mnemonic, dag ins = (ins Variadic<TensorOrNone>:$inputs), list<Trait> traits = []>
    : Tpu_Layer<mnemonic, ins, !listconcat([Pure], traits)>;

// As Tpu_ManyOut; the results have names.
class Tpu_Named<string mnemonic, list<Trait> traits = []>
    : Tpu_ManyOut<mnemonic, (ins Variadic<TensorOrNone>:$inputs), !listconcat([OpAsmOpInterface], traits)> {
  let extraClassDeclaration = NamedLenientForm;
}

// As Tpu_ManyOut with one result.
class Tpu_Compute<string mnemonic, dag ins, list<Trait> traits = []>
    : Tpu_ManyOut<mnemonic, ins, traits> {
  let results = (outs TensorOrNone:$output);
}

// Any number of operands: the ones in front are the data.
class Tpu_Nary<string mnemonic, dag attrs = (ins), list<Trait> traits = []>
    : Tpu_Compute<mnemonic, !con((ins Variadic<TensorOrNone>:$inputs), attrs), traits>;

// One operand, and more that come and go with versions.
class Tpu_Unary<string mnemonic, dag attrs = (ins), list<Trait> traits = []>
    : Tpu_Compute<mnemonic, !con((ins TensorOrNone:$input, Rest:$rest), attrs), traits>;

// How kernels treat operands in local memory: TpuLocalFacts.h says what each
// one means.
class LocalTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::tpu_mlir::tpu";
}
def WritesOverOperand : LocalTrait<"WritesOverOperand">;
def CompactCoefficients : LocalTrait<"CompactCoefficients">;
def BroadcastTables : LocalTrait<"BroadcastTables">;
def PicksElements : LocalTrait<"PicksElements">;

// The facts are in lib/Dialect/Tpu/IR/TpuLocalSlice*.cpp.
def LocalSlice : DeclareOpInterfaceMethods<LocalSliceOpInterface, ["statedLocalFacts"]>;
// The edges are in lib/Dialect/Tpu/IR/TpuInPlace.cpp.
def InPlace : DeclareOpInterfaceMethods<InPlaceOpInterface, ["statedInPlaceEdges"]>;

// Each element of the result depends on the elements of the operands at its
// place.
class Tpu_Elementwise<string mnemonic, dag ins = (ins Variadic<TensorOrNone>:$inputs), list<Trait> traits = []>
    : Tpu_Compute<mnemonic, ins, !listconcat([LocalSliceOpInterface], traits)> {
  let extraClassDeclaration = LenientForm # [{
    ::tpu_mlir::LocalFacts statedLocalFacts() { return elementwiseFacts(getOperation()); }
  }];
}

// As Tpu_Elementwise in operand 0; those after it are tables, read anywhere.
class Tpu_Table<string mnemonic, list<Trait> traits = []>
    : Tpu_Unary<mnemonic, (ins), !listconcat([LocalSliceOpInterface], traits)> {
  let extraClassDeclaration = LenientForm # [{
    ::tpu_mlir::LocalFacts statedLocalFacts() { return tableFacts(getOperation()); }
  }];
}

// The bytes of the operand, seen under another shape.
class Tpu_ShapeView<string mnemonic, list<Trait> traits = []>
    : Tpu_Unary<mnemonic, (ins), !listconcat([InPlaceOpInterface, LocalSliceOpInterface], traits)> {
  let extraClassDeclaration = LenientForm # [{
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> statedInPlaceEdges() {
      return ::tpu_mlir::viewEdges(getOperation());
    }
    ::tpu_mlir::LocalFacts statedLocalFacts() { return shapeViewFacts(getOperation()); }
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifySameElementCount(getOperation());
    }
  }];
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUCLASSES_TD
