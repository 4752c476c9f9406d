//===- Mutations.h - Mistakes in deallocation -------------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_MEMREF_VERIFYDEALLOCATION_MUTATIONS_H
#define TPU_MLIR_TESTS_TRANSFORMS_MEMREF_VERIFYDEALLOCATION_MUTATIONS_H

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <random>

namespace tpu_mlir {

enum class Mistake {
  Forget, ///< A deallocation is missing.
  Repeat, ///< One is done again, at once or at the end of the block.
  Early,  ///< One is done earlier in its block.
  Late,   ///< One is done at the end of its block; harmless as a rule.
  Other,  ///< One frees another memref, whatever that is.
};

constexpr std::array<Mistake, 5> kMistakes = {Mistake::Forget, Mistake::Repeat,
                                              Mistake::Early, Mistake::Late,
                                              Mistake::Other};

const char *nameOf(Mistake mistake);

/// Makes the mistake with one deallocation of the module, chosen at random, so
/// that the module still verifies. False: there is none to make it with.
bool mutate(mlir::ModuleOp module, Mistake mistake, std::mt19937 &random);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_MEMREF_VERIFYDEALLOCATION_MUTATIONS_H
