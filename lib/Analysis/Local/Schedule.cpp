//===- Schedule.cpp - Lives in local memory, row by row -------------------===//
//
// Turns the stages and timesteps of a group into intervals on the cyclic axis
// that the placement works on.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Local/Schedule.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuLocalFacts.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace tpu_mlir {

namespace {

/// More sections than any machine runs; keeps sums of meetings in 63 bits.
constexpr int64_t kMaxSections = int64_t(1) << 24;
/// More than any lane has; the planner of local memory counts no further.
constexpr int64_t kMaxBytes = int64_t(1) << 40;
constexpr int64_t kNumStages = 3;

std::optional<unsigned> elementBits(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type)
    return std::nullopt;
  if (Type element = type.getElementType(); element.isIntOrFloat())
    return element.getIntOrFloatBitWidth();
  return std::nullopt;
}

class ScheduleReader {
public:
  explicit ScheduleReader(tpu::GroupOp group)
      : group(group), operations(localOps(group)) {}

  std::variant<LocalSchedule, LocalScheduleError> run() {
    if (readSections() && readOps() && linkOperands() && readFlow() &&
        checkOrder()) {
      findHeld();
      if (checkLives()) {
        findWhatMayLieOn();
        return std::move(schedule);
      }
    }
    return std::move(error);
  }

private:
  bool fail(Operation *op, ErrorCode code, const Twine &message) {
    error = {op, code, message.str()};
    return false;
  }
  std::string describe(const LocalOp &op) const {
    return llvm::formatv("{0}'{1}' (id {2})",
                         op.kind == LocalOp::Kind::Store ? "the store of " : "",
                         op.name, op.id);
  }
  Operation *operationOf(const LocalOp &op) const {
    return operations[&op - schedule.ops.data()];
  }
  tpu::LayerGroupAttr infoOf(const LocalOp &op) const {
    return tpu::GroupOp::infoOf(operationOf(op));
  }

  bool readSections();
  bool readOps();
  bool readOp(Operation *operation);
  bool linkOperands();
  bool linkOperand(size_t reader, Value operand);
  bool readFlow();
  bool placeInFlow(int64_t number);
  bool checkOrder();
  bool checkOrderOf(const LocalOp &from, const LocalOp &to);
  void findHeld();
  bool checkLives();
  void findWhatMayLieOn();
  bool mayLieOn(const LocalOp &op, const LocalOp &operand) const;

  tpu::GroupOp group;
  const std::vector<Operation *> operations;
  LocalSchedule schedule;
  LocalScheduleError error;
  llvm::DenseMap<Operation *, int64_t> indexOf;
  /// Any number may be an id: DenseMap keeps some for itself.
  std::map<int64_t, int64_t> indexOfId;
  std::vector<bool> isInFlow;
};

} // namespace

bool ScheduleReader::readSections() {
  for (auto [name, parts] :
       llvm::zip_equal(tpu::GroupOp::kCounts, schedule.sections)) {
    if (Attribute attribute = group->getAttr(name))
      parts = readInteger(attribute).value_or(0);
    const auto product = checkedMul(schedule.numSections, parts);
    if (parts < 1 || !product || *product > kMaxSections)
      return fail(group, ErrorCode::LocalForm,
                  "'" + name + "' is " + Twine(parts) +
                      ": no number of sections that could be run");
    schedule.numSections = *product;
  }
  for (StringRef name : tpu::GroupOp::kSharedTransfers)
    schedule.sharesTransfers |= sharesAny(group, name);
  schedule.name = group->getNumResults() > 0 ? valueName(group->getResult(0))
                                             : std::string("group");
  return true;
}

bool ScheduleReader::readOps() {
  for (Operation *operation : operations)
    if (!readOp(operation))
      return false;
  return true;
}

