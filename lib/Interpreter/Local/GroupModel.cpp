//===- GroupModel.cpp - A layer group as it is executed -------------------===//

#include "tpu_mlir/Interpreter/Local/GroupModel.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace mlir;

namespace tpu_mlir::execution {

/// n, d, h, w, c: the outermost loop first.
static constexpr std::array<Dim, kNumDims> kLoops = {N, D, H, W, C};

Index5 GroupModel::sectionIndex(int64_t section) const {
  Index5 index{};
  for (int i = kNumDims - 1; i >= 0; --i) {
    index[kLoops[i]] = section % sections[kLoops[i]];
    section /= sections[kLoops[i]];
  }
  return index;
}

Box GroupModel::boxOf(const GroupItem &item, int64_t section) const {
  const Index5 index = sectionIndex(section);
  Box box;
  for (int dim = 0; dim < kNumDims; ++dim) {
    const size_t at = item.begin[dim].size() == 1 ? 0 : index[dim];
    box.lo[dim] = item.begin[dim][at];
    box.size[dim] = item.size[dim][at];
  }
  return box;
}

bool GroupModel::isHeld(const GroupItem &item) const {
  if (item.kind != GroupItem::Kind::Load || numSections() == 1)
    return false;
  for (int dim = 0; dim < kNumDims; ++dim)
    if (sections[dim] > 1 && item.begin[dim].size() > 1)
      return false;
  return true;
}

int GroupModel::itemWithId(int64_t id) const {
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].id == id)
      return static_cast<int>(i);
  return GroupItem::kNone;
}

std::vector<int64_t> GroupModel::rowOfItems() const {
  std::vector<int64_t> result(items.size(), 0);
  for (size_t row = 0; row < rows.size(); ++row)
    for (int item : rows[row])
      result[item] = static_cast<int64_t>(row);
  return result;
}

std::string nameOf(const GroupItem &item) {
  return "'" + item.op->getName().getStringRef().str() + "' (id " +
         std::to_string(item.id) + ")";
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Own formulas, so that those of the planner are not proved by themselves.
static Index5 inFiveDims(ArrayRef<int64_t> dims, int64_t groupType,
                         int64_t lanes) {
  Index5 five{1, 1, 1, 1, 1};
  const bool isDeep = groupType == 1 && dims.size() >= 5;
  for (auto [i, size] : llvm::enumerate(dims)) {
    const int plain =
        i < 2 ? static_cast<int>(i) : static_cast<int>(i == 2 ? H : W);
    five[isDeep ? std::min<int>(i, 4) : plain] *= size;
  }
  if (groupType != 2)
    return five;
  const int64_t rows = five[N] * five[C] * five[H];
  if (rows % lanes == 0)
    return {rows / lanes, lanes, 1, five[W], 1};
  return {five[N] * five[C], five[H], 1, five[W], 1};
}

ShapeOrError shapeOf(Type type, int64_t groupType, int64_t lanes) {
  ShapeOrError result;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    result.error = "a value is not a static tensor";
    return result;
  }
  const auto bits = elementBits(tensor.getElementType());
  if (!bits || (*bits != 8 && *bits != 16 && *bits != 32)) {
    result.error = "elements of 8, 16 or 32 bits are simulated, and no others";
    return result;
  }
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    elements = saturatedMul(elements, size);
    if (size < 1 || elements > std::numeric_limits<int32_t>::max()) {
      result.error = "a tensor is empty or has 2^31 elements or more";
      return result;
    }
  }
  result.shape.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  result.shape.whole = inFiveDims(tensor.getShape(), groupType, lanes);
  result.shape.bits = static_cast<int>(*bits);
  return result;
}

//===----------------------------------------------------------------------===//
// Checks of values that may be changed
//===----------------------------------------------------------------------===//

static std::optional<std::string> checkLists(const GroupModel &model,
                                             const GroupItem &item) {
  for (int dim = 0; dim < kNumDims; ++dim) {
    const size_t parts = item.begin[dim].size();
    if (parts != item.size[dim].size() || parts == 0 ||
        (parts != 1 && static_cast<int64_t>(parts) != model.sections[dim]))
      return nameOf(item) + " has " + std::to_string(parts) + " starts and " +
             std::to_string(item.size[dim].size()) +
             " sizes in a dimension of " + std::to_string(model.sections[dim]) +
             " sections";
    for (size_t i = 0; i < parts; ++i) {
      const int64_t lo = item.begin[dim][i], size = item.size[dim][i];
      if (lo < 0 || size < 1 || lo > item.shape.whole[dim] - size)
        return nameOf(item) + ": a part of " + std::to_string(size) + " from " +
               std::to_string(lo) + " on leaves a dimension of " +
               std::to_string(item.shape.whole[dim]);
    }
  }
  return std::nullopt;
}

