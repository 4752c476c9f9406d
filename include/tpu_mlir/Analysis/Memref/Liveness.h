//===- Liveness.h - When an allocated memref is in use ----------*- C++ -*-===//
//
// A tick belongs to the life of an alloc when control can get there after an
// access of what the alloc's last execution made, and an access of the same
// can follow. An argument is made when the function begins. Two walks decide
// that:
//
//   * backwards from every access along one SSA name of the storage, to where
//     the name is defined, through blocks and regions (which name is alive);
//   * forwards from every access, no further than the first walk came.
//
//        A = alloc            1
//        scf.if               2          life of A, written in both branches
//          write A            3   ==     and read after them:
//        else                            {3, 5, 6}: tick 4, in the other
//          other              4          branch, is not part of it
//          write A            5   ==
//        read A               6   ==
//
// So a buffer that is carried round a loop, however many loops lie between,
// covers the loop; one that is allocated and used inside is exact; buffers of
// branches that exclude each other do not meet.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_LIVENESS_H
#define TPU_MLIR_ANALYSIS_MEMREF_LIVENESS_H

#include "tpu_mlir/Analysis/Memref/ControlGraph.h"

#include <vector>

namespace tpu_mlir {

/// What others do with a buffer before the region in which it is defined runs,
/// and after it.
struct OutsideUse {
  /// Contents are there from the start.
  bool putBefore = false;
  /// They are read at the end, wherever control leaves the region.
  bool seenAfterwards = false;
};

class BlockRows;

class MemrefLiveness {
public:
  MemrefLiveness(const OpTicks &ticks,
                 const mlir::BufferViewFlowAnalysis &flow);
  ~MemrefLiveness();

  /// Ticks at which the bytes of `buffer` matter: sorted, disjoint. Empty when
  /// there is no access; what is put there before and never read matters to
  /// nobody. `uses` has no escape. O(uses * depth + blocks that the storage is
  /// alive in, those between two through which control has to pass not
  /// counted).
  std::vector<Interval> life(mlir::Value buffer, const MemrefUses &uses,
                             OutsideUse outside = {});

  /// The same as one interval that is sound by itself: from the first access
  /// to after the last one, widened over every op with regions that has an
  /// access inside but the buffer, or another access, outside. A yield counts
  /// as an access. Empty when there is none.
  Interval hull(mlir::Value buffer, const MemrefUses &uses) const;

  /// From the first to after the last tick at which some of the names that
  /// `uses` is of are needed, with all of an op of unknown control flow.
  Interval span(const MemrefUses &uses);

  const ControlGraph &control() const { return graph; }
  /// nullptr for a region of one block.
  const BlockRows *rows(mlir::Region *region);

private:
  /// Who needs a name, and up to which tick.
  using Users = llvm::SmallVector<std::pair<mlir::Operation *, int64_t>, 4>;
  using UsersOf = llvm::SmallDenseMap<mlir::Value, Users, 4>;
  std::vector<Interval> alive(llvm::ArrayRef<mlir::Value> names,
                              const UsersOf &usersOf, mlir::Operation *origin);
  bool leadsOn(const MemrefForward &forward,
               const llvm::SmallDenseSet<mlir::Value, 8> &useful) const;

  const OpTicks &ticks;
  const mlir::BufferViewFlowAnalysis &flow;
  const ControlGraph graph;
  llvm::DenseMap<mlir::Region *, std::unique_ptr<BlockRows>> rowsOf;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_LIVENESS_H
