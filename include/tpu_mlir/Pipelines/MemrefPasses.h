//===- MemrefPasses.h - All passes on memrefs, for any tool -----*- C++ -*-===//
//
// Apart from the other pipelines: a compiler that plans the memory of
// bufferized functions links no network passes for it. Each pass has a header
// of its own in tpu_mlir/Transforms, with its options and what makes it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PIPELINES_MEMREFPASSES_H
#define TPU_MLIR_PIPELINES_MEMREFPASSES_H

#include "tpu_mlir/Transforms/HoistMode.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tpu_mlir {

/// Options of the pipeline `memref-memory`: from memrefs as bufferization
/// leaves them to few allocations, each of which is freed.
struct MemrefMemoryOptions
    : public mlir::PassPipelineOptions<MemrefMemoryOptions> {
  Option<bool> hoist{
      *this, "hoist",
      llvm::cl::desc("Allocate once before a loop that is known to run"),
      llvm::cl::init(true)};
  Option<HoistMode> hoistMode{
      *this, "hoist-mode", llvm::cl::desc("How far allocations move up"),
      llvm::cl::init(HoistMode::Cost),
      llvm::cl::values(
          clEnumValN(HoistMode::Cost, "cost",
                     "Out of loops, never where more would be allocated"),
          clEnumValN(HoistMode::Dominator, "dominator",
                     "As far up as the sizes allow"))};
  Option<bool> promote{*this, "promote",
                       llvm::cl::desc("Put small buffers on the stack"),
                       llvm::cl::init(true)};
  Option<bool> merge{
      *this, "merge",
      llvm::cl::desc("Merge buffers of static size into one allocation"),
      llvm::cl::init(true)};
  Option<bool> removeCopies{
      *this, "remove-copies",
      llvm::cl::desc("Remove copies that cannot be noticed"),
      llvm::cl::init(true)};
  ListOption<std::string> copyOps{
      *this, "copy-ops",
      llvm::cl::desc("Other ops that copy one memref to another, by name")};
  Option<bool> verify{*this, "verify",
                      llvm::cl::desc("Check the deallocations at the end"),
                      llvm::cl::init(true)};
};

/// Out of loops, stack, merged allocation, deallocation, removal of copies,
/// verification, in this order.
void buildMemrefMemoryPipeline(mlir::OpPassManager &manager,
                               const MemrefMemoryOptions &options);

/// Makes the passes known by name, and the pipeline `memref-memory`:
/// merge-alloc, copy-removal, memref-hoist, memref-promote-to-stack,
/// memref-deallocate, memref-verify-deallocation, gpu-pack-shared-memory,
/// tpu-assign-pools. May be called more than once. The passes load the dialects
/// that they write; those of the input are the tool's.
void registerMemrefPasses();

} // namespace tpu_mlir

#endif // TPU_MLIR_PIPELINES_MEMREFPASSES_H
