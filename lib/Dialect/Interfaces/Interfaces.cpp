//===- Interfaces.cpp - What an op tells memory planning ------------------===//

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"

#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.cpp.inc"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.cpp.inc"
