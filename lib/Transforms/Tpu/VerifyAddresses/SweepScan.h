//===- SweepScan.h - Distances of results, element by element ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_SWEEPSCAN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_SWEEPSCAN_H

#include "mlir/IR/Operation.h"

#include <string>

namespace tpu_mlir::verify_addresses {

/// The op has the attribute `in_order`, and its kernel reads each byte of
/// `operand` before it writes over it where both are. O(elements of the
/// result).
bool isWrittenInOrder(mlir::Operation *op, mlir::Value operand,
                      mlir::Value result, bool fourN);

/// Of an op that shares bytes of `operand` where it can: why it does not, for
/// messages, with a colon in front; empty for others.
std::string whyUnshared(mlir::Operation *op, mlir::Value operand,
                        mlir::Value result, bool fourN, bool kernelsInOrder);

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_SWEEPSCAN_H
