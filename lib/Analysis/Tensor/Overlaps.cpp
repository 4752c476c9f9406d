//===- Overlaps.cpp - Results that begin below their operands -------------===//
//
// Tensors are parts of buffers: an operand at offset p of one, the result at
// offset r of another. The tensors are d bytes apart where the buffers are
// d + r - p, and as nobody reads or writes other parts of the two while the op
// runs, that is all that the buffers have to keep.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Tensor/Overlaps.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::detail {
namespace {

class Overlapping {
public:
  Overlapping(const GlobalFacts &facts, bool fourN, GlobalProblem &global)
      : facts(facts), fourN(fourN), global(global) {
    for (auto [buffer, id] : llvm::enumerate(global.classOf))
      bufferOf[id] = BufferId(buffer);
  }

  void run() {
    for (Operation *op : facts.schedule.ops())
      if (op->hasAttr(tpu::kInOrder) && op->getNumResults() == 1)
        add(op);
  }

private:
  std::optional<BufferId> bufferAt(const ValueStorage *storage) const {
    if (!storage)
      return std::nullopt;
    auto found = bufferOf.find(storage->classId);
    if (found == bufferOf.end() || global.problem.buffers[found->second].pin)
      return std::nullopt;
    return found->second;
  }

  /// While the op runs the one begins and the other ends.
  bool meetOnce(BufferId lower, BufferId upper, Interval step) const {
    return step.length() == 1 &&
           global.problem.buffers[lower].lifespans.front().begin ==
               step.begin &&
           global.problem.buffers[upper].lifespans.front().end == step.end;
  }

  /// What the op needs between the buffers; nullopt: one of its operands in
  /// `upper` is none that it reads in order.
  std::optional<int64_t> distance(Operation *op, BufferId upper,
                                  const ValueStorage &result,
                                  ArrayRef<tpu::SweepEdge> edges) const {
    int64_t least = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      const ValueStorage *storage = facts.aliases.lookup(operand.get());
      if (bufferAt(storage) != upper)
        continue;
      const auto *edge = llvm::find_if(edges, [&](const auto &one) {
        return one.operand == operand.getOperandNumber();
      });
      if (edge == edges.end())
        return std::nullopt;
      least = std::max(least, edge->distanceBytes + result.offsetBytes -
                                  storage->offsetBytes);
    }
    return least;
  }

  void add(Operation *op) {
    const ValueStorage *result = facts.aliases.lookup(op->getResult(0));
    const std::optional<BufferId> lower = bufferAt(result);
    if (!lower)
      return;
    const SmallVector<tpu::SweepEdge> edges = tpu::sweepEdges(op, fourN);
    SmallVector<BufferId> done;
    for (const tpu::SweepEdge &edge : edges) {
      const std::optional<BufferId> upper =
          bufferAt(facts.aliases.lookup(op->getOperand(edge.operand)));
      if (!upper || *upper == *lower || llvm::is_contained(done, *upper) ||
          !meetOnce(*lower, *upper, facts.schedule.steps(op)))
        continue;
      done.push_back(*upper);
      const std::optional<int64_t> least = distance(op, *upper, *result, edges);
      const Buffer &made = global.problem.buffers[*lower];
      if (least && alignUp(*least, made.alignment) < made.sizeBytes)
        global.problem.overlaps.push_back({*lower, *upper, *least});
    }
  }

  const GlobalFacts &facts;
  const bool fourN;
  GlobalProblem &global;
  llvm::DenseMap<int64_t, BufferId> bufferOf; ///< By storage class.
};

} // namespace

void addOverlaps(const GlobalFacts &facts, bool fourN, GlobalProblem &global) {
  Overlapping(facts, fourN, global).run();
}

} // namespace tpu_mlir::detail
