//===- PipelineCheck.cpp - Random programs through a pipeline -------------===//

#include "tests/exec/jit/PipelineCheck.h"

#include "tests/exec/jit/harness/PassRun.h"
#include "tests/exec/jit/harness/Shrink.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

constexpr int kBatch = 16;
constexpr size_t kMostFailures = 5;

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

void append(ModuleOp from, ModuleOp to) {
  for (Operation &op : *from.getBody())
    to.push_back(op.clone());
}

RandomProgram makeProgram(int seed, int number, const PipelineCheck &check) {
  if (check.make)
    return check.make(seed, number);
  return makeRandomProgram(
      seed, number, check.programOf ? check.programOf(seed) : check.program);
}

/// What is wrong with the passes alone: an error, or that they change something
/// once more.
std::string transform(ModuleOp module, const PipelineCheck &check,
                      std::vector<std::string> &remarks) {
  std::string error = runPasses(module, check.pipeline, &remarks);
  const std::string &second =
      check.isIdempotent ? check.pipeline : check.changesNothing;
  if (!error.empty() || second.empty())
    return error;
  std::string once = textOf(module);
  OwningOpRef<ModuleOp> again = module.clone();
  error = runPasses(*again, second);
  if (!error.empty())
    return "the second run: " + error;
  return textOf(*again) == once
             ? ""
             : "the second run changes something:\n" + once + textOf(*again);
}

/// The program is right, and what the pipeline makes of it is not.
bool goesWrong(ModuleOp module, const std::string &name,
               const PipelineCheck &check, bool wasLeakFree) {
  ComparisonOptions comparison = check.comparison;
  comparison.timeoutSeconds = 2;
  // It has to have one meaning: the same as itself on other heaps.
  comparison.guardPages = true;
  Comparison self = compareModules(module, module, {name}, comparison);
  if (!self.error.empty() || !self.mismatches.empty())
    return false;
  OwningOpRef<ModuleOp> after = module.clone();
  std::vector<std::string> remarks;
  if (!transform(*after, check, remarks).empty())
    return true;
  if (wasLeakFree && (remarks.empty() || !check.freesAllWithoutRemark))
    comparison.leakFree.push_back(name);
  comparison.guardPages = check.comparison.guardPages;
  OwningOpRef<ModuleOp> before = module.clone();
  if (check.adjust)
    check.adjust(*before, *after);
  Comparison compared = compareModules(*before, *after, {name}, comparison);
  return !compared.error.empty() || !compared.mismatches.empty();
}

/// The program of a failure, as small as it gets.
std::string reduced(int seed, const PipelineCheck &check, bool wasLeakFree) {
  MLIRContext context;
  registerForJit(context);
  RandomProgram program = makeProgram(seed, 0, check);
  auto module = parseSourceString<ModuleOp>(program.text, &context);
  auto wanted = [&](ModuleOp trial) {
    return goesWrong(trial, program.function, check, wasLeakFree);
  };
  std::string head = "// --pass-pipeline='builtin.module(" + check.pipeline +
                     ")', seed " + std::to_string(seed) + "\n";
  if (!module || !wanted(*module))
    return head + "// Not repeated alone.\n" + program.text;
  if (!check.reduces)
    return head + program.text;
  return head + textOf(*shrink(*module, wanted));
}

/// Programs of one module; they compile faster together.
class Batch {
public:
  Batch(int first, int count, const PipelineCheck &check,
        PipelineTotals &totals)
      : first(first), check(check), totals(totals),
        comparison(check.comparison) {
    registerForJit(context);
    before = ModuleOp::create(UnknownLoc::get(&context));
    after = ModuleOp::create(UnknownLoc::get(&context));
    for (int i = 0; i < count; ++i)
      add(i);
  }

  std::vector<std::string> run();

private:
  void add(int number);
  void fail(int number, const std::string &what) {
    wrong.push_back("seed " + std::to_string(first + number) + ": " + what);
  }

  int first;
  const PipelineCheck &check;
  PipelineTotals &totals;
  ComparisonOptions comparison;
  MLIRContext context;
  OwningOpRef<ModuleOp> before;
  OwningOpRef<ModuleOp> after;
  std::vector<std::string> names;
  std::vector<std::string> wrong;
};

} // namespace

void Batch::add(int number) {
  RandomProgram program = makeProgram(first + number, number, check);
  auto module = parseSourceString<ModuleOp>(program.text, &context);
  if (!module)
    return fail(number, "does not parse");
  OwningOpRef<ModuleOp> changed = module->clone();
  std::vector<std::string> remarks;
  std::string error = transform(*changed, check, remarks);
  if (!error.empty())
    return fail(number, error + reduced(first + number, check, false));
  totals.changed += textOf(*changed) != textOf(*module);
  if (check.adjust)
    check.adjust(*module, *changed);
  append(*module, *before);
  append(*changed, *after);
  names.push_back(program.function);
  for (const std::string &remark : remarks)
    totals.remarks[remark].push_back(first + number);
  if (check.freesAllWithoutRemark ? remarks.empty() : program.freesAll)
    comparison.leakFree.push_back(program.function);
}

std::vector<std::string> Batch::run() {
  Comparison compared = compareModules(*before, *after, names, comparison);
  totals.programs += names.size();
  totals.leakFree += comparison.leakFree.size();
  totals.runs += compared.runs;
  totals.allocationsBefore += compared.allocationsBefore;
  totals.allocationsAfter += compared.allocationsAfter;
  if (!compared.error.empty())
    wrong.push_back("seeds from " + std::to_string(first) + ": " +
                    compared.error);
  for (const Mismatch &mismatch : compared.mismatches) {
    int number = std::stoi(mismatch.function.substr(1));
    bool wasLeakFree =
        llvm::is_contained(comparison.leakFree, mismatch.function);
    fail(number,
         mismatch.what + "\n" + reduced(first + number, check, wasLeakFree));
  }
  return std::move(wrong);
}

std::string PipelineTotals::describe() const {
  return std::to_string(programs) + " programs, " + std::to_string(changed) +
         " of them changed, " + std::to_string(leakFree) +
         " of them to free all, " + std::to_string(runs) + " runs, " +
         std::to_string(allocationsBefore) + " executed allocations before, " +
         std::to_string(allocationsAfter) + " after";
}

std::vector<std::string> checkPrograms(int first, int count,
                                       const PipelineCheck &check,
                                       PipelineTotals &totals) {
  std::vector<std::string> wrong;
  for (int done = 0; done < count && wrong.size() < kMostFailures;
       done += kBatch) {
    Batch batch(first + done, std::min(kBatch, count - done), check, totals);
    for (std::string &what : batch.run())
      wrong.push_back(std::move(what));
  }
  return wrong;
}

} // namespace tpu_mlir::jit
