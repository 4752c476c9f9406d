//===- VerifyPlan.cpp - Compare a module with a recorded plan -------------===//
//
// The pass: every tensor and pool of the file has to be where the file says.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyPlan/VerifyPlan.h"

#include "lib/Analysis/DefinedValues.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Utf8.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYPLAN
#include "lib/Transforms/Tpu/VerifyPlan/VerifyPlan.h.inc"

namespace {

/// Where a module has something that a file may name.
struct Found {
  Location location;
  /// Of functions on memrefs; empty: the place is an address.
  StringRef pool;
  int64_t place = 0;
};
using Places = llvm::StringMap<SmallVector<Found, 1>>;

class PlanReferee {
public:
  PlanReferee(ModuleOp module, const Problem &problem, const Plan &plan,
              StringRef file)
      : module(module), problem(problem), plan(plan), file(file),
        sizes(module->getAttrOfType<DictionaryAttr>("module.pool_sizes")) {}

  LogicalResult run() {
    const std::vector<Violation> broken = validate(problem, plan, 1);
    if (!broken.empty())
      return fail(module.getLoc(), "the plan in " + file + " is not valid: " +
                                       broken.front().message);
    if (sizes && failed(compareSizes()))
      return failure();
    sizes ? collectViews() : collectAddresses();
    return comparePlaces();
  }

private:
  InFlightDiagnostic fail(Location location, const Twine &message) {
    return emitCodedError(location, ErrorCode::BadRange, message);
  }
  LogicalResult compareSizes();
  void collectAddresses();
  void addPlace(StringRef name, const Found &found);
  void addAddress(Value value);
  void collectViews();
  LogicalResult comparePlaces();
  bool agrees(const Found &found, BufferId id) const;
  std::string shown(StringRef pool, int64_t place) const;

  ModuleOp module;
  const Problem &problem;
  const Plan &plan;
  StringRef file;
  DictionaryAttr sizes;
  Places places;
};

} // namespace

LogicalResult PlanReferee::compareSizes() {
  for (auto [id, pool] : llvm::enumerate(problem.pools)) {
    if (pool.isCallers)
      continue;
    const auto size = readInteger(sizes.get(pool.name));
    if (!size)
      return fail(module.getLoc(), "pool '" + pool.name + "' of " + file +
                                       " is not in the module");
    if (*size != plan.pools[id].usedBytes)
      return fail(module.getLoc(),
                  "pool '" + pool.name + "' has " + formatCount(*size) +
                      " bytes in the module, " +
                      formatCount(plan.pools[id].usedBytes) + " in " + file);
  }
  return success();
}

/// By the name as a file can say it.
void PlanReferee::addPlace(StringRef name, const Found &found) {
  places[asUtf8(name)].push_back(found);
}

void PlanReferee::addAddress(Value value) {
  if (auto address = getAddress(value.getType()))
    addPlace(valueName(value), {value.getLoc(), "", *address});
}

void PlanReferee::collectAddresses() {
  module.walk([&](Operation *op) {
    forEachDefined(op, [&](Value value) { addAddress(value); });
  });
}

/// The pool that a view looks at: an argument, or the internal one.
static StringRef poolOf(Value memory) {
  StringAttr pool;
  if (auto argument = dyn_cast<BlockArgument>(memory)) {
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      pool = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   "tpu.pool");
  } else if (auto get = memory.getDefiningOp<memref::GetGlobalOp>()) {
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        get, get.getNameAttr());
    if (global)
      pool = global->getAttrOfType<StringAttr>("tpu.pool");
  }
  return pool ? pool.getValue() : StringRef();
}

