//===- CopyPrograms.h - Random programs full of copies ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_MEMREF_COPYREMOVAL_COPYPROGRAMS_H
#define TPU_MLIR_TESTS_TRANSFORMS_MEMREF_COPYREMOVAL_COPYPROGRAMS_H

#include <cstdint>
#include <string>

namespace tpu_mlir {

/// A function @p<number> that copies buffers about: into fresh ones, out of
/// temporary ones, into views that overlap, in branches and loops, with reads
/// and writes of both sides before and after. What it allocates it frees, at
/// once, later or in a loop that it is carried round. All that is read was
/// written, so results do not depend on what fresh memory contains.
std::string makeCopyProgram(uint64_t seed, int number);

/// The functions that the programs of one module call.
std::string copyProgramHelpers();

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_MEMREF_COPYREMOVAL_COPYPROGRAMS_H
