//===- Mutations.h - Every single way to break a layer group ----*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_TPU_VERIFYLOCAL_MUTATIONS_H
#define TPU_MLIR_TESTS_TRANSFORMS_TPU_VERIFYLOCAL_MUTATIONS_H

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include <string>
#include <vector>

namespace tpu_mlir::test {

/// A change of one or two attributes of a group or of ops inside it.
struct Mutation {
  struct Change {
    mlir::Operation *op = nullptr;
    std::string attribute;
    mlir::Attribute value;
  };

  std::string kind; ///< "swap-addresses", ...
  std::string what; ///< For messages.
  std::vector<Change> changes;

  /// Makes the changes; a second call takes them back.
  void swapIn();
};

/// All single mutations of a group, in a fixed order: addresses swapped,
/// moved onto others or off alignment, starts and lengths of sections shifted
/// by one, ids moved to a neighbouring row, to another place in their row,
/// dropped or repeated, stages changed, sizes shrunk, `eu_align` turned round,
/// numbers of sections changed, lists of sections cut to one entry, transfers
/// that neighbours run dropped or put into other rows.
std::vector<Mutation> mutationsOf(tpu::GroupOp group);

/// At most `count` of each kind, evenly spread.
std::vector<Mutation> sampleOfEachKind(const std::vector<Mutation> &all,
                                       size_t count);

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_TRANSFORMS_TPU_VERIFYLOCAL_MUTATIONS_H
