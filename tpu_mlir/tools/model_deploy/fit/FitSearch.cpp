//===- FitSearch.cpp - From recipe to recipe that needs less --------------===//

#include "tpu_mlir/tools/model_deploy/fit/FitMeasure.h"
#include "tpu_mlir/tools/model_deploy/fit/FitStretch.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Names.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/SetVector.h"

#include <limits>
#include <set>

using namespace mlir;

namespace tpu_mlir::deploy {

/// Each costs a run of all passes.
static constexpr size_t kMostTries = 15;
/// Steps that need no less by themselves, but are nearer to it.
static constexpr int kMostSideways = 3;
static constexpr int kMostSteps = 32;
static constexpr int64_t kDeepest = 3;
/// Work that counts as hardly more: of that of the first row, in hundredths.
static constexpr int64_t kHardlyMore = 110;

namespace {

/// What a byte that is saved is paid with.
enum class Price { Cycles, Work };

/// A recipe that differs from another one in one thing.
struct Move {
  std::string step;
  Recipe recipe;
};

class Climb {
public:
  Climb(ModuleOp module, const Options &options, bool keepsGroups,
        Measuring &measuring, Price price, llvm::function_ref<bool()> isAsked)
      : module(module), options(options), measuring(measuring),
        wanted(recipeOf(options, keepsGroups)), price(price), isAsked(isAsked) {
  }

  LogicalResult start();
  /// From a row of another way on, without rows of more than `mostWork`.
  void start(const FitRow &row, int64_t mostWork);
  void go();
  /// Everything that was on the way.
  const std::vector<FitRow> &way() const { return rows; }
  bool isDone() const { return (!options.pareto && fits(best)) || isAsked(); }

private:
  void add(Measure measure) {
    log::info("fit: " + measure.row.step + ": " +
              formatExactBytes(measure.row.neuronBytes) + ", " +
              formatCount(measure.row.cycles) + " cycles");
    best = std::move(measure);
    rows.push_back(best.row);
  }
  std::vector<Move> moves(const Measure &from) const;
  void addCopies(const Measure &from, std::vector<Move> &result) const;
  void addGroups(const Measure &from, std::vector<Move> &result) const;
  void addParts(const Measure &from, std::vector<Move> &result) const;
  std::optional<Measure> tryAll(const Measure &from);
  bool isBetter(const Measure &a, const Measure &b, const Measure &from) const;
  bool isFrugal() const {
    return mostWork != std::numeric_limits<int64_t>::max();
  }
  bool fits(const Measure &measure) const {
    return options.gmemBytes && measure.row.totalBytes <= options.gmemBytes;
  }
  int64_t priceOf(const Measure &measure, const Measure &from) const {
    const int64_t more = price == Price::Cycles
                             ? measure.row.cycles - from.row.cycles
                             : measure.row.work - from.row.work;
    return std::max<int64_t>(more, 0);
  }

