//===- AddressEncoding.td - Tensor encodings with an address -*- tablegen -*-===//
//
// A tensor type usually carries its global address as a plain integer. An
// encoding that says more (how the tensor is spread over memory) implements
// this interface, so that getAddress and withAddress work on it, too.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_TD
#define TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def AddressEncodingAttrInterface : AttrInterface<"AddressEncodingAttrInterface"> {
  let cppNamespace = "::tpu_mlir";
  let description = "A tensor encoding that holds a global address.";
  let methods = [
    InterfaceMethod<"The address in bytes; nullopt when none is assigned.",
      "std::optional<int64_t>", "getEncodedAddress", (ins)>,
    InterfaceMethod<"The same encoding at `address`, or without one.",
      "::mlir::Attribute", "withEncodedAddress", (ins "std::optional<int64_t>":$address)>
  ];
}

#endif // TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_TD
