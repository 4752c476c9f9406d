//===- Replay.cpp - One run of a module with tagged bytes -----------------===//

#include "tests/property/global/Oracle.h"
#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::test {

namespace {

/// `length` bytes that were written under one tag, from byte `offset` of it.
struct Run {
  int64_t tag;
  int64_t offset;
  int64_t length;
};
using Bytes = std::vector<Run>;

/// Memory in cells between all addresses at which any tensor begins or ends.
class TaggedMemory {
public:
  void addBorders(Interval place) {
    borders.push_back(place.begin);
    borders.push_back(place.end);
  }
  void start() {
    llvm::sort(borders);
    borders.erase(llvm::unique(borders), borders.end());
    cells.assign(borders.size(), {0, 0});
  }
  void write(Interval place, int64_t tag) {
    for (size_t i = cellAt(place.begin); borders[i] < place.end; ++i)
      cells[i] = {tag, borders[i] - place.begin};
  }
  bool holds(Interval place, const Bytes &expected) const {
    int64_t at = place.begin;
    for (const Run &run : expected) {
      for (size_t i = cellAt(at); borders[i] < at + run.length; ++i) {
        int64_t first = std::max(at, borders[i]);
        if (cells[i].first != run.tag ||
            cells[i].second + (first - borders[i]) != run.offset + (first - at))
          return false;
      }
      at += run.length;
    }
    return at == place.end;
  }

private:
  /// The cell that holds the byte.
  size_t cellAt(int64_t address) const {
    return std::upper_bound(borders.begin(), borders.end(), address) -
           borders.begin() - 1;
  }

  std::vector<int64_t> borders;
  std::vector<std::pair<int64_t, int64_t>> cells; ///< Tag, offset.
};

class Replay {
public:
  Replay(ModuleOp module, bool fourN, bool inputsKept, uint64_t seed)
      : module(module), fourN(fourN), inputsKept(inputsKept), draw(seed) {}
  std::string run();

private:
  void loadWeights();
  void runBlocks(Region &region);
  void runOp(Operation *op);
  void runLeaf(Operation *op);
  void runCall(Operation *op, func::FuncOp callee);
  void runIf(Operation *op);
  void runLoop(Operation *op);
  void runParallel(Operation *op);
  bool seeThrough(Operation *op, OpResult result);
  void handOver(Operation *op, ValueRange from, ValueRange to,
                ValueRange also = {});
  bool lasts(Value source, const Bytes &bytes, ArrayRef<int64_t> given);
  void checkEnd(func::FuncOp entry);

  void write(Value value);
  void expect(Operation *op, Value value, const char *when);
  void expectAll(Operation *op, ValueRange values, const char *when) {
    for (Value value : values)
      expect(op, value, when);
  }
  void fail(Operation *op, const Twine &what) {
    if (!fault.empty())
      return;
    llvm::raw_string_ostream stream(fault);
    stream << what << " at " << op->getName() << " " << op->getLoc();
  }
  std::optional<Interval> place(Value value) { return placeOf(value, fourN); }
  static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

  ModuleOp module;
  bool fourN, inputsKept;
  Draw draw;
  TaggedMemory memory;
  /// What the ops alone say that a value is.
  llvm::DenseMap<Value, Bytes> meaning;
  int64_t tags = 0;
  std::string fault;
};

} // namespace

void Replay::write(Value value) {
  if (!isTensor(value))
    return;
  std::optional<Interval> bytes = place(value);
  if (!bytes)
    return;
  memory.write(*bytes, ++tags);
  meaning[value] = {{tags, 0, bytes->length()}};
}

void Replay::expect(Operation *op, Value value, const char *when) {
  if (!isTensor(value))
    return;
  std::optional<Interval> bytes = place(value);
  auto found = meaning.find(value);
  if (!bytes || found == meaning.end() || !memory.holds(*bytes, found->second))
    fail(op, Twine("wrong bytes ") + when);
}

//===----------------------------------------------------------------------===//
// Leaf ops
//===----------------------------------------------------------------------===//

static Bytes cut(const Bytes &bytes, int64_t offset, int64_t length) {
  Bytes result;
  int64_t at = 0;
  for (const Run &run : bytes) {
    int64_t begin = std::max(at, offset);
    int64_t end = std::min(at + run.length, offset + length);
    if (begin < end)
      result.push_back({run.tag, run.offset + begin - at, end - begin});
    at += run.length;
  }
  return result;
}