void PlanReferee::collectViews() {
  module.walk([&](memref::ViewOp view) {
    llvm::APInt offset;
    const StringRef pool = poolOf(view.getSource());
    auto name = view->getLoc()->findInstanceOf<NameLoc>();
    auto function = view->getParentOfType<func::FuncOp>();
    if (pool.empty() || !name || !function ||
        !matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
      return;
    const Found found{view.getLoc(), pool, offset.getSExtValue()};
    // Inputs and outputs of entries are called as they are.
    const StringRef own = name.getName().getValue();
    addPlace(own, found);
    addPlace((function.getName() + "/" + own).str(), found);
  });
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto pool = global->getAttrOfType<StringAttr>("tpu.pool");
    const auto offset = readInteger(global->getAttr("tpu.offset"));
    if (pool && offset)
      addPlace(global.getName(), {global.getLoc(), pool.getValue(), *offset});
  }
}

bool PlanReferee::agrees(const Found &found, BufferId id) const {
  const Placement &at = plan.placements[id];
  const Pool &pool = problem.pools[at.pool];
  if (sizes)
    return found.pool == pool.name && found.place == at.offsetBytes;
  return checkedAdd(pool.baseAddress, at.offsetBytes) == found.place;
}

std::string PlanReferee::shown(StringRef pool, int64_t place) const {
  return (pool.empty() ? "address " : "'" + pool.str() + "' + ") +
         std::to_string(place);
}

/// Names that the file made unique, or that no location has, are found nowhere;
/// of several that are called the same one has to be right.
LogicalResult PlanReferee::comparePlaces() {
  const std::vector<std::string> names = fileNames(problem);
  size_t numFound = 0, numNamed = 0;
  for (size_t id = 0; id < names.size(); ++id) {
    const Placement &at = plan.placements[id];
    const Pool &pool = problem.pools[at.pool];
    auto found = places.find(names[id]);
    if (pool.isCallers)
      continue;
    ++numNamed;
    if (found == places.end())
      continue;
    ++numFound;
    if (llvm::any_of(found->second,
                     [&](const Found &one) { return agrees(one, id); }))
      continue;
    const Found &first = found->second.front();
    return fail(first.location,
                "'" + names[id] + "' is at " + shown(first.pool, first.place) +
                    " in the module, at " +
                    (sizes ? shown(pool.name, at.offsetBytes)
                           : shown("", pool.baseAddress + at.offsetBytes)) +
                    " in " + file);
  }
  if (!sizes && numNamed > 0 && numFound == 0)
    return fail(module.getLoc(), "nothing in the module is called as any of "
                                 "the " +
                                     formatCount(int64_t(numNamed)) +
                                     " buffers in " + file);
  return success();
}

LogicalResult verifyPlan(ModuleOp module, const Problem &problem,
                         const Plan &plan, StringRef file) {
  return PlanReferee(module, problem, plan, file).run();
}

namespace {

class VerifyPlanPass : public impl::VerifyPlanBase<VerifyPlanPass> {
public:
  using VerifyPlanBase::VerifyPlanBase;

  void runOnOperation() override {
    if (failed(check()))
      signalPassFailure();
  }

private:
  LogicalResult check() {
    Location location = getOperation().getLoc();
    if (problemFile.empty())
      return emitCodedError(location, ErrorCode::BadOption,
                            "'problem-file' has to name the file with the "
                            "plan");
    auto text = readWholeFile(problemFile);
    if (auto *error = std::get_if<FileError>(&text))
      return emitCodedError(location, ErrorCode::NotReadable, error->message);
    auto parsed = parseRecordedJson(std::get<std::string>(text));
    if (auto *error = std::get_if<ParseError>(&parsed))
      return emitCodedError(location, ErrorCode::NotReadable,
                            problemFile + ":" + Twine(error->line) + ":" +
                                Twine(error->column) + ": " + error->message);
    auto &recorded = std::get<RecordedProblem>(parsed);
    if (!recorded.plan)
      return emitCodedError(location, ErrorCode::NotReadable,
                            problemFile + " has no plan");
    const SmallVector<ModuleOp> modules = functionModules(getOperation());
    if (modules.size() != 1)
      return emitCodedError(location, ErrorCode::BadOption,
                            "'problem-file' is of one module of functions, "
                            "here are " +
                                Twine(modules.size()));
    return verifyPlan(modules.front(), recorded.problem, *recorded.plan,
                      problemFile);
  }
};

} // namespace

} // namespace tpu_mlir
