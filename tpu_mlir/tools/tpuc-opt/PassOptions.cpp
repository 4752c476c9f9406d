//===- PassOptions.cpp - Check the options of passes before one runs ------===//
//
// Reads pipelines as text, and finds options that are given twice and files
// that two passes would write.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/tpuc-opt/PassOptions.h"

#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tpu_mlir {

using llvm::StringRef;

/// After the bracket or quote that closes the one at `begin`.
static size_t endOfNested(StringRef text, size_t begin) {
  const char open = text[begin];
  if (open == '\'' || open == '"')
    return std::min(text.find(open, begin + 1), text.size() - 1) + 1;
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0)
      return i + 1;
  }
  return text.size();
}

static bool isNesting(char c) { return c == '{' || c == '\'' || c == '"'; }

PassText readPassOptions(StringRef name, StringRef text) {
  PassText pass{name.str(), {}};
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n') {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < text.size() && text[i] != ' ')
      i = isNesting(text[i]) ? endOfNested(text, i) : i + 1;
    auto [key, value] = text.slice(begin, i).split('=');
    if (value.size() > 1 && isNesting(value.front()))
      value = value.drop_front().drop_back();
    pass.options.push_back({key.str(), value.str()});
  }
  return pass;
}

std::vector<PassText> readPipeline(StringRef text) {
  std::vector<PassText> passes;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !StringRef("(),{").contains(text[i]))
      continue;
    const StringRef name = text.slice(begin, i).trim();
    if (i < text.size() && text[i] == '{') {
      const size_t end = endOfNested(text, i);
      passes.push_back(
          readPassOptions(name, text.slice(i + 1, std::max(i + 1, end - 1))));
      i = end - 1;
    } else if (!name.empty()) {
      passes.push_back({name.str(), {}});
    }
    begin = i + 1;
  }
  return passes;
}

/// Options that hold several values, of ours and of MLIR's own passes.
static bool isList(StringRef option) {
  return llvm::is_contained({"capacity", "copy-ops", "memory-spaces",
                             "disable-patterns", "enable-patterns"},
                            option);
}

std::string findRepeatedOption(llvm::ArrayRef<PassText> passes) {
  for (const PassText &pass : passes) {
    llvm::StringSet<> seen;
    for (const auto &[key, value] : pass.options)
      if (!seen.insert(key).second && !isList(key))
        return "option '" + key + "' of '" + pass.name +
               "' is given twice; leave one out";
  }
  return "";
}

/// The files that a pass writes begin with these values.
static bool isWritten(StringRef pass, StringRef option) {
  return pass != "tpu-verify-plan" && pass != "import-calibration-table" &&
         llvm::is_contained({"file", "problem-file", "plan-file", "pool-data",
                             "new-weight-file", "weights-out"},
                            option);
}

static bool isRead(StringRef pass, StringRef option) {
  return llvm::is_contained({"chip-file", "weight-file", "weights",
                             "quantize-table", "before"},
                            option) ||
         (pass == "import-calibration-table" && option == "file");
}

std::string findSharedFile(llvm::ArrayRef<PassText> passes,
                           std::vector<NamedFile> read,
                           std::vector<NamedFile> written, bool isSplit) {
  for (const PassText &pass : passes)
    for (const auto &[key, value] : pass.options) {
      const NamedFile file{value, "'" + key + "' of '" + pass.name + "'"};
      if (isRead(pass.name, key))
        read.push_back(file);
      if (!isWritten(pass.name, key))
        continue;
      written.push_back(file);
      // What is no file, such as /dev/null, is the same as nothing.
      if (isSplit && !value.empty() && isSameFile(value, value))
        return "'" + value + "' would be written by " + file.second +
               " once for each part of the split input; run the parts one by "
               "one";
    }
  return findOverwritten(read, written);
}

} // namespace tpu_mlir
