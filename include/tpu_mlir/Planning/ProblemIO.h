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

/// "activation", "weight", "input", "output", "scratch".
std::string_view kindName(BufferKind kind);
/// "none", "lower-bound", "optimal", "limit-hit".
std::string_view proofName(Proof proof);
/// What ended the search before its time: "interrupted", "time-limit"; "" when
/// nothing did.
std::string_view planStatusName(const Plan &plan);

/// The names that files use for the buffers: their own, made unique by "#2",
/// "#3" ... where they repeat, "buffer" for an empty one, and with bytes that
/// are not UTF-8 replaced. O(n log n).
std::vector<std::string> fileNames(const Problem &problem);

/// Reads JSON: {"version": 1, "pools": [...], "buffers": [...], ...}. Numbers
/// must be integers of 63 bits. Without "pools" there is one, called "memory"
/// and without limit; a buffer without "pools" belongs to the first. What
/// check() objects to is an error at the buffer or pool it is about.
std::variant<Problem, ParseError> parseProblemJson(std::string_view text);

/// A problem and, where a program was planned by it, the plan that was used.
struct RecordedProblem {
  Problem problem;
  std::optional<Plan> plan;
};
/// parseProblemJson() that keeps the field "plan". Whether the plan is any good
/// is for validate() to say.
std::variant<RecordedProblem, ParseError>
parseRecordedJson(std::string_view text);
/// Reads minimalloc CSV into one pool called "memory"; accepts CRLF, a
/// byte-order mark, blank lines and fields in double quotes; columns in any
/// order. Gaps are "a-b c-d", half-open; those that free only a window of the
/// buffer ("a-b@c:d") are an error. An offset is a pin. A column "hint" is
/// ignored, any other is an error. The alignment is 1 where the column or the
/// cell is missing. Check() has the last word here too. O(size), and little
/// more memory than the problem takes.
std::variant<Problem, ParseError> parseProblemCsv(std::string_view text);

/// Deterministic, ends in a newline; parse(print(p)) == p when p passes
/// check() and its names are as fileNames() would have them. With `plan`, the
/// one that a program has been given: the field "plan".
std::string printProblemJson(const Problem &problem,
                             const Plan *plan = nullptr);
/// What parseProblemCsv reads; pins are in the column "offset". The names,
/// kinds and limits of pools, aliases, reads, forbidden pairs and overlaps have
/// no column.
std::string printProblemCsv(const Problem &problem);
/// Problem plus offsets: the input columns and "offset"; with several pools
/// also "pool". Aliases, reads, forbidden pairs and overlaps have no column.
std::string printPlanCsv(const Problem &problem, const Plan &plan);
std::string printPlanJson(const Problem &problem, const Plan &plan);
/// Reads what printPlanJson wrote, matching buffers by name. Every buffer must
/// be there once; whether the plan is any good is for validate() to say.
std::variant<Plan, ParseError> parsePlanJson(const Problem &problem,
                                             std::string_view text);
/// Reads what printPlanCsv, or any tool that writes an "offset" column, wrote;
/// only "id", "offset" and "pool" count. The high-water marks are computed.
std::variant<Plan, ParseError> parsePlanCsv(const Problem &problem,
                                            std::string_view text);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PROBLEMIO_H
