//===- Machine.cpp - Execute a module on paper ----------------------------===//
//
// Replays reads and writes of every op on the map of owners and reports the
// first ones that do not match.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/Machine.h"

#include "lib/Transforms/Tpu/VerifyAddresses/PartPlace.h"
#include "lib/Transforms/Tpu/VerifyAddresses/SweepScan.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Utf8.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::verify_addresses {

//===----------------------------------------------------------------------===//
// Facts of values
//===----------------------------------------------------------------------===//

bool Machine::isStored(Value value) const {
  return isa<TensorType>(value.getType());
}

std::optional<int64_t> Machine::sizeOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    if (auto footprint =
            dyn_cast<MemoryFootprintOpInterface>(result.getOwner()))
      return footprint.getResultBytes(result.getResultNumber(), options.fourN);
  return typeBytes(value.getType(), options.fourN);
}

/// The bytes of a value, or nullopt after an error at `user`.
std::optional<Interval> Machine::bytesOf(Operation *user, Value value) {
  std::optional<int64_t> address = getAddress(value.getType());
  if (!address) {
    report(user, value, ErrorCode::NoAddress,
           "'" + valueName(value) + "' has no address", value);
    return std::nullopt;
  }
  std::optional<int64_t> size = sizeOf(value);
  std::optional<int64_t> end = size ? checkedAdd(*address, *size) : size;
  if (!end || *address < 0) {
    report(user, value, ErrorCode::NoStaticSize,
           "'" + valueName(value) + "' has no static range of bytes", value);
    return std::nullopt;
  }
  return Interval{*address, *end};
}

int64_t Machine::ownerId(Value value) {
  auto [entry, isNew] = ids.try_emplace(value, owners.size());
  if (isNew)
    owners.push_back(value);
  return entry->second;
}

/// Operands and whatever a region that runs from local memory takes from
/// outside; each once.
SmallVector<Value> Machine::valuesRead(Operation *op) const {
  llvm::SmallSetVector<Value, 8> values;
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isStored(operand) &&
          (nested == op ||
           !op->isAncestor(operand.getParentBlock()->getParentOp())))
        values.insert(operand);
  });
  return values.takeVector();
}

bool Machine::report(Operation *op, Value value, ErrorCode code,
                     const llvm::Twine &message, Value other) {
  if (!reported.insert({op, value}).second)
    return false;
  if (++numErrors > options.maxErrors)
    return false;
  InFlightDiagnostic diagnostic = emitCodedError(op->getLoc(), code, message);
  if (other)
    diagnostic.attachNote(other.getLoc())
        << "'" << asUtf8(valueName(other)) << "' comes from here";
  return true;
}

