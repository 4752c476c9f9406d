//===- Files.h - Problems and plans in, results out -------------*- C++ -*-===//
//
// Whatever goes wrong is told on standard error in the form of compilers,
// `file:line:column: error: ...`; the functions then return nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_FILES_H
#define TPU_MLIR_TOOLS_MEMPLAN_FILES_H

#include "tpu_mlir/Planning/ProblemIO.h"

#include <optional>
#include <string>

namespace tpu_mlir::memplan {

enum class FileFormat { Csv, Json };

/// A problem and the file it came from.
struct ProblemFile {
  std::string path; ///< "<stdin>" for "-".
  std::string text; ///< Empty where it is long and can be read again.
  FileFormat format = FileFormat::Csv;
  planning::Problem problem;
  /// The one that a program was given by this problem, if the file has it.
  std::optional<planning::Plan> recorded;

  /// The problem's name, else the file's without folder and extension.
  std::string title() const;
  /// "net.json:31:10", or what the buffer itself gives as its location.
  std::string positionOf(planning::BufferId id) const;

private:
  /// Line and column of each buffer, filled when a message asks.
  mutable std::vector<std::pair<int64_t, int64_t>> positions;
};

/// The whole of a file, or of standard input for "-".
std::optional<std::string> readText(const std::string &path);
/// "-" is standard input. Only one file of a command line can be that.
std::optional<ProblemFile> readProblem(const std::string &path);
std::optional<planning::Plan> readPlan(const ProblemFile &problem,
                                       const std::string &path);

/// False after a message: writeResult() could not write to `path`. Asked before
/// a long search, so that its answer is not lost.
bool canWrite(const std::string &path);

/// Writes the whole of `contents` to the file, or to standard output when
/// `path` is empty or "-". Returns an ExitCode.
int writeResult(const std::string &path, const std::string &contents);

/// "file:line:column: error: message"; without the numbers that are 0.
void showError(const std::string &path, const planning::ParseError &error);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_FILES_H
