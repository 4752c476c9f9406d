//===- NetworkPipelines.h - From a lowered network to addresses -*- C++ -*-===//
//
// Apart from the other pipelines: a tool that plans networks links no passes on
// memrefs and GPU kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PIPELINES_NETWORKPIPELINES_H
#define TPU_MLIR_PIPELINES_NETWORKPIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <functional>
#include <string>

namespace tpu_mlir {

namespace planning {
class PlanCache;
} // namespace planning

/// For which chip: the options that all pipelines of networks have.
struct ChipPipelineOptions : public virtual mlir::detail::PassOptions {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("The chip by name; empty: the attribute module.chip")};
  Option<std::string> chipFile{
      *this, "chip-file",
      llvm::cl::desc("A JSON file that describes the chip")};
};

/// Options of the pipeline `tpu-global-memory`: from a lowered module to an
/// addressed and verified one.
struct GlobalMemoryOptions
    : public mlir::PassPipelineOptions<GlobalMemoryOptions>,
      public ChipPipelineOptions {
  Option<std::string> strategy{*this, "strategy",
                               llvm::cl::desc("How to pack neuron tensors"),
                               llvm::cl::init("auto")};
  Option<std::string> ioMode{
      *this, "io-mode",
      llvm::cl::desc("basic, in_reuse, io_alone, io_tag or io_reloc; empty: "
                     "the attribute module.addr_mode, else basic")};
  Option<std::string> sameAddr{
      *this, "same-addr",
      llvm::cl::desc("Inputs and outputs that share an address: 0:0,1:2; "
                     "empty: the attribute module.same_addr")};
  Option<std::string> pools{
      *this, "pools",
      llvm::cl::desc("Memories besides the chip's, with ';' between: "
                     "name=sram,base=0x20000000,size=2MiB,cost=1")};
  Option<std::string> pins{
      *this, "pins",
      llvm::cl::desc("Weights and tensors that have to be in one memory, with "
                     "';' between: w=flash;x=sram@0x400")};
  Option<bool> poolIo{
      *this, "pool-io",
      llvm::cl::desc("Inputs and outputs may be in these memories, too"),
      llvm::cl::init(false)};
  Option<bool> l2{
      *this, "l2",
      llvm::cl::desc("Tensors may be in L2 where the chip or a pool line opens "
                     "it; false: on no chip"),
      llvm::cl::init(true)};
  Option<int64_t> alignment{*this, "alignment",
                            llvm::cl::desc("Of neurons; 0: the chip's"),
                            llvm::cl::init(0)};
  Option<int64_t> gmemBytes{
      *this, "gmem-bytes",
      llvm::cl::desc("Bytes of global memory on the board; 0: no limit"),
      llvm::cl::init(0)};
  Option<bool> dedup{
      *this, "dedup",
      llvm::cl::desc("Let weights with equal inline data share an address"),
      llvm::cl::init(false)};
  Option<bool> pack{
      *this, "pack",
      llvm::cl::desc("Align weights to what an execution unit takes at once"),
      llvm::cl::init(false)};
  Option<bool> share{
      *this, "share",
      llvm::cl::desc("Results may take the place of operands, and pieces that "
                     "of their concat, where the plan then needs less"),
      llvm::cl::init(false)};
  Option<bool> inOrder{
      *this, "in-order",
      llvm::cl::desc("With share: kernels write results in order, after they "
                     "have read what these need, as if the chip said so"),
      llvm::cl::init(false)};
  Option<bool> unlimited{
      *this, "unlimited",
      llvm::cl::desc("Where a memory is too small, plan neurons as if it had "
                     "room: for pictures of what does not fit"),
      llvm::cl::init(false)};
  Option<std::string> planCache{
      *this, "plan-cache",
      llvm::cl::desc("Folder of plans that other runs have found, and will")};
  Option<bool> strict{*this, "strict",
                      llvm::cl::desc("Refuse ops that are not defined"),
                      llvm::cl::init(false)};
  Option<bool> verify{*this, "verify",
                      llvm::cl::desc("Check the addresses at the end"),
                      llvm::cl::init(true)};
};

