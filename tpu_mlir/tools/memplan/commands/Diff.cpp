//===- Diff.cpp - memplan diff --------------------------------------------===//
//
// Two plans of one problem, or two memory reports of one network.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/FleetDiff.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"
#include "tpu_mlir/tools/memplan/Messages.h"
#include "tpu_mlir/tools/memplan/ReportFiles.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tpu_mlir::memplan {
namespace {

using namespace planning;
namespace cl = llvm::cl;

enum class DiffFormat { Text, Json, Html };

class Diff : public Command {
public:
  Diff()
      : Command("diff",
                "Say what two plans or two memory reports have different") {}

  int run() override {
    if (files.size() < 2 || files.size() > 3 ||
        (files.size() == 2 && isTable(files[0])))
      return usageError(
          sub, "a problem and two plans are needed, or two memory reports");
    const std::vector<std::string> read(files.begin(), files.end());
    if (!areApart(sub, read, {{output, "--output"}}))
      return kUsage;
    if (files.size() == 2)
      return compareReports();
    for (const cl::Option *flag : std::initializer_list<const cl::Option *>{
             &tolerance, &format, &output})
      if (flag->getNumOccurrences())
        return usageError(sub,
                          "--" + flag->ArgStr.str() + " is of memory reports");
    auto file = readProblem(files[0]);
    auto before = file ? readPlan(*file, files[1]) : std::nullopt;
    auto after = before ? readPlan(*file, files[2]) : std::nullopt;
    if (!after)
      return kBadInput;
    return compare(file->problem, *before, *after);
  }

  std::string example() const override {
    return "memplan diff problem.csv old-plan.csv new-plan.csv";
  }

private:
  static std::string placeOf(const Problem &problem, Placement placement) {
    const std::string offset = formatCount(placement.offsetBytes);
    return problem.pools.size() > 1
               ? problem.pools[placement.pool].name + " + " + offset
               : offset;
  }

  /// Used bytes of each pool whose number differs, or of all with `all`.
  static std::string usedLines(const Problem &problem, const Plan &before,
                               const Plan &after, bool all) {
    std::string text;
    for (size_t i = 0; i < problem.pools.size(); ++i) {
      const int64_t a = before.pools[i].usedBytes;
      const int64_t b = after.pools[i].usedBytes;
      if (a == b && !all)
        continue;
      text += problem.pools[i].name + ": used " + formatCount(a) + " -> " +
              formatCount(b) + " B";
      if (a != b)
        text += std::string(b > a ? " (+" : " (") +
                formatCount(saturatedSub(b, a)) + ")";
      text += "\n";
    }
    return text;
  }

  /// A problem in CSV, whose plans were forgotten.
  static bool isTable(const std::string &path) {
    if (path == "-")
      return false;
    auto contents = readWholeFile(path);
    auto *text = std::get_if<std::string>(&contents);
    return text && !text->empty() && text->front() != '{';
  }

  /// By region, then every tensor whose size or region differs.
  int compareReports() const {
    if (!std::isfinite(tolerance) || tolerance < 0)
      return usageError(sub, "--tolerance is in percent, 0 or more");
    auto before = readReports(files[0]);
    auto after = before ? readReports(files[1]) : std::nullopt;
    if (!after)
      return kBadInput;
    const report::ReportDiff diff =
        report::diffReports({files[0], std::move(*before)},
                            {files[1], std::move(*after)}, tolerance);
    const std::string text =
        format == DiffFormat::Html   ? report::renderDiffHtml(diff)
        : format == DiffFormat::Json ? report::renderDiffJson(diff)
                                     : report::renderDiffText(diff);
    // No line where nothing changed, but a file that is asked for is written.
    const int written =
        text.empty() && output.empty() ? int(kOk) : writeResult(output, text);
    return written == kOk && diff.isOver() ? int(kBadInput) : written;
  }

  int compare(const Problem &problem, const Plan &before,
              const Plan &after) const {
    const std::vector<std::string> names = fileNames(problem);
    std::string moves;
    size_t moved = 0;
    for (size_t id = 0; id < names.size(); ++id) {
      if (before.placements[id] == after.placements[id])
        continue;
      ++moved;
      moves += "  " + names[id] + ": " +
               placeOf(problem, before.placements[id]) + " -> " +
               placeOf(problem, after.placements[id]) + "\n";
    }
    const bool isEqual =
        moved == 0 && usedLines(problem, before, after, false).empty();
    if (isEqual)
      return kOk;
    std::string text = usedLines(problem, before, after, true);
    text += std::to_string(moved) + " of " + std::to_string(names.size()) +
            " buffers moved" + (moved ? ":\n" : "\n") + moves;
    const int written = writeResult("", text);
    return written == kOk ? int(kBadInput) : written;
  }

  cl::list<std::string> files{
      cl::Positional,
      cl::desc("<problem> <plan> <other plan>, or <report> <other report>"),
      cl::sub(sub)};
  cl::opt<double> tolerance{
      "tolerance",
      cl::desc("Of reports: how much more in a region is no error, in percent "
               "(0)"),
      cl::init(0), cl::sub(sub)};
  cl::opt<DiffFormat> format{
      "format", cl::desc("Of reports: how to write it"),
      cl::init(DiffFormat::Text),
      cl::values(clEnumValN(DiffFormat::Text, "text", "a line each (default)"),
                 clEnumValN(DiffFormat::Json, "json", "for programs"),
                 clEnumValN(DiffFormat::Html, "html", "a page to look at")),
      cl::sub(sub)};
  cl::opt<std::string> output{
      "output", cl::desc("Of reports: file to write; standard output"),
      cl::value_desc("file"), cl::sub(sub)};
};

} // namespace

std::unique_ptr<Command> makeDiff() { return std::make_unique<Diff>(); }

} // namespace tpu_mlir::memplan