std::string Machine::describe(Value value, Interval bytes) {
  return llvm::formatv("'{0}' at [{1}, {2})", valueName(value), bytes.begin,
                       bytes.end)
      .str();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Machine::log(const Access &access) {
  if (!logs.empty())
    logs.back().add(access);
}

/// Ends the innermost log and adds it to the one around.
Machine::AccessLog Machine::closeLog() {
  AccessLog closed = std::move(logs.back());
  logs.pop_back();
  llvm::for_each(closed.list, [&](const Access &access) { log(access); });
  return closed;
}

void Machine::read(Operation *op, Value value) {
  if (!isStored(value))
    return;
  std::optional<Interval> bytes = bytesOf(op, value);
  if (!bytes)
    return;
  int64_t address = bytes->begin;
  // What was never written has no content: its own bytes are expected.
  auto found = contents.find(value);
  Content expected = found != contents.end()
                         ? found->second
                         : Content{{ownerId(value), 0, bytes->length()}};
  log({op, value, *bytes, /*isWrite=*/false});
  for (const Piece &piece : expected) {
    if (!expect({op, value, address, piece}))
      return;
    address += piece.length;
  }
}

/// False after an error.
bool Machine::expect(const Demand &demand) {
  note(demand);
  int64_t address = demand.address;
  for (const Piece &piece : translate(demand.piece, &Binding::inMemory)) {
    if (auto wrong = memory.now.findForeign(address, piece)) {
      bool known = wrong->holder != MemoryMap::kNobody;
      std::string holder =
          known ? "holds '" + valueName(owners[wrong->holder]) + "'"
                : "holds nothing that is certain";
      auto bytes = bytesOf(demand.op, demand.value);
      report(demand.op, demand.value, ErrorCode::Overwritten,
             "'" + demand.op->getName().getStringRef() + "' reads " +
                 describe(demand.value, *bytes) + ", but byte " +
                 llvm::Twine(wrong->address) + " " + holder + " by then",
             known ? owners[wrong->holder] : demand.value);
      return false;
    }
    address += piece.length;
  }
  return true;
}

void Machine::write(Operation *op, Value value) {
  if (!isStored(value))
    return;
  std::optional<Interval> bytes;
  // A result that nobody reads may have no address.
  if (value.use_empty() && !getAddress(value.getType()))
    return;
  bytes = bytesOf(op, value);
  if (!bytes)
    return;
  const MemoryRegions::Stretch *region = regions.findNeuronRegion(*bytes);
  if (!bytes->empty() && !region)
    report(op, value, ErrorCode::BadRange,
           describe(value, *bytes) + " lies in no region for results", value);
  // Inside other storage the place follows from where that begins.
  int64_t alignment = (region ? *region : regions.neurons.front()).alignment;
  if (storage.lowestAddress(value) % alignment != 0)
    report(op, value, ErrorCode::BadRange,
           describe(value, *bytes) + " is not aligned to " +
               llvm::Twine(alignment) + " bytes",
           value);
  int64_t owner = ownerId(value);
  Piece piece{owner, 0, bytes->length()};
  memory.write(bytes->begin, piece);
  contents[value] = {piece};
  log({op, value, *bytes, /*isWrite=*/true});
}

std::optional<Machine::Content>
Machine::slice(const Content &content, int64_t offset, int64_t length) const {
  Content result;
  int64_t position = 0;
  for (const Piece &piece : content) {
    int64_t begin = std::max(position, offset);
    int64_t end = std::min(position + piece.length, offset + length);
    if (begin < end)
      result.push_back(
          {piece.owner, piece.ownerOffset + (begin - position), end - begin});
    position += piece.length;
  }
  if (offset < 0 || offset + length > position)
    return std::nullopt;
  return result;
}

/// An op that emits no copy, and whose ends are not where that works.
void Machine::reportUnshared(Operation *op, const InPlaceEdge &edge,
                             std::optional<int64_t> distance) {
  Value operand = op->getOperand(edge.operand);
  Value result = op->getResult(edge.result);
  const bool isPiece =
      edge.direction == InPlaceEdge::Direction::OperandInResult;
  Value part = isPiece ? operand : result, whole = isPiece ? result : operand;
  const std::string place =
      distance
          ? llvm::formatv("is at {0}, not at {1}", *getAddress(part.getType()),
                          *getAddress(whole.getType()) + *distance)
                .str()
          : "is stored on this chip as no run of bytes";
  report(op, part, ErrorCode::InPlaceImpossible,
         "'" + op->getName().getStringRef() + "' emits no copy, but '" +
             valueName(part) + "' " + place + " inside the " +
             (isPiece ? "result" : "operand"),
         operand);
}

/// When the result lies where the op says it can, nothing is written: its
/// content is made of the operands'.
bool Machine::adoptView(Operation *op, OpResult result) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  std::optional<int64_t> address = getAddress(result.getType());
  std::optional<int64_t> size = sizeOf(result);
  if (!inPlace || !address || !size)
    return false;
  SmallVector<std::pair<int64_t, Value>> pieces;
  bool merges = false, allHold = true;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    if (edge.result != result.getResultNumber() || edge.overwrites)
      continue;
    Value operand = op->getOperand(edge.operand);
    std::optional<int64_t> from = getAddress(operand.getType());
    if (!from)
      continue;
    const std::optional<int64_t> distance =
        findPartPlace(op, edge, options.fourN);
    if (edge.direction == InPlaceEdge::Direction::ResultInOperand) {
      auto view = slice(contents[operand], distance.value_or(0), *size);
      if (distance && *address == *from + *distance && view) {
        contents[result] = std::move(*view);
        return true;
      }
      if (!edge.required)
        continue;
      reportUnshared(op, edge, distance);
      return true;
    }
    merges = true;
    allHold &= distance && *from == *address + *distance;
    pieces.push_back({distance.value_or(0), operand});
    if (edge.required && !allHold) {
      reportUnshared(op, edge, distance);
      contents[result] = {}; // Reading it would only repeat the error.
      return true;
    }
  }
  if (!merges || !allHold)
    return false;
  llvm::stable_sort(pieces, llvm::less_first());
  Content whole;
  int64_t position = 0;
  for (auto &[offset, operand] : pieces) {
    if (offset != position)
      return false;
    for (const Piece &piece : contents[operand]) {
      whole.push_back(piece);
      position += piece.length;
    }
  }
  if (position != *size)
    return false;
  contents[result] = std::move(whole);
  return true;
}

