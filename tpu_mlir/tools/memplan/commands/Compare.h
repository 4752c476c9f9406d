//===- Compare.h - Strategies side by side ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_COMPARE_H
#define TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_COMPARE_H

#include "tpu_mlir/Planning/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::memplan {

/// What one strategy made of one problem. Bytes are those of all pools.
struct Outcome {
  std::string strategy;
  std::string winner; ///< Of "auto".
  bool fits = false;
  /// There is no plan, rather than none that this strategy found.
  bool isCertain = false;
  /// When it does not fit: what is needed of the pool that is too small.
  int64_t usedBytes = 0;
  int64_t boundBytes = 0;
  int64_t nodes = 0;
  double seconds = 0;
  planning::Proof proof = planning::Proof::None;
};

struct Comparison {
  std::string input;
  size_t buffers = 0;
  std::vector<Outcome> outcomes; ///< In the order of the strategies.
};

/// One strategy over all inputs.
struct Summary {
  std::string strategy;
  size_t solved = 0;
  /// Of used / bound over the inputs that it solved and whose bound is above
  /// 0; nullopt when there are none.
  std::optional<double> geometricMean;
  double worst = 0;
  double seconds = 0;
};

std::vector<Summary> summarize(const std::vector<Comparison> &comparisons);

std::string renderText(const std::vector<Comparison> &comparisons,
                       bool withTime);
std::string renderMarkdown(const std::vector<Comparison> &comparisons,
                           bool withTime);
/// One line for each pair of input and strategy.
std::string renderCsv(const std::vector<Comparison> &comparisons,
                      bool withTime);
std::string renderJson(const std::vector<Comparison> &comparisons,
                       bool withTime);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_COMMANDS_COMPARE_H
