//===- CommandLine.cpp - What all programs do first and last --------------===//
//
// Command lines, error messages and exit codes, the same for all tools.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/CommandLine/CommandLine.h"

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <new>
#include <unistd.h>

namespace tpu_mlir {

using namespace llvm;

/// LLVM would ask for a bug report and abort.
[[noreturn]] static void endWithoutMemory() {
  constexpr StringLiteral kMessage = "error: out of memory\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  std::_Exit(kInternal);
}

void beginProgram() {
  std::set_new_handler(endWithoutMemory);
  install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithoutMemory(); });
  cl::SetVersionPrinter(
      [](raw_ostream &out) { out << "tpu_memory " << versionText() << "\n"; });
  const char *directory = std::getenv("BUILD_WORKING_DIRECTORY");
  if (!directory)
    return;
  if (const std::error_code error = sys::fs::set_current_path(directory))
    errs() << "warning: paths do not mean '" << directory
           << "', where bazel was called: " << error.message() << "\n";
}

/// The flag as people write it: "-o", "--chip".
static std::string flagOf(StringRef name) {
  return (name.size() == 1 ? "-" : "--") + name.str();
}

/// The first name in the order of the alphabet: the table has none.
static std::string findRepeated(const DenseMap<StringRef, cl::Option *> &all) {
  StringRef first;
  for (const auto &[name, option] : all) {
    const auto allowed = option->getNumOccurrencesFlag();
    const bool isSingle = allowed == cl::Optional || allowed == cl::Required;
    // A value of another option is in the table by its name, too.
    if (isSingle && name == option->ArgStr && option->getNumOccurrences() > 1 &&
        (first.empty() || name < first))
      first = name;
  }
  return first.empty() ? "" : flagOf(first) + " is given twice; leave one out";
}

std::string findMisuse(int argc, const char *const *argv, cl::SubCommand &sub) {
  const DenseMap<StringRef, cl::Option *> &all = cl::getRegisteredOptions(sub);
  for (int i = 1; i < argc; ++i) {
    const StringRef argument = argv[i];
    if (argument == "--")
      break;
    if (!argument.starts_with("-"))
      continue;
    const auto [name, value] = argument.ltrim('-').split('=');
    const auto found = all.find(name);
    // Names that stand for a value (a pass) may go without options.
    if (found == all.end() || found->second->ArgStr != name)
      continue;
    const bool isNext =
        found->second->getValueExpectedFlag() == cl::ValueRequired &&
        i + 1 < argc && StringRef(argv[i + 1]).empty();
    if (argument.contains('=') ? value.empty() : isNext)
      return flagOf(name) + " is empty; leave it out, or give it a value";
  }
  return findRepeated(all);
}

std::string findUnsupported(int argc, const char *const *argv,
                            ArrayRef<const char *> known) {
  for (int i = 1; i < argc; ++i) {
    const StringRef name = StringRef(argv[i]).ltrim('-').split('=').first;
    if (StringRef(argv[i]).starts_with("-") && is_contained(known, name))
      return "'--" + name.str() +
             "' is known from tpu-mlir but not supported here; leave it out";
  }
  return "";
}

std::optional<ExitCode> parseCommandLine(int argc, const char *const *argv,
                                         cl::OptionCategory &category,
                                         StringRef overview) {
  beginProgram();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return kUsage;
  const std::string misuse = findMisuse(argc, argv);
  if (misuse.empty())
    return std::nullopt;
  errs() << sys::path::filename(argv[0]) << ": " << misuse << '\n';
  return kUsage;
}

std::string findOverwritten(const std::vector<NamedFile> &read,
                            const std::vector<NamedFile> &written) {
  auto describe = [](const NamedFile &file, const std::string &first,
                     const std::string &second) {
    return "'" + file.first + "' " + first + second + " by " + file.second +
           "; give each a file of its own";
  };
  for (size_t i = 0; i < written.size(); ++i) {
    const NamedFile &file = written[i];
    if (file.first.empty() || file.first == "-")
      continue;
    for (const NamedFile &other : read)
      if (isSameFile(other.first, file.first))
        return describe(file, "is read by " + other.second,
                        " and would be written");
    for (size_t j = 0; j < i; ++j)
      if (isSameFile(written[j].first, file.first))
        return describe(file, "would be written by " + written[j].second,
                        " and");
  }
  return "";
}

} // namespace tpu_mlir
