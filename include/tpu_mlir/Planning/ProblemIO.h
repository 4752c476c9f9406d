//===- ProblemIO.h - Problems and plans as files ----------------*- C++ -*-===//
//
// Two forms: the CSV of google/minimalloc (id,lower,upper,size with optional
// alignment, gaps and offset columns) and our versioned JSON, whose schema is
// tpu_mlir/schema/problem.schema.json. Reading never aborts: every error has
// a line and a column.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_PROBLEMIO_H
#define TPU_MLIR_PLANNING_PROBLEMIO_H

#include "tpu_mlir/Planning/Plan.h"

#include <string>
#include <string_view>
#include <variant>

namespace tpu_mlir::planning {

/// Line and column count from 1; 0 when the position is not known.
struct ParseError {
  std::string message;
  int64_t line = 0;
  int64_t column = 0;
};

/// Reads JSON: {"version": 1, "pools": [...], "buffers": [...], ...}. Numbers
/// must be integers of 63 bits.
std::variant<Problem, ParseError> parseProblemJson(std::string_view text);
/// Reads minimalloc CSV into one pool; accepts CRLF, a byte-order mark and
/// blank lines; columns in any order. Gaps are "a-b c-d", half-open.
std::variant<Problem, ParseError> parseProblemCsv(std::string_view text);

/// Deterministic, ends in a newline; parse(print(p)) == p.
std::string printProblemJson(const Problem &problem);
/// Problem plus offsets: the input columns and "offset".
std::string printPlanCsv(const Problem &problem, const Plan &plan);
std::string printPlanJson(const Problem &problem, const Plan &plan);
/// Reads what printPlanJson wrote, matching buffers by name.
std::variant<Plan, ParseError> parsePlanJson(const Problem &problem,
                                             std::string_view text);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PROBLEMIO_H
