//===- Files.cpp - Problems and plans in, results out ---------------------===//

#include "tpu_mlir/tools/memplan/Files.h"

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Json.h"
#include "tpu_mlir/tools/memplan/Command.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <unistd.h>

namespace tpu_mlir::memplan {

using planning::ParseError;
using planning::Plan;
using planning::Problem;
using planning::RecordedProblem;

/// Of files that cannot be read, parsed or written.
static constexpr const char *kFileCode = " [TPUMEM-E017]\n";

/// A longer text of a file is read again when a message asks for a position.
static constexpr size_t kMostKeptText = size_t(1) << 20;

static std::string at(const std::string &path, int64_t line, int64_t column) {
  std::string text = path;
  if (line > 0)
    text += ":" + std::to_string(line);
  if (line > 0 && column > 0)
    text += ":" + std::to_string(column);
  return text;
}

void showError(const std::string &path, const ParseError &error) {
  llvm::errs() << at(path, error.line, error.column)
               << ": error: " << error.message << kFileCode;
}

/// "-" becomes the name by which messages call it.
static std::string shownPath(const std::string &path) {
  return path == "-" ? "<stdin>" : path;
}

std::optional<std::string> readText(const std::string &path) {
  if (path == "-") {
    auto buffer = llvm::MemoryBuffer::getSTDIN();
    if (buffer)
      return (*buffer)->getBuffer().str();
    showError("<stdin>", {"cannot read: " + buffer.getError().message()});
    return std::nullopt;
  }
  auto contents = readWholeFile(path);
  if (const auto *error = std::get_if<FileError>(&contents)) {
    showError(path, {error->message});
    return std::nullopt;
  }
  return std::move(std::get<std::string>(contents));
}

/// By content: the name of a file may say anything.
static FileFormat formatOf(llvm::StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  text = text.ltrim();
  return text.starts_with("{") || text.starts_with("[") ? FileFormat::Json
                                                        : FileFormat::Csv;
}

static std::variant<RecordedProblem, ParseError>
parseAny(const ProblemFile &file) {
  if (file.format == FileFormat::Json)
    return planning::parseRecordedJson(file.text);
  auto problem = planning::parseProblemCsv(file.text);
  if (auto *error = std::get_if<ParseError>(&problem))
    return std::move(*error);
  return RecordedProblem{std::move(std::get<Problem>(problem)), std::nullopt};
}

std::optional<ProblemFile> readProblem(const std::string &path) {
  std::optional<std::string> text = readText(path);
  if (!text)
    return std::nullopt;
  ProblemFile file;
  file.path = shownPath(path);
  file.text = std::move(*text);
  file.format = formatOf(file.text);
  auto parsed = parseAny(file);
  if (const auto *error = std::get_if<ParseError>(&parsed)) {
    showError(file.path, *error);
    return std::nullopt;
  }
  auto &contents = std::get<RecordedProblem>(parsed);
  file.problem = std::move(contents.problem);
  file.recorded = std::move(contents.plan);
  // A pipe can be read only once.
  if (file.text.size() > kMostKeptText && path != "-" &&
      llvm::sys::fs::is_regular_file(path))
    std::string().swap(file.text);
  return file;
}

std::optional<Plan> readPlan(const ProblemFile &problem,
                             const std::string &path) {
  std::optional<std::string> text = readText(path);
  if (!text)
    return std::nullopt;
  auto plan = formatOf(*text) == FileFormat::Json
                  ? planning::parsePlanJson(problem.problem, *text)
                  : planning::parsePlanCsv(problem.problem, *text);
  if (const auto *error = std::get_if<ParseError>(&plan)) {
    showError(shownPath(path), *error);
    return std::nullopt;
  }
  return std::move(std::get<Plan>(plan));
}

std::string ProblemFile::title() const {
  if (!problem.name.empty())
    return problem.name;
  return path == "<stdin>" ? "problem" : llvm::sys::path::stem(path).str();
}

/// The rows of a CSV file that parsed: blank lines count for nothing, and a
/// quoted field may go on over several lines.
static std::vector<std::pair<int64_t, int64_t>>
rowPositions(llvm::StringRef text) {
  std::vector<std::pair<int64_t, int64_t>> rows;
  bool isQuoted = false, isBlank = true;
  int64_t line = 1;
  for (char c : text) {
    if (c == '\n') {
      ++line;
      isBlank = isBlank || !isQuoted;
      continue;
    }
    if (c == '"')
      isQuoted = !isQuoted;
    if (isBlank && c != ' ' && c != '\t' && c != '\r') {
      rows.push_back({line, 1});
      isBlank = false;
    }
  }
  if (!rows.empty())
    rows.erase(rows.begin()); // The header.
  return rows;
}

static std::vector<std::pair<int64_t, int64_t>>
bufferPositions(const std::string &text) {
  std::vector<std::pair<int64_t, int64_t>> positions;
  auto json = parseJson(text);
  const auto *document = std::get_if<JsonValue>(&json);
  for (const JsonMember &member :
       document ? document->members : std::vector<JsonMember>())
    if (member.key == "buffers")
      for (const JsonValue &buffer : member.value.elements)
        positions.push_back({buffer.line, buffer.column});
  return positions;
}

std::string ProblemFile::positionOf(planning::BufferId id) const {
  if (!problem.buffers[id].location.empty())
    return problem.buffers[id].location;
  if (positions.empty()) {
    std::string again;
    if (text.empty()) {
      auto contents = readWholeFile(path);
      if (auto *read = std::get_if<std::string>(&contents))
        again = std::move(*read);
    }
    const std::string &all = text.empty() ? again : text;
    positions =
        format == FileFormat::Json ? bufferPositions(all) : rowPositions(all);
  }
  if (size_t(id) >= positions.size())
    return path;
  return at(path, positions[id].first, positions[id].second);
}

/// raw_ostream ends the program when the disk is full; this says so instead.
static int writeStandardOutput(llvm::StringRef contents) {
  while (!contents.empty()) {
    const ssize_t written =
        ::write(STDOUT_FILENO, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      const std::error_code reason(errno, std::generic_category());
      showError("<stdout>", {"cannot write: " + reason.message()});
      return kBadInput;
    }
    contents = contents.drop_front(size_t(written));
  }
  return kOk;
}

bool canWrite(const std::string &path) {
  if (path.empty() || path == "-")
    return true;
  const std::optional<FileError> error = whyNotWritable(path);
  if (error)
    showError(path, {error->message});
  return !error;
}

int writeResult(const std::string &path, const std::string &contents) {
  if (path.empty() || path == "-")
    return writeStandardOutput(contents);
  if (auto error = writeFileAtomically(path, contents)) {
    showError(path, {error->message});
    return kBadInput;
  }
  return kOk;
}

} // namespace tpu_mlir::memplan
