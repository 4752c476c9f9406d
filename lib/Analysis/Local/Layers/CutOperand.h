//===- CutOperand.h - Ops on parts of their operands ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_CUTOPERAND_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_CUTOPERAND_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tpu_mlir::grouping {

/// Why an op cannot be replaced by ones that compute parts of its result; ""
/// when it can.
std::string whyWhole(mlir::Operation *op);

/// The dimension of an operand that is read part by part; nullopt: all of it
/// is, each time.
using PartOf = std::optional<int64_t>;

/// How operand `index` is read where the result of `op`, which has parts, is in
/// parts of dimension `dim`. A text says why it cannot be in parts. O(rank).
std::variant<PartOf, std::string> cutOperand(mlir::Operation *op,
                                             unsigned index, int64_t dim);

/// How a layer in global memory is divided among cores: pieces of the first
/// dimension of its result that is long enough, all as long as the first one
/// but the last, each one run of memory of what it is a piece of.
struct CoreCut {
  int64_t dim = 0;
  int64_t pieces = 1; ///< 2 at least, `cores` at most.
  int64_t length = 0; ///< Of the first piece.
};

/// nullopt: it is not divided; its kernel divides itself (`multicore`), it says
/// no (`do_core_parallel`), it is none of the ops that tpu-mlir divides, or its
/// pieces are no runs of memory. O(operands).
std::optional<CoreCut> coreCutOf(mlir::Operation *op, int64_t cores);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_CUTOPERAND_H
