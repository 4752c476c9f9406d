//===- PartPlace.h - Where a part begins in its whole -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_PARTPLACE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_PARTPLACE_H

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

#include <cstdint>
#include <optional>

namespace tpu_mlir::verify_addresses {

/// How many bytes behind the whole of `edge` its part begins, when every
/// element of the part then stands where the whole has it. nullopt: they are
/// stored so differently that there is no such place. `fourN`: the chip stores
/// four images side by side. O(images of both).
std::optional<int64_t> findPartPlace(mlir::Operation *op,
                                     const InPlaceEdge &edge, bool fourN);

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_PARTPLACE_H
