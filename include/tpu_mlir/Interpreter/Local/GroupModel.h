//===- GroupModel.h - A layer group as it is executed -----------*- C++ -*-===//
//
// What a `tpu.Group` says about its execution, read off its attributes, as
// plain values that may be changed.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_INTERPRETER_LOCAL_GROUPMODEL_H
#define TPU_MLIR_INTERPRETER_LOCAL_GROUPMODEL_H

#include "tpu_mlir/Execution/LocalMemory.h"
#include "tpu_mlir/Interpreter/Local/SectionKernels.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/Operation.h"

#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir::execution {

/// A Load, a Store or an op that computes.
struct GroupItem {
  enum class Kind { Load, Store, Compute };

  mlir::Operation *op = nullptr;
  Kind kind = Kind::Compute;
  int64_t id = 0, stage = 0;
  /// Bytes of one lane; of a Store nothing is here.
  int64_t address = 0, bytes = 0, scratchAddress = 0, scratchBytes = 0;
  bool euAlign = true;
  bool toAllLanes = false;
  bool isLineBuffer = false; ///< Its scratch keeps rows for the next section.
  /// Start and size of each part, for each dimension; one entry holds for
  /// every section.
  std::array<std::vector<int64_t>, kNumDims> begin, size;
  /// Of result 0; a Load's is what lies in local memory.
  TensorShape shape;
  /// The items that make the operands; kNone for `none`.
  static constexpr int kNone = -1;
  std::vector<int> operands;
  /// A Load's source or a Store's target in global memory: a value outside of
  /// the group, or a result of it.
  mlir::Value global;
  TensorShape globalShape;

  bool isTransfer() const { return kind != Kind::Compute; }
};

/// A transfer of a neighbouring group that runs in this one's rows.
struct Borrowed {
  int64_t row = 0, id = 0;
};

struct GroupModel {
  mlir::Operation *op = nullptr;
  int64_t groupType = 0;
  /// Parts of each dimension, as Index5; their product is the number of
  /// sections, looped in the order n, d, h, w, c, c fastest.
  Index5 sections{1, 1, 1, 1, 1};
  std::vector<GroupItem> items; ///< In the order of the block.
  /// For each timestep the items that run in it, in the order of `flow`.
  std::vector<std::vector<int>> rows;
  /// Loads of the next group, run in the last loop in which this one computes;
  /// stores of the previous one, run in the first.
  std::vector<Borrowed> fromNext, fromPrevious;
  /// Ids of own transfers that the previous group runs for section 0, and that
  /// the next one runs for the last section.
  std::vector<int64_t> lentToPrevious, lentToNext;

  int64_t numSections() const { return Box{{}, sections}.elements(); }
  Index5 sectionIndex(int64_t section) const;
  /// The part of item's result that a section is about.
  Box boxOf(const GroupItem &item, int64_t section) const;
  /// Loaded for the first section only and kept: a Load that no cut concerns,
  /// in a group with several sections.
  bool isHeld(const GroupItem &item) const;
  int itemWithId(int64_t id) const; ///< kNone when there is none.
  /// The row of each item.
  std::vector<int64_t> rowOfItems() const;
};

/// "'tpu.Conv2D' (id 4)".
std::string nameOf(const GroupItem &item);

/// What is wrong with a group, or goes wrong when it runs, and with which of
/// its ops.
struct LocalFault {
  mlir::Operation *op = nullptr;
  std::string message;
};

/// Local memory of a chip.
inline Lanes lanesOf(const target::ChipSpec &chip) {
  return {chip.lanes, chip.laneBytes, chip.euBytes};
}

/// The shape of a value seen by groups of tpu-mlir's type `groupType` (0
/// normal, 1 three-dimensional, 2 small c, 3 to 5 matrices) on a chip with
/// `lanes` lanes. An error: not a static tensor of 8, 16 or 32 bits.
struct ShapeOrError {
  TensorShape shape;
  std::string error;
};
ShapeOrError shapeOf(mlir::Type type, int64_t groupType, int64_t lanes);

/// Reads a `tpu.Group`, or says what is wrong with it: lists that do not fit
/// the sections or leave their tensors, ids and rows that contradict each
/// other, values that are not simulated, ops without a kernel.
/// O(ops + operands + parts).
std::variant<GroupModel, LocalFault> readGroup(mlir::Operation *group,
                                               const target::ChipSpec &chip,
                                               const SectionKernels &kernels);

/// What readGroup found wrong with a model, again: for models that were
/// changed.
std::optional<std::string> checkModel(const GroupModel &model);

/// Groups one after the other that lend each other transfers, or single
/// groups. An error: neighbours that do not agree, or work between them that
/// needs local memory.
std::variant<std::vector<std::vector<GroupModel>>, LocalFault>
readChains(mlir::Operation *root, const target::ChipSpec &chip,
           const SectionKernels &kernels);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_INTERPRETER_LOCAL_GROUPMODEL_H
