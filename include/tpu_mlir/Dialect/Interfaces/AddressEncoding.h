//===- AddressEncoding.h - Tensor encodings with an address -----*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_H
#define TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_H

#include "mlir/IR/Attributes.h"

#include <cstdint>
#include <optional>

#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h.inc"

#endif // TPU_MLIR_DIALECT_INTERFACES_ADDRESSENCODING_H
