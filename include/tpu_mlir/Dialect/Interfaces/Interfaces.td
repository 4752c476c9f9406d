//===- Interfaces.td - What an op tells memory planning ----*- tablegen -*-===//
//
// Three op interfaces. They state facts of an op; they know neither chips nor
// planners. An analysis decides which of them hold where.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD
#define TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

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
      "::llvm::SmallVector<::tpu_mlir::InPlaceEdge>", "getInPlaceEdges", (ins)>
  ];
}

def LocalSliceOpInterface : OpInterface<"LocalSliceOpInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = [{
    Which part of an operand is needed to compute a part of the result. An op
    without this interface is a global layer: it never runs from local memory.
  }];
  let methods = [
    InterfaceMethod<[{
        The slice of operand `operand` that is read to compute slice `result`
        of result 0, one [offset, size) a dimension; failure when the op cannot
        be computed in slices like this one.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::tpu_mlir::DimSlice>>", "getOperandSlice",
      (ins "unsigned":$operand, "::llvm::ArrayRef<::tpu_mlir::DimSlice>":$result)>
  ];
}

#endif // TPU_MLIR_DIALECT_INTERFACES_INTERFACES_TD
