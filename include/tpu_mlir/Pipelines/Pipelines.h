//===- Pipelines.h - Named pipelines and the list of passes -----*- C++ -*-===//

#ifndef TPU_MLIR_PIPELINES_PIPELINES_H
#define TPU_MLIR_PIPELINES_PIPELINES_H

#include "tpu_mlir/Pipelines/NetworkPipelines.h"
#include "tpu_mlir/Transforms/HoistMode.h"

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
  Option<bool> removeCopies{*this, "remove-copies",
                            llvm::cl::desc("Remove copies that show to nobody"),
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

/// Every pass and pipeline of the project, and the upstream ones that belong
/// to its workflow (canonicalize, cse).
void registerAllPassesAndPipelines();

} // namespace tpu_mlir

#endif // TPU_MLIR_PIPELINES_PIPELINES_H
