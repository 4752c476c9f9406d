//===- Table.cpp - memplan table ------------------------------------------===//
//
// One row for each network of a fleet.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/ReportFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

namespace tpu_mlir::memplan {
namespace {

using namespace report;
namespace cl = llvm::cl;

enum class TableFormat { Text, Csv, Html };

class TableCommand : public Command {
public:
  TableCommand()
      : Command("table", "One table of the memory reports of many networks") {}

  int run() override {
    if (files.empty())
      return usageError(sub, "at least one memory report is needed");
    const std::vector<std::string> read(files.begin(), files.end());
    if (!areApart(sub, read, {{output, "--output"}}))
      return kUsage;
    std::vector<FleetRow> rows;
    for (const std::string &file : files) {
      auto reports = readReports(file);
      if (!reports)
        return kBadInput;
      llvm::StringRef name = llvm::sys::path::stem(file);
      name.consume_back("_memory");
      rows.push_back({name.str(), std::move(*reports)});
    }
    return writeResult(output, format == TableFormat::Csv ? renderFleetCsv(rows)
                               : format == TableFormat::Html
                                   ? renderFleetHtml(rows)
                                   : renderFleetText(rows));
  }

  std::string example() const override {
    return "memplan table --format=html --output=fleet.html *_memory.json";
  }

private:
  cl::list<std::string> files{
      cl::Positional,
      cl::desc("<reports>, an empty file for a network that does not fit"),
      cl::sub(sub)};
  cl::opt<TableFormat> format{
      "format", cl::desc("How to write it"), cl::init(TableFormat::Text),
      cl::values(
          clEnumValN(TableFormat::Text, "text", "for terminals (default)"),
          clEnumValN(TableFormat::Csv, "csv", "for spreadsheets"),
          clEnumValN(TableFormat::Html, "html",
                     "a page that sorts by every column")),
      cl::sub(sub)};
  cl::opt<std::string> output{"output",
                              cl::desc("File to write; standard output"),
                              cl::value_desc("file"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeTable() {
  return std::make_unique<TableCommand>();
}

} // namespace tpu_mlir::memplan
