//===- Rewrite.cpp - Replace buffers by views of one ----------------------===//
//
// Creates the attribution and the views, and moves or drops what is left over.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/Rewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tpu_mlir::shared_memory {

/// The attributions among the buffers, by their number.
static llvm::BitVector findAttributions(const SharedBuffers &buffers) {
  llvm::BitVector result(buffers.kernel()->getRegion(0).getNumArguments());
  for (const SharedBuffer &buffer : buffers.packable())
    if (auto argument = dyn_cast<BlockArgument>(buffer.memref))
      result.set(argument.getArgNumber());
  return result;
}

/// Removes attributions that nothing uses any more, and what was said of them.
template <typename Kernel>
static void eraseAttributions(Kernel kernel, llvm::BitVector erased) {
  // There may be a new one, after these.
  erased.resize(kernel.getBody().getNumArguments());
  SmallVector<Attribute> kept;
  auto function = dyn_cast<gpu::GPUFuncOp>(kernel.getOperation());
  ArrayAttr said = function ? function.getWorkgroupAttribAttrsAttr() : nullptr;
  for (auto [index, argument] :
       llvm::enumerate(kernel.getWorkgroupAttributions()))
    if (said && !erased[argument.getArgNumber()])
      kept.push_back(said[index]);
  Builder builder(kernel.getContext());
  int64_t left = kernel.getNumWorkgroupAttributions() - erased.count();
  kernel.getBody().front().eraseArguments(erased);
  kernel->setAttr(kernel.getNumWorkgroupAttributionsAttrName(),
                  builder.getI64IntegerAttr(left));
  if (said)
    function.setWorkgroupAttribAttrsAttr(builder.getArrayAttr(kept));
}

static Value addAttribution(Operation *kernel, MemRefType type,
                            int64_t alignment) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    return launch.addWorkgroupAttribution(type, kernel->getLoc());
  auto function = cast<gpu::GPUFuncOp>(kernel);
  unsigned index = function.getNumWorkgroupAttributions();
  Value bytes = function.addWorkgroupAttribution(type, kernel->getLoc());
  function.setWorkgroupAttributionAttr(
      index, LLVM::LLVMDialect::getAlignAttrName(),
      Builder(kernel->getContext()).getI64IntegerAttr(alignment));
  return bytes;
}

/// The buffer of all bytes, null when nothing is in it.
static Value makeBytes(const SharedBuffers &buffers, const SharedPlan &plan,
                       bool isAttribution) {
  Operation *kernel = buffers.kernel();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel->getRegion(0).front());
  auto type = MemRefType::get({plan.totalBytes}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), buffers.space());
  if (!isAttribution)
    return memref::AllocOp::create(builder, kernel->getLoc(), type,
                                   builder.getI64IntegerAttr(plan.alignment));
  if (llvm::all_of(buffers.packable(), [](const SharedBuffer &buffer) {
        return buffer.memref.use_empty();
      }))
    return nullptr;
  return addAttribution(kernel, type, plan.alignment);
}

/// An allocation that some merged buffer was freed from is freed at the end.
static void freeBytes(Operation *kernel, Value bytes) {
  for (Block &block : kernel->getRegion(0))
    if (block.back().getNumSuccessors() == 0) {
      OpBuilder builder(&block.back());
      memref::DeallocOp::create(builder, bytes.getLoc(), bytes);
    }
}

/// Puts a view of `bytes` in the place of a buffer. Those of attributions stand
/// at the start of the kernel, in their order.
static void replaceBuffer(const SharedBuffer &buffer, Value bytes,
                          int64_t offset, OpBuilder &atStart) {
  Operation *alloc = buffer.memref.getDefiningOp();
  if (!buffer.memref.use_empty()) {
    OpBuilder atAlloc(atStart.getContext());
    if (alloc)
      atAlloc.setInsertionPoint(alloc);
    OpBuilder &builder = alloc ? atAlloc : atStart;
    Location location = buffer.memref.getLoc();
    Value start = arith::ConstantIndexOp::create(builder, location, offset);
    auto view = memref::ViewOp::create(
        builder, location, cast<MemRefType>(buffer.memref.getType()), bytes,
        start, ValueRange());
    Value(buffer.memref).replaceAllUsesWith(view.getResult());
  }
  if (alloc)
    alloc->erase();
}

void applyPlan(const SharedBuffers &buffers, const SharedPlan &plan) {
  Operation *kernel = buffers.kernel();
  for (int64_t node : plan.barriers) {
    OpBuilder builder(buffers.graph()->nodes()[node].op);
    gpu::BarrierOp::create(builder, builder.getInsertionPoint()->getLoc());
  }
  const llvm::BitVector attributions = findAttributions(buffers);
  Value bytes = makeBytes(buffers, plan, attributions.any());
  OpBuilder atStart = OpBuilder::atBlockBegin(&kernel->getRegion(0).front());
  bool isFreed = false;
  for (auto [index, buffer] : llvm::enumerate(buffers.packable())) {
    for (memref::DeallocOp dealloc : buffer.deallocs)
      dealloc.erase();
    isFreed |= !buffer.deallocs.empty();
    replaceBuffer(buffer, bytes, plan.offsets[index], atStart);
  }
  if (isFreed && bytes && bytes.getDefiningOp())
    freeBytes(kernel, bytes);
  if (attributions.none())
    return;
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    eraseAttributions(launch, attributions);
  else
    eraseAttributions(cast<gpu::GPUFuncOp>(kernel), attributions);
}

} // namespace tpu_mlir::shared_memory