  ModuleOp module;
  const Options &options;
  Measuring &measuring;
  const Recipe wanted;
  const Price price;
  const llvm::function_ref<bool()> isAsked; ///< To end.
  int64_t mostWork = std::numeric_limits<int64_t>::max();
  Measure best;
  std::vector<FitRow> rows;
};

} // namespace

/// The text's order, and then the order that was asked for.
LogicalResult Climb::start() {
  Recipe text = wanted;
  text.reorders = false;
  std::optional<Measure> first = measuring.run(text);
  if (!first) {
    // For what it says.
    measuring.run(text, /*isLoud=*/true);
    return failure();
  }
  first->row.step = "as it is";
  if (options.gmemBytes && !measuring.aimsAtPeak()) {
    // Weights and what else is no neuron take their part.
    const int64_t others = first->row.totalBytes - first->row.neuronBytes;
    measuring.setTarget(options.gmemBytes - others);
    first = measuring.run(text);
    first->row.step = "as it is";
  }
  add(*first);
  if (isDone() || !wanted.reorders)
    return success();
  if (std::optional<Measure> ordered = measuring.run(wanted)) {
    ordered->row.step = "another order of the ops";
    add(*ordered);
  }
  return success();
}

void Climb::start(const FitRow &row, int64_t limit) {
  mostWork = limit;
  if (std::optional<Measure> again = measuring.run(row.recipe)) {
    again->row.step = row.step;
    add(std::move(*again));
  }
}

void Climb::addGroups(const Measure &from, std::vector<Move> &result) const {
  const Recipe &now = from.row.recipe;
  if (!now.layerGroups)
    return;
  if (now.objective != "traffic") {
    Recipe recipe = now;
    recipe.objective = "traffic";
    result.push_back({"groups that move the fewest bytes", recipe});
  }
  for (int64_t less : {120, 105})
    if (isFrugal() && now.maxRecompute > less) {
      Recipe recipe = now;
      recipe.objective = "traffic";
      recipe.maxRecompute = less;
      result.push_back(
          {"groups that move the fewest bytes and compute at most " +
               std::to_string(less - 100) + " % again",
           recipe});
    }
  if (now.maxRecompute < 400) {
    Recipe recipe = now;
    recipe.maxRecompute = 400;
    result.push_back({"groups that may compute rows again", recipe});
  }
  Recipe all = now;
  for (const HotTensor &tensor : from.hot) {
    if (llvm::is_contained(now.keepLocal, tensor.name))
      continue;
    Recipe recipe = now;
    recipe.keepLocal.push_back(tensor.name);
    all.keepLocal.push_back(tensor.name);
    result.push_back({"'" + tensor.name + "' in local memory", recipe});
  }
  if (all.keepLocal.size() > now.keepLocal.size() + 1)
    result.insert(result.begin(),
                  {"all that is in the way in local memory", all});
}

/// The tensor, and those that up to `depth` ops in a row make for it.
static std::vector<std::string> madeWith(ModuleOp module, StringRef name,
                                         int64_t depth) {
  const SmallVector<Value> found = tensorsNamed(module, name);
  if (found.size() != 1)
    return {};
  llvm::SetVector<Value> values;
  values.insert(found.front());
  for (size_t from = 0; depth > 1; --depth) {
    const size_t end = values.size();
    for (; from < end; ++from)
      for (Value operand : values[from].getDefiningOp()->getOperands())
        if (operand.getDefiningOp<LocalSliceOpInterface>())
          values.insert(operand);
  }
  std::vector<std::string> names;
  for (Value value : values)
    names.push_back(valueName(value));
  return names;
}

void Climb::addCopies(const Measure &from, std::vector<Move> &result) const {
  for (const HotTensor &tensor : from.hot) {
    const bool isDone =
        llvm::any_of(from.row.recipe.again, [&](const Again &again) {
          return again.tensor == tensor.name;
        });
    if (!tensor.waits || isDone)
      continue;
    for (int64_t depth = 1; depth <= kDeepest; ++depth) {
      Recipe recipe = from.row.recipe;
      recipe.again.push_back({tensor.name, depth});
      for (const std::string &name : madeWith(module, tensor.name, depth))
        recipe.keepLocal.push_back(name + "_again");
      result.push_back({"'" + tensor.name + "' computed again, " +
                            std::to_string(depth) +
                            (depth == 1 ? " op" : " ops in a row"),
                        recipe});
    }
  }
}

/// Stretches that share no layer with those that run in parts already.
void Climb::addParts(const Measure &from, std::vector<Move> &result) const {
  std::set<std::string> taken;
  for (const Parts &parts : from.row.recipe.parts)
    taken.insert(parts.tensors.begin(), parts.tensors.end());
  std::set<std::pair<std::vector<std::string>, int64_t>> known;
  for (const HotTensor &tensor : from.hot)
    for (const Parts &parts : stretchesAround(module, tensor.name)) {
      const bool isTaken =
          llvm::any_of(parts.tensors, [&](const std::string &name) {
            return taken.count(name) != 0;
          });
      if (isTaken || !known.insert({parts.tensors, parts.dim}).second)
        continue;
      Recipe recipe = from.row.recipe;
      recipe.parts.push_back(parts);
      result.push_back({"'" + parts.tensors.front() + "' to '" +
                            parts.tensors.back() + "' in " +
                            std::to_string(parts.parts) +
                            " parts of dimension " + std::to_string(parts.dim),
                        recipe});
    }
}

/// The most promising ones first.
std::vector<Move> Climb::moves(const Measure &from) const {
  std::vector<Move> kinds[3], result;
  addGroups(from, kinds[0]);
  addCopies(from, kinds[1]);
  addParts(from, kinds[2]);
  size_t most = 0;
  for (const std::vector<Move> &kind : kinds)
    most = std::max(most, kind.size());
  // In turns, that none leaves no tries to the others.
  for (size_t i = 0; i < most; ++i)
    for (std::vector<Move> &kind : kinds)
      if (i < kind.size())
        result.push_back(std::move(kind[i]));
  return result;
}

/// Of two that need less than `from`: what fits, at the fewest cycles; else the
/// lowest price for a byte that is saved. Of others what is nearer to it.
bool Climb::isBetter(const Measure &a, const Measure &b,
                     const Measure &from) const {
  if (!options.pareto && fits(a) != fits(b))
    return fits(a);
  if (!options.pareto && fits(a))
    return a.row.cycles < b.row.cycles;
  const int64_t savedByA = from.row.neuronBytes - a.row.neuronBytes;
  const int64_t savedByB = from.row.neuronBytes - b.row.neuronBytes;
  if ((savedByA > 0) != (savedByB > 0))
    return savedByA > 0;
  if (savedByA <= 0)
    return a.excessBytes < b.excessBytes;
  const __int128 left = __int128(priceOf(a, from)) * savedByB;
  const __int128 right = __int128(priceOf(b, from)) * savedByA;
  return left != right ? left < right : savedByA > savedByB;
}

std::optional<Measure> Climb::tryAll(const Measure &from) {
  std::optional<Measure> found;
  size_t tried = 0;
  for (Move &move : moves(from)) {
    if (tried == kMostTries || isAsked())
      break;
    std::optional<Measure> measure = measuring.run(move.recipe);
    if (!measure) {
      log::debug("fit: " + move.step + ": cannot be: " + measuring.whyNot());
      continue;
    }
    ++tried;
    measure->row.step = move.step;
    log::debug("fit: tried " + move.step + ": " +
               formatExactBytes(measure->row.neuronBytes) + ", " +
               formatCount(measure->row.cycles) + " cycles, " +
               formatCount(measure->excessBytes) + " too many");
    const bool helps = measure->row.neuronBytes < from.row.neuronBytes ||
                       measure->excessBytes < from.excessBytes;
    if (helps && measure->row.work <= mostWork &&
        (!found || isBetter(*measure, *found, from)))
      found = std::move(measure);
  }
  return found;
}

/// Sideways steps become part of the next one that needs less.
void Climb::go() {
  Measure now = best;
  std::string before;
  int sideways = 0;
  for (int step = 0; step < kMostSteps && !isDone(); ++step) {
    std::optional<Measure> next = tryAll(now);
    if (!next)
      return;
    next->row.step =
        before.empty() ? next->row.step : before + "; " + next->row.step;
    now = *next;
    if (now.row.neuronBytes < best.row.neuronBytes) {
      add(now);
      before.clear();
      sideways = 0;
    } else if (++sideways > kMostSideways) {
      return;
    } else {
      before = now.row.step;
    }
  }
}

/// Needs as little of everything, and less of something or is there before.
static bool beats(const FitRow &a, const FitRow &b, bool isBefore) {
  const auto figures = [](const FitRow &row) {
    return std::tuple(row.neuronBytes, row.cycles, row.work);
  };
  return a.neuronBytes <= b.neuronBytes && a.cycles <= b.cycles &&
         a.work <= b.work && (isBefore || figures(a) != figures(b));
}

/// From the first row down: what no other one beats.
static std::vector<FitRow> frontOf(const std::vector<FitRow> &rows) {
  std::vector<FitRow> front;
  for (size_t i = 1; i < rows.size(); ++i) {
    bool isBeaten = rows[i].neuronBytes >= rows[0].neuronBytes;
    for (size_t j = 1; j < rows.size(); ++j)
      isBeaten |= i != j && beats(rows[j], rows[i], j < i);
    if (!isBeaten)
      front.push_back(rows[i]);
  }
  llvm::stable_sort(front, [](const FitRow &a, const FitRow &b) {
    return std::tuple(-a.neuronBytes, a.cycles) <
           std::tuple(-b.neuronBytes, b.cycles);
  });
  front.insert(front.begin(), rows.front());
  return front;
}

/// Of the rows with hardly more work than the first the one that needs least.
static const FitRow &leastOfLittleWork(const std::vector<FitRow> &rows,
                                       int64_t mostWork) {
  const FitRow *least = &rows.front();
  for (const FitRow &row : rows)
    if (row.work <= mostWork && row.neuronBytes < least->neuronBytes)
      least = &row;
  return *least;
}

/// One way down at the fewest cycles for a byte, and one at the least work;
/// then one from where both had hardly more work than the first row, without
/// more. True where the last one is done.
static FailureOr<bool> goDown(ModuleOp module, const Options &options,
                              bool keepsGroups, Measuring &measuring,
                              llvm::function_ref<bool()> isAsked,
                              std::vector<FitRow> &rows) {
  for (const Price price : {Price::Cycles, Price::Work}) {
    Climb climb(module, options, keepsGroups, measuring, price, isAsked);
    if (failed(climb.start()))
      return failure();
    climb.go();
    llvm::append_range(rows, climb.way());
    if (climb.isDone())
      return true;
    // As far as the numbers go; a network without work has none to save.
    const int64_t mostWork =
        checkedMul(rows.front().work, kHardlyMore).value_or(0) / 100;
    if (price != Price::Work || mostWork == 0)
      continue;
    Climb frugal(module, options, keepsGroups, measuring, price, isAsked);
    frugal.start(leastOfLittleWork(rows, mostWork), mostWork);
    frugal.go();
    llvm::append_range(rows, frugal.way());
    if (frugal.isDone())
      return true;
  }
  return false;
}

FailureOr<FitResult> findFit(ModuleOp module, const Options &options,
                             bool keepsGroups,
                             llvm::function_ref<bool()> isAsked) {
  FitResult result;
  if (failed(findBounds(module, options, result)))
    return failure();
  Measuring measuring(module, options);
  std::vector<FitRow> rows;
  FailureOr<bool> isDone =
      goDown(module, options, keepsGroups, measuring, isAsked, rows);
  // With the goal in sight there are many tensors in the way, of which only
  // some can be tried; those at the peak are fewer.
  if (succeeded(isDone) && !*isDone && options.gmemBytes && !options.pareto) {
    measuring.aimAtPeak();
    isDone = goDown(module, options, keepsGroups, measuring, isAsked, rows);
  }
  if (failed(isDone))
    return failure();
  result.rows = frontOf(rows);
  result.chosen = result.rows.size() - 1;
  for (size_t i = result.rows.size(); i-- > 0 && options.gmemBytes;)
    if (result.rows[i].totalBytes <= options.gmemBytes) {
      result.fits = true;
      if (result.rows[i].cycles <= result.rows[result.chosen].cycles)
        result.chosen = i;
    }
  return result;
}

} // namespace tpu_mlir::deploy
