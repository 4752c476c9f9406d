//===- TpuStructureOps.td - Groups, transfers, control flow -*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuClasses.td"

//===----------------------------------------------------------------------===//
// Layer groups. Transfers are not Pure: a group's `flow` names them by id, so
// none may disappear or become one with another.
//===----------------------------------------------------------------------===//

def Tpu_GroupOp : Tpu_Op<"Group", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Layers that run from local memory, section by section";
  let description = [{
    The region loads sections of the operands and of weights, computes and
    stores. It has no arguments: loads name the values outside. `flow` is the
    schedule: a number -(t+1) opens timestep t, the others are the ids (see
    `ginfo`) of what runs in it.
  }];
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region SizedRegion<1>:$region);
  let builders = [BareBuilder<"$_state.addRegion();">];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Attributes: into how many parts n, c, d, h and w are cut, and the
    /// transfers that neighbouring groups run for each other.
    static constexpr ::llvm::StringLiteral kCounts[] = {"nsecs", "csecs", "dsecs", "hsecs", "wsecs"};
    static constexpr ::llvm::StringLiteral kSharedTransfers[] = {
        "self_up_overlap_op", "self_down_overlap_op", "other_up_overlap_op", "other_down_overlap_op"};
    /// Where and when an op of a group runs, with what the text leaves out;
    /// null when it does not say.
    static LayerGroupAttr infoOf(::mlir::Operation *op);
  }];
}

def Tpu_YieldOp : Tpu_Op<"Yield", [Pure, Terminator]> {
  let summary = "What a region results in";
  let arguments = (ins Variadic<TensorOrNone>:$values);
}

def Tpu_LoadOp : Tpu_Op<"Load"> {
  let summary = "Copies a section from global to local memory";
  let arguments = (ins TensorOrNone:$input);
  let results = (outs TensorOrNone:$output);
  let hasVerifier = 1;
}

def Tpu_StoreOp : Tpu_Op<"Store"> {
  let summary = "Copies a section from local to global memory";
  let arguments = (ins TensorOrNone:$input, Rest:$buffer);
  let results = (outs TensorOrNone:$output);
}

def Tpu_MoveOp : Tpu_Op<"Move"> {
  let summary = "Moves tensors inside local memory";
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs Variadic<TensorOrNone>:$outputs);
}

def Tpu_LineBufferOp : Tpu_Op<"LineBuffer", [LocalSlice]> {
  let summary = "Keeps rows of a tensor in local memory from section to section";
  let description = [{
    In a group that is cut along h, results in the operand: in each section the
    rows of its own part, of which the operand's part has those from some row on
    to the end. The rows in front of that are those that the op has kept of the
    section before, in its scratch (`buffer_addr` of `ginfo`), which is its own
    for as long as the group runs. The first section of each image finds nothing
    there and has all rows in its operand. What a section keeps is what the next
    one has in its own part and not in its operand's.

    Nothing may be cut along w and c, and the sections run on one core. This is
    an op of this project: tpu-mlir's code generators do not know it.
  }];
  let arguments = (ins TensorOrNone:$input);
  let results = (outs TensorOrNone:$output);
  let hasVerifier = 1;
}

def Tpu_LoadToL2MOp : Tpu_Op<"LoadToL2M"> {
  let summary = "Copies a tensor into the L2 memory that the cores share";
  let arguments = (ins TensorOrNone:$input, Rest:$buffer);
  let results = (outs TensorOrNone:$output);
}

def Tpu_SliceMergeOp : Tpu_Op<"SliceMerge"> {
  let summary = "Puts the sections of a tensor together";
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs TensorOrNone:$output);
}

//===----------------------------------------------------------------------===//
// Several cores
//===----------------------------------------------------------------------===//

def Tpu_CoreParallelOp : Tpu_Op<"CoreParallel", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "The parts of one layer, each on a core";
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region AnyRegion:$region);
  let builders = [BareBuilder<"$_state.addRegion();">];
}

