//===- Rules.cpp - What must hold of single places and of pairs -----------===//

#include "tests/property/global/Connections.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::test {

namespace {

class Rules {
public:
  Rules(ModuleOp module, const target::ChipSpec &chip,
        const OracleOptions &options)
      : module(module), chip(chip), options(options),
        fourN(chip.batchLayout == target::BatchLayout::FourN),
        connections(module, fourN), copies(module, fourN, /*updates=*/false) {}
  std::string run();

private:
  void readRegions();
  void checkAttributes();
  void checkInsAndOuts();
  void checkRegions();
  void checkWeights();
  void checkWritten(Value value);
  void checkOp(Operation *op);
  void checkParallel(Operation *op);
  void checkSeparate(Operation *op, ValueRange a, ValueRange b);
  void collectAccesses(Operation *op, std::vector<std::pair<Value, bool>> &);
  SmallVector<Value> writtenBy(Operation *op) const;
  std::optional<int64_t> attribute(StringRef name) const {
    auto value = module->getAttrOfType<IntegerAttr>(name);
    return value ? std::optional(value.getInt()) : std::nullopt;
  }
  ModuleOp outermost() const {
    auto outer = module->getParentOfType<ModuleOp>();
    return outer ? outer : module;
  }
  StringRef mode() const {
    auto name = outermost()->getAttrOfType<StringAttr>("module.addr_mode");
    return name ? name.getValue() : "basic";
  }
  /// The part that belongs to the cores of the module.
  Interval l2() const {
    auto cores = outermost()->getAttrOfType<IntegerAttr>("module.cores");
    int64_t used = cores ? std::min(cores.getInt(), chip.cores) : 1;
    return {chip.l2Base, chip.l2Base + chip.l2Bytes / chip.cores * used};
  }
  void fail(Location location, const Twine &what) {
    if (!fault.empty())
      return;
    llvm::raw_string_ostream stream(fault);
    stream << what << " at " << location;
  }
  std::optional<Interval> place(Value value) const {
    return placeOf(value, fourN);
  }

  ModuleOp module;
  const target::ChipSpec &chip;
  const OracleOptions &options;
  bool fourN;
  Connections connections, copies;
  Interval weights, neurons, io;
  std::vector<Interval> forResults, forWeights;
  std::string fault;
};

} // namespace

void Rules::readRegions() {
  auto region = [&](std::optional<int64_t> base, std::optional<int64_t> size) {
    return base && size ? Interval{*base, *base + *size} : Interval();
  };
  bool hasBases = chip.addressForm == target::AddressForm::BaseRegister;
  auto neuronAddress = attribute("module.neuron_addr");
  if (!attribute("module.neuron_size") || (!hasBases && !neuronAddress))
    fail(module.getLoc(), "no neuron region");
  weights = region(attribute("module.coeff_addr").value_or(chip.weightBase),
                   attribute("module.coeff_size"));
  neurons =
      region(hasBases ? 0 : neuronAddress, attribute("module.neuron_size"));
  io = region(attribute("module.io_addr"), attribute("module.io_size"));
  forResults = {
      neurons, io,
      region(chip.privateBase.value_or(0), attribute("module.private_size")),
      l2()};
  if (hasBases || mode() == "io_tag")
    for (int64_t base : chip.ioBases)
      forResults.push_back(region(base, chip.windowBytes));
  for (const ExtraPool &pool : options.pools)
    (pool.readOnly ? forWeights : forResults).push_back(pool.bytes);
  forWeights.push_back(weights);
}

void Rules::checkRegions() {
  std::vector<Interval> all = forResults;
  llvm::append_range(all, forWeights);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (all[i].overlaps(all[j]))
        fail(module.getLoc(), "regions overlap");
  if (chip.addressForm != target::AddressForm::Linear)
    return;
  bool isBehind = mode() == "io_reloc";
  if (weights.length() > 0 && weights.end > neurons.begin)
    fail(module.getLoc(), "neurons before weights");
  if (io.length() > 0 && !isBehind &&
      (weights.end > io.begin || io.end > neurons.begin))
    fail(module.getLoc(), "inputs and outputs out of order");
}

/// Numbers that cannot be true of this chip, or not together.
void Rules::checkAttributes() {
  auto elsewhere = [&](StringRef name, std::optional<int64_t> base) {
    return base && attribute(name).value_or(*base) != *base;
  };
  if (elsewhere("module.coeff_addr", chip.weightBase) ||
      elsewhere("module.neuron_addr", chip.neuronBase) ||
      elsewhere("module.io_addr", chip.ioAloneBase))
    fail(module.getLoc(), "a region begins elsewhere on this chip");
  for (const Interval &region : {weights, neurons, io})
    if (region.length() > chip.windowBytes.value_or(region.length()))
      fail(module.getLoc(), "a region is larger than a window");
  if (attribute("module.dynamic_coeff_offset").value_or(0) > weights.length())
    fail(module.getLoc(), "dynamic weights begin after all weights");
  bool wantsRegion = mode() == "io_alone" || mode() == "io_reloc";
  if (attribute("module.io_addr") && !wantsRegion)
    fail(module.getLoc(), "a region for inputs and outputs in another mode");
}

