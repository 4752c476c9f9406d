//===- Storage.h - Bytes and addresses of tensor types ----------*- C++ -*-===//
//
// The global address of a tensor is the integer encoding of its type:
// tensor<1x3x14x14xf32, 4294975488 : i64>. Changing an address changes the
// type.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_STORAGE_H
#define TPU_MLIR_DIALECT_INTERFACES_STORAGE_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>

namespace tpu_mlir {

/// The address in the type's encoding; nullopt when there is none. An
/// interleaved tensor (`#tpu.ddr_interleave`) has the attribute's address.
/// What address 0 means depends on the chip and is the caller's business.
std::optional<int64_t> getAddress(mlir::Type type);

/// The same ranked tensor type at `address`. Other types come back unchanged.
mlir::Type withAddress(mlir::Type type, int64_t address);
/// The same type without an address.
mlir::Type withoutAddress(mlir::Type type);

/// Bits that one element takes in storage: integers and floats their width,
/// index 64, quantized types their storage type. nullopt for other types.
std::optional<int64_t> elementBits(mlir::Type elementType);

/// Bytes of a ranked, static tensor, ceil(elements * bits / 8). With `fourN`
/// (chips that store four images side by side) elements of 8 or 16 bits of 4 or
/// 2 images share one 4-byte slot: the first dimension counts slots, rounded
/// up. nullopt: not a ranked tensor, a dynamic dimension, an element type
/// without a size, or more than 63 bits. `none` has no bytes: 0.
std::optional<int64_t> typeBytes(mlir::Type type, bool fourN = false);

/// Whether chips that store four images side by side put an element of the
/// tensor into one slot with those of other images: 8 or 16 bits, and a first
/// dimension to count images by. Weights are stored by their own `store_mode`.
bool sharesSlots(mlir::Type type);

/// Where a tensor of type `part` begins in one of type `whole`, in bytes, when
/// it is the elements of `whole` from `offsetBytes` on, counted without slots,
/// and each of them has to be found at its place. nullopt: they are no run of
/// bytes. Without slots that is `offsetBytes`. With `fourN`, of elements of 8
/// or 16 bits, a run is whole slots of images, or (a part of) the one image of
/// a batch of one or of the first in a slot.
std::optional<int64_t> offsetInStorage(mlir::RankedTensorType whole,
                                       mlir::RankedTensorType part,
                                       int64_t offsetBytes, bool fourN);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_INTERFACES_STORAGE_H
