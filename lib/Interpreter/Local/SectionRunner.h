//===- SectionRunner.h - One op for one section, byte by byte ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_LOCAL_SECTIONRUNNER_H
#define TPU_MLIR_LIB_INTERPRETER_LOCAL_SECTIONRUNNER_H

#include "tpu_mlir/Interpreter/Local/Simulator.h"

#include "llvm/ADT/DenseMap.h"

namespace tpu_mlir::execution {

using Error = std::optional<std::string>;

/// One item for one section, on the core that runs it.
struct Action {
  size_t group = 0;
  int item = 0;
  int64_t section = 0;
  size_t core = 0;
};

/// The cores' local memories and global memory, and what ops do to them. When
/// things happen is the simulator's business.
class SectionRunner {
public:
  /// `cores`: that are used at the same time, at most.
  SectionRunner(const std::vector<GroupModel> &chain, int64_t cores,
                const LocalMachine &machine, const ChainReference &reference,
                KernelCache &cache);

  /// Loads, computes or stores.
  Error run(const Action &action);
  /// The results of these are not read any more: rubbish.
  void releaseResult(const Action &action);
  void releaseScratch(const Action &action);
  /// What the Store `item` has written is all of the reference's result.
  Error checkTarget(size_t group, int item) const;

  /// "'tpu.Conv2D' (id 4), section 2 of 40".
  std::string describe(const Action &action) const;

private:
  /// What a Store has written so far.
  struct Stored {
    TensorPart part;
    std::vector<uint8_t> times;
  };

  /// What has a place of its own, which is right.
  Error load(const Action &action, const LaneLayout &layout);
  bool hasOtherReader(const Action &store) const;
  Error store(const Action &action);
  Error compute(const Action &action, const LaneLayout &layout);
  /// A line buffer: the rows of its operand, and those that it kept.
  Error keepRows(const Action &action, const LaneLayout &layout);
  /// What it keeps of the section before for this one; nothing: 0 rows.
  Box keptBox(const Action &action) const;
  Error checkRoom(const Action &action, const LaneLayout &kept) const;
  Error readKept(const Action &action, TensorPart &part);
  Error writeKept(const Action &action, const TensorPart &result);

  Error readOperand(const Action &reader, int producer, TensorPart &part);
  Error runCached(const Action &action, const std::vector<TensorPart> &operands,
                  TensorPart &result);
  Error compare(const Action &action, const TensorPart &result) const;
  Error checkPlace(const Action &action, const LaneLayout &layout) const;
  Error checkOwned(size_t core, int64_t address, int64_t bytes, Tag tag) const;
  Error checkOverlaps(const Action &action, const LaneLayout &layout) const;

  const GroupItem &itemOf(const Action &action) const {
    return chain[action.group].items[action.item];
  }
  Box boxOf(const Action &action) const {
    return chain[action.group].boxOf(itemOf(action), action.section);
  }
  LocalMemory &memoryOf(const Action &action) { return memories[action.core]; }
  LaneLayout layoutOf(const Action &action) const;
  Tag resultTag(const Action &action) const;
  Tag scratchTag(const Action &action) const;
  std::string nameOfTag(Tag tag) const;

  const std::vector<GroupModel> &chain;
  const target::ChipSpec &chip;
  const SectionKernels &kernels;
  const ChainReference &reference;
  KernelCache &cache;
  /// Two owners for each item: its result and its scratch.
  std::vector<int64_t> firstOwner;
  std::vector<LocalMemory> memories;          ///< One a core.
  llvm::DenseMap<mlir::Value, Stored> stored; ///< Looked up, never walked.
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_INTERPRETER_LOCAL_SECTIONRUNNER_H
