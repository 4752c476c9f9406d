//===- Prepare.cpp - What is there before the first op runs ---------------===//

#include "lib/Interpreter/Kernels/Packed.h"
#include "lib/Interpreter/Machine.h"
#include "lib/Interpreter/RandomData.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cstdlib>
#include <map>

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

bool NetworkMachine::isStored(Value value) const {
  return ids.count(value) != 0;
}

bool NetworkMachine::isInArena(Value value) const {
  return arena && arena->isPlaced(idOf(value));
}

/// Numbers the value and finds out what it is.
LogicalResult NetworkMachine::describe(Value value) {
  if (!isa<mlir::TensorType>(value.getType()))
    return success();
  std::optional<execution::TensorType> type = kernelType(value.getType());
  if (!type)
    return emitCodedError(value.getLoc(), ErrorCode::NoStaticSize,
                          "'" + valueName(value) +
                              "' cannot be run on: its type has no static "
                              "shape of elements that kernels know");
  ids[value] = static_cast<TensorId>(tensors.size());
  tensors.push_back(value);
  types.push_back(std::move(*type));
  uses.push_back(std::distance(value.use_begin(), value.use_end()));
  return success();
}

LogicalResult NetworkMachine::prepare() {
  chip = options.chip;
  if (!chip)
    if (auto name = readWord(findSharedAttr(module, "module.chip")))
      if (const target::ChipSpec *known = target::findChip(*name))
        chip = *known;
  WalkResult walked = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(describe(argument)))
            return WalkResult::interrupt();
    for (Value value : op->getResults())
      if (failed(describe(value)))
        return WalkResult::interrupt();
    numOps += takesStep(op) && !isa<func::FuncOp, ModuleOp>(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (failed(checkMemory()))
    return failure();
  if (!options.inArena)
    return success();
  return failure(failed(makeArena()) || failed(readGroups()));
}

/// The first op of a layer group whose elements share slots with those of other
/// images; null for none.
static Operation *findSlotsInGroups(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](tpu::GroupOp group) {
    group->walk([&](Operation *op) {
      if (!found && op != group && op->getNumResults() > 0 &&
          sharesSlots(op->getResult(0).getType()))
        found = op;
    });
  });
  return found;
}

/// Layer groups run in local memory, too, at the addresses of their own.
LogicalResult NetworkMachine::readGroups() {
  if (!module.walk([](tpu::GroupOp) { return WalkResult::interrupt(); })
           .wasInterrupted())
    return success();
  if (!chip && failed(resolveChip(module, "", "")))
    return failure();
  auto read = LocalRuns::read(
      module, *chip, NetworkKernels(options.threads, !options.weights, &*chip));
  if (Operation *op = fourN ? findSlotsInGroups(module) : nullptr)
    read = LocalFault{op, "chip '" + chip->name +
                              "' stores images in slots of local memory"};
  auto *fault = std::get_if<LocalFault>(&read);
  if (fault && options.mixesUnknown) {
    emitRemark(fault->op->getLoc())
        << fault->message
        << ", so no layer group is run in local memory, but as whole ops";
    return success();
  }
  if (fault)
    return emitCodedError(fault->op->getLoc(), ErrorCode::NoKernel,
                          fault->message +
                              ", so it cannot be run in local memory");
  local = std::move(std::get<LocalRuns>(read));
  return success();
}

static LogicalResult emitNoMemory(ModuleOp module, StringRef what,
                                  int64_t bytes) {
  return emitCodedError(module.getLoc(), ErrorCode::NoMemory,
                        "there is not enough memory to run in: " + what +
                            " may take " + formatExactBytes(bytes));
}

/// Whether there is room for the largest tensor, and for what a kernel makes of
/// it: asked before, as nobody asks again.
LogicalResult NetworkMachine::checkMemory() {
  int64_t largest = 0;
  for (const execution::TensorType &type : types)
    largest = std::max({largest, *type.bytes(),
                        saturatedMul(*type.elements(), sizeof(float))});
  // Else compilers leave out both calls.
  const int64_t needed = saturatedMul(largest, 3);
  void *volatile room = std::malloc(needed);
  std::free(room);
  return largest > 0 && !room
             ? emitNoMemory(module, "an op on the largest tensor", needed)
             : success();
}