static std::optional<std::string> checkItem(const GroupModel &model,
                                            const GroupItem &item) {
  if (item.stage < 0 || item.stage > 2)
    return nameOf(item) + " has stage " + std::to_string(item.stage);
  if (item.toAllLanes && item.shape.whole[C] != 1)
    return nameOf(item) + " copies several channels to every lane";
  if (auto paddings = item.op->getAttrOfType<ArrayAttr>("paddings");
      paddings && item.kind == GroupItem::Kind::Store)
    for (auto padding : paddings.getAsRange<IntegerAttr>())
      if (padding.getInt() != 0)
        return nameOf(item) + " pads, which is not simulated";
  if (item.kind == GroupItem::Kind::Store &&
      item.globalShape.dims != item.shape.dims)
    return nameOf(item) + " stores another shape than it has";
  return checkLists(model, item);
}

std::optional<std::string> checkModel(const GroupModel &model) {
  // Tags count sections in 16 bits.
  constexpr int64_t kMaxSections = 0xffff;
  int64_t sections = 1;
  for (int64_t parts : model.sections) {
    if (parts < 1)
      return "a dimension has " + std::to_string(parts) + " sections";
    if (parts > kMaxSections || sections * parts > kMaxSections)
      return "there are more than " + std::to_string(kMaxSections) +
             " sections";
    sections *= parts;
  }
  for (const auto *lent : {&model.lentToPrevious, &model.lentToNext})
    for (int64_t id : *lent)
      if (const int item = model.itemWithId(id);
          item < 0 || !model.items[item].isTransfer())
        return "id " + std::to_string(id) + " is lent and no transfer";
  std::set<int64_t> ids;
  std::vector<int> timesInFlow(model.items.size(), 0);
  for (const auto &row : model.rows)
    for (int item : row)
      ++timesInFlow[item];
  for (auto [index, item] : llvm::enumerate(model.items)) {
    if (!ids.insert(item.id).second)
      return "two ops have id " + std::to_string(item.id);
    if (timesInFlow[index] != 1)
      return nameOf(item) + " is " + std::to_string(timesInFlow[index]) +
             " times in the flow";
    if (auto error = checkItem(model, item))
      return error;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reading the IR
//===----------------------------------------------------------------------===//

namespace {

class GroupReader {
public:
  GroupReader(tpu::GroupOp group, const target::ChipSpec &chip,
              const SectionKernels &kernels)
      : group(group), chip(chip), kernels(kernels), current(group) {}

  std::variant<GroupModel, LocalFault> read() {
    readAttributes();
    for (Operation &op : group.getRegion().front())
      if (!isa<tpu::YieldOp>(op) && error.empty())
        readItem(&op);
    if (error.empty())
      current = group, readFlow();
    if (error.empty())
      readTargets();
    if (error.empty())
      if (auto problem = checkModel(model))
        error = *problem;
    if (!error.empty())
      return LocalFault{current, error};
    return std::move(model);
  }

private:
  int64_t number(StringRef name, int64_t otherwise) {
    return readInteger(group->getAttr(name)).value_or(otherwise);
  }
  std::vector<int64_t> numbers(StringRef name) {
    auto list = readIntegers(group->getAttr(name));
    return list ? std::vector<int64_t>(list->begin(), list->end())
                : std::vector<int64_t>();
  }
  std::optional<TensorShape> shape(Type type, Operation *op) {
    ShapeOrError result = shapeOf(type, model.groupType, chip.lanes);
    if (result.error.empty())
      return result.shape;
    error = "'" + op->getName().getStringRef().str() + "': " + result.error;
    return std::nullopt;
  }

  void readAttributes() {
    model.op = group;
    model.groupType = number("group_type", 0);
    model.sections = {number("nsecs", 1), number("csecs", 1),
                      number("dsecs", 1), number("hsecs", 1),
                      number("wsecs", 1)};
    model.fromNext = borrowed("other_up_overlap_op");
    model.fromPrevious = borrowed("other_down_overlap_op");
    model.lentToPrevious = numbers("self_up_overlap_op");
    model.lentToNext = numbers("self_down_overlap_op");
    if (chip.batchLayout == target::BatchLayout::FourN)
      error = "the layout with four images in a slot is not simulated";
  }

  std::vector<Borrowed> borrowed(StringRef name) {
    std::vector<Borrowed> result;
    int64_t row = 0;
    for (int64_t entry : numbers(name))
      if (entry < 0)
        row = -(entry + 1);
      else
        result.push_back({row, entry});
    return result;
  }

  void readItem(Operation *op) {
    current = op;
    GroupItem item;
    item.op = op;
    item.kind = isa<tpu::LoadOp>(op)    ? GroupItem::Kind::Load
                : isa<tpu::StoreOp>(op) ? GroupItem::Kind::Store
                                        : GroupItem::Kind::Compute;
    item.isLineBuffer = isa<tpu::LineBufferOp>(op);
    const std::string name = op->getName().getStringRef().str();
    auto info = tpu::GroupOp::infoOf(op);
    if (!info)
      return fail("'" + name + "' has no ginfo");
    if (op->getNumResults() != 1)
      return fail("'" + name + "' has several results");
    if (item.kind == GroupItem::Kind::Compute && !kernels.has(name))
      return fail("there is no kernel for '" + name + "'");
    readInfo(item, info);
    if (auto known = shape(op->getResult(0).getType(), op))
      item.shape = *known;
    if (auto load = dyn_cast<tpu::LoadOp>(op)) {
      item.global = load.getInput();
      item.toAllLanes = readFlag(load->getAttr("do_bcast")).value_or(false);
      if (auto known = shape(load.getInput().getType(), op))
        item.globalShape = *known;
    } else {
      readOperands(item);
    }
    itemOf[op->getResult(0)] = static_cast<int>(model.items.size());
    model.items.push_back(std::move(item));
  }

  void readInfo(GroupItem &item, tpu::LayerGroupAttr info) {
    item.id = info.getId();
    item.stage = info.getStage();
    item.address = info.getOutAddr();
    item.bytes = info.getOutSize();
    item.scratchAddress = info.getBufferAddr();
    item.scratchBytes = info.getBufferSize();
    item.euAlign = info.getEuAlign();
    const auto copy = [&](Dim dim, ArrayRef<int64_t> begin,
                          ArrayRef<int64_t> size) {
      item.begin[dim].assign(begin.begin(), begin.end());
      item.size[dim].assign(size.begin(), size.end());
    };
    copy(N, info.getNIdx(), info.getNSlice());
    copy(C, info.getCIdx(), info.getCSlice());
    copy(D, info.getDIdx(), info.getDSlice());
    copy(H, info.getHIdx(), info.getHSlice());
    copy(W, info.getWIdx(), info.getWSlice());
  }

  void readOperands(GroupItem &item) {
    const bool isStore = item.kind == GroupItem::Kind::Store;
    for (Value operand : item.op->getOperands()) {
      auto found = itemOf.find(operand);
      if (found != itemOf.end())
        item.operands.push_back(found->second);
      else if (isa<NoneType>(operand.getType()) ||
               (isStore && !item.operands.empty())) // A buffer of the DMA.
        item.operands.push_back(GroupItem::kNone);
      else
        return fail(nameOf(item) + " reads global memory without a Load");
    }
    if (isStore && (item.operands.empty() || item.operands[0] < 0))
      fail(nameOf(item) + " stores nothing");
  }

  void readFlow() {
    for (int64_t entry : numbers("flow")) {
      if (entry < 0) {
        if (-(entry + 1) != static_cast<int64_t>(model.rows.size()))
          return fail("timesteps of the flow are not in order");
        model.rows.emplace_back();
        continue;
      }
      const int item = model.itemWithId(entry);
      if (item < 0 || model.rows.empty())
        return fail("the flow names id " + std::to_string(entry) +
                    ", which no op has, or no timestep");
      model.rows.back().push_back(item);
    }
  }

  /// A Store writes the result of the group that its own result becomes.
  void readTargets() {
    Operation *yield = group.getRegion().front().getTerminator();
    for (GroupItem &item : model.items) {
      if (item.kind != GroupItem::Kind::Store)
        continue;
      item.global = item.op->getResult(0);
      item.globalShape = model.items[item.operands[0]].shape;
      for (auto [index, value] : llvm::enumerate(yield->getOperands()))
        if (value == item.op->getResult(0))
          item.global = group->getResult(index);
    }
    for (Value value : yield->getOperands())
      if (!value.getDefiningOp<tpu::StoreOp>())
        return fail("the group results in a value that no Store made");
  }

  void fail(std::string what) {
    if (error.empty())
      error = std::move(what);
  }

  tpu::GroupOp group;
  const target::ChipSpec &chip;
  const SectionKernels &kernels;
  Operation *current; ///< That is read.
  GroupModel model;
  llvm::DenseMap<Value, int> itemOf; ///< Looked up, never walked.
  std::string error;
};

} // namespace

std::variant<GroupModel, LocalFault> readGroup(Operation *group,
                                               const target::ChipSpec &chip,
                                               const SectionKernels &kernels) {
  auto op = dyn_cast<tpu::GroupOp>(group);
  if (!op)
    return LocalFault{group, "not a group"};
  return GroupReader(op, chip, kernels).read();
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

static bool lendsToNext(const GroupModel &model) {
  return !model.fromNext.empty() || !model.lentToNext.empty();
}
static bool lendsToPrevious(const GroupModel &model) {
  return !model.fromPrevious.empty() || !model.lentToPrevious.empty();
}

static std::vector<int64_t> idsOf(const std::vector<Borrowed> &borrowed) {
  std::vector<int64_t> ids;
  for (const Borrowed &one : borrowed)
    ids.push_back(one.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Between the two nothing may touch local memory: what emits nothing alone.
static std::optional<std::string> checkNeighbours(const GroupModel &first,
                                                  const GroupModel &second) {
  for (Operation *op = first.op->getNextNode(); op != second.op;
       op = op ? op->getNextNode() : nullptr)
    if (!op || (op->getName().getDialectNamespace() != "top" &&
                !isa<tpu::BufferOp>(op)))
      return std::string("a group lends a transfer to another that does not "
                         "follow it directly");
  auto lentUp = second.lentToPrevious, lentDown = first.lentToNext;
  std::sort(lentUp.begin(), lentUp.end());
  std::sort(lentDown.begin(), lentDown.end());
  if (lentUp != idsOf(first.fromNext) || lentDown != idsOf(second.fromPrevious))
    return std::string("neighbouring groups do not agree on the transfers that "
                       "one runs for the other");
  for (const Borrowed &one : first.fromNext)
    if (one.row >= static_cast<int64_t>(first.rows.size()))
      return std::string("a transfer is lent to a timestep that is not there");
  for (const Borrowed &one : second.fromPrevious)
    if (one.row >= static_cast<int64_t>(second.rows.size()))
      return std::string("a transfer is lent to a timestep that is not there");
  return std::nullopt;
}

std::variant<std::vector<std::vector<GroupModel>>, LocalFault>
readChains(Operation *root, const target::ChipSpec &chip,
           const SectionKernels &kernels) {
  std::vector<Operation *> groups;
  root->walk([&](tpu::GroupOp group) { groups.push_back(group); });
  std::vector<std::vector<GroupModel>> chains;
  for (auto [index, group] : llvm::enumerate(groups)) {
    const std::string where = "group " + std::to_string(index) + ": ";
    auto read = readGroup(group, chip, kernels);
    if (auto *fault = std::get_if<LocalFault>(&read))
      return LocalFault{fault->op, where + fault->message};
    auto &model = std::get<GroupModel>(read);
    GroupModel *previous = chains.empty() ? nullptr : &chains.back().back();
    const bool isLinked = previous &&
                          previous->op->getBlock() == group->getBlock() &&
                          (lendsToNext(*previous) || lendsToPrevious(model));
    if (isLinked) {
      if (auto error = checkNeighbours(*previous, model))
        return LocalFault{group, where + *error};
      chains.back().push_back(std::move(model));
      continue;
    }
    if (lendsToPrevious(model) || (previous && lendsToNext(*previous)))
      return LocalFault{
          group, where + "a transfer is lent to a group that is not there"};
    chains.push_back({std::move(model)});
  }
  if (!chains.empty() && lendsToNext(chains.back().back()))
    return LocalFault{groups.back(),
                      "the last group lends a transfer to a next one"};
  return chains;
}

} // namespace tpu_mlir::execution
