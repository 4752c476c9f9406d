//===- ReportFiles.cpp - Memory reports in --------------------------------===//

#include "tpu_mlir/tools/memplan/ReportFiles.h"

namespace tpu_mlir::memplan {

std::optional<std::vector<report::MemoryReport>>
readReports(const std::string &path) {
  auto text = readText(path);
  if (!text)
    return std::nullopt;
  if (text->empty())
    return std::vector<report::MemoryReport>();
  auto reports = report::parseReports(*text);
  if (auto *error = std::get_if<JsonError>(&reports)) {
    showError(path == "-" ? "<stdin>" : path,
              {error->message, error->line, error->column});
    return std::nullopt;
  }
  return std::move(std::get<std::vector<report::MemoryReport>>(reports));
}

} // namespace tpu_mlir::memplan