static bool isLocal(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<tpu::GroupOp>(op->getParentOp());
}

/// Arguments that only top.Input reads are with the host; what nobody reads
/// needs no place.
static bool needsNoPlace(Value value) {
  return value.use_empty() ||
         (isa<BlockArgument>(value) &&
          llvm::all_of(value.getUsers(),
                       [](Operation *op) { return isa<top::InputOp>(op); }));
}

LogicalResult NetworkMachine::makeArena() {
  // Without a name images are not stored side by side.
  if (!chip && findSharedAttr(module, "module.chip") &&
      failed(resolveChip(module, "", "")))
    return failure();
  fourN = chip && chip->batchLayout == target::BatchLayout::FourN;
  kernelsInOrder = areKernelsInOrder(module, chip ? &*chip : nullptr);
  forms.resize(tensors.size());
  std::vector<std::pair<TensorId, Interval>> places;
  std::vector<Interval> used;
  for (TensorId id = 0; id < static_cast<TensorId>(tensors.size()); ++id) {
    Value value = tensors[id];
    std::optional<int64_t> address = getAddress(value.getType());
    if (isLocal(value) || (!address && needsNoPlace(value)))
      continue;
    if (!address)
      return emitCodedError(value.getLoc(), ErrorCode::NoAddress,
                            "'" + valueName(value) +
                                "' has no address to run at");
    std::optional<StorageForm> form = storageFormOf(value, fourN);
    std::optional<int64_t> end =
        form ? checkedAdd(*address, form->bytes) : std::nullopt;
    if (!end)
      return emitCodedError(value.getLoc(), ErrorCode::NoStaticSize,
                            "'" + valueName(value) +
                                "' has no static range of bytes");
    forms[id] = *form;
    places.push_back({id, {*address, *end}});
    used.push_back({*address, *end});
  }
  int64_t all = 0;
  for (const Interval &bytes : normalize(used))
    all = saturatedAdd(all, bytes.length());
  arena = ArenaMemory::create(std::move(used));
  if (!arena)
    return emitNoMemory(module, "what the addresses cover", all);
  for (const auto &[id, bytes] : places)
    arena->place(id, bytes);
  return success();
}

void NetworkMachine::load(Value value, llvm::ArrayRef<uint8_t> bytes) {
  if (isStored(value))
    write(/*writer=*/nullptr, value, bytes);
}

/// What a source may know it as: a weight that a lowering converts has another
/// name in the file that the network came with.
static SmallVector<std::string> namesOf(Value value) {
  SmallVector<std::string> names = {valueName(value)};
  if (auto weight = value.getDefiningOp<top::WeightOp>())
    if (auto origin = readWord(weight->getAttr("origin")))
      names.push_back(origin->str());
  return names;
}

/// Of a weight that is stored in an order of the chip's, from the array of its
/// origin, which is in that of layers; nullopt where there is no such array.
static std::optional<std::vector<uint8_t>>
arrangedData(const DataSource &source, Value value,
             const target::ChipSpec *chip) {
  auto weight = value.getDefiningOp<top::WeightOp>();
  auto origin = weight ? readWord(weight->getAttr("origin")) : std::nullopt;
  auto blocked = origin ? BlockedFilter::find(value, chip) : std::nullopt;
  if (!blocked)
    return std::nullopt;
  auto plain = source({origin->str()}, blocked->plainType());
  auto *bytes = std::get_if<std::vector<uint8_t>>(&plain);
  return bytes ? std::optional(blocked->toStored(*bytes)) : std::nullopt;
}

