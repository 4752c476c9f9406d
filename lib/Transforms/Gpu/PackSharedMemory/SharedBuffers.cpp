//===- SharedBuffers.cpp - Collect the workgroup buffers of a kernel ------===//
//
// Finds attributions and allocs, decides which can be packed, and computes
// when each is in use.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/SharedBuffers.h"

#include "tpu_mlir/Analysis/Memref/Liveness.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace tpu_mlir::shared_memory {

/// Before the first tick: when something that is never accessed is in use.
static constexpr Interval kBeforeAll = {0, 1};

static ArrayRef<BlockArgument> attributionsOf(Operation *kernel) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    return launch.getWorkgroupAttributions();
  return cast<gpu::GPUFuncOp>(kernel).getWorkgroupAttributions();
}

static int64_t askedAlignment(Operation *kernel, unsigned index) {
  auto function = dyn_cast<gpu::GPUFuncOp>(kernel);
  if (!function)
    return 1;
  const auto asked = readInteger(function.getWorkgroupAttributionAttr(
      index, LLVM::LLVMDialect::getAlignAttrName()));
  return std::max<int64_t>(1, asked.value_or(1));
}

SharedBuffers::SharedBuffers(Operation *kernel, const CallSummaries &calls,
                             int64_t alignment)
    : kernelOp(kernel), calls(calls) {
  collect(alignment);
  analyse();
  auto stay = std::stable_partition(
      buffers.begin(), buffers.end(),
      [](const SharedBuffer &buffer) { return buffer.stays.empty(); });
  stays.assign(std::make_move_iterator(stay),
               std::make_move_iterator(buffers.end()));
  buffers.erase(stay, buffers.end());
}

void SharedBuffers::collect(int64_t alignment) {
  std::vector<memref::AllocOp> allocs;
  kernelOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A kernel inside a kernel has memory of its own.
    if (op != kernelOp && isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
    return WalkResult::advance();
  });
  for (auto [index, argument] : llvm::enumerate(attributionsOf(kernelOp))) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    SharedBuffer buffer;
    buffer.memref = argument;
    buffer.alignment = askedAlignment(kernelOp, index);
    if (buffers.empty())
      memorySpace = type.getMemorySpace();
    if (type.hasStaticShape())
      buffers.push_back(buffer);
  }
  for (memref::AllocOp alloc : allocs) {
    Attribute space = alloc.getType().getMemorySpace();
    if (!gpu::GPUDialect::isWorkgroupMemoryAddressSpace(space) &&
        (buffers.empty() || space != memorySpace || !space))
      continue;
    if (buffers.empty())
      memorySpace = space;
    SharedBuffer buffer;
    buffer.memref = alloc;
    buffer.alignment = alloc.getAlignment().value_or(1);
    buffers.push_back(buffer);
  }
  for (SharedBuffer &buffer : buffers)
    examineType(buffer, alignment);
}

void SharedBuffers::examineType(SharedBuffer &buffer, int64_t alignment) {
  auto type = cast<MemRefType>(buffer.memref.getType());
  auto alloc = buffer.memref.getDefiningOp<memref::AllocOp>();
  if (auto size = memrefSize(type, DataLayout::closest(kernelOp))) {
    buffer.sizeBytes = size->sizeBytes;
    buffer.alignment =
        std::max({buffer.alignment, alignment, size->elementAlignment});
  } else {
    buffer.stays = describe({StayReason::ElementSize});
  }
  if (!type.hasStaticShape() || (alloc && !alloc.getSymbolOperands().empty()))
    buffer.stays = describe({StayReason::Dynamic});
  else if (!type.getLayout().isIdentity())
    buffer.stays = describe({StayReason::Layout});
  else if (type.getMemorySpace() != memorySpace)
    buffer.stays = "the first buffer of the kernel is in another memory space";
}

/// The copies to a buffer that tell when they are done.
static bool isWaitedFor(Operation *op) {
  return isa<nvgpu::DeviceAsyncCopyOp>(op);
}

