// What is known of an op, without its uses.

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir {

static StringRef dialectOf(Operation *op) {
  return op->getName().getDialectNamespace();
}

static bool isAsyncType(Type type) {
  return type.getAbstractType().getName().contains("async");
}

bool isAsynchronous(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.contains("async") || name.contains("dma") ||
      name.ends_with("gather_to_lds") || op->hasAttr("nowait"))
    return true;
  // Directives may defer what is in their regions; a parallel one waits.
  if (dialectOf(op) == "acc" ||
      (dialectOf(op) == "omp" && name != "omp.parallel"))
    return op->getNumRegions() > 0;
  // A loop or branch that hands tokens on does nothing by itself.
  if (dialectOf(op) == "scf")
    return false;
  return llvm::any_of(op->getResultTypes(), isAsyncType) ||
         llvm::any_of(op->getOperandTypes(), isAsyncType);
}

bool isLoop(Operation *op) {
  if (isa<LoopLikeOpInterface>(op))
    return true;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return branch && llvm::any_of(op->getRegions(), [&](Region &region) {
           return branch.isRepetitiveRegion(region.getRegionNumber());
         });
}

bool endsBlock(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || op->getNumSuccessors() > 0 ||
         (!op->isRegistered() && op->getBlock() &&
          op == &op->getBlock()->back());
}

bool saysWhereItLeads(Operation *end) {
  if (end->getNumSuccessors() > 0)
    return isa<BranchOpInterface>(end);
  return isa<RegionBranchTerminatorOpInterface>(end) &&
         isa<RegionBranchOpInterface, FunctionOpInterface>(end->getParentOp());
}

/// Every way out of a region of an op with RegionBranchOpInterface is one that
/// the op knows of.
static bool endsAreKnown(Region &region) {
  return llvm::all_of(region, [](Block &block) {
    return !block.empty() && saysWhereItLeads(&block.back());
  });
}

/// Runs its regions several times at once: iterations, threads, tasks. A loop
/// whose iterations follow on each other says where they lead.
static bool isParallel(Operation *op) {
  return op->hasTrait<OpTrait::HasParallelRegion>() || isAsynchronous(op) ||
         (isa<LoopLikeOpInterface>(op) && !isa<RegionBranchOpInterface>(op)) ||
         dialectOf(op) == "gpu" || dialectOf(op) == "omp" ||
         dialectOf(op) == "acc";
}

bool isOpaque(Operation *op) {
  if (op->getNumRegions() == 0)
    return false;
  return !isa<RegionBranchOpInterface>(op) || isParallel(op) ||
         !llvm::all_of(op->getRegions(), endsAreKnown);
}

bool mayBeAnyBuffer(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isOpaque(op);
  Block *block = cast<BlockArgument>(value).getOwner();
  if (block->isEntryBlock())
    return isOpaque(block->getParentOp());
  return llvm::any_of(block->getPredecessors(), [](Block *before) {
    return !saysWhereItLeads(&before->back());
  });
}

StringRef whyOpaque(Operation *op) {
  if (isParallel(op))
    return "which runs in parallel";
  if (isAsynchronous(op))
    return "which may go on after it is done";
  return "whose control flow is not known";
}

bool isPlainType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isPlainType(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return isPlainType(vector.getElementType());
  if (type.getAbstractType().getName() == "gpu.mma_matrix")
    return true;
  return type.isIntOrIndexOrFloat();
}

/// A memref in which no address can be stored, or a plain value.
static bool holdsNoAddress(Type type) {
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return isPlainType(memref.getElementType());
  return isPlainType(type);
}

/// Could a result of this type be an address, when nothing is known of its op?
static bool mayBeAddress(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isPlainType(type) || element.isIndex() ||
         (element.isInteger() && element.getIntOrFloatBitWidth() >= 32);
}

static bool regionsGetMemrefs(Operation *op) {
  // Workgroup and private memory of a launch is its own.
  if (isa<RegionBranchOpInterface>(op) ||
      op->getName().getStringRef() == "gpu.launch")
    return false;
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return llvm::any_of(region, [](Block &block) {
      return llvm::any_of(block.getArgumentTypes(),
                          llvm::IsaPred<BaseMemRefType>);
    });
  });
}

std::optional<StayReason> mayKeepOperands(Operation *op) {
  if (isa<memref::ExtractAlignedPointerAsIndexOp,
          memref::ExtractStridedMetadataOp>(op))
    return StayReason::Pointer;
  bool isCall = isa<CallOpInterface>(op);
  bool isKnown = isCall || isa<MemoryEffectOpInterface>(op) ||
                 op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  for (Type type : op->getResultTypes()) {
    if (isCall && isa<BaseMemRefType>(type) && holdsNoAddress(type))
      continue;
    if (isa<TensorType>(type))
      return StayReason::Tensor;
    if (isKnown ? !isPlainType(type) : mayBeAddress(type))
      return StayReason::UnknownResult;
  }
  // Which function it calls is no place to store anything.
  auto call = dyn_cast<CallOpInterface>(op);
  OperandRange operands = call ? call.getArgOperands() : op->getOperands();
  if (!llvm::all_of(operands.getTypes(), holdsNoAddress))
    return StayReason::Stored;
  if (regionsGetMemrefs(op))
    return StayReason::UnknownResult;
  return std::nullopt;
}

static bool hasEffect(Value value, MemoryEffectOpInterface op,
                      llvm::function_ref<bool(MemoryEffects::Effect *)> isIt) {
  SmallVector<MemoryEffects::EffectInstance> found;
  op.getEffectsOnValue(value, found);
  return llvm::any_of(found, [&](const MemoryEffects::EffectInstance &effect) {
    return isIt(effect.getEffect()) &&
           effect.getResource() == SideEffects::DefaultResource::get();
  });
}

SmallVector<OpResult, 1> allocatedMemrefs(Operation *op) {
  SmallVector<OpResult, 1> result;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    for (OpResult memref : op->getResults())
      if (isa<BaseMemRefType>(memref.getType()) &&
          hasEffect(memref, effects, llvm::IsaPred<MemoryEffects::Allocate>))
        result.push_back(memref);
  return result;
}

bool allocatesBuffer(Operation *op) {
  if (isa<memref::AllocOp>(op))
    return true;
  return op->getNumResults() == 1 && !isa<memref::ReallocOp>(op) &&
         dialectOf(op) != "gpu" && !isAsynchronous(op) &&
         !allocatedMemrefs(op).empty();
}

bool mayFree(Operation *op, Value operand) {
  // It does not say so in its effects.
  if (op->getName().getStringRef() == "bufferization.dealloc")
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects<MemoryEffects::Free>(found);
  return llvm::any_of(found, [&](const MemoryEffects::EffectInstance &effect) {
    return !effect.getValue() || effect.getValue() == operand;
  });
}

bool isFreedByItsUser(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return effects &&
           hasEffect(memref, effects, llvm::IsaPred<MemoryEffects::Free>);
  });
}

void remarkOtherAllocs(Operation *root, const Twine &what) {
  std::string words = what.str();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<memref::AllocOp>(op) && !allocatedMemrefs(op).empty())
      emitRemark(op->getLoc())
          << words << ": " << quoted(op) << " allocates it, not 'memref.alloc'";
  });
}

namespace {

/// MLIR's own op does not say that it is a view.
struct TransposeView
    : public ViewLikeOpInterface::ExternalModel<TransposeView,
                                                memref::TransposeOp> {
  Value getViewSource(Operation *op) const {
    return cast<memref::TransposeOp>(op).getIn();
  }
};

} // namespace

static void attachViews(MLIRContext *context, memref::MemRefDialect *) {
  memref::TransposeOp::attachInterface<TransposeView>(*context);
}

void registerBufferFlowModels(DialectRegistry &registry) {
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  registry.addExtension(attachViews);
}

} // namespace tpu_mlir
