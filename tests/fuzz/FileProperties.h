//===- FileProperties.h - What holds for every file -------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_FUZZ_FILEPROPERTIES_H
#define TPU_MLIR_TESTS_FUZZ_FILEPROPERTIES_H

#include "tpu_mlir/Planning/ProblemIO.h"

namespace tpu_mlir::planning {

/// Empty when the error says something, somewhere in the text, in UTF-8.
std::string brokenError(const ParseError &error, std::string_view text);

/// A plan for a problem that passed check(), good or not: offsets in steps.
Plan somePlan(const Problem &problem);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_FUZZ_FILEPROPERTIES_H
