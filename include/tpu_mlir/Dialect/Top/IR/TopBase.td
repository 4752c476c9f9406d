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

    Attributes are optional; an op that is not declared here is accepted and
    taken to do anything.
  }];
  let cppNamespace = "::tpu_mlir::top";
  // tpu-mlir prints attributes as a plain dictionary.
  let usePropertiesForAttributes = 0;
  let extraClassDeclaration = "void registerStructureOps();";
}

class Top_Op<string mnemonic, list<Trait> traits = []>
    : MemoryOp<Top_Dialect, mnemonic, traits>;

// One result, no effect but that.
class Top_Compute<string mnemonic, dag ins, list<Trait> traits = []>
    : Top_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = ins;
  let results = (outs TensorOrNone:$output);
}

// As Top_Compute, with any number of results.
class Top_ManyOut<string mnemonic, dag ins, list<Trait> traits = []>
    : Top_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = ins;
  let results = (outs Variadic<TensorOrNone>:$outputs);
}

class Top_Unary<string mnemonic, dag attrs = (ins), list<Trait> traits = []>
    : Top_Compute<mnemonic, !con((ins TensorOrNone:$input), attrs), traits>;

// Two or more operands of one kind; shapes broadcast.
class Top_Nary<string mnemonic, dag attrs = (ins), list<Trait> traits = []>
    : Top_Compute<mnemonic, !con((ins Variadic<TensorOrNone>:$inputs), attrs), traits>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPBASE_TD