/// What the network gets and returns is where the mode says; nothing that
/// passes a function's border or the host is in L2.
void Rules::checkInsAndOuts() {
  SmallVector<Value> ends, borders;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = llvm::is_contained(entriesOf(module), function);
    function.walk([&](Operation *op) {
      if (!isa<top::InputOp, func::ReturnOp, tpu::GenericCpuOp>(op) &&
          !calledBody(op))
        return;
      llvm::append_range(borders, op->getOperands());
      llvm::append_range(borders, op->getResults());
      if (isEntry && isa<top::InputOp>(op))
        llvm::append_range(ends, op->getResults());
      if (isEntry && isa<func::ReturnOp>(op))
        llvm::append_range(ends, op->getOperands());
    });
    llvm::append_range(borders, function.getArguments());
    if (isEntry)
      llvm::append_range(ends, function.getArguments());
  }
  for (Value value : borders)
    if (auto address = getAddress(value.getType()))
      if (l2().contains(*address))
        fail(value.getLoc(), "passes a border, but is in L2");
  bool hasEnd = false, hasTag = false;
  for (Value value : ends) {
    auto address = getAddress(value.getType());
    if (!address || llvm::any_of(forWeights, [&](const Interval &region) {
          return region.contains(*address);
        }))
      continue;
    hasEnd = true;
    for (int64_t base : chip.ioBases)
      hasTag |= *address >= base && *address - base < *chip.windowBytes;
    if ((mode() == "io_alone" || mode() == "io_reloc") &&
        !io.contains(*address))
      fail(value.getLoc(), "outside of the region for inputs and outputs");
  }
  if (mode() == "io_tag" && hasEnd && !hasTag)
    fail(module.getLoc(), "tags for nobody");
}

void Rules::checkWeights() {
  std::vector<top::WeightOp> all;
  module.walk([&](top::WeightOp op) { all.push_back(op); });
  bool mayShare = chip.addressForm == target::AddressForm::BaseRegister;
  for (size_t i = 0; i < all.size(); ++i) {
    auto mine = place(all[i]->getResult(0));
    if (!mine) {
      fail(all[i].getLoc(), "weight without a place");
      continue;
    }
    if (mine->begin % chip.weightAlignment != 0)
      fail(all[i].getLoc(), "misaligned weight");
    if (llvm::none_of(forWeights, [&](const Interval &region) {
          return region.contains(*mine);
        }))
      fail(all[i].getLoc(), "weight outside of its region");
    for (size_t j = 0; j < i; ++j) {
      auto other = place(all[j]->getResult(0));
      if (!other || !mine->overlaps(*other))
        continue;
      Attribute data = all[i]->getAttr("inline_bytes");
      bool sameData =
          data == all[j]->getAttr("inline_bytes") && (data || mayShare) &&
          all[i]->getAttr("store_mode") == all[j]->getAttr("store_mode");
      if (!sameData ||
          all[i]->getResult(0).getType() != all[j]->getResult(0).getType())
        fail(all[i].getLoc(), "weights overlap");
    }
  }
}

/// What the op itself puts into memory.
SmallVector<Value> Rules::writtenBy(Operation *op) const {
  SmallVector<Value> written;
  if (isa<top::NoneOp, top::WeightOp>(op) || calledBody(op))
    return written;
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType()))
      continue;
    bool isSeen = false, allHold = true, merges = false;
    if (inPlace)
      for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
        if (edge.result != result.getResultNumber() || edge.overwrites)
          continue;
        merges |= edge.direction == InPlaceEdge::Direction::OperandInResult;
        allHold &= edgeHolds(op, edge, fourN);
        isSeen = merges ? allHold : isSeen || edgeHolds(op, edge, fourN);
      }
    if (!isSeen)
      written.push_back(result);
  }
  if (!isa<func::FuncOp, tpu::GroupOp>(op))
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (isa<TensorType>(argument.getType()))
            written.push_back(argument);
  return written;
}

void Rules::checkWritten(Value value) {
  auto bytes = place(value);
  if (!bytes) {
    if (!value.use_empty())
      fail(value.getLoc(), "used without an address");
    return;
  }
  if (llvm::none_of(forResults, [&](const Interval &region) {
        return region.contains(*bytes);
      }))
    fail(value.getLoc(), "outside of every region");
  // What lies inside other storage follows from where that begins.
  int64_t lowest = bytes->begin;
  for (Value other : connections.values())
    if (connections.same(value, other))
      lowest = std::min(lowest, *getAddress(other.getType()));
  if (lowest % options.alignment != 0)
    fail(value.getLoc(), "misaligned");
}

