//===- Spelling.h - What an attribute says, however it is spelled -*- C++
//-*-===//
//
// Versions of the toolchain print the same fact as an integer of one width or
// another, as an enum or as its number or name, as an array or as a dense one.
// These readers take them all. Each returns nullopt for null and for what says
// something else.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_SPELLING_H
#define TPU_MLIR_DIALECT_INTERFACES_SPELLING_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tpu_mlir {

/// An integer of any width and sign (a flag is 0 or 1) that fits into 64 bits,
/// or a float that is one.
std::optional<int64_t> readInteger(mlir::Attribute attribute);

/// A flag, an integer that is 0 or 1, or a unit attribute.
std::optional<bool> readFlag(mlir::Attribute attribute);

/// A list of such integers: an array, or dense integers of any shape. O(n).
std::optional<llvm::SmallVector<int64_t>>
readIntegers(mlir::Attribute attribute);

/// A string. The text lives as long as the context.
std::optional<llvm::StringRef> readWord(mlir::Attribute attribute);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_INTERFACES_SPELLING_H
