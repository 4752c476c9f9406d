//===- Cells.h - Cells of a plan as layers ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_CELLS_H
#define TPU_MLIR_LIB_MODELBUILDER_CELLS_H

#include "lib/ModelBuilder/Graphs/CellPlans.h"
#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

namespace tpu_mlir::model_builder {

/// Where the activation of a convolution stands.
enum class ReluPlace {
  Before, ///< As a layer of its own, as the papers have it.
  Within, ///< Part of the convolution, so that there are fewer layers.
};

/// Appends cells, each of which reads the results of the two before it.
class CellBuilder {
public:
  using Value = GraphBuilder::Value;
  using Twine = GraphBuilder::Twine;

  /// `older` and `newer` are what the first cell reads.
  CellBuilder(GraphBuilder &g, const graphs::CellPlans &plans, ReluPlace relu,
              Value older, Value newer)
      : g(g), plans(plans), relu(relu), older(older), newer(newer) {}

  void normal(int64_t channels) { append(plans.normal, channels, 1); }
  void reduction(int64_t channels) { append(plans.reduction, channels, 2); }
  Value result() const { return newer; }

private:
  void append(const graphs::CellPlan &plan, int64_t channels, int64_t stride);
  Value unit(const Twine &name, Value x, Conv spec);
  Value squeeze(const Twine &name, Value x, int64_t channels, int64_t size);
  Value halve(const Twine &name, Value x, int64_t channels);
  Value separable(const Twine &name, Value x, int64_t kernel, int64_t stride);
  Value branch(const Twine &name, graphs::BranchKind kind, Value x,
               int64_t stride);

  GraphBuilder &g;
  const graphs::CellPlans &plans;
  const ReluPlace relu;
  Value older, newer;
  int count = 0;
};

} // namespace tpu_mlir::model_builder

#endif // TPU_MLIR_LIB_MODELBUILDER_CELLS_H
