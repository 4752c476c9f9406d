//===- SweepScan.cpp - Distances of results, element by element -----------===//
//
// Who plans has a formula for the distance. Here the sweep is walked from its
// end: the result's elements one by one, with the lowest byte that any element
// behind reads.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/SweepScan.h"

#include "tpu_mlir/Analysis/Cores.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace tpu_mlir::verify_addresses {
namespace {

/// What each index of each dimension of the result adds to the first byte that
/// is read.
std::vector<std::vector<int64_t>> firstReads(const SweptTensor &result,
                                             const SweptTensor &operand,
                                             ArrayRef<DimRule> rules) {
  std::vector<std::vector<int64_t>> reads;
  for (int64_t extent : result.extents)
    reads.emplace_back(extent, 0);
  int64_t stride = operand.unitBytes;
  for (size_t dim = rules.size(); dim-- > 0;) {
    const DimRule &rule = rules[dim];
    const int64_t length = operand.extents[dim];
    if (rule.kind != DimRule::Kind::Whole)
      for (auto [i, bytes] : llvm::enumerate(reads[rule.resultDim]))
        bytes +=
            stride *
            neededInterval(rule, {int64_t(i), int64_t(i) + 1}, length).begin;
    stride *= length;
  }
  return reads;
}

int64_t scan(const SweptTensor &result, const SweptTensor &operand,
             ArrayRef<DimRule> rules) {
  const auto reads = firstReads(result, operand, rules);
  std::vector<int64_t> index;
  int64_t end = result.unitBytes, least = 0;
  for (int64_t extent : result.extents) {
    index.push_back(extent - 1);
    end *= extent;
  }
  int64_t later = std::numeric_limits<int64_t>::max();
  for (; end > 0; end -= result.unitBytes) {
    least = std::max(least, end > later ? end - later : 0);
    int64_t first = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      first += reads[dim][index[dim]];
    later = std::min(later, first);
    for (size_t dim = index.size(); dim-- > 0;) {
      if (--index[dim] >= 0)
        break;
      index[dim] = result.extents[dim] - 1;
    }
  }
  return least;
}

} // namespace

static constexpr char kNotSwept[] =
    ": it does not read that in the order of its result";

/// Empty: nothing is wrong.
static std::string whyNotInOrder(Operation *op, Value operand, bool fourN) {
  if (runsOnSeveralCores(op))
    return ": several cores work on it, and none waits for what others read";
  const Type made = op->getResult(0).getType();
  const auto from = getAddress(operand.getType()), to = getAddress(made);
  const SmallVector<unsigned> swept = tpu::sweptOperands(op, fourN);
  // What it reads otherwise than as an operand has no order.
  if (!from || !to || !llvm::is_contained(op->getOperands(), operand))
    return kNotSwept;
  for (OpOperand &use : op->getOpOperands()) {
    if (use.get() != operand)
      continue;
    if (!llvm::is_contained(swept, use.getOperandNumber()))
      return kNotSwept;
    const LocalFacts facts = cast<LocalSliceOpInterface>(op).getLocalFacts();
    const int64_t least = scan(*tpu::sweptTensor(made, fourN),
                               *tpu::sweptTensor(operand.getType(), fourN),
                               facts.operands[use.getOperandNumber()]);
    if (*from - *to < least)
      return llvm::formatv(": in the order of its elements it has to begin {0} "
                           "or more bytes below",
                           least)
          .str();
  }
  return "";
}

static bool isMarked(Operation *op, Value result) {
  return op->hasAttr(tpu::kInOrder) && op->getNumResults() == 1 &&
         result == op->getResult(0);
}

bool isWrittenInOrder(Operation *op, Value operand, Value result, bool fourN) {
  return isMarked(op, result) && whyNotInOrder(op, operand, fourN).empty();
}

std::string whyUnshared(Operation *op, Value operand, Value result, bool fourN,
                        bool kernelsInOrder) {
  if (isMarked(op, result))
    return kernelsInOrder ? whyNotInOrder(op, operand, fourN)
                          : ": nothing says that the chip's kernels read "
                            "before they write";
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace || !op->hasTrait<InPlaceOpInterface::Trait>() ||
      result.getDefiningOp() != op ||
      llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
        return op->getOperand(edge.operand) == operand &&
               op->getResult(edge.result) == result;
      }))
    return "";
  return ": neither is one run of bytes of the other";
}

} // namespace tpu_mlir::verify_addresses
