//===- ScaleBenchmark.cpp - A million buffers through files and checks ----===//
//
//   ./bazelw run --config=opt //tests/Planning:scale -- [family] [buffers]
//
// One line a phase: seconds of the processor, and the most memory the process
// has had so far.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

int64_t peakMebibytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

template <typename Run> auto timed(const char *phase, Run run) {
  const std::clock_t begin = std::clock();
  auto result = run();
  std::printf("%-16s %8.3f s  peak %6ld MiB\n", phase,
              double(std::clock() - begin) / CLOCKS_PER_SEC,
              long(peakMebibytes()));
  return result;
}

/// Only what a reader of files needs, so that the peak is its own.
int readOnly(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return 1;
  std::string text;
  char block[1 << 16];
  for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;)
    text.append(block, n);
  std::fclose(file);
  std::printf("text             %zu bytes, peak %ld MiB\n", text.size(),
              long(peakMebibytes()));
  const auto parsed =
      timed("parse problem", [&] { return parseProblemCsv(text); });
  return std::holds_alternative<Problem>(parsed) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  GenerateOptions options;
  options.family = argc > 1 ? argv[1] : "guillotine";
  if (options.family == "read")
    return argc > 2 ? readOnly(argv[2]) : 1;
  options.buffers = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  auto made = timed("generate", [&] { return generate(options); });
  if (const auto *error = std::get_if<std::string>(&made)) {
    std::printf("%s\n", error->c_str());
    return 1;
  }
  const Generated &generated = std::get<Generated>(made);
  const Problem &problem = generated.problem;
  const std::string csv =
      timed("print problem", [&] { return printProblemCsv(problem); });
  timed("check", [&] { return check(problem).size(); });
  timed("fold", [&] { return foldAliases(problem).size(); });
  timed("parse problem", [&] { return parseProblemCsv(csv).index(); });
  if (argc > 3)
    if (std::FILE *file = std::fopen(argv[3], "wb")) {
      std::fwrite(csv.data(), 1, csv.size(), file);
      std::fclose(file);
    }
  if (!generated.plan)
    return 0;
  const Plan &plan = *generated.plan;
  const std::string planCsv =
      timed("print plan", [&] { return printPlanCsv(problem, plan); });
  timed("parse plan", [&] { return parsePlanCsv(problem, planCsv).index(); });
  timed("validate", [&] { return validate(problem, plan).size(); });
  return 0;
}
