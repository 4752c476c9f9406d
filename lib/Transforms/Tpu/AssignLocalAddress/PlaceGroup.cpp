//===- PlaceGroup.cpp - Place the buffers of one layer group --------------===//
//
// Builds the placement problem of the group, solves it, and writes the
// addresses into the attributes of its ops.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/AssignLocalAddress/PlaceGroup.h"

#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::local_addresses {

namespace {

class GroupPlacer {
public:
  GroupPlacer(tpu::GroupOp group, const target::ChipSpec &chip,
              const layer::LmemOptions &options)
      : group(group), chip(chip), options(options) {}

  FailureOr<GroupAddresses> run() {
    auto read = readLocalSchedule(group);
    if (const auto *error = std::get_if<LocalScheduleError>(&read)) {
      emitCodedError(error->op->getLoc(), error->code, error->message);
      return failure();
    }
    schedule = std::move(std::get<LocalSchedule>(read));
    place(false);
    if (mayComeOutBetter())
      place(true);
    if (const auto *placement = std::get_if<layer::LmemPlacement>(&best))
      return GroupAddresses{group, schedule, problem, *placement};
    if (const auto *infeasible = std::get_if<layer::LmemInfeasible>(&best))
      emitDoesNotFit(*infeasible);
    else
      emitInvalid(std::get<layer::LmemInvalid>(best));
    return failure();
  }

private:
  void place(bool inPlace) {
    LocalProblem asked = buildLocalProblem(schedule, chip, inPlace);
    layer::LmemResult result = layer::placeLmem(asked.problem, options);
    if (inPlace && !isBetter(result))
      return;
    problem = std::move(asked);
    best = std::move(result);
  }

  bool mayComeOutBetter() const {
    if (!chip.localInPlace ||
        llvm::none_of(schedule.ops, [](const LocalOp &op) {
          return op.mayLieOn.has_value();
        }))
      return false;
    const auto *placement = std::get_if<layer::LmemPlacement>(&best);
    return !placement || options.minimizePeak || placement->conflicts.cost > 0;
  }

  bool isBetter(const layer::LmemResult &result) const {
    const auto *mine = std::get_if<layer::LmemPlacement>(&result);
    const auto *other = std::get_if<layer::LmemPlacement>(&best);
    if (!mine || !other)
      return mine;
    const auto key = [&](const layer::LmemPlacement &placement) {
      const int64_t cost = placement.conflicts.cost;
      const int64_t peak = placement.highWaterBytes;
      return options.minimizePeak ? std::pair(peak, cost)
                                  : std::pair(cost, peak);
    };
    return key(*mine) < key(*other);
  }

  Operation *operationOf(int64_t op) const { return localOps(group)[op]; }

  /// What computes in the step, or the group itself.
  Operation *operationAt(int64_t step) const {
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      const LocalOp &op = schedule.ops[i];
      const int64_t itsStep = schedule.isCyclic() ? op.row : schedule.step(op);
      if (op.kind == LocalOp::Kind::Compute && itsStep == step)
        return operationOf(int64_t(i));
    }
    return group;
  }

  /// Why the live sum of the peak is no addresses.
  static std::string whyNone(const layer::LmemInfeasible &infeasible) {
    if (infeasible.boundExceeds)
      return ", more than any addresses could hold";
    if (infeasible.isProved)
      return ", which would fit, but it is proved that no addresses do";
    return ", which would fit: a larger 'node-limit' may find addresses";
  }

  void emitDoesNotFit(const layer::LmemInfeasible &infeasible) {
    planning::Shortage shortage;
    shortage.isCertain = infeasible.boundExceeds || infeasible.isProved;
    shortage.message =
        "the layer group of '" + schedule.name +
        (shortage.isCertain
             ? "' does not fit into local memory: a lane needs "
             : "' got no addresses in local memory, though some may exist: the "
               "best need ") +
        std::to_string(infeasible.needBytes) + " bytes, " +
        (shortage.isCertain ? "has " : "a lane has ") +
        std::to_string(infeasible.haveBytes) + ", over by " +
        std::to_string(infeasible.overBytes());
    shortage.peak =
        ("most is alive in row " +
         Twine(infeasible.peakStep % std::max<int64_t>(1, schedule.numRows)) +
         " of " + Twine(schedule.numRows) + whyNone(infeasible))
            .str();
    planning::BufferNotes notes;
    notes.text = [&](int64_t buffer) { return describeBuffer(buffer); };
    notes.more = "more buffers";
    notes.most = 6;
    tellBuffers(shortage, infeasible.alive, notes);
    const auto placeOf = [&](int64_t buffer) {
      return operationOf(problem.buffers[buffer].op)->getLoc();
    };
    emitShortage(shortage, {operationAt(infeasible.peakStep)->getLoc(),
                            group.getLoc(), placeOf, group.getLoc()});
  }

  std::string describeBuffer(int64_t buffer) const {
    const LocalBuffer &what = problem.buffers[buffer];
    const LocalOp &op = schedule.ops[what.op];
    return std::to_string(problem.problem.buffers[buffer].sizeBytes) +
           " bytes: " + (what.isScratch ? "scratch of '" : "'") + op.name +
           "' (id " + std::to_string(op.id) +
           (op.isHeld ? ", held for all sections)" : ")");
  }

  void emitInvalid(const layer::LmemInvalid &invalid) {
    for (const std::string &error : invalid.errors)
      emitCodedError(group.getLoc(), ErrorCode::PlanRejected,
                     "the layer group of '" + schedule.name + "': " + error);
  }

  tpu::GroupOp group;
  const target::ChipSpec &chip;
  const layer::LmemOptions &options;
  LocalSchedule schedule;
  LocalProblem problem;
  layer::LmemResult best;
};

void clearSharedTransfers(tpu::GroupOp group) {
  // At its place only: with the op, its whole body would be printed.
  emitRemark(group.getLoc(),
             "transfers that neighbouring groups ran for each other run "
             "in their own group now: new addresses need not be free in "
             "the neighbour's rows");
  Builder builder(group.getContext());
  for (StringRef name : tpu::GroupOp::kSharedTransfers)
    group->setAttr(name, builder.getI64ArrayAttr({}));
}

} // namespace

FailureOr<GroupAddresses> placeGroup(tpu::GroupOp group,
                                     const target::ChipSpec &chip,
                                     const layer::LmemOptions &options) {
  return GroupPlacer(group, chip, options).run();
}

void applyAddresses(const GroupAddresses &addresses) {
  const std::vector<LocalOp> &ops = addresses.schedule.ops;
  std::vector<int64_t> result(ops.size(), 0), scratch(ops.size(), 0);
  for (size_t i = 0; i < addresses.problem.buffers.size(); ++i) {
    const LocalBuffer &buffer = addresses.problem.buffers[i];
    (buffer.isScratch ? scratch : result)[buffer.op] =
        addresses.placement.addresses[i];
  }
  for (auto [index, op] : llvm::enumerate(localOps(addresses.group))) {
    const bool isStore = ops[index].kind == LocalOp::Kind::Store;
    const int64_t at =
        isStore ? result[ops[index].operands.front()] : result[index];
    op->setAttr("ginfo",
                tpu::GroupOp::infoOf(op).withAddresses(at, scratch[index]));
  }
  if (addresses.schedule.sharesTransfers)
    clearSharedTransfers(addresses.group);
}

} // namespace tpu_mlir::local_addresses
