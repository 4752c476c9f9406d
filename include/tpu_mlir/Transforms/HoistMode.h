//===- HoistMode.h - How far allocations move up ----------------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_HOISTMODE_H
#define TPU_MLIR_TRANSFORMS_HOISTMODE_H

namespace tpu_mlir {

/// What the pass memref-hoist moves, and how far.
enum class HoistMode {
  /// Out of loops, where no path allocates more than before.
  Cost,
  /// As far up as the sizes allow.
  Dominator,
};

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_HOISTMODE_H
