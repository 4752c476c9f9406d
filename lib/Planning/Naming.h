//===- Naming.h - Names in files, back to ids -------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_NAMING_H
#define TPU_MLIR_LIB_PLANNING_NAMING_H

#include "tpu_mlir/Planning/ProblemIO.h"

#include <map>

namespace tpu_mlir::planning {

/// fileNames() for pools; an empty name becomes "pool".
std::vector<std::string> poolFileNames(const Problem &problem);

/// Names to indices.
using NameMap = std::map<std::string, int64_t, std::less<>>;
NameMap indexOfNames(const std::vector<std::string> &names);

/// `text` with whatever is not UTF-8 replaced: JSON cannot say it.
std::string asUtf8(const std::string &text);

/// Reverse of kindName and proofName.
std::optional<BufferKind> kindOfName(std::string_view name);
std::optional<Proof> proofOfName(std::string_view name);

/// "'activation', 'weight', ...": for messages.
std::string allKindNames();

/// The first error of check() at the place that `at` knows for it.
template <typename PositionOf>
std::optional<ParseError> checkParsed(const Problem &problem,
                                      PositionOf positionOf) {
  const std::vector<ProblemError> errors = check(problem);
  if (errors.empty())
    return std::nullopt;
  const auto [line, column] = positionOf(errors.front());
  return ParseError{errors.front().message, line, column};
}

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_NAMING_H
