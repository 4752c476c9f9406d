//===- RandomProgramsTest.cpp - What is freed is dead, what is dead freed -===//
//
// Random programs that free nothing run before and after the pass: the same
// results, no error on the heap, and nothing left on it but what a remark
// names. DEALLOC_PROGRAMS and DEALLOC_FIRST_SEED run more or others.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/Comparison.h"
#include "tests/exec/jit/Environment.h"
#include "tests/exec/jit/RandomProgram.h"

#include "lib/Transforms/DeallocateBuffers/DeallocateBuffers.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <iostream>
#include <map>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (Operation &op : *module.getBody())
    out << op << "\n";
  return text;
}

struct Totals {
  int programs = 0;
  int leakFree = 0;
  int64_t runs = 0;
  int64_t copies = 0;
  int64_t frees = 0;
  int64_t flags = 0;
  /// Why allocations stay, by the words of the remark.
  std::map<std::string, int> reasons;
};

int64_t count(ModuleOp module, llvm::StringRef name) {
  int64_t result = 0;
  module.walk(
      [&](Operation *op) { result += op->getName().getStringRef() == name; });
  return result;
}

int64_t countConditionalFrees(ModuleOp module) {
  int64_t result = 0;
  module.walk([&](memref::DeallocOp op) {
    auto choice = dyn_cast<scf::IfOp>(op->getParentOp());
    result += choice &&
              llvm::hasSingleElement(choice.thenBlock()->without_terminator());
  });
  return result;
}

/// Runs the pass and collects what it had to leave alone. Fails when the pass
/// does, or its result does not verify.
bool deallocate(ModuleOp module, bool prefersFlags,
                std::vector<std::string> &remarks) {
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          remarks.push_back(diagnostic.str());
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  PassManager manager(module.getContext());
  DeallocateBuffersOptions options;
  options.prefersFlags = prefersFlags;
  manager.addPass(createDeallocateBuffers(options));
  return succeeded(manager.run(module));
}

struct Batch {
  std::string before, after;
  std::vector<std::string> names;
  ComparisonOptions comparison;
};

/// Runs the pass on one program. What went wrong, or nothing.
std::string add(Batch &batch, const RandomProgram &program, bool prefersFlags,
                MLIRContext &context, Totals &totals) {
  auto module = parseSourceString<ModuleOp>(program.text, &context);
  if (!module)
    return "does not parse";
  int64_t copies = count(*module, "memref.copy");
  std::vector<std::string> remarks, remarksAgain;
  if (!deallocate(*module, prefersFlags, remarks))
    return "the pass fails";
  std::string once = textOf(*module);
  totals.copies += count(*module, "memref.copy") - copies;
  totals.frees += count(*module, "memref.dealloc");
  totals.flags += countConditionalFrees(*module);
  for (const std::string &remark : remarks)
    ++totals.reasons[remark];
  if (!deallocate(*module, prefersFlags, remarksAgain))
    return "the pass fails the second time";
  if (textOf(*module) != once)
    return "the second run changes something:\n" + once + "\ninto\n" +
           textOf(*module);
  batch.before += program.text;
  batch.after += once;
  batch.names.push_back(program.function);
  ++totals.programs;
  if (remarks.empty()) {
    batch.comparison.leakFree.push_back(program.function);
    ++totals.leakFree;
  }
  return "";
}

class RandomPrograms : public ::testing::TestWithParam<int> {};

TEST_P(RandomPrograms, AreFreedOnceAndInTime) {
  int total = fromEnvironment("DEALLOC_PROGRAMS", 512) / 2;
  int first = fromEnvironment("DEALLOC_FIRST_SEED", 0) + GetParam() % 2 * total;
  bool prefersFlags = GetParam() / 2 != 0;
  int failures = 0;
  Totals totals;
  for (int start = first; start < first + total && failures < 5;
       start += kBatch) {
    MLIRContext context;
    registerForJit(context);
    Batch batch;
    batch.comparison.guardPages = true;
    for (int i = 0; i < kBatch; ++i) {
      ProgramOptions options;
      options.deallocs = false;
      options.parallel = (start / kBatch) % 2 == 0;
      options.statements = 16 + 4 * (i % 4);
      std::string error = add(batch, makeRandomProgram(start + i, i, options),
                              prefersFlags, context, totals);
      if (!error.empty() && ++failures)
        ADD_FAILURE() << "seed " << start + i << ": " << error;
    }
    auto before = parseSourceString<ModuleOp>(batch.before, &context);
    auto after = parseSourceString<ModuleOp>(batch.after, &context);
    ASSERT_TRUE(before && after);
    Comparison compared =
        compareModules(*before, *after, batch.names, batch.comparison);
    totals.runs += compared.runs;
    EXPECT_EQ(compared.error, "") << "seeds from " << start;
    for (const Mismatch &mismatch : compared.mismatches) {
      ++failures;
      ADD_FAILURE() << "seeds from " << start << ": " << mismatch.function
                    << ": " << mismatch.what;
    }
  }
  std::cerr << totals.programs << " programs, " << totals.leakFree
            << " of them free all, " << totals.runs << " runs, "
            << totals.copies << " copies and " << totals.frees
            << " deallocations inserted, " << totals.flags
            << " of them behind a flag\n";
  for (const auto &[reason, times] : totals.reasons)
    std::cerr << times << " times: " << reason << "\n";
  EXPECT_GT(totals.flags, 0);
  EXPECT_GT(totals.leakFree, totals.programs / 2);
}

/// Two halves, with copies where they will do and with flags there, too.
INSTANTIATE_TEST_SUITE_P(Half, RandomPrograms, ::testing::Range(0, 4));

} // namespace
} // namespace tpu_mlir::jit
