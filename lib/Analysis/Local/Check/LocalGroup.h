//===- LocalGroup.h - What a layer group says, read once --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LOCALGROUP_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LOCALGROUP_H

#include "lib/Analysis/Local/Check/Layout.h"
#include "lib/Analysis/Local/Check/Violation.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Interval.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tpu_mlir::local {

/// The two machines that run side by side within a row.
enum class Engine { Dma, Compute };

/// An op of a group: a load, a store, or one that computes.
///
/// Its times are rows since the start of the group: a group of T rows runs
/// sections + 2 loops of them, and in loop i an op of stage s acts on section
/// i - s. Section 0 of the op is therefore at stage * T + row.
struct Member {
  enum class Kind { Load, Store, Compute };

  mlir::Operation *op = nullptr;
  Kind kind = Kind::Compute;
  int64_t id = 0, stage = 0;
  int64_t row = 0;      ///< Of `flow`.
  int64_t position = 0; ///< In `flow`: the order within a row.
  /// Where the result is (of a store: what it reads), and the scratch.
  Interval bytes, scratch;
  bool euAlign = true;
  /// The tensor that lies in local memory.
  Extents extents{};
  int64_t elementBits = 0;
  /// Of each axis the part of every section; one part if all sections have it.
  std::array<llvm::SmallVector<Interval, 4>, kNumAxes> parts;
  /// Loaded for section 0 only, there for all.
  bool held = false;
  /// The group before runs this load for section 0, in its last loop that
  /// computes.
  bool isHoisted = false;
  /// The group after runs this store for the last section, in its first loop
  /// that computes.
  bool isSunk = false;
  /// For each operand of the op the index of its member; -1: none.
  llvm::SmallVector<int> operands;
  /// Members that read the result, in flow order, each once.
  llvm::SmallVector<int> readers;

  bool isDma() const { return kind != Kind::Compute; }
  /// Its scratch holds rows of one section for the next.
  bool isLineBuffer() const { return llvm::isa<tpu::LineBufferOp>(op); }
  Engine engine() const { return isDma() ? Engine::Dma : Engine::Compute; }
  /// The part of `axis` in section `section` of that axis.
  Interval part(int axis, size_t section) const {
    return parts[axis][parts[axis].size() == 1 ? 0 : section];
  }
  /// The longest part of each axis.
  Extents largestSlice() const;
};

/// A transfer of a neighbour that a group runs in one of its rows.
struct Guest {
  int64_t id = 0, row = 0;
};

/// A group of layers as it stands in the IR.
struct LocalGroup {
  tpu::GroupOp op;
  const target::ChipSpec *chip = nullptr;
  int64_t groupType = 0;
  Extents sections{};      ///< How many sections each axis is cut into.
  int64_t numSections = 1; ///< Their product.
  int64_t numRows = 0;     ///< T.
  std::vector<Member> members;
  /// Loads of the group after, and stores of the one before.
  std::vector<Guest> guestLoads, guestStores;

  /// When section 0 of the member runs, in rows.
  int64_t time(const Member &member) const {
    return member.stage * numRows + member.row;
  }
  /// Rows of the whole run, prologue and epilogue included.
  int64_t totalRows() const { return (numSections + 2) * numRows; }
};

/// The part of every axis in section `section` of the whole loop, which runs
/// over n, d, h, w and c, the last one fastest.
std::array<Interval, kNumAxes> boxOf(const LocalGroup &group,
                                     const Member &member, int64_t section);

/// "[0, 512)".
std::string text(Interval interval);

/// "'conv1' (id 4)".
std::string describe(const Member &member);

/// Reads a group. What keeps it from being read (no `ginfo`, a shape without
/// static size: Form; lists of the wrong length: I1; a `flow` that does not
/// list every op once: I10) is appended to `violations`, and nullopt comes
/// back. `chip` has to outlive the result. O(ops + text).
std::optional<LocalGroup> readGroup(tpu::GroupOp op,
                                    const target::ChipSpec &chip,
                                    Violations &violations);

/// The integers of an array attribute; nullopt when it is absent or no such.
std::optional<llvm::SmallVector<int64_t>> integers(mlir::Operation *op,
                                                   llvm::StringRef name);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LOCALGROUP_H
