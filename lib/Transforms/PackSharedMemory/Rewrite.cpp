#include "lib/Transforms/PackSharedMemory/Rewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tpu_mlir {

/// Removes attributions that nothing uses any more, and what was said of them.
template <typename Kernel>
static void eraseAttributions(Kernel kernel, const SharedBuffers &buffers) {
  llvm::BitVector erased(kernel.getBody().getNumArguments());
  SmallVector<Attribute> kept;
  auto function = dyn_cast<gpu::GPUFuncOp>(kernel.getOperation());
  ArrayAttr said = function ? function.getWorkgroupAttribAttrsAttr() : nullptr;
  for (const SharedBuffer &buffer : buffers.packable())
    if (buffer.attribution)
      erased.set(buffer.attribution.getArgNumber());
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

/// The buffer of all bytes, null when nothing is in it; the attributions that
/// it replaces are gone.
static Value makeBytes(const SharedBuffers &buffers, const SharedPlan &plan) {
  Operation *kernel = buffers.kernel();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel->getRegion(0).front());
  auto type = MemRefType::get({plan.totalBytes}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), buffers.space());
  if (llvm::none_of(buffers.packable(), [](const SharedBuffer &buffer) {
        return bool(buffer.attribution);
      }))
    return memref::AllocOp::create(builder, kernel->getLoc(), type,
                                   builder.getI64IntegerAttr(plan.alignment));
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    eraseAttributions(launch, buffers);
  else
    eraseAttributions(cast<gpu::GPUFuncOp>(kernel), buffers);
  if (llvm::all_of(buffers.packable(), [](const SharedBuffer &buffer) {
        return memref::AllocOp(buffer.alloc)->use_empty();
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

void applyPlan(const SharedBuffers &buffers, const SharedPlan &plan) {
  for (int64_t node : plan.barriers) {
    OpBuilder builder(buffers.graph()->nodes()[node].op);
    gpu::BarrierOp::create(builder, builder.getInsertionPoint()->getLoc());
  }
  Value bytes = makeBytes(buffers, plan);
  bool isFreed = false;
  for (auto [index, buffer] : llvm::enumerate(buffers.packable())) {
    memref::AllocOp alloc = buffer.alloc;
    for (memref::DeallocOp dealloc : buffer.deallocs)
      dealloc.erase();
    isFreed |= !buffer.deallocs.empty();
    if (!alloc->use_empty()) {
      OpBuilder builder(alloc);
      Value start = arith::ConstantIndexOp::create(builder, alloc.getLoc(),
                                                   plan.offsets[index]);
      auto view = memref::ViewOp::create(
          builder, alloc.getLoc(), alloc.getType(), bytes, start, ValueRange());
      alloc.replaceAllUsesWith(view.getResult());
    }
    alloc.erase();
  }
  if (isFreed && bytes && bytes.getDefiningOp())
    freeBytes(buffers.kernel(), bytes);
}

} // namespace tpu_mlir
