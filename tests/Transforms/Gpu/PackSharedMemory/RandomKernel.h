//===- RandomKernel.h - Kernels that use workgroup memory -------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_RANDOMKERNEL_H
#define TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_RANDOMKERNEL_H

#include <cstdint>
#include <string>

namespace tpu_mlir {

/// A module with one kernel, @kernel(%n: index): attributions and allocs, at
/// the top and in loops, stores and loads of any elements, subviews, loops and
/// branches that are uniform or not, and barriers, with the attribute `given`,
/// where all threads come. Buffers are used in turns, so that they can share.
/// It may have races, but all barriers are met by all threads. The same seed
/// gives the same text.
std::string randomKernel(uint64_t seed);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_RANDOMKERNEL_H