/// For `value`: from the source, which knows it as `named`, or random, as if it
/// were `like`.
FailureOr<std::vector<uint8_t>> NetworkMachine::dataOf(const DataSource &source,
                                                       Value value, Value named,
                                                       Value like) {
  const execution::TensorType &type = types[idOf(value)];
  hasMadeUpNumbers |= !source;
  if (!source)
    return randomBytes(like, type, options.seed);
  auto data = source(valueName(named), type);
  if (auto *bytes = std::get_if<std::vector<uint8_t>>(&data))
    return std::move(*bytes);
  if (auto bytes = arrangedData(source, named, chip ? &*chip : nullptr))
    return std::move(*bytes);
  data = source(namesOf(named), type);
  if (auto *bytes = std::get_if<std::vector<uint8_t>>(&data))
    return std::move(*bytes);
  return emitCodedError(named.getLoc(), ErrorCode::NotReadable,
                        std::get<std::string>(data));
}

/// What is loaded already, for `value`, too.
void NetworkMachine::shareLoaded(Value value, Value loaded,
                                 llvm::ArrayRef<uint8_t> bytes) {
  if (options.inValues)
    values.write(idOf(value), bytes, step);
  adopt(value, loaded);
}

/// A weight at the place of an equal one is that one.
LogicalResult NetworkMachine::loadWeight(Value weight, Value twin) {
  FailureOr<std::vector<uint8_t>> bytes =
      dataOf(options.weights, weight, weight, twin ? twin : weight);
  if (failed(bytes))
    return failure();
  // Of what its form has no place for nothing is left.
  if (const TensorId id = idOf(weight); isInArena(weight) && !isPlain(id))
    *bytes = fromStorage(forms[id], toStorage(forms[id], *bytes),
                         *types[id].bytes());
  std::optional<ForeignByte> foreign;
  if (!twin || readArena(twin, foreign) != ArrayRef<uint8_t>(*bytes)) {
    load(weight, *bytes);
    return success();
  }
  shareLoaded(weight, twin, *bytes);
  return success();
}

/// Before the first op, all of them: whatever the order of the text.
LogicalResult NetworkMachine::loadWeights() {
  std::map<std::pair<int64_t, int64_t>, Value> known;
  WalkResult walked = module.walk([&](top::WeightOp weight) {
    Value value = weight->getResult(0), twin;
    if (!isStored(value))
      return WalkResult::advance();
    if (isInArena(value)) {
      const Interval place = arena->placeOf(idOf(value));
      auto [entry, isNew] = known.try_emplace({place.begin, place.end}, value);
      if (!isNew &&
          types[idOf(entry->second)].element == types[idOf(value)].element)
        twin = entry->second;
    }
    return WalkResult(loadWeight(value, twin));
  });
  return failure(walked.wasInterrupted());
}

/// What the network calls the argument: the name of its top.Input.
static Value namedInput(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (isa<top::InputOp>(user))
      return user->getResult(0);
  return argument;
}

/// The results of the top.Inputs of an argument. Two at one place that are one
/// type are the same bytes.
LogicalResult NetworkMachine::loadInputOps(BlockArgument argument,
                                           llvm::ArrayRef<uint8_t> bytes) {
  SmallVector<Value> loaded;
  for (Operation *user : argument.getUsers()) {
    if (!isa<top::InputOp>(user) || !isStored(user->getResult(0)))
      continue;
    Value value = user->getResult(0);
    execution::Tensor input(types[idOf(value)]);
    if (Outcome error = compute({user,
                                 {TensorView{types[idOf(argument)], bytes}},
                                 {input.span()},
                                 1,
                                 false}))
      return emitCodedError(user->getLoc(), ErrorCode::NoKernel,
                            "the kernel for 'top.Input' cannot compute this "
                            "one: " +
                                error->message);
    auto twin = llvm::find_if(loaded, [&](Value other) {
      return other.getType() == value.getType() && isInArena(value);
    });
    if (twin == loaded.end())
      load(value, input.view().bytes);
    else
      shareLoaded(value, *twin, input.view().bytes);
    loaded.push_back(value);
  }
  return success();
}

/// Inputs are there before the first op runs.
LogicalResult NetworkMachine::loadInputs(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    if (!isStored(argument))
      continue;
    FailureOr<std::vector<uint8_t>> bytes =
        dataOf(options.inputs, argument, namedInput(argument), argument);
    if (failed(bytes))
      return failure();
    load(argument, *bytes);
    if (failed(loadInputOps(argument, *bytes)))
      return failure();
  }
  return success();
}

} // namespace tpu_mlir::interpreter
