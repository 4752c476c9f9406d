//===- BenchTools.h - What the benchmarks of whole stages share -*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_BENCH_BENCHTOOLS_H
#define TPU_MLIR_TESTS_BENCH_BENCHTOOLS_H

#include "tpu_mlir/ModelBuilder/Models.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>
#include <sys/resource.h>

namespace tpu_mlir::bench {

class Clock {
public:
  /// Seconds since the last call.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed = now - last;
    last = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// A network of `layers` layers at the Tpu level; empty after an error.
inline std::string generate(mlir::MLIRContext &context, int64_t layers) {
  ModelOptions options;
  options.model = "chain";
  options.level = Level::Tpu;
  options.ops = layers;
  auto built = buildModel(context, options);
  if (auto *error = std::get_if<ModelError>(&built)) {
    llvm::errs() << error->message << "\n";
    return "";
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  printModel(*std::get<mlir::OwningOpRef<mlir::ModuleOp>>(built), out);
  return text;
}

inline std::string seconds(double value) {
  return llvm::formatv("{0:f3}", value).str();
}

/// The most memory that this process has had so far.
inline std::string peakMiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::to_string(usage.ru_maxrss / 1024);
}

} // namespace tpu_mlir::bench

#endif // TPU_MLIR_TESTS_BENCH_BENCHTOOLS_H
