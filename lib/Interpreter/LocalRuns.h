//===- LocalRuns.h - The layer groups of a module in local memory *- C++
//-*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_LOCALRUNS_H
#define TPU_MLIR_LIB_INTERPRETER_LOCALRUNS_H

#include "lib/Interpreter/Kernels/Network.h"

#include "tpu_mlir/Interpreter/Local/Simulator.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::interpreter {

/// Collects what the ops of groups compute on whole tensors and then runs the
/// groups as their attributes say, which has to give the same bits. Groups that
/// lend each other transfers run together, when the last of them is reached.
class LocalRuns {
public:
  /// The groups of `module`, or the first that cannot be run.
  static std::variant<LocalRuns, execution::LocalFault>
  read(mlir::ModuleOp module, const target::ChipSpec &chip,
       const NetworkKernels &kernels);

  /// Result 0 of an op of a group, or what a Load of it loads; other ops are
  /// none of its business.
  void note(mlir::Operation *op, llvm::ArrayRef<uint8_t> bytes);
  /// The numbers of `op` are none that it computes: the groups that run
  /// together with its own are not run. False where it is in none, or known
  /// already.
  bool leaveOut(mlir::Operation *op);
  /// The group, of which everything is noted; what went wrong. Adds to `groups`
  /// how many ran.
  std::optional<execution::LocalFault> run(mlir::Operation *group,
                                           int64_t &groups);

private:
  LocalRuns(const target::ChipSpec &chip, const NetworkKernels &kernels)
      : chip(chip), kernels(kernels) {}

  struct Place {
    size_t chain = 0, group = 0, item = 0;
  };

  target::ChipSpec chip;
  NetworkKernels kernels;
  std::vector<std::vector<execution::GroupModel>> chains;
  std::vector<execution::ChainReference> references; ///< One a chain.
  llvm::DenseMap<mlir::Operation *, Place> places;   ///< Of ops and groups.
  llvm::DenseSet<size_t> leftOut;                    ///< Chains.
};

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_LOCALRUNS_H