void SharedBuffers::analyse() {
  ticks = std::make_unique<OpTicks>(kernelOp);
  uniformity = std::make_unique<Uniformity>(kernelOp);
  if (!uniformity->isDivergent(kernelOp))
    graphOf = std::make_unique<KernelGraph>(kernelOp, *uniformity);
  kernelOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernelOp || !uniformity->isDivergent(op))
      return WalkResult::advance();
    divergentRanges.push_back(ticks->range(op));
    return WalkResult::skip();
  });
  BufferViewFlowAnalysis flow(kernelOp);
  DominanceInfo dominance(kernelOp);
  MemrefLiveness liveness(*ticks, flow);
  for (SharedBuffer &buffer : buffers) {
    if (!buffer.stays.empty())
      continue;
    if (Operation *around =
            uniformity->divergentAround(ownerOf(buffer.memref))) {
      buffer.stays = "it is allocated where not all threads of the workgroup "
                     "are known to come";
      buffer.blame = around;
      continue;
    }
    MemrefUses uses = collectUses(buffer.memref, flow, *ticks, dominance,
                                  &calls, isWaitedFor);
    buffer.deallocs = uses.deallocs;
    if (uses.escape) {
      buffer.stays = describe(*uses.escape);
      buffer.blame = uses.escape->op;
      continue;
    }
    for (memref::DeallocOp dealloc : uses.deallocs)
      if (dealloc.getMemref() != buffer.memref) {
        buffer.stays = describe({StayReason::FreedWithOthers, dealloc});
        buffer.blame = dealloc;
      }
    buffer.life = liveness.life(buffer.memref, uses);
    findLife(buffer, uses);
  }
}

void SharedBuffers::findLife(SharedBuffer &buffer, const MemrefUses &uses) {
  if (uses.accesses.empty()) {
    buffer.life = {kBeforeAll};
    return;
  }
  // In code that is never reached a use may come before the alloc.
  if (!graphOf || buffer.life.empty())
    buffer.life = {ticks->range(kernelOp)};
  if (!graphOf)
    return;
  SmallVector<Operation *> copies;
  for (const MemrefUses::Access &access : uses.accesses) {
    buffer.accessNodes.push_back(graphOf->nodeOf(access.op));
    if (isWaitedFor(access.op))
      copies.push_back(access.op);
  }
  if (!copies.empty())
    followCopies(buffer, copies);
  llvm::sort(buffer.accessNodes);
  buffer.accessNodes.erase(llvm::unique(buffer.accessNodes),
                           buffer.accessNodes.end());
  widenOverDivergence(buffer);
}

/// Some thread may be anywhere in a divergent op while others are elsewhere in
/// it: what is alive at some tick of it is at all of them.
void SharedBuffers::widenOverDivergence(SharedBuffer &buffer) {
  for (Interval range : divergentRanges)
    if (anyOverlap(buffer.life, {range}))
      buffer.life.push_back(range);
  buffer.life = normalize(std::move(buffer.life));
}

/// From a copy on, the buffer is being written to until a wait for all groups
/// after the op that closes the copy's group; without one, to the end.
void SharedBuffers::followCopies(SharedBuffer &buffer,
                                 ArrayRef<Operation *> copies) {
  enum : uint8_t { kOpen = 1, kClosed = 2 };
  const std::vector<KernelNode> &nodes = graphOf->nodes();
  std::vector<uint8_t> before(nodes.size(), 0);
  llvm::SmallDenseSet<int64_t> starts;
  for (Operation *copy : copies)
    starts.insert(graphOf->nodeOf(copy));
  SmallVector<int64_t> work(starts.begin(), starts.end());
  while (!work.empty()) {
    int64_t node = work.pop_back_val();
    Operation *op = nodes[node].op;
    uint8_t state = before[node] | (starts.contains(node) ? kOpen : 0);
    if (isa<nvgpu::DeviceAsyncCreateGroupOp>(op) && state)
      state = kClosed;
    if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op))
      if (wait.getNumGroups().value_or(0) == 0)
        state &= ~kClosed;
    for (int64_t next : nodes[node].successors)
      if (state & ~before[next]) {
        before[next] |= state;
        work.push_back(next);
      }
  }
  for (auto [node, state] : llvm::enumerate(before)) {
    if (!state)
      continue;
    Operation *op = nodes[node].op;
    if (op == buffer.memref.getDefiningOp()) {
      buffer.stays = "it may still be copied to when its allocation runs again";
      buffer.blame = copies.front();
    }
    buffer.accessNodes.push_back(node);
    int64_t tick = ticks->of(op);
    buffer.life.push_back({tick, tick + 1});
    if (uniformity->isDivergent(op))
      buffer.life.push_back(ticks->range(op));
  }
  buffer.life = normalize(std::move(buffer.life));
}

} // namespace tpu_mlir::shared_memory
