//===- RandomModules.h - Legal networks of many kinds -----------*- C++ -*-===//
//
// Makes modules that a lowering pipeline could have made: main and functions
// that are called once each, layer groups, control flow, several cores,
// scratch, and every family of ops that may share storage. Each of them can be
// planned on every chip: whatever must share storage can.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMMODULES_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMMODULES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>
#include <vector>

namespace tpu_mlir::test {

/// A generator whose draws do not depend on the standard library.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}
  /// From `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool chance(int64_t percent) { return between(1, 100) <= percent; }
  template <typename List> auto &oneOf(List &list) {
    return list[size_t(between(0, int64_t(std::size(list)) - 1))];
  }

private:
  std::mt19937_64 engine;
};

/// What a random module may contain.
struct ModuleShape {
  /// About how many ops a module of functions has.
  int64_t ops = 40;
  /// If, Loop, CoreParallel, GroupParallel, calls.
  bool structure = true;
  /// Scratch in second-level memory: only for chips that have some.
  bool l2Scratch = false;
  /// For chips that store four images side by side: merged concats of 8 or
  /// 16-bit tensors and splits cannot be planned there, so there are none.
  bool fourN = false;
  /// Ops that no dialect defines, with and without regions. The context has to
  /// allow them.
  bool unknownOps = false;
  /// Now and then a tensor of more than 4 GiB.
  bool huge = false;
};

/// The same for the same seed, on any machine. Has no addresses and no chip.
mlir::OwningOpRef<mlir::ModuleOp> randomModule(mlir::MLIRContext &context,
                                               uint64_t seed,
                                               const ModuleShape &shape);

/// How many seeds a test runs: `usual`, or the number in TPU_MEMORY_SEEDS for a
/// long run by hand.
uint64_t seedCount(uint64_t usual);

/// A context with the dialects of a network module, single-threaded.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMMODULES_H