/// Options of the pipeline `tpu-local-memory`: from a lowered module to one
/// with verified layer groups.
struct LocalMemoryOptions
    : public mlir::PassPipelineOptions<LocalMemoryOptions>,
      public ChipPipelineOptions {
  Option<std::string> search{*this, "search",
                             llvm::cl::desc("optimal or greedy"),
                             llvm::cl::init("optimal")};
  Option<std::string> objective{
      *this, "objective",
      llvm::cl::desc("What is minimised: balanced, cycles or traffic"),
      llvm::cl::init("balanced")};
  Option<int64_t> maxLayers{
      *this, "max-layers",
      llvm::cl::desc("Ops of one group, at most; 0: no limit"),
      llvm::cl::init(0)};
  Option<std::string> keepLocal{
      *this, "keep-local",
      llvm::cl::desc("Names of tensors that should not be in global memory, "
                     "with ';' between")};
  Option<int64_t> maxRecompute{
      *this, "max-recompute",
      llvm::cl::desc("Percent of the work that a group may do, rows that are "
                     "computed twice included"),
      llvm::cl::init(150)};
  Option<bool> lineBuffers{
      *this, "line-buffers",
      llvm::cl::desc("Keep rows from section to section by tpu.LineBuffer"),
      llvm::cl::init(false)};
  Option<bool> reorder{
      *this, "reorder",
      llvm::cl::desc("Let layers run in another order where groups of layers "
                     "that are apart cost less"),
      llvm::cl::init(true)};
  Option<std::string> pools{
      *this, "pools",
      llvm::cl::desc("Memories besides the chip's, as addresses are assigned "
                     "with: name=l2,cost=1 opens L2")};
  Option<bool> l2{
      *this, "l2",
      llvm::cl::desc(
          "Expect tensors in L2 where the chip or a pool line of the "
          "module opens it"),
      llvm::cl::init(true)};
  Option<bool> merges{
      *this, "merges",
      llvm::cl::desc("Expect concats outside of groups to move nothing where "
                     "their pieces may be computed in their place"),
      llvm::cl::init(false)};
  Option<bool> overlap{
      *this, "overlap",
      llvm::cl::desc("Let groups run transfers of their neighbours"),
      llvm::cl::init(true)};
  Option<std::string> planCache{
      *this, "plan-cache",
      llvm::cl::desc("Folder of groups that other runs have found, and will")};
  Option<bool> regroup{*this, "regroup",
                       llvm::cl::desc("Take existing groups apart first"),
                       llvm::cl::init(false)};
  Option<bool> remarks{
      *this, "remarks",
      llvm::cl::desc("Say which ops stay global because they do not fit"),
      llvm::cl::init(true)};
  Option<bool> verify{*this, "verify",
                      llvm::cl::desc("Check the groups at the end"),
                      llvm::cl::init(true)};
};

/// Layer groups, pieces of other layers for several cores, transfers that
/// groups run for each other, verification.
void buildLocalMemoryPipeline(mlir::OpPassManager &manager,
                              const LocalMemoryOptions &options);
/// The same with a cache of the caller's, which outlives the passes; nullptr:
/// by the options.
void buildCachedLocalMemoryPipeline(mlir::OpPassManager &manager,
                                    const LocalMemoryOptions &options,
                                    planning::PlanCache *cache);
/// The last two of them: for who puts ops into another order in between.
void addGroupOverlap(mlir::OpPassManager &manager,
                     const LocalMemoryOptions &options);

/// Weights, neurons, verification.
void buildGlobalMemoryPipeline(mlir::OpPassManager &manager,
                               const GlobalMemoryOptions &options);

struct GlobalRecord;
/// Takes what a module was planned by, weights included.
using RecordSink =
    std::function<void(mlir::ModuleOp module, const GlobalRecord &record)>;
/// The same, which also hands the plan over; without `sink` it does not.
void buildRecordedGlobalMemoryPipeline(mlir::OpPassManager &manager,
                                       const GlobalMemoryOptions &options,
                                       RecordSink sink,
                                       planning::PlanCache *cache = nullptr);

} // namespace tpu_mlir

#endif // TPU_MLIR_PIPELINES_NETWORKPIPELINES_H