// What CoreParallel was called first.
def Tpu_ParallelOp : Tpu_Op<"Parallel", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "The parts of one layer, each on a core";
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region AnyRegion:$region);
  let builders = [BareBuilder<"$_state.addRegion();">];
}

def Tpu_GroupParallelOp : Tpu_Op<"GroupParallel", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Independent parts of the network that run at the same time";
  let arguments = (ins Variadic<TensorOrNone>:$inputs);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region VariadicRegion<AnyRegion>:$parallel);
}

def Tpu_CoreSplitOp : Tpu_ManyOut<"CoreSplit", (ins TensorOrNone:$input, Rest:$rest), [InPlace]> {
  let summary = "The parts of a tensor along an axis, one for each core";
  let description = [{
    A part is where it is in the whole if it is one run of its memory: if it
    has nothing but ones in front of the axis. Else all parts are copies.
  }];
}
def Tpu_CoreJoinOp : Tpu_Nary<"CoreJoin", (ins), [InPlace]> {
  let summary = "The tensor that the cores' parts make up";
  let description = [{ As CoreSplit, the other way round. }];
}
// What these were called first. Outside of a parallel region Split is a layer,
// which may have work to do.
def Tpu_SplitOp : Tpu_ManyOut<"Split", (ins TensorOrNone:$input, Rest:$rest), [InPlace]> {
  let summary = "As CoreSplit inside a parallel region; elsewhere the parts of a tensor along an axis";
}
def Tpu_JoinOp : Tpu_Nary<"Join", (ins), [InPlace]> {
  let summary = "As CoreJoin";
}

foreach name = ["CoreBegin", "CoreEnd", "DevBegin", "DevEnd"] in
  def Tpu_ # name # Op : Tpu_Layer<name, (ins Variadic<TensorOrNone>:$inputs)>;

//===----------------------------------------------------------------------===//
// Control flow and storage
//===----------------------------------------------------------------------===//

def Tpu_IfOp : Tpu_Op<"If", [SingleBlock, RecursiveMemoryEffects]> {
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

def Tpu_LoopOp : Tpu_Op<"Loop", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Runs a region while a condition holds, at most M times";
  let arguments = (ins TensorOrNone:$M, TensorOrNone:$cond, Variadic<TensorOrNone>:$v_initial);
  let results = (outs Variadic<TensorOrNone>:$outputs);
  let regions = (region AnyRegion:$body);
  let builders = [BareBuilder<"$_state.addRegion();">];
}

// Two buffers of one size are two buffers.
def Tpu_BufferOp : Tpu_Op<"Buffer"> {
  let summary = "Scratch memory of the op that uses it";
  // Operands are none; declared so that the verifier can say it in words.
  let arguments = (ins Variadic<AnyType>:$nothing);
  let results = (outs TensorOrNone:$output);
  let hasVerifier = 1;
}

def Tpu_OutBufferOp : Tpu_Layer<"OutBuffer", (ins Variadic<TensorOrNone>:$inputs)> {
  let summary = "A tensor in memory of its own, written by other ops";
}

def Tpu_IdentityOp : Tpu_ManyOut<"Identity", (ins Variadic<TensorOrNone>:$inputs), [InPlace]> {
  let summary = "The operands, under other names";
}

// Counts up in place, so not Pure.
def Tpu_AutoIncreaseOp : Tpu_Layer<"AutoIncrease", (ins TensorOrNone:$input), [InPlace]> {
  let summary = "A counter that grows each time it runs";
  let results = (outs TensorOrNone:$output);
}

def Tpu_Weight2ActivationOp : Tpu_Compute<"Weight2Activation", (ins TensorOrNone:$input), [InPlace]> {
  let summary = "A weight read as an activation";
}

// What a user's function does is unknown.
def Tpu_GenericCpuOp : Tpu_Layer<"GenericCpu", (ins Variadic<TensorOrNone>:$inputs)> {
  let summary = "A layer that runs on the CPU";
}
def Tpu_CustomOp : Tpu_Layer<"Custom", (ins Variadic<TensorOrNone>:$inputs)> {
  let summary = "An op that a user's library implements";
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_TD
