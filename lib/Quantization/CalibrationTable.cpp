//===- CalibrationTable.cpp - Reading and writing tables of ranges --------===//

#include "tpu_mlir/Quantization/CalibrationTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>

using llvm::StringRef;

namespace tpu_mlir::quantization {

static constexpr double kLeastThreshold = 1e-5, kInfinite = 6.5e4;
static constexpr char kBlanks[] = " \t\r";

const CalibrationTable::Entry *
CalibrationTable::find(std::string_view name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : &entries[found->second];
}

bool CalibrationTable::add(Entry entry) {
  auto [place, isNew] = byName.try_emplace(entry.name, entries.size());
  if (!isNew)
    return entries[place->second].range == entry.range;
  entries.push_back(std::move(entry));
  return true;
}

namespace {

/// Which lines are read, and how many numbers each has.
enum class Block { Ranges, Thresholds, Other };

/// Reads line after line; the first error ends it.
class TableReader {
public:
  std::variant<CalibrationTable, TableError> read(StringRef text);

private:
  void readHeadline(StringRef line);
  bool readEntry(StringRef line);
  /// Takes the last word of `line`, a number.
  bool takeNumber(StringRef &line, double &number);
  bool fail(const llvm::Twine &message) {
    error = {lineNumber, message.str()};
    return false;
  }

  CalibrationTable table;
  TableError error;
  Block block = Block::Ranges;
  int64_t lineNumber = 0;
};

} // namespace

/// Comments stay in the block.
void TableReader::readHeadline(StringRef line) {
  static constexpr llvm::StringLiteral kOthers[] = {"#int4_th", "#weight_scale",
                                                    "#asym_op", "#int4_op"};
  StringRef word = line.split(' ').first.rtrim(kBlanks);
  if (word == "#tpu-mlir-fp8" || word.contains("mqbench-fp8")) {
    block = Block::Thresholds;
  } else if (llvm::is_contained(kOthers, word)) {
    block = Block::Other;
    table.otherBlocks.push_back(word.str());
  }
}

bool TableReader::takeNumber(StringRef &line, double &number) {
  const size_t blank = line.find_last_of(kBlanks);
  if (blank == StringRef::npos)
    return fail("'" + line +
                "' is no entry: a name, a threshold, a minimum and a maximum "
                "are needed, with blanks between");
  StringRef word = line.drop_front(blank + 1);
  line = line.take_front(blank).rtrim(kBlanks);
  const bool isInfinite = word.ltrim("-+").starts_with_insensitive("inf");
  if (isInfinite) {
    number = word.starts_with("-") ? -kInfinite : kInfinite;
    if (table.infiniteLines.empty() || table.infiniteLines.back() != lineNumber)
      table.infiniteLines.push_back(lineNumber);
    return true;
  }
  if (word.getAsDouble(number) || std::isnan(number))
    return fail("'" + word + "' is no number");
  return std::abs(number) <= std::numeric_limits<float>::max() ||
         fail("'" + word + "' is more than f32 holds");
}

bool TableReader::readEntry(StringRef line) {
  CalibrationTable::Entry entry;
  entry.line = lineNumber;
  ValueRange &range = entry.range;
  const bool isWhole = block == Block::Ranges;
  if (isWhole && (!takeNumber(line, range.max) || !takeNumber(line, range.min)))
    return false;
  if (!takeNumber(line, range.threshold))
    return false;
  if (range.threshold < 0)
    return fail("the threshold of '" + line + "' is negative");
  range.threshold = std::max(range.threshold, kLeastThreshold);
  if (!isWhole) {
    range.min = -range.threshold;
    range.max = range.threshold;
  }
  if (range.min > range.max)
    return fail("the minimum of '" + line + "' is above its maximum");
  entry.name = line.str();
  if (table.add(std::move(entry)))
    return true;
  return fail("'" + line + "' has another range in line " +
              llvm::Twine(table.find(line)->line));
}

std::variant<CalibrationTable, TableError> TableReader::read(StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    text = rest;
    ++lineNumber;
    StringRef line = first.trim(kBlanks);
    if (line.starts_with("#"))
      readHeadline(line);
    else if (!line.empty() && block != Block::Other && !readEntry(line))
      return error;
  }
  if (table.entries.empty())
    return TableError{0, "there is no entry in it: a line is a name, a "
                         "threshold, a minimum and a maximum"};
  return std::move(table);
}

std::variant<CalibrationTable, TableError>
parseCalibrationTable(std::string_view text) {
  return TableReader().read(text);
}

const char *whyNoLine(std::string_view name) {
  const StringRef text = name;
  if (text.empty())
    return "is empty";
  if (text.contains('\n'))
    return "has more than one line";
  if (text.trim(kBlanks) != text)
    return "begins or ends with a blank";
  if (text.starts_with("#"))
    return "begins with '#', as comments do";
  return nullptr;
}

std::string printCalibrationTable(const CalibrationTable &table,
                                  const std::vector<std::string> &comments) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const std::string &comment : comments)
    out << "# " << comment << "\n";
  out << "# op_name    threshold    min    max\n";
  for (const CalibrationTable::Entry &entry : table.entries)
    out << entry.name
        << llvm::format(" %.7f %.7f %.7f\n", entry.range.threshold,
                        entry.range.min, entry.range.max);
  return text;
}

} // namespace tpu_mlir::quantization
