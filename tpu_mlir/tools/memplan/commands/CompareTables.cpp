//===- CompareTables.cpp - Comparisons as text, Markdown, CSV, JSON -------===//

#include "tpu_mlir/tools/memplan/commands/Compare.h"

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/tools/memplan/Messages.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace tpu_mlir::memplan {

using planning::proofName;
using planning::shownGap;

std::vector<Summary> summarize(const std::vector<Comparison> &comparisons) {
  std::vector<Summary> summaries;
  for (size_t s = 0; s < comparisons.front().outcomes.size(); ++s) {
    Summary summary{comparisons.front().outcomes[s].strategy, 0, {}, 0, 0};
    double logarithms = 0;
    size_t counted = 0;
    for (const Comparison &one : comparisons) {
      const Outcome &outcome = one.outcomes[s];
      summary.seconds += outcome.seconds;
      summary.solved += outcome.fits;
      if (!outcome.fits || outcome.boundBytes <= 0)
        continue;
      const double ratio = double(outcome.usedBytes) / outcome.boundBytes;
      logarithms += std::log(ratio);
      summary.worst = std::max(summary.worst, ratio);
      ++counted;
    }
    if (counted)
      summary.geometricMean = std::exp(logarithms / double(counted));
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

namespace {

struct Cells {
  std::vector<TextTable::Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string shownSeconds(double seconds) {
  return llvm::formatv("{0:f3}", seconds).str();
}

std::string shownRatio(double ratio) {
  return llvm::formatv("{0:f4}", ratio).str();
}

Cells outcomeCells(const Comparison &comparison, bool withTime) {
  constexpr auto kRight = TextTable::Align::Right;
  Cells cells;
  cells.columns = {{"strategy"},      {"used", kRight},  {"bound", kRight},
                   {"gap %", kRight}, {"nodes", kRight}, {"proof"},
                   {"winner"}};
  if (withTime)
    cells.columns.push_back({"seconds", kRight});
  for (const Outcome &one : comparison.outcomes) {
    std::vector<std::string> row = {
        one.strategy,
        one.fits        ? formatCount(one.usedBytes)
        : one.isCertain ? "does not fit"
                        : "no plan",
        formatCount(one.boundBytes),
        one.fits ? shownGap(one.usedBytes, one.boundBytes) : "-",
        formatCount(one.nodes),
        one.fits ? std::string(proofName(one.proof)) : "-",
        one.winner};
    if (withTime)
      row.push_back(shownSeconds(one.seconds));
    cells.rows.push_back(std::move(row));
  }
  return cells;
}

Cells summaryCells(const std::vector<Comparison> &comparisons, bool withTime) {
  constexpr auto kRight = TextTable::Align::Right;
  Cells cells;
  cells.columns = {{"strategy"},
                   {"solved", kRight},
                   {"used/bound, geometric mean", kRight},
                   {"worst", kRight}};
  if (withTime)
    cells.columns.push_back({"seconds in all", kRight});
  for (const Summary &one : summarize(comparisons)) {
    std::vector<std::string> row = {
        one.strategy,
        std::to_string(one.solved) + " of " +
            std::to_string(comparisons.size()),
        one.geometricMean ? shownRatio(*one.geometricMean) : "-",
        one.geometricMean ? shownRatio(one.worst) : "-"};
    if (withTime)
      row.push_back(shownSeconds(one.seconds));
    cells.rows.push_back(std::move(row));
  }
  return cells;
}

std::string textTable(const Cells &cells) {
  TextTable table(cells.columns);
  for (const auto &row : cells.rows)
    table.addRow(row);
  return table.render();
}

std::string markdownTable(const Cells &cells) {
  std::string text = "|", rule = "|";
  for (const TextTable::Column &column : cells.columns) {
    text += " " + column.heading + " |";
    rule += column.align == TextTable::Align::Right ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const auto &row : cells.rows) {
    text += "|";
    for (const std::string &cell : row)
      text += " " + cell + " |";
    text += "\n";
  }
  return text;
}

std::string titleOf(const Comparison &comparison) {
  return comparison.input + ": " + formatCount(int64_t(comparison.buffers)) +
         " buffers";
}

std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == text.npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

llvm::json::Value toJson(const Outcome &one, bool withTime) {
  llvm::json::Object object{
      {"strategy", one.strategy},
      {"fits", one.fits},
      {one.fits ? "usedBytes" : "needBytes", one.usedBytes},
      {"lowerBoundBytes", one.boundBytes},
      {"nodes", one.nodes}};
  if (one.fits)
    object["proof"] = llvm::StringRef(proofName(one.proof));
  if (!one.winner.empty())
    object["winner"] = one.winner;
  if (withTime)
    object["seconds"] = one.seconds;
  return object;
}

llvm::json::Value toJson(const Summary &one, bool withTime) {
  llvm::json::Object object{{"strategy", one.strategy},
                            {"solved", int64_t(one.solved)}};
  if (one.geometricMean) {
    object["geometricMean"] = *one.geometricMean;
    object["worst"] = one.worst;
  }
  if (withTime)
    object["seconds"] = one.seconds;
  return object;
}

} // namespace

std::string renderText(const std::vector<Comparison> &comparisons,
                       bool withTime) {
  std::string text;
  for (const Comparison &one : comparisons)
    text += titleOf(one) + "\n" + textTable(outcomeCells(one, withTime)) + "\n";
  if (comparisons.size() > 1)
    return text + "all inputs\n" +
           textTable(summaryCells(comparisons, withTime));
  text.pop_back();
  return text;
}

std::string renderMarkdown(const std::vector<Comparison> &comparisons,
                           bool withTime) {
  std::string text;
  for (const Comparison &one : comparisons)
    text += "### " + titleOf(one) + "\n\n" +
            markdownTable(outcomeCells(one, withTime)) + "\n";
  if (comparisons.size() > 1)
    return text + "### all inputs\n\n" +
           markdownTable(summaryCells(comparisons, withTime));
  text.pop_back();
  return text;
}

std::string renderCsv(const std::vector<Comparison> &comparisons,
                      bool withTime) {
  std::string text = "input,buffers,strategy,fits,bytes,bound,nodes,proof,"
                     "winner";
  text += withTime ? ",seconds\n" : "\n";
  for (const Comparison &input : comparisons)
    for (const Outcome &one : input.outcomes) {
      text += csvField(input.input) + "," + std::to_string(input.buffers) +
              "," + one.strategy + (one.fits ? ",1," : ",0,") +
              std::to_string(one.usedBytes) + "," +
              std::to_string(one.boundBytes) + "," + std::to_string(one.nodes) +
              "," + (one.fits ? std::string(proofName(one.proof)) : "") + "," +
              csvField(one.winner);
      text += withTime ? "," + shownSeconds(one.seconds) + "\n" : "\n";
    }
  return text;
}

std::string renderJson(const std::vector<Comparison> &comparisons,
                       bool withTime) {
  llvm::json::Array inputs, summaries;
  for (const Comparison &one : comparisons) {
    llvm::json::Array outcomes;
    for (const Outcome &outcome : one.outcomes)
      outcomes.push_back(toJson(outcome, withTime));
    inputs.push_back(
        llvm::json::Object{{"input", llvm::json::fixUTF8(one.input)},
                           {"buffers", int64_t(one.buffers)},
                           {"outcomes", std::move(outcomes)}});
  }
  for (const Summary &one : summarize(comparisons))
    summaries.push_back(toJson(one, withTime));
  llvm::json::Value root = llvm::json::Object{{"version", 1},
                                              {"inputs", std::move(inputs)},
                                              {"all", std::move(summaries)}};
  return llvm::formatv("{0:2}\n", root).str();
}

} // namespace tpu_mlir::memplan