void Rules::checkSeparate(Operation *op, ValueRange a, ValueRange b) {
  for (Value x : a)
    for (Value y : b) {
      auto first = place(x), second = place(y);
      if (first && second && first->overlaps(*second))
        fail(op->getLoc(), "a result lies on an operand");
    }
}

/// Everything that is read or written inside, and what of it is written.
void Rules::collectAccesses(Operation *op,
                            std::vector<std::pair<Value, bool>> &accesses) {
  for (Value value : tensorsRead(op))
    accesses.push_back(
        {value, value.getDefiningOp<tpu::BufferOp>() != nullptr});
  for (Value value : writtenBy(op))
    if (!isa<tpu::BufferOp>(op))
      accesses.push_back({value, true});
  if (isa<tpu::GroupOp>(op))
    return;
  auto visit = [&](Region &region) {
    for (Block &block : region)
      for (Operation &nested : block)
        collectAccesses(&nested, accesses);
  };
  for (Region &region : op->getRegions())
    visit(region);
  if (auto callee = calledBody(op))
    visit(callee.getBody());
}

void Rules::checkParallel(Operation *op) {
  std::vector<std::pair<Value, bool>> accesses;
  collectAccesses(op, accesses);
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      auto a = place(accesses[i].first), b = place(accesses[j].first);
      if (a && b && a->overlaps(*b) &&
          (accesses[i].second || accesses[j].second) &&
          !copies.same(accesses[i].first, accesses[j].first))
        fail(accesses[i].first.getLoc(), "shared by what runs together");
    }
}

void Rules::checkOp(Operation *op) {
  if (isa<ModuleOp, func::FuncOp, top::NoneOp>(op) ||
      op->getParentOfType<tpu::GroupOp>())
    return;
  for (Value value : writtenBy(op))
    checkWritten(value);
  for (Value value : tensorsRead(op)) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isHost = argument && isa<top::InputOp>(op);
    if (!isHost && !place(value))
      fail(op->getLoc(), "reads what has no place");
  }
  if (auto callee = calledBody(op)) {
    auto check = [&](ValueRange from, ValueRange to) {
      for (auto [a, b] : llvm::zip(from, to))
        if (isa<TensorType>(a.getType()) && !atSameAddress(a, b) &&
            !(b.use_empty() && !place(a) && !place(b)))
          fail(op->getLoc(), "a call moves a value");
    };
    check(op->getOperands(), callee.getArguments());
    for (Block &block : callee.getBody())
      if (isa<func::ReturnOp>(block.getTerminator()))
        check(block.getTerminator()->getOperands(), op->getResults());
    return;
  }
  if (isa<tpu::GroupOp>(op) && !op->getRegion(0).empty()) {
    Operation *yield = op->getRegion(0).front().getTerminator();
    for (auto [stored, result] :
         llvm::zip(yield->getOperands(), op->getResults()))
      if (getAddress(stored.getType()) != getAddress(result.getType()))
        fail(op->getLoc(), "a group stores elsewhere");
    return;
  }
  if (op->getNumRegions() > 0 &&
      !isa<tpu::IfOp, tpu::CoreParallelOp, tpu::GroupParallelOp>(op))
    checkSeparate(op, op->getOperands(), op->getResults());
  bool isParallel =
      op->getNumRegions() > 0 && !isa<tpu::IfOp, tpu::LoopOp, tpu::GroupOp>(op);
  if (isParallel)
    checkParallel(op);
}

std::string Rules::run() {
  readRegions();
  checkRegions();
  checkAttributes();
  checkInsAndOuts();
  checkWeights();
  for (func::FuncOp entry : entriesOf(module))
    for (BlockArgument argument : entry.getArguments())
      if (llvm::any_of(argument.getUsers(), [](Operation *user) {
            return !isa<top::InputOp>(user);
          }))
        checkWritten(argument);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { checkOp(op); });
  return fault;
}

std::string findBrokenRule(ModuleOp functions, const target::ChipSpec &chip,
                           const OracleOptions &options) {
  return Rules(functions, chip, options).run();
}

std::string findFault(ModuleOp root, const target::ChipSpec &chip,
                      const OracleOptions &options) {
  auto mode = root->getAttrOfType<StringAttr>("module.addr_mode");
  bool inputsKept = !mode || mode.getValue() != "in_reuse";
  bool fourN = chip.batchLayout == target::BatchLayout::FourN;
  std::string fault;
  for (ModuleOp module : modulesOfFunctions(root)) {
    fault = findBrokenRule(module, chip, options);
    bool branches = false;
    module.walk(
        [&](Operation *op) { branches |= isa<tpu::IfOp, tpu::LoopOp>(op); });
    int64_t runs = branches ? options.replays : 1;
    for (int64_t run = 0; run < runs && fault.empty(); ++run)
      fault =
          findWrongRead(module, fourN, inputsKept, options.seed * 1000 + run);
    if (!fault.empty())
      return fault;
  }
  return fault;
}

} // namespace tpu_mlir::test
