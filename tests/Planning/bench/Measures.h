//===- Measures.h - What a piece of work took -------------------*- C++ -*-===//
//
// Counts that say more than seconds on a machine that does other things, too.
// Linux only; what the kernel refuses is left out.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PLANNING_BENCH_MEASURES_H
#define TPU_MLIR_TESTS_PLANNING_BENCH_MEASURES_H

#include <cstdint>
#include <optional>

namespace tpu_mlir::planning {

/// Instructions of this thread, and of threads that it starts, outside the
/// kernel. Containers and virtual machines often have no such counter.
class InstructionCounter {
public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter &) = delete;
  InstructionCounter &operator=(const InstructionCounter &) = delete;

  /// Since it was made; nullopt without a counter.
  std::optional<int64_t> count() const;

private:
  int file = -1;
};

/// By how much the memory of the process that was resident at a time went
/// beyond what was resident when this was made.
class PeakMemory {
public:
  /// Gives back what is free first.
  PeakMemory();
  /// nullopt where the kernel does not let the peak start anew.
  std::optional<int64_t> bytes() const;

private:
  std::optional<int64_t> before;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PLANNING_BENCH_MEASURES_H
