//===- TopStructureOps.td - Inputs, weights, control flow --*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// None, Weight and Input are not Pure: what they stand for is named by their
// location, so two that look alike must stay two.

def Top_NoneOp : Top_Op<"None"> {
  let summary = "An operand that is not there";
  let results = (outs NoneType:$output);
}

def Top_WeightOp : Top_Op<"Weight", [DeclareOpInterfaceMethods<MemoryFootprintOpInterface, ["getResultBytes"]>]> {
  let summary = "A weight; its name is its location";
  let description = [{
    `store_mode` 2N and 4N: two or four images share a 4-byte slot. A 4-bit
    weight that a MatMul reads as its right operand or bias may be stored with
    each row rounded up to whole bytes; its footprint covers both forms.
  }];
  let results = (outs TensorOrNone:$output);
}

def Top_InputOp : Top_Op<"Input"> {
  let summary = "An input of the network, with its preprocessing";
  let arguments = (ins TensorOrNone:$input);
  let results = (outs TensorOrNone:$output);
}

def Top_YieldOp : Top_Op<"Yield", [Pure, Terminator]> {
  let summary = "What a region results in";
  let arguments = (ins Variadic<TensorOrNone>:$values);
}

def Top_IfOp : Top_Op<"If", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Runs one of two regions";
  let arguments = (ins TensorOrNone:$cond);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region AnyRegion:$then_branch, AnyRegion:$else_branch);
  let builders = [BareBuilder<"$_state.addRegion(); $_state.addRegion();">];
  let hasRegionVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return ::tpu_mlir::verifyBranches(getOperation());
    }
  }];
}

def Top_LoopOp : Top_Op<"Loop", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Runs a region while a condition holds, at most M times";
  let arguments = (ins TensorOrNone:$M, TensorOrNone:$cond, Variadic<TensorOrNone>:$v_initial);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region AnyRegion:$body);
  let builders = [BareBuilder<"$_state.addRegion();">];
}

def Top_CustomOp : Top_Layer<"Custom"> {
  let summary = "An op that a user's library implements";
}

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_TD
