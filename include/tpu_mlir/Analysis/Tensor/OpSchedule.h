//===- OpSchedule.h - The time axis of a module -----------------*- C++ -*-===//
//
// Numbers the ops of a module in the order in which the machine runs them:
// main first, into every call, into every region. A call or an op with
// regions covers the steps of all it contains:
//
//     step
//      0   call @subfunc_0        [0, 4)
//      1     tpu.Conv2D           [1, 2)
//      2     tpu.Group            [2, 3)   one step, whatever is inside
//      3     return               [3, 4)
//      4   return                 [4, 5)
//
// Ops that emit nothing (top.None, top.Weight, top.Input, tpu.Buffer) cover no
// step: their interval is empty and begins at the next step.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_OPSCHEDULE_H
#define TPU_MLIR_ANALYSIS_TENSOR_OPSCHEDULE_H

#include "tpu_mlir/Support/Interval.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tpu_mlir {

/// What an op with regions means for the time axis.
enum class RegionTiming {
  Leaf,      ///< No regions, or regions that run from local memory (Group).
  Exclusive, ///< At most one region runs (If).
  Loop,      ///< The region runs any number of times.
  Parallel,  ///< Everything inside runs at the same time; also unknown ops.
};
RegionTiming regionTiming(mlir::Operation *op);

/// See the file comment. Each op of a module has one place: a function that is
/// called from several places is an error, as its tensors have one address
/// each in the types of its values.
class OpSchedule {
public:
  /// Emits E004 (cyclic calls), E006 (several calls of a function) or E010 (a
  /// function that branches between blocks) and fails. O(ops); no recursion, so
  /// depth is no limit.
  static mlir::FailureOr<OpSchedule> build(mlir::ModuleOp module);

  int64_t numSteps() const { return numStepsTotal; }
  /// The steps that `op` covers; the op is inside one of functions() and not
  /// inside a Group.
  Interval steps(mlir::Operation *op) const { return stepsOf.lookup(op); }
  /// The op that runs at `step`, the innermost that covers it; null when there
  /// is none. O(ops).
  mlir::Operation *opAt(int64_t step) const;
  bool contains(mlir::Operation *op) const { return stepsOf.count(op) != 0; }
  /// All scheduled ops, in order of their first step.
  llvm::ArrayRef<mlir::Operation *> ops() const { return order; }
  /// Functions that nobody calls, main first: each is an entry of the module.
  llvm::ArrayRef<mlir::func::FuncOp> entries() const { return entryFunctions; }
  /// All functions with a body, in order of execution.
  llvm::ArrayRef<mlir::func::FuncOp> functions() const { return allFunctions; }
  bool isEntry(mlir::func::FuncOp function) const;
  /// The body that a call runs; null for a declaration.
  mlir::func::FuncOp callee(mlir::func::CallOp call) const {
    return calleeOf.lookup(call);
  }
  /// The op around `op`; for the ops of a called function, the call. Null at
  /// the top.
  mlir::Operation *enclosing(mlir::Operation *op) const;
  /// The nearest loop or parallel op around `op`, also around the calls that
  /// lead there: what is inside may run again, or at the same time. Null
  /// outside of any.
  mlir::Operation *repeating(mlir::Operation *op) const {
    return repeatingOf.lookup(op);
  }
  /// True when `op` is in a region of `outer`, or called from there. O(1).
  bool isInside(mlir::Operation *op, mlir::Operation *outer) const;

  /// The branches of Ifs in which one op is.
  class Branches {
  public:
    /// True when the machine runs at most one of the two ops: they are in
    /// different regions of an If. O(log depth).
    bool exclude(mlir::Operation *op) const;

  private:
    friend class OpSchedule;
    struct Branch {
      mlir::Operation *owner;
      Interval steps;
    };
    const OpSchedule *schedule;
    llvm::SmallVector<Branch, 4> branches; ///< The innermost first.
  };
  /// O(depth).
  Branches branchesAround(mlir::Operation *op) const;

private:
  friend class ScheduleBuilder;
  int64_t numStepsTotal = 0;
  std::vector<mlir::Operation *> order;
  std::vector<mlir::func::FuncOp> entryFunctions;
  std::vector<mlir::func::FuncOp> allFunctions;
  llvm::DenseMap<mlir::Operation *, Interval> stepsOf;
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> calleeOf;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> callerOf;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> repeatingOf;
};

/// The modules that hold functions: the inner modules of the nested form (one
/// a device and step), or the module itself.
llvm::SmallVector<mlir::ModuleOp> functionModules(mlir::ModuleOp root);

/// True for a function whose run mode is not TPU_STATIC (`mode` attribute).
/// No attribute counts as static, as main has none.
bool isDynamicFunction(mlir::func::FuncOp function);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_OPSCHEDULE_H
