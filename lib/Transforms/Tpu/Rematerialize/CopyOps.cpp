//===- CopyOps.cpp - Copies of ops for late readers -----------------------===//

#include "lib/Transforms/Tpu/Rematerialize/CopyOps.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Local/Schedule.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir {

/// Why an op may not run twice; "" when it may.
static std::string whyNotTwice(Operation *op) {
  if (!op)
    return "it is handed over from outside";
  const std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (!isa<LocalSliceOpInterface>(op) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return name + " is no op that computes one result from its operands alone";
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<tpu::BufferOp>())
      return name + " has scratch";
  return "";
}

namespace {

/// One tensor, its readers in the order of the block, and the copies.
class Copier {
public:
  Copier(Value tensor, int64_t depth)
      : tensor(tensor), made(tensor.getDefiningOp()), depth(depth) {}

  std::string run() {
    if (std::string why = whyNotTwice(made); !why.empty())
      return why;
    if (!isa<func::FuncOp>(made->getParentOp()))
      return "it is inside of another op";
    collectReaders();
    if (!readers.empty() && readers.back()->hasTrait<OpTrait::IsTerminator>())
      return "it is a result of the function, and stays to the end";
    const size_t first = findLate();
    if (first == 0)
      return "nothing reads it later than another op does";
    builder.setInsertionPoint(frontOf(readers[first]));
    const Value copy = copyOf(tensor, depth);
    for (OpOperand &use : llvm::make_early_inc_range(tensor.getUses())) {
      Operation *reader = block()->findAncestorOpInBlock(*use.getOwner());
      if (!reader->isBeforeInBlock(readers[first]))
        use.set(copy);
    }
    return "";
  }

private:
  Block *block() const { return made->getBlock(); }

  void collectReaders() {
    for (Operation *user : tensor.getUsers())
      readers.push_back(block()->findAncestorOpInBlock(*user));
    llvm::sort(readers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  }

  /// The reader after the longest pause; 0: there is none with an op that
  /// runs in it, which is not the one after the op itself.
  size_t findLate() const {
    size_t late = 0;
    int64_t longest = 0;
    for (size_t i = 1; i < readers.size(); ++i) {
      int64_t pause = 0;
      for (Operation *op = readers[i - 1]->getNextNode(); op != readers[i];
           op = op->getNextNode())
        pause += !isa<top::NoneOp, top::WeightOp, top::InputOp>(op);
      if (pause > longest) {
        longest = pause;
        late = i;
      }
    }
    return late;
  }

  /// `value` itself where it is better read than computed.
  Value copyOf(Value value, int64_t levels) {
    if (auto it = copies.find(value); it != copies.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    if (levels == 0 || isa_and_nonnull<top::WeightOp, top::NoneOp>(op) ||
        !whyNotTwice(op).empty() || op->getBlock() != block())
      return value;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, copyOf(operand, levels - 1));
    Operation *copy = builder.clone(*op, mapping);
    copy->setLoc(NameLoc::get(builder.getStringAttr(newName(value))));
    copy->getResult(0).setType(withoutAddress(value.getType()));
    return copies[value] = copy->getResult(0);
  }

  /// One that no tensor of the function has.
  std::string newName(Value value) {
    if (taken.empty())
      block()->getParentOp()->walk([&](Operation *op) {
        for (Value result : op->getResults())
          taken.insert(valueName(result));
      });
    const std::string stem = valueName(value) + "_again";
    std::string name = stem;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = stem + std::to_string(number);
    return name;
  }

  const Value tensor;
  Operation *const made;
  const int64_t depth;
  OpBuilder builder{tensor.getContext()};
  SmallVector<Operation *> readers;
  llvm::MapVector<Value, Value> copies;
  llvm::StringSet<> taken;
};

} // namespace

std::string computeAgain(Value tensor, int64_t depth) {
  return Copier(tensor, depth).run();
}

} // namespace tpu_mlir
