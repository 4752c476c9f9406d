//===- CommandLine.h - How programs begin and end ---------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H
#define TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpu_mlir {

/// Of every program here; the documents promise them.
enum ExitCode {
  kOk = 0,
  kBadInput = 1, ///< Or what was looked for: see each program.
  kUsage = 2,
  kDoesNotFit = 3, ///< Proved.
  kInternal = 4,
  kNotFound = 5, ///< No plan within the limits of the search.
  /// Ended by SIGINT or SIGTERM, with the best so far where there is one.
  kInterrupted = 6,
};

/// What main begins with, before anything is parsed: paths mean the directory
/// of the caller, also where `bazel run` starts programs elsewhere, --version
/// tells the release, and without memory the program says so and ends with
/// kInternal.
void beginProgram();

/// What is wrong with a command line that has been parsed; "" when nothing is.
/// Of an option that holds one value LLVM takes the last of several, and "" is
/// a value: here the one is given twice, whatever the values, and the other is
/// empty. `sub`: whose options they are. O(arguments + options).
std::string
findMisuse(int argc, const char *const *argv,
           llvm::cl::SubCommand &sub = llvm::cl::SubCommand::getTopLevel());

/// That one of the `known` flags of tpu-mlir's is given, which this tool does
/// not have: it deserves a better answer than "unknown"; "" when none is.
/// O(arguments
/// * flags).
std::string findUnsupported(int argc, const char *const *argv,
                            llvm::ArrayRef<const char *> known);

/// beginProgram(), the options of `category` alone in --help, and no flag that
/// is not known or given twice.
/// What to exit with after the message; nullopt: go on.
std::optional<ExitCode> parseCommandLine(int argc, const char *const *argv,
                                         llvm::cl::OptionCategory &category,
                                         llvm::StringRef overview);

/// A file, and what reads or writes it as people know it: "--output".
using NamedFile = std::pair<std::string, std::string>;

/// Something that would be written over what the same command reads or writes
/// elsewhere; "" when there is nothing. "" and "-" are no files. O(files^2).
std::string findOverwritten(const std::vector<NamedFile> &read,
                            const std::vector<NamedFile> &written);

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H
