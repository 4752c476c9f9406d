//===- TopBase.td - The Top dialect and its op classes -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPBASE_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPBASE_TD

include "tpu_mlir/Dialect/Interfaces/OpClasses.td"

def Top_Dialect : Dialect {
  let name = "top";
  let summary = "Chip-independent network ops";
  let description = [{
    A network as a front end imports it, before a chip and a precision are
    chosen. Names, operands and attributes are those of tpu-mlir's dialect of
    this name, so that its dumps are read and written unchanged.

    Records name what is read of an op. All attributes are optional and kept
    as they are; an op that is not declared here, or that does not fit its
    record, is accepted and taken to do anything.
  }];
  let cppNamespace = "::tpu_mlir::top";
  // tpu-mlir prints attributes as a plain dictionary.
  let usePropertiesForAttributes = 0;
  let extraClassDeclaration = [{
    // Nothing of this dialect but ops is known; what newer versions have is
    // kept as text.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override {
      return ::tpu_mlir::keptAttribute(parser, getNamespace(), type);
    }
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override {
      return ::tpu_mlir::keptType(parser, getNamespace());
    }
  }];
}

// Structure, not a layer: its record is binding.
class Top_Op<string mnemonic, list<Trait> traits = []>
    : MemoryOp<Top_Dialect, mnemonic, traits>;

class Top_Layer<string mnemonic, dag ins = (ins Variadic<TensorOrNone>:$inputs), list<Trait> traits = []>
    : LayerOp<Top_Dialect, mnemonic, traits> {
  let arguments = ins;
  let results = (outs Variadic<TensorOrNone>:$outputs);
}

// No effect but its results, of which there may be any number.
class Top_Compute<string mnemonic, dag ins = (ins Variadic<TensorOrNone>:$inputs), list<Trait> traits = []>
    : Top_Layer<mnemonic, ins, !listconcat([Pure], traits)>;

// As Top_Compute; the results have names.
class Top_Named<string mnemonic>
    : Top_Compute<mnemonic, (ins Variadic<TensorOrNone>:$inputs), [OpAsmOpInterface]> {
  let extraClassDeclaration = NamedLenientForm;
}

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPBASE_TD
