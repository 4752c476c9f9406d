//===- ReadReports.cpp - Memory reports out of files ----------------------===//

#include "tpu_mlir/Report/FleetReport.h"

#include <algorithm>

namespace tpu_mlir::report {

/// The end of the JSON value at the front of `text`: after the bracket that
/// closes it. What is no object at all ends with the text.
static size_t endOfValue(std::string_view text) {
  int depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isInString) {
      if (c == '\\')
        ++i;
      isInString = c != '"';
    } else if (c == '"') {
      isInString = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// The elements of a list, each called `what` in messages.
template <typename Row>
static void readAll(const JsonValue *list, const char *what,
                    Row (*read)(JsonFields &fields), JsonFields &outer,
                    std::vector<Row> &rows) {
  if (!list)
    return;
  for (const JsonValue &element : list->elements) {
    JsonFields fields(element, what);
    rows.push_back(read(fields));
    outer.adopt(fields.finish());
  }
}

static TensorRow readTensor(JsonFields &fields) {
  TensorRow row;
  row.name = fields.requiredString("name");
  row.kind = fields.requiredString("kind");
  row.region = fields.requiredString("region");
  row.bytes.begin = fields.requiredInteger("begin");
  row.bytes.end = fields.requiredInteger("end");
  const int64_t size = fields.requiredInteger("sizeBytes");
  row.life.begin = fields.integer("firstStep").value_or(0);
  row.life.end = fields.integer("endStep").value_or(0);
  row.aliasOf = fields.string("aliasOf").value_or("");
  row.aliasOffsetBytes = fields.integer("aliasOffsetBytes").value_or(0);
  row.location = fields.string("location").value_or("");
  if (!fields.failed() &&
      (row.bytes.begin < 0 || row.bytes.end < row.bytes.begin ||
       row.bytes.end - row.bytes.begin != size))
    fields.fail("the range of bytes makes no sense");
  return row;
}

static PeakTensor readPeakTensor(JsonFields &fields) {
  return {fields.requiredString("name"), fields.requiredInteger("sizeBytes"),
          fields.requiredInteger("paddingBytes"),
          fields.requiredString("reason"), fields.requiredString("why")};
}

static PeakChange readChange(JsonFields &fields) {
  return {fields.requiredString("change"),
          fields.requiredInteger("savedBytes")};
}

static RegionRow readRegion(JsonFields &fields) {
  RegionRow row;
  row.name = fields.requiredString("name");
  row.base = fields.requiredInteger("base");
  row.usedBytes = fields.requiredInteger("usedBytes");
  row.capacityBytes = fields.integer("capacityBytes");
  row.classicBytes = fields.integer("classicBytes");
  row.lowerBoundBytes = fields.requiredInteger("lowerBoundBytes");
  row.peakStep = fields.requiredInteger("peakStep");
  row.servedBytes = fields.requiredInteger("servedBytes");
  // The names alone, for programs that want no more.
  fields.requiredArray("peakSet");
  readAll(fields.requiredArray("peak"), "a tensor at the peak", readPeakTensor,
          fields, row.peakSet);
  readAll(fields.requiredArray("changes"), "a change", readChange, fields,
          row.changes);
  if (!fields.failed() && row.usedBytes < 0)
    fields.fail(fields.at("usedBytes"), "'usedBytes' is negative");
  return row;
}

static std::variant<MemoryReport, JsonError> read(const JsonValue &value) {
  if (value.kind != JsonValue::Kind::Object)
    return JsonError{"a memory report is expected, not " +
                         std::string(value.kindName()),
                     value.line, value.column};
  JsonFields fields(value, "a memory report");
  MemoryReport report;
  report.module = fields.requiredString("module");
  report.chip = fields.requiredString("chip");
  report.ioMode = fields.requiredString("ioMode");
  report.numSteps = fields.requiredInteger("numSteps");
  if (const int64_t version = fields.requiredInteger("version");
      !fields.failed() && version != 1)
    fields.fail(fields.at("version"),
                "version " + std::to_string(version) + " is not known, 1 is");
  const JsonValue *regions = fields.requiredArray("regions");
  const JsonValue *tensors = fields.requiredArray("tensors");
  readAll(tensors, "a tensor", readTensor, fields, report.tensors);
  readAll(regions, "a region", readRegion, fields, report.regions);
  if (auto error = fields.finish())
    return *error;
  return report;
}

std::variant<std::vector<MemoryReport>, JsonError>
parseReports(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<MemoryReport> reports;
  int64_t line = 0;
  do {
    const size_t end = endOfValue(text);
    auto value = parseJson(text.substr(0, end));
    auto *error = std::get_if<JsonError>(&value);
    auto report = error ? *error : read(std::get<JsonValue>(value));
    if ((error = std::get_if<JsonError>(&report))) {
      error->line += line;
      return *error;
    }
    reports.push_back(std::move(std::get<MemoryReport>(report)));
    line += std::count(text.begin(), text.begin() + end, '\n');
    text.remove_prefix(end);
  } while (text.find_first_not_of(kSpace) != std::string_view::npos);
  return reports;
}

} // namespace tpu_mlir::report
