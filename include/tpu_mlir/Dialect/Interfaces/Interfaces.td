//===- Interfaces.td - What an op tells memory planning ----*- tablegen -*-===//
//
// Four op interfaces. They state facts of an op; they know neither chips nor
// planners. An analysis decides which of them hold where.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD
#define TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def FormOpInterface : OpInterface<"FormOpInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = [{
    Whether an op has the operands, results and attributes of its record. One
    that has not may come from a version whose meaning is not known here: the
    other interfaces then answer as if they were not there.
  }];
  let methods = [
    InterfaceMethod<"Emits an error where the op departs from its record.",
      "::llvm::LogicalResult", "verifyForm", (ins), "",
      [{ return ::tpu_mlir::verifyRecord<ConcreteOp>($_op); }]>
  ];
  let extraClassDeclaration = [{
    /// Why the op does not fit its record, such as "attribute 'axis' failed to
    /// satisfy constraint: an integer"; empty when it does. O(operands).
    std::string whyUnfit();
  }];
}

def MemoryFootprintOpInterface : OpInterface<"MemoryFootprintOpInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = [{
    How many bytes of global memory the results of an op take. Only ops whose
    answer is not just the bytes of the type implement a method of their own
    (weights with a store mode, packed 4-bit rows).
  }];
  let methods = [
    InterfaceMethod<[{
        Bytes of result `index`, unpadded. `fourN`: the chip stores four images
        side by side. nullopt when there is no static size.
      }],
      "std::optional<int64_t>", "getResultBytes", (ins "unsigned":$index, "bool":$fourN), "",
      [{ return ::tpu_mlir::typeBytes($_op->getResult(index).getType(), fourN); }]>
  ];
}

def InPlaceOpInterface : OpInterface<"InPlaceOpInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = [{
    Which results may (or must) share bytes with which operands. The result
    of an op shares bytes with an operand of the same op only when this
    interface says so (invariant G1).
  }];
  let methods = [
    InterfaceMethod<[{
        The sharing that the op allows by its attributes and shapes, in a fixed
        order; empty when it allows none.
      }],
      "::llvm::SmallVector<::tpu_mlir::InPlaceEdge>", "statedInPlaceEdges", (ins)>
  ];
  let extraClassDeclaration = [{
    /// What the op states; nothing when it does not fit its record.
    ::llvm::SmallVector<::tpu_mlir::InPlaceEdge> getInPlaceEdges();
  }];
}

def LocalSliceOpInterface : OpInterface<"LocalSliceOpInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = [{
    How an op computes a part of its result from parts of its operands. An op
    without this interface is a global layer: it never runs from local memory.
    An op implements one method; callers use the others, or keep the value.
  }];
  let methods = [
    InterfaceMethod<[{
        All that the op states by its attributes and shapes (see
        Support/LocalFacts.h); with these it may be a global layer, and then
        the value says why. O(rank of the result + ranks of the operands).
      }],
      "::tpu_mlir::LocalFacts", "statedLocalFacts", (ins)>
  ];
  // Defined in lib/Dialect/Interfaces/LocalSlice.cpp. Each computes all facts.
  let extraClassDeclaration = [{
    /// What the op states; a global layer when it does not fit its record.
    ::tpu_mlir::LocalFacts getLocalFacts();
    /// Why the op cannot be computed in parts, such as "the pooling is
    /// adaptive"; empty when it can.
    std::string whyGlobal();
    /// One rule for each dimension of that operand's own type; empty for
    /// `none`. Failure: a global layer, or no such operand.
    ::llvm::FailureOr<::llvm::SmallVector<::tpu_mlir::DimRule>>
    getOperandRules(unsigned operand);
    /// For each dimension of result 0: it must stay whole. Empty for a global
    /// layer.
    ::llvm::SmallVector<bool> getUncutDims();
    /// Scratch; nothing for a global layer.
    ::tpu_mlir::LocalScratch getLocalScratch();
    /// Work for each element of result 0, for cost models.
    ::tpu_mlir::LocalWork getLocalWork();
    /// What is read of operand `operand`, one interval a dimension, while the
    /// part `result` of result 0 is computed (one non-empty interval a
    /// dimension); empty intervals where nothing is read, an empty list for
    /// `none`. Failure: as getOperandRules, or `result` is not a part of
    /// result 0.
    ::llvm::FailureOr<::llvm::SmallVector<::tpu_mlir::Interval>>
    getOperandSlice(unsigned operand,
                    ::llvm::ArrayRef<::tpu_mlir::Interval> result);
  }];
}

#endif // TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD
