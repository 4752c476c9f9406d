//===- TickTrace.cpp - Which allocs, in which scope, alive when -----------===//

#include "lib/Analysis/Memref/Sharing/SharingPairs.h"
#include "tpu_mlir/Analysis/Memref/Census.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tpu_mlir {

using namespace sharing;

static constexpr StringLiteral kLifetime = "__mergealloc_lifetime";
static constexpr StringLiteral kScope = "__mergealloc_scope";
/// Before the first tick: when something that is never accessed is in use.
static constexpr Interval kBeforeAll = {0, 1};
static constexpr int64_t kNeverAccessed = -1;
static constexpr int64_t kUntraceable = -2;

std::string spaceName(Attribute space) {
  if (!space)
    return "default";
  if (auto integer = dyn_cast<IntegerAttr>(space);
      integer && !isa<BoolAttr>(space))
    return llvm::toString(integer.getValue(), 10, /*Signed=*/true);
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space))
    return gpu::stringifyAddressSpace(gpuSpace.getValue()).str();
  std::string text;
  llvm::raw_string_ostream(text) << space;
  return text;
}

namespace {

/// One memref.alloc of the function and what has been found out about it.
struct Candidate {
  memref::AllocOp alloc;
  std::optional<Stay> stay;
  Operation *scopeOp = nullptr;
  Block *scope = nullptr;
  MemrefSize size;
  MemrefUses uses;
  Interval hull;
  std::vector<Interval> life;
};

/// Memory that is allocated inside does not leave it. Iterations that follow on
/// each other can all have the same bytes.
bool isScope(Operation *op) {
  return op->hasTrait<OpTrait::AutomaticAllocationScope>() &&
         (!isLoop(op) || isOpaque(op));
}

class TickCollector {
public:
  TickCollector(Operation *function, const BufferViewFlowAnalysis &flow,
                const MergeAllocationOptions &options)
      : function(function), flow(flow), options(options), ticks(function),
        dominance(function), liveness(ticks, flow),
        census(resultsOf(allocsIn(function)), flow, ticks, dominance, liveness,
               options.calls ? options.calls : &anyCall),
        scopes(function, isScope), opaques(function, isOpaque),
        layout(DataLayout::closest(function)) {}

  MemoryTraceScopes run() {
    for (memref::AllocOp alloc : allocsIn(function))
      candidates.push_back(examine(alloc));
    settleDeallocs();
    numberScopes();
    for (Candidate &candidate : candidates)
      findLife(candidate);
    if (options.checkOnly)
      writeAttributes();
    if (options.remarks)
      emitRemarks();
    return buildTraces();
  }

private:
  Candidate examine(memref::AllocOp alloc);
  std::optional<Stay> findScope(Candidate &candidate);
  std::optional<Stay> examineType(Candidate &candidate);
  void settleDeallocs();
  void numberScopes();
  void findLife(Candidate &candidate);
  void writeAttributes();
  void emitRemarks();
  MemoryTraceScopes buildTraces();

  Operation *function;
  const BufferViewFlowAnalysis &flow;
  const MergeAllocationOptions &options;
  OpTicks ticks;
  DominanceInfo dominance;
  MemrefLiveness liveness;
  /// In the place of facts that nobody has.
  const CallSummaries anyCall;
  MemrefCensus census;
  InnermostAround scopes, opaques;
  DataLayout layout;
  std::vector<Candidate> candidates;
  llvm::MapVector<Operation *, int64_t> scopeIds;
};

} // namespace

/// Workgroup memory of a kernel: its threads run apart, and where its bytes
/// change hands they need barriers.
static bool isSharedByThreads(memref::AllocOp alloc) {
  return gpu::GPUDialect::isWorkgroupMemoryAddressSpace(
             alloc.getType().getMemorySpace()) &&
         (alloc->getParentOfType<gpu::GPUFuncOp>() ||
          alloc->getParentOfType<gpu::LaunchOp>());
}

std::optional<Stay> TickCollector::examineType(Candidate &candidate) {
  memref::AllocOp alloc = candidate.alloc;
  MemRefType type = alloc.getType();
  if (auto stay = sharing::examineShape(alloc))
    return stay;
  if (!options.memorySpaces.empty() &&
      !llvm::is_contained(options.memorySpaces,
                          spaceName(type.getMemorySpace())))
    return Stay{StayReason::MemorySpace};
  if (isSharedByThreads(alloc))
    return Stay{StayReason::SharedByThreads};
  auto size = memrefSize(type, layout);
  if (!size)
    return Stay{StayReason::ElementSize};
  candidate.size = *size;
  return std::nullopt;
}

/// The scope, or the op between it and the alloc that is in the way: what is
/// inside may run on many threads, or who knows how.
std::optional<Stay> TickCollector::findScope(Candidate &candidate) {
  Region *region = scopes.around(candidate.alloc);
  if (!region)
    region = &function->getRegion(0);
  candidate.scopeOp = region->getParentOp();
  candidate.scope = &region->front();
  Operation *opaque = opaques.opAround(candidate.alloc);
  if (opaque && opaque != candidate.scopeOp &&
      ticks.isAround(candidate.scopeOp, opaque))
    return Stay{StayReason::UnknownRegion, opaque};
  return std::nullopt;
}

Candidate TickCollector::examine(memref::AllocOp alloc) {
  Candidate candidate;
  candidate.alloc = alloc;
  std::optional<Stay> scopeStay = findScope(candidate);
  candidate.stay = examineType(candidate);
  if (!candidate.stay)
    candidate.stay = scopeStay;
  if (candidate.stay)
    return candidate;
  candidate.uses = census.uses(alloc.getResult());
  candidate.stay = candidate.uses.escape;
  // What leaves its scope outlives the allocation there.
  if (!candidate.stay &&
      !ticks.range(candidate.scopeOp).contains(candidate.uses.homes(ticks)))
    candidate.stay = Stay{StayReason::Returned, candidate.scopeOp};
  return candidate;
}

void TickCollector::settleDeallocs() {
  std::vector<FreedBuffer> freed;
  for (Candidate &candidate : candidates)
    freed.push_back(
        {candidate.alloc,
         &candidate.uses.deallocs,
         &candidate.stay,
         {candidate.scope, candidate.alloc.getType().getMemorySpace()}});
  settleSharedDeallocs(freed, flow, function);
}

void TickCollector::numberScopes() {
  for (const Candidate &candidate : candidates)
    scopeIds.insert({candidate.scopeOp, scopeIds.size()});
}

void TickCollector::findLife(Candidate &candidate) {
  if (candidate.stay)
    return;
  if (candidate.uses.isNeverAccessed()) {
    candidate.hull = kBeforeAll;
    candidate.life = {kBeforeAll};
    return;
  }
  Value buffer = candidate.alloc.getResult();
  candidate.life = liveness.life(buffer, candidate.uses);
  candidate.hull = liveness.hull(buffer, candidate.uses);
  // In code that is never reached a use may come before the alloc.
  if (candidate.life.empty())
    candidate.life = {candidate.hull};
  // Blocks that branch anywhere may be alive outside of the text between.
  candidate.hull.begin =
      std::min(candidate.hull.begin, candidate.life.front().begin);
  candidate.hull.end = std::max(candidate.hull.end, candidate.life.back().end);
}

void TickCollector::writeAttributes() {
  Builder builder(function->getContext());
  for (auto [op, id] : scopeIds)
    op->setAttr(kScope, builder.getI64IntegerAttr(id));
  for (Candidate &candidate : candidates) {
    int64_t first = candidate.hull.begin, last = candidate.hull.end - 1;
    if (candidate.stay)
      first = last = kUntraceable;
    else if (candidate.hull == kBeforeAll)
      first = last = kNeverAccessed;
    candidate.alloc->setAttr(kLifetime,
                             builder.getDenseI64ArrayAttr(
                                 {scopeIds[candidate.scopeOp], first, last}));
  }
}

void TickCollector::emitRemarks() {
  for (Candidate &candidate : candidates) {
    if (!candidate.stay)
      continue;
    InFlightDiagnostic remark = emitRemark(candidate.alloc.getLoc());
    remark << "buffer stays: " << describe(*candidate.stay);
    if (candidate.stay->op)
      remark.attachNote(candidate.stay->op->getLoc()) << "here";
  }
}

MemoryTraceScopes TickCollector::buildTraces() {
  llvm::MapVector<std::pair<Block *, Attribute>, std::unique_ptr<TickTrace>>
      traces;
  std::vector<std::vector<const MemrefUses *>> usesOf;
  for (Candidate &candidate : candidates) {
    if (candidate.stay)
      continue;
    Attribute space = candidate.alloc.getType().getMemorySpace();
    auto [slot, isNew] = traces.try_emplace({candidate.scope, space});
    if (isNew) {
      slot->second = std::make_unique<TickTrace>(candidate.scope, space,
                                                 scopeIds[candidate.scopeOp]);
      usesOf.emplace_back();
    }
    TickBuffer buffer;
    buffer.alloc = candidate.alloc;
    buffer.sizeBytes = candidate.size.sizeBytes;
    buffer.alignment =
        std::max({options.alignment, candidate.size.elementAlignment,
                  int64_t(candidate.alloc.getAlignment().value_or(1))});
    buffer.life = candidate.life;
    buffer.hull = candidate.hull;
    slot->second->buffers.push_back(std::move(buffer));
    usesOf[slot - traces.begin()].push_back(&candidate.uses);
  }
  MemoryTraceScopes result;
  for (auto [index, entry] : llvm::enumerate(traces)) {
    findExclusivePairs(*entry.second, usesOf[index], ticks);
    if (options.inPlace)
      findInPlacePairs(*entry.second, usesOf[index], ticks);
    result.scopeTraces.push_back(std::move(entry.second));
  }
  return result;
}

FailureOr<MemoryTraceScopes>
collectTicks(Operation *function, const BufferViewFlowAnalysis &flow,
             const MergeAllocationOptions &options) {
  return TickCollector(function, flow, options).run();
}

} // namespace tpu_mlir