/// G1: what an op writes shares no byte with what it reads, nor with its
/// other results, unless it says so. With `atOnce` what it writes may replace
/// old values that it reads.
void Machine::checkSharing(Operation *op, ArrayRef<Value> reads,
                           ArrayRef<Value> fresh, bool atOnce) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  auto declared = [&](Value operand, Value result) {
    if (options.kernelsInOrder &&
        isWrittenInOrder(op, operand, result, options.fourN))
      return true;
    if (!inPlace)
      return false;
    return llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &e) {
      if (!e.overwrites || op->getOperand(e.operand) != operand ||
          op->getResult(e.result) != result)
        return false;
      auto distance = findPartPlace(op, e, options.fourN);
      return distance && getAddress(result.getType()) ==
                             *getAddress(operand.getType()) + *distance;
    });
  };
  for (size_t i = 0; i < fresh.size(); ++i) {
    auto address = getAddress(fresh[i].getType());
    auto size = sizeOf(fresh[i]);
    if (!address || !size)
      continue;
    Interval written{*address, *address + *size};
    SmallVector<Value> others(reads);
    others.append(fresh.begin(), fresh.begin() + i);
    for (Value other : others) {
      auto otherAddress = getAddress(other.getType());
      auto otherSize = sizeOf(other);
      if (!otherAddress || !otherSize)
        continue;
      Interval bytes{*otherAddress, *otherAddress + *otherSize};
      if (written.overlaps(bytes) && !declared(other, fresh[i]) &&
          !(atOnce && isOldValueOf(other, fresh[i])))
        report(op, fresh[i], ErrorCode::Overwritten,
               "'" + op->getName().getStringRef() + "' writes " +
                   describe(fresh[i], written) + " over " +
                   describe(other, bytes) + ", which it uses itself" +
                   whyUnshared(op, other, fresh[i], options.fourN,
                               options.kernelsInOrder),
               other);
    }
  }
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

void Machine::loadWeights() {
  std::map<int64_t, std::pair<Interval, Value>> placed;
  module.walk<WalkOrder::PreOrder>([&](top::WeightOp op) {
    Value weight = op->getResult(0);
    if (!isStored(weight))
      return;
    std::optional<Interval> bytes = bytesOf(op, weight);
    if (!bytes)
      return;
    const MemoryRegions::Stretch *region = regions.findWeightRegion(*bytes);
    if (!bytes->empty() && !region)
      report(op, weight, ErrorCode::BadRange,
             describe(weight, *bytes) + " lies outside the weight region",
             weight);
    int64_t alignment = (region ? *region : regions.coeff).alignment;
    if (bytes->begin % alignment != 0)
      report(op, weight, ErrorCode::BadRange,
             describe(weight, *bytes) + " is not aligned to " +
                 llvm::Twine(alignment) + " bytes",
             weight);
    Piece piece{ownerId(weight), 0, bytes->length()};
    if (bytes->empty()) {
      contents[weight] = {piece};
      return;
    }
    auto next = placed.lower_bound(bytes->begin);
    Value hit;
    if (next != placed.end() && next->second.first.overlaps(*bytes))
      hit = next->second.second;
    if (next != placed.begin() &&
        std::prev(next)->second.first.overlaps(*bytes))
      hit = std::prev(next)->second.second;
    if (hit) {
      Operation *first = hit.getDefiningOp();
      auto data = op->getAttr("inline_bytes");
      bool sameData = first->getAttr("inline_bytes") == data &&
                      first->getAttr("store_mode") == op->getAttr("store_mode");
      if (hit.getType() == weight.getType() && sameData &&
          (data || options.sharedWeights)) {
        contents[weight] = Content(contents[hit]);
        return;
      }
      report(op, weight, ErrorCode::BadRange,
             describe(weight, *bytes) + " overlaps weight '" + valueName(hit) +
                 "'",
             hit);
    }
    placed[bytes->begin] = {*bytes, weight};
    memory.write(bytes->begin, piece);
    contents[weight] = {piece};
  });
}