bool ScheduleReader::readOp(Operation *operation) {
  auto info = tpu::GroupOp::infoOf(operation);
  StringRef kind = operation->getName().getStringRef();
  if (!info || operation->getNumResults() == 0 ||
      operation->getNumRegions() != 0)
    return fail(operation, ErrorCode::LocalForm,
                "'" + kind +
                    "' in a layer group has no 'ginfo' or no result, so it "
                    "cannot run from local memory");
  if (isa<tpu::MoveOp, tpu::LoadToL2MOp, tpu::SliceMergeOp>(operation) ||
      llvm::any_of(llvm::drop_begin(operation->getResults()),
                   [](Value value) { return !value.use_empty(); }))
    return fail(operation, ErrorCode::LocalForm,
                "'" + kind +
                    "' moves data in a way that is not modelled, or uses a "
                    "result besides the first, which has no place");
  LocalOp op;
  op.kind = isa<tpu::LoadOp>(operation)    ? LocalOp::Kind::Load
            : isa<tpu::StoreOp>(operation) ? LocalOp::Kind::Store
                                           : LocalOp::Kind::Compute;
  const bool isStore = op.kind == LocalOp::Kind::Store;
  op.name =
      valueName(isStore ? operation->getOperand(0) : operation->getResult(0));
  op.id = info.getId();
  op.stage = info.getStage();
  if (op.stage < 0 || op.stage >= kNumStages)
    return fail(operation, ErrorCode::LocalFlow,
                describe(op) + " is in stage " + Twine(op.stage) +
                    ", but stages are 0, 1 and 2");
  op.resultBytes = isStore ? 0 : info.getOutSize();
  op.resultAddress = info.getOutAddr();
  op.scratchBytes = info.getBufferSize();
  op.scratchAddress = info.getBufferAddr();
  op.keepsScratch = isa<tpu::LineBufferOp>(operation);
  if ((!isStore && op.resultBytes < 1) || op.scratchBytes < 0 ||
      op.resultBytes > kMaxBytes || op.scratchBytes > kMaxBytes)
    return fail(operation, ErrorCode::LocalSize,
                describe(op) + " has " + Twine(op.resultBytes) +
                    " bytes for its result and " + Twine(op.scratchBytes) +
                    " for scratch: no sizes that addresses could be given to");
  indexOf[operation] = int64_t(schedule.ops.size());
  if (!indexOfId.try_emplace(op.id, int64_t(schedule.ops.size())).second)
    return fail(operation, ErrorCode::LocalFlow,
                describe(op) + " has the id of another op");
  schedule.ops.push_back(std::move(op));
  return true;
}

bool ScheduleReader::linkOperands() {
  for (size_t reader = 0; reader < operations.size(); ++reader) {
    LocalOp &op = schedule.ops[reader];
    if (op.kind == LocalOp::Kind::Load)
      continue;
    // What a store has besides is where it goes in global memory.
    for (Value operand : operations[reader]->getOperands().take_front(
             op.kind == LocalOp::Kind::Store ? 1 : ~0u))
      if (!linkOperand(reader, operand))
        return false;
    llvm::sort(op.operands);
    op.operands.erase(llvm::unique(op.operands), op.operands.end());
    for (int64_t operand : op.operands)
      schedule.ops[operand].readers.push_back(int64_t(reader));
  }
  return true;
}

bool ScheduleReader::linkOperand(size_t reader, Value operand) {
  if (isa<NoneType>(operand.getType()))
    return true;
  Operation *producer = operand.getDefiningOp();
  LocalOp &op = schedule.ops[reader];
  const auto found = indexOf.find(producer);
  if (found == indexOf.end() ||
      schedule.ops[found->second].kind == LocalOp::Kind::Store) {
    // Kernels get scratch in global or L2 memory as an operand.
    if (isa_and_nonnull<tpu::BufferOp>(producer))
      return true;
    return fail(operations[reader], ErrorCode::LocalOrder,
                describe(op) + " reads '" + valueName(operand) +
                    "', which is in global memory and was not loaded");
  }
  op.operands.push_back(found->second);
  return true;
}

bool ScheduleReader::readFlow() {
  const auto flow = listOf(group, "flow");
  if (!flow)
    return fail(group, ErrorCode::LocalFlow, "'flow' is no list of numbers");
  isInFlow.assign(schedule.ops.size(), false);
  for (int64_t number : *flow)
    if (!placeInFlow(number))
      return false;
  for (const LocalOp &op : schedule.ops)
    if (!isInFlow[&op - schedule.ops.data()])
      return fail(operationOf(op), ErrorCode::LocalFlow,
                  describe(op) +
                      " is not in the group's 'flow': it never runs");
  return true;
}

bool ScheduleReader::placeInFlow(int64_t number) {
  if (number < 0) {
    // Not -number - 1, which the smallest number does not have.
    const int64_t row = -(number + 1);
    if (row != schedule.numRows)
      return fail(group, ErrorCode::LocalFlow,
                  "'flow' opens row " + Twine(row) + " where row " +
                      Twine(schedule.numRows) + " has to follow");
    ++schedule.numRows;
    return true;
  }
  const auto found = indexOfId.find(number);
  if (found == indexOfId.end() || schedule.numRows == 0)
    return fail(group, ErrorCode::LocalFlow,
                "'flow' lists id " + Twine(number) +
                    (schedule.numRows == 0 ? " before any row"
                                           : ", which no op of the group has"));
  LocalOp &op = schedule.ops[found->second];
  if (isInFlow[found->second])
    return fail(operationOf(op), ErrorCode::LocalFlow,
                describe(op) + " is twice in the group's 'flow'");
  isInFlow[found->second] = true;
  op.row = schedule.numRows - 1;
  return true;
}

bool ScheduleReader::checkOrder() {
  for (const LocalOp &op : schedule.ops)
    for (int64_t operand : op.operands)
      if (!checkOrderOf(schedule.ops[operand], op))
        return false;
  return true;
}

