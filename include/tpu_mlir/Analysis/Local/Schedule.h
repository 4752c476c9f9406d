//===- Schedule.h - Who uses which local memory when ------------*- C++ -*-===//
//
// A layer group as a placement problem: its ops with their rows and stages,
// how long each result lives, and which buffers meet in which row.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_LOCAL_SCHEDULE_H
#define TPU_MLIR_ANALYSIS_LOCAL_SCHEDULE_H

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/LmemPlacement.h"

namespace tpu_mlir {

/// One op of a group, in words that know no IR.
///
/// The group's rows run sections + 2 times; in loop i an op of stage s acts on
/// section i - s, when there is one. A held load acts on section 0 only.
struct LocalOp {
  enum class Kind { Load, Compute, Store };

  std::string name; ///< Of the value that it makes or, a store, that it stores.
  Kind kind = Kind::Compute;
  int64_t id = 0, stage = 0, row = 0;
  /// Loaded for section 0, there for all. Only with several sections.
  bool isHeld = false;
  /// Bytes of a lane, and where the IR puts them. A store has no result.
  int64_t resultBytes = 0, resultAddress = 0;
  int64_t scratchBytes = 0, scratchAddress = 0;
  /// What is in the scratch stays there for the next section.
  bool keepsScratch = false;
  /// Indices of the ops whose results it reads, ascending, each once.
  std::vector<int64_t> operands;
  /// Indices of the ops that read its result, ascending, each once.
  std::vector<int64_t> readers;
  /// The one of `operands` that its result may lie on: the op writes over it
  /// (the trait WritesOverOperand) and has no scratch, both have the same
  /// sections, layout, bytes and width of elements, and nobody else reads that
  /// operand in this row or later.
  std::optional<int64_t> mayLieOn;
};

/// A group. Row `row` of stage s is step s * numRows + row of section 0.
struct LocalSchedule {
  std::string name;
  int64_t numRows = 0;
  std::array<int64_t, 5> sections{1, 1, 1, 1, 1}; ///< n, c, d, h, w.
  int64_t numSections = 1;                        ///< Their product.
  /// In the order of the body, without what terminates it and `top.None`.
  std::vector<LocalOp> ops;
  /// Some of its transfers run in a neighbour's rows, or a neighbour's in its.
  bool sharesTransfers = false;

  int64_t step(const LocalOp &op) const { return op.stage * numRows + op.row; }
  /// Of the last reader of its result, or its own.
  int64_t lastStep(const LocalOp &op) const;
  /// The rows repeat: time is a circle of numRows steps.
  bool isCyclic() const { return numSections > 1; }
};

/// Why a group is no schedule; `op` is where.
struct LocalScheduleError {
  mlir::Operation *op = nullptr;
  ErrorCode code = ErrorCode::LocalForm;
  std::string message;
};

/// The numbers of an attribute of a group; none when it is absent, nullopt when
/// it holds something else.
std::optional<llvm::SmallVector<int64_t>> listOf(tpu::GroupOp group,
                                                 llvm::StringRef name);
/// Whether one of these lists of shared transfers names any, or is no list.
bool sharesAny(tpu::GroupOp group, llvm::ArrayRef<llvm::StringRef> lists);

/// The group in front of `group` in its block, where nothing runs between;
/// null: there is none.
tpu::GroupOp groupBefore(tpu::GroupOp group);
/// Where an op can be put in front of `op`: before all groups in a row that run
/// transfers for each other, if `op` is one of them.
mlir::Operation *frontOf(mlir::Operation *op);

/// The ops of a group that a LocalSchedule has, in its order.
std::vector<mlir::Operation *> localOps(tpu::GroupOp group);

/// Reads ids, stages, rows and sizes; addresses are taken as they are, also
/// when all are zero. Fails when an op has no `ginfo` or uses what has no place
/// in local memory (E040), `flow` does not list every op once (E050), something
/// is read before it is there (E046), or a result is still needed when the next
/// section is written over it (E045). O(ops log ops + text).
std::variant<LocalSchedule, LocalScheduleError>
readLocalSchedule(tpu::GroupOp group);

/// For each row the ops that load or store in it, ascending.
std::vector<std::vector<int64_t>> transfersByRow(const LocalSchedule &schedule);

/// What a buffer of a placement problem is: the result of ops[op], or its
/// scratch.
struct LocalBuffer {
  int64_t op = 0;
  bool isScratch = false;
  /// When it holds data. In the problem the first of a chain lives as long as
  /// all of it.
  std::vector<Interval> lifespans;
};

struct LocalProblem {
  layer::LmemProblem problem;
  std::vector<LocalBuffer> buffers; ///< As problem.buffers.
};

/// The question that `schedule` puts to a placement on `chip`.
///
/// A result lives from the row of its op to that of its last reader, scratch in
/// its op's row; on a circle when the rows repeat, where held results are
/// always there. Two buffers are a bank pair when one op uses both, or the
/// compute engine uses one while the other is loaded or stored; the cost is the
/// number of rows in the whole run in which they meet. `inPlace`: results lie
/// where LocalOp::mayLieOn allows it, in chains where they can; the chip is not
/// asked. O(ops log ops + pairs log pairs).
LocalProblem buildLocalProblem(const LocalSchedule &schedule,
                               const target::ChipSpec &chip, bool inPlace);

/// Where the IR puts the buffers of `problem`.
std::vector<int64_t> currentAddresses(const LocalSchedule &schedule,
                                      const LocalProblem &problem);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_LOCAL_SCHEDULE_H
