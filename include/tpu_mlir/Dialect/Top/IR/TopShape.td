//===- TopShape.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// The bytes of the operand, seen under another shape.
foreach name = ["Reshape", "Unsqueeze", "Squeeze", "Flatten"] in
  def Top_ # name # Op : Top_Compute<name, (ins TensorOrNone:$input, Rest:$rest), [InPlaceOpInterface]> {
    let results = (outs TensorOrNone:$output);
    let hasVerifier = 1;
    let extraClassDeclaration = LenientForm # [{
      ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> statedInPlaceEdges() {
        return ::tpu_mlir::viewEdges(getOperation());
      }
    }];
    let extraClassDefinition = [{
      ::llvm::LogicalResult $cppClass::verify() {
        return ::tpu_mlir::verifySameElementCount(getOperation());
      }
    }];
  }

def Top_ConcatOp : Top_Compute<"Concat", (ins Variadic<TensorOrNone>:$inputs, Int<1>:$axis)> {
  let results = (outs TensorOrNone:$output);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tpu_mlir::verifyConcat(getOperation(), getAxis());
    }
  }];
}

// ConcatSlice: the last elements along the axis of both operands one after the
// other, as many as the first operand has: a state that moves on.
foreach name = ["View", "ConcatSlice", "Stack", "Slice", "SliceAxis", "StridedSlice", "Split", "Unpack", "Pack",
                "MeshGrid", "Permute", "Transpose", "ShuffleChannel", "SwapChannel", "SwapDimInner", "Reverse", "Roll",
                "Depth2Space", "Trilu", "Pad", "Tile", "Expand", "Repeat", "Upsample", "Interp", "Gather",
                "GatherElements", "GatherND", "ScatterElements", "ScatterND", "IndexPut", "Insert", "NonZero", "Shape",
                "Size", "Arange", "Range", "ConstantFill", "Copy", "WeightReorder", "List", "Tuple", "UnTuple"] in
  def Top_ # name # Op : Top_Compute<name>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPSHAPE_TD