/// Computations of one row follow one another; the engines do not wait for
/// each other within a row.
bool ScheduleReader::checkOrderOf(const LocalOp &from, const LocalOp &to) {
  const bool isOneEngine =
      from.kind == LocalOp::Kind::Compute && to.kind == LocalOp::Kind::Compute;
  const int64_t written = schedule.step(from), read = schedule.step(to);
  if (written < read || (isOneEngine && written == read))
    return true;
  return fail(operationOf(to), ErrorCode::LocalOrder,
              llvm::formatv("{0} runs in stage {1}, row {2}, but {3}, which it "
                            "reads, in stage {4}, row {5}",
                            describe(to), to.stage, to.row, describe(from),
                            from.stage, from.row)
                  .str());
}

/// A load with one part in every dimension that the group cuts.
void ScheduleReader::findHeld() {
  if (!schedule.isCyclic())
    return;
  for (LocalOp &op : schedule.ops) {
    if (op.kind != LocalOp::Kind::Load)
      continue;
    const auto parts = infoOf(op).parts();
    op.isHeld = true;
    for (int dim = 0; dim < 5; ++dim)
      op.isHeld &= schedule.sections[dim] == 1 || parts[dim].first.size() <= 1;
  }
}

int64_t LocalSchedule::lastStep(const LocalOp &op) const {
  int64_t last = step(op);
  for (int64_t reader : op.readers)
    last = std::max(last, step(ops[reader]));
  return last;
}

bool ScheduleReader::checkLives() {
  if (!schedule.isCyclic())
    return true;
  for (const LocalOp &op : schedule.ops) {
    const int64_t rows = schedule.lastStep(op) - schedule.step(op) + 1;
    if (!op.isHeld && rows > schedule.numRows)
      return fail(operationOf(op), ErrorCode::LocalOverlap,
                  describe(op) + " is alive for " + Twine(rows) +
                      " rows, but the next section is written over it after " +
                      Twine(schedule.numRows));
  }
  return true;
}

void ScheduleReader::findWhatMayLieOn() {
  for (LocalOp &op : schedule.ops) {
    Operation *operation = operationOf(op);
    if (op.kind != LocalOp::Kind::Compute || operation->getNumOperands() == 0)
      continue;
    const auto found = indexOf.find(operation->getOperand(0).getDefiningOp());
    if (found != indexOf.end() && mayLieOn(op, schedule.ops[found->second]))
      op.mayLieOn = found->second;
  }
}

bool ScheduleReader::mayLieOn(const LocalOp &op, const LocalOp &operand) const {
  Operation *operation = operationOf(op);
  if (!operation->hasTrait<tpu::WritesOverOperand>() || op.scratchBytes > 0 ||
      operand.isHeld || operand.resultBytes != op.resultBytes)
    return false;
  // Readers of an operand that is still needed, or stored, come last or in the
  // same row.
  for (int64_t reader : operand.readers)
    if (&schedule.ops[reader] != &op &&
        schedule.step(schedule.ops[reader]) >= schedule.step(op))
      return false;
  const auto bits = elementBits(operation->getOperand(0));
  if (!bits || bits != elementBits(operation->getResult(0)))
    return false;
  const auto mine = infoOf(op), its = infoOf(operand);
  return mine.getEuAlign() == its.getEuAlign() && mine.parts() == its.parts();
}

std::optional<SmallVector<int64_t>> listOf(tpu::GroupOp group, StringRef name) {
  Attribute list = group->getAttr(name);
  return list ? readIntegers(list) : SmallVector<int64_t>();
}

bool sharesAny(tpu::GroupOp group, ArrayRef<StringRef> lists) {
  return llvm::any_of(lists, [&](StringRef name) {
    const auto ids = listOf(group, name);
    return !ids || !ids->empty();
  });
}

tpu::GroupOp groupBefore(tpu::GroupOp group) {
  const auto emitsNothing = [](Operation *op) {
    return isa<tpu::BufferOp>(op) ||
           llvm::is_contained({"top.Weight", "top.Input", "top.None"},
                              op->getName().getStringRef());
  };
  Operation *op = group->getPrevNode();
  while (op && emitsNothing(op))
    op = op->getPrevNode();
  return dyn_cast_or_null<tpu::GroupOp>(op);
}

Operation *frontOf(Operation *op) {
  for (auto group = dyn_cast<tpu::GroupOp>(op);
       group &&
       sharesAny(group, {"self_up_overlap_op", "other_down_overlap_op"});) {
    group = groupBefore(group);
    op = group ? group : op;
  }
  return op;
}

std::vector<Operation *> localOps(tpu::GroupOp group) {
  std::vector<Operation *> ops;
  if (group.getRegion().empty())
    return ops;
  for (Operation &op : group.getRegion().front())
    if (!isa<tpu::YieldOp>(op) && op.getName().getStringRef() != "top.None")
      ops.push_back(&op);
  return ops;
}

std::variant<LocalSchedule, LocalScheduleError>
readLocalSchedule(tpu::GroupOp group) {
  return ScheduleReader(group).run();
}

} // namespace tpu_mlir