/// True when the result is bytes of its operands, so that nothing is written.
bool Replay::seeThrough(Operation *op, OpResult result) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  std::optional<Interval> bytes = place(result);
  if (!inPlace || !bytes)
    return false;
  bool merges = false, allHold = true;
  Bytes merged;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    if (edge.result != result.getResultNumber() || edge.overwrites)
      continue;
    bool holds = edgeHolds(op, edge, fourN);
    if (edge.required && !holds)
      fail(op, "a required sharing does not hold");
    const Bytes &operand = meaning[op->getOperand(edge.operand)];
    if (edge.direction == InPlaceEdge::Direction::OperandInResult) {
      merges = true;
      allHold &= holds;
      merged.insert(merged.end(), operand.begin(), operand.end());
    } else if (holds) {
      const int64_t offset =
          bytes->begin - place(op->getOperand(edge.operand))->begin;
      meaning[result] = cut(operand, offset, bytes->length());
      return true;
    }
  }
  if (merges && allHold)
    meaning[result] = merged;
  return merges && allHold;
}

void Replay::runLeaf(Operation *op) {
  SmallVector<Value> reads = tensorsRead(op);
  for (Value value : reads)
    if (value.getDefiningOp<tpu::BufferOp>())
      write(value);
  expectAll(op, reads, "read");
  SmallVector<Value> written;
  for (OpResult result : op->getResults())
    if (isTensor(result) && !seeThrough(op, result)) {
      write(result);
      if (place(result))
        written.push_back(result);
    }
  // Whatever the op uses has to last until it is done, but for the operands
  // that it says it updates.
  if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
    for (const InPlaceEdge &edge : inPlace.getInPlaceEdges())
      if (edge.overwrites && edgeHolds(op, edge, fourN))
        llvm::erase(reads, op->getOperand(edge.operand));
  expectAll(op, reads, "overwritten by the op that reads them");
  expectAll(op, written, "overwritten by the op that writes them");
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// The bytes of `source` are what they were, but for those of `given` tags.
bool Replay::lasts(Value source, const Bytes &bytes, ArrayRef<int64_t> given) {
  int64_t at = place(source)->begin;
  for (const Run &run : bytes) {
    if (!llvm::is_contained(given, run.tag) &&
        !memory.holds({at, at + run.length}, {run}))
      return false;
    at += run.length;
  }
  return true;
}

/// Gives the values of `from` to `to`: one at another address is copied, and
/// the copies must not disturb each other. The values that `to` and `also`,
/// which get something new at the same time, had before may go where they
/// stand: all of it happens at once.
void Replay::handOver(Operation *op, ValueRange from, ValueRange to,
                      ValueRange also) {
  SmallVector<Value> copies(llvm::make_filter_range(also, isTensor));
  SmallVector<std::pair<Value, Bytes>> sources, inPlace;
  for (auto [source, target] : llvm::zip(from, to)) {
    if (!isTensor(source) || !isTensor(target))
      continue;
    if (!place(source)) // Nothing reads it, or the rules complain.
      continue;
    expect(op, source, "handed over");
    if (atSameAddress(source, target)) {
      inPlace.push_back({target, meaning[source]});
      continue;
    }
    if (!place(target))
      continue;
    copies.push_back(target);
    sources.push_back({source, meaning[source]});
  }
  SmallVector<int64_t> given;
  for (Value target : copies)
    for (const Run &run : meaning[target])
      given.push_back(run.tag);
  for (auto &[target, bytes] : inPlace)
    meaning[target] = bytes;
  for (Value target : copies)
    write(target);
  for (auto &[source, bytes] : sources)
    if (!lasts(source, bytes, given))
      fail(op, "overwritten by a copy");
  for (auto &[target, bytes] : inPlace)
    expect(op, target, "overwritten by a copy");
  expectAll(op, copies, "overwritten by another copy");
}

void Replay::runCall(Operation *op, func::FuncOp callee) {
  for (auto [operand, argument] :
       llvm::zip(op->getOperands(), callee.getArguments()))
    if (isTensor(operand) && meaning.count(operand))
      meaning[argument] = Bytes(meaning[operand]);
  runBlocks(callee.getBody());
  for (Block &block : callee.getBody())
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
      for (auto [value, result] :
           llvm::zip(end.getOperands(), op->getResults()))
        if (isTensor(value))
          meaning[result] = Bytes(meaning[value]);
}

void Replay::runIf(Operation *op) {
  expectAll(op, op->getOperands(), "read");
  Region &taken = op->getRegion(draw.between(0, op->getNumRegions() - 1));
  if (taken.empty())
    return;
  runBlocks(taken);
  Operation *yield = taken.front().getTerminator();
  handOver(yield, yield->getOperands(), op->getResults());
}

void Replay::runLoop(Operation *op) {
  expectAll(op, op->getOperands(), "read");
  Block &body = op->getRegion(0).front();
  ValueRange arguments = body.getArguments();
  // The states come from the operands; then they are the loop's to change.
  handOver(op, op->getOperands(), arguments);
  for (Value argument : arguments)
    write(argument);
  for (int64_t left = draw.between(0, 3); left > 0; --left) {
    runBlocks(op->getRegion(0));
    Operation *yield = body.getTerminator();
    // The counter goes on while the states are handed over.
    handOver(yield, yield->getOperands(), arguments.drop_front(),
             arguments.take_front());
    for (Value argument : arguments)
      write(argument);
  }
  handOver(op, arguments.drop_front(2), op->getResults());
  for (Value result : op->getResults())
    write(result);
}

void Replay::runParallel(Operation *op) {
  expectAll(op, op->getOperands(), "read");
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        write(argument);
  for (Region &region : op->getRegions())
    runBlocks(region);
  SmallVector<Value> yielded;
  for (Region &region : op->getRegions())
    if (!region.empty())
      llvm::append_range(yielded,
                         region.front().getTerminator()->getOperands());
  if (tpu::isParallel(op))
    return handOver(op, yielded, op->getResults());
  for (Value result : op->getResults())
    write(result);
  expectAll(op, op->getOperands(), "overwritten by the op that reads them");
}

void Replay::runBlocks(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      runOp(&op);
}

void Replay::runOp(Operation *op) {
  if (!fault.empty() ||
      isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp>(op))
    return;
  if (func::FuncOp callee = calledBody(op))
    return runCall(op, callee);
  if (op->getNumRegions() == 0 || isa<tpu::GroupOp>(op))
    return runLeaf(op);
  if (isa<tpu::IfOp>(op))
    return runIf(op);
  if (isa<tpu::LoopOp>(op))
    return runLoop(op);
  runParallel(op);
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

/// Weights at one address are one: the rules say which may be.
void Replay::loadWeights() {
  module.walk([&](top::WeightOp op) {
    Value value = op->getResult(0);
    auto bytes = place(value);
    if (!bytes)
      return;
    int64_t tag = -1 - bytes->begin;
    memory.write(*bytes, tag);
    meaning[value] = {{tag, 0, bytes->length()}};
  });
}

static SmallVector<Value> inputsOf(func::FuncOp entry) {
  SmallVector<Value> inputs;
  for (BlockArgument argument : entry.getArguments()) {
    bool isRead = false;
    for (Operation *user : argument.getUsers())
      if (isa<top::InputOp>(user))
        inputs.push_back(user->getResult(0));
      else
        isRead = true;
    if (isRead)
      inputs.push_back(argument);
  }
  return inputs;
}

void Replay::checkEnd(func::FuncOp entry) {
  SmallVector<Value> outputs;
  for (Block &block : entry.getBody())
    if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
      llvm::append_range(outputs, end.getOperands());
  expectAll(entry, outputs, "returned");
  if (!inputsKept)
    return;
  for (Value input : inputsOf(entry))
    if (llvm::none_of(outputs, [&](Value output) {
          return atSameAddress(input, output) &&
                 place(input)->length() == place(output)->length();
        }))
      expect(entry, input, "lost by an input");
}

std::string Replay::run() {
  auto addPlace = [&](Value value) {
    if (auto bytes = place(value))
      memory.addBorders(*bytes);
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), addPlace);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), addPlace);
  });
  memory.start();
  loadWeights();
  SmallVector<func::FuncOp> entries = entriesOf(module);
  for (func::FuncOp entry : entries)
    llvm::for_each(inputsOf(entry), [&](Value input) { write(input); });
  for (func::FuncOp entry : entries)
    runBlocks(entry.getBody());
  for (func::FuncOp entry : entries)
    checkEnd(entry);
  return fault;
}

std::string findWrongRead(ModuleOp functions, bool fourN, bool inputsKept,
                          uint64_t seed) {
  return Replay(functions, fourN, inputsKept, seed).run();
}

} // namespace tpu_mlir::test
