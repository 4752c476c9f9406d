//===- DoesNotFit.h - What is over a pool or a board ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_DOESNOTFIT_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_DOESNOTFIT_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Planning/PlanCache.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <string>
#include <vector>

namespace tpu_mlir::global_addresses {

/// E001 at the op that runs at the peak, with notes at the largest tensors
/// that are alive there.
mlir::InFlightDiagnostic emitDoesNotFit(mlir::ModuleOp module,
                                        const GlobalFacts &facts,
                                        const GlobalProblem &global,
                                        const planning::Infeasible &infeasible);

/// What memories have that are too small.
using Capacities = std::map<planning::PoolId, int64_t>;

/// A plan as if each memory that is too small had room, which then has no
/// capacity in `global`, but one in `opened`.
planning::SolveResult solveWithRoom(GlobalProblem &global,
                                    const planning::SolveOptions &options,
                                    planning::PlanCache &plans,
                                    Capacities &opened);
/// Which tensors lie beyond the end of their memory, as the attribute
/// kBeyondMemory: their addresses may be those of another one. Nothing where
/// all lie within.
void recordBeyond(mlir::ModuleOp module, const GlobalFacts &facts,
                  const GlobalProblem &global, const planning::Plan &plan,
                  const Capacities &opened);

/// The regions of all modules that run on one device, as large as the board has
/// to keep them: rounded up, with what lies between them. L2 and the pools of
/// the user are other memories. Modules run one after the other: weights,
/// inputs and outputs of all of them are there together, of the neurons only
/// the largest.
class BoardUse {
public:
  /// The plan's regions have their bases (see placeRegions()).
  void add(const GlobalProblem &global, const planning::Plan &plan,
           const target::ChipSpec &chip, const WeightRegion &weights);
  /// Emits E001 at `module`, the last that was added, and fails when all of it
  /// is more than the board has.
  llvm::LogicalResult check(mlir::ModuleOp module, int64_t boardBytes) const;
  /// At most INT64_MAX, which no board has.
  int64_t bytes() const;
  /// "coeff 1.0 MiB (1,048,576 B), neuron 12 B": the parts of it.
  std::string describe() const;

private:
  void addPart(llvm::StringRef name, int64_t bytes);

  struct Part {
    std::string name;
    int64_t bytes = 0;
  };
  /// Of all modules, by region; neurons and the private region are the largest
  /// of any module.
  std::vector<Part> parts;
  int64_t numModules = 0;
};

} // namespace tpu_mlir::global_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_DOESNOTFIT_H