/// The argument itself, where other ops read it, then its top.Inputs in the
/// order of the text.
void Machine::loadInput(BlockArgument argument) {
  const size_t first = inputs.size();
  SmallVector<Operation *> users(argument.getUsers());
  for (Operation *user : llvm::reverse(users))
    if (auto input = dyn_cast<top::InputOp>(user))
      inputs.push_back({input, input->getResult(0)});
  if (llvm::any_of(users, [](Operation *op) { return !isa<top::InputOp>(op); }))
    inputs.insert(inputs.begin() + first,
                  {argument.getOwner()->getParentOp(), argument});
  inputs.erase(
      std::remove_if(inputs.begin() + first, inputs.end(),
                     [&](const auto &one) { return !isStored(one.second); }),
      inputs.end());
  for (size_t i = first; i < inputs.size(); ++i)
    write(inputs[i].first, inputs[i].second);
}

void Machine::collectOutputs(func::FuncOp entry) {
  for (Block &block : entry.getBody())
    if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
      for (Value value : ret.getOperands())
        if (isStored(value))
          outputs.push_back({ret, value});
}

/// May an output take the input's place? Where the module records that they
/// share their address; without a record where inputs and outputs lie apart, in
/// a decoder's state that ops read and write. What is an input itself is no
/// output that was written there.
bool Machine::isGivenUp(size_t input) {
  Value in = inputs[input].second;
  const auto isInput = [&](const Piece &piece) {
    return llvm::any_of(inputs, [&](const auto &other) {
      return other.second == owners[piece.owner];
    });
  };
  const bool isState =
      options.ioApart &&
      !llvm::all_of(in.getUsers(), llvm::IsaPred<func::ReturnOp>);
  for (auto [index, output] : llvm::enumerate(outputs)) {
    Value out = output.second;
    const bool isRecorded = llvm::is_contained(
        options.sameAddress, std::pair<int64_t, int64_t>(input, index));
    if ((isState || isRecorded) && sizeOf(in) == sizeOf(out) &&
        getAddress(in.getType()) == getAddress(out.getType()) &&
        llvm::none_of(contents[out], isInput))
      return true;
  }
  return false;
}

/// G2: what the network returns is there when everything has run, and so are
/// the inputs where the mode promises it.
void Machine::checkEnd() {
  for (auto [op, value] : outputs)
    read(op, value);
  if (!options.inputsKept)
    return;
  for (auto [index, input] : llvm::enumerate(inputs))
    if (!isGivenUp(index))
      read(input.first, input.second);
}

LogicalResult Machine::run() {
  loadWeights();
  module.walk(
      [&](func::CallOp call) { ++numCalls[call.getCalleeAttr().getAttr()]; });
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !numCalls.contains(function.getSymNameAttr()))
      entries.push_back(function);
  llvm::stable_sort(entries, [](func::FuncOp a, func::FuncOp b) {
    return (a.getSymName() == "main") > (b.getSymName() == "main");
  });
  for (auto entry : entries) {
    llvm::for_each(entry.getArguments(),
                   [&](BlockArgument argument) { loadInput(argument); });
    collectOutputs(entry);
  }
  for (auto entry : entries)
    runEntry(entry);
  if (!isCyclic)
    checkEnd();
  for (auto function : module.getOps<func::FuncOp>())
    if (entries.empty() && !function.isExternal()) {
      report(function, {}, ErrorCode::CyclicCall,
             "every function is called by another one: there is no entry");
      break;
    }
  if (numErrors > options.maxErrors)
    emitRemark(module.getLoc())
        << numErrors - options.maxErrors << " more errors are not shown";
  return success(numErrors == 0);
}

} // namespace tpu_mlir::verify_addresses
