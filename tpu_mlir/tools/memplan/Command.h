//===- Command.h - One subcommand of memplan --------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_COMMAND_H
#define TPU_MLIR_TOOLS_MEMPLAN_COMMAND_H

#include "tpu_mlir/tools/CommandLine/CommandLine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <string>
#include <vector>

namespace tpu_mlir::memplan {

/// A subcommand and its flags, which are members: one object of each kind
/// exists before the command line is parsed.
class Command {
public:
  Command(llvm::StringRef name, llvm::StringRef description)
      : sub(name, description) {}
  virtual ~Command() = default;
  /// Reads the flags, does the work, returns an ExitCode.
  virtual int run() = 0;
  /// A command line to copy, for --help.
  virtual std::string example() const = 0;
  /// True: --help lists the strategies.
  virtual bool hasStrategies() const { return false; }

  llvm::cl::SubCommand sub;
};

std::unique_ptr<Command> makeSolve();
std::unique_ptr<Command> makeValidate();
std::unique_ptr<Command> makeExplain();
std::unique_ptr<Command> makeCompare();
std::unique_ptr<Command> makeDiff();
std::unique_ptr<Command> makeRender();
std::unique_ptr<Command> makeGenerate();
std::unique_ptr<Command> makeArtefacts();
std::unique_ptr<Command> makeCheck();
std::unique_ptr<Command> makeTable();

/// "memplan: <message>; see memplan <command> --help" on standard error.
/// Returns kUsage.
int usageError(const llvm::cl::SubCommand &sub, const std::string &message);

/// False after a message: what `written` names, by flag, is one of the files
/// that the command reads, or twice the same, or several of those that it reads
/// are standard input.
bool areApart(const llvm::cl::SubCommand &sub, llvm::ArrayRef<std::string> read,
              const std::vector<NamedFile> &written);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_COMMAND_H
