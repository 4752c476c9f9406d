//===- NetTrace.cpp - Memory and layer groups as a trace ------------------===//

#include "lib/Report/Trace/GroupTrace.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace tpu_mlir::report {

using llvm::json::Object;

namespace {

/// Microseconds of a step.
constexpr int64_t kStep = 1000;

class TraceWriter : TraceEvents {
public:
  TraceWriter(const TraceOptions &options, llvm::json::OStream &out)
      : TraceEvents(out), options(options) {}

  void addMemory(const MemoryReport &report);
  int64_t numProcesses() const { return process; }

private:
  void addRegion(const MemoryReport &report, const RegionRow &region);
  void addCounter(const std::vector<const TensorRow *> &rows, int64_t numSteps);
  void addSlices(std::vector<const TensorRow *> rows, int64_t base);
  void addSteps(const MemoryReport &report);
  const TraceOptions &options;
};

} // namespace

/// At each step where it changes, and 0 at the end.
void TraceWriter::addCounter(const std::vector<const TensorRow *> &rows,
                             int64_t numSteps) {
  std::map<int64_t, int64_t> changes{{0, 0}};
  for (const TensorRow *row : rows) {
    changes[row->held.begin] += row->bytes.length();
    changes[row->held.end] -= row->bytes.length();
  }
  changes[numSteps];
  int64_t sum = 0;
  for (const auto &[step, change] : changes) {
    sum += change;
    if (change == 0 && step != 0 && step != numSteps)
      continue;
    out.value(Object{{"ph", "C"},
                     {"name", "live bytes"},
                     {"pid", process},
                     {"tid", 0},
                     {"ts", step * kStep},
                     {"args", Object{{"bytes", sum}}}});
  }
}

/// In as few lanes as there are: each begins where the first one ends.
void TraceWriter::addSlices(std::vector<const TensorRow *> rows, int64_t base) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TensorRow *a, const TensorRow *b) {
                     return a->bytes.length() > b->bytes.length();
                   });
  rows.resize(std::min(rows.size(), options.maxTensors));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TensorRow *a, const TensorRow *b) {
                     return std::tuple(a->held.begin, a->bytes.begin) <
                            std::tuple(b->held.begin, b->bytes.begin);
                   });
  using Lane = std::pair<int64_t, int64_t>; // Free from this step; number.
  std::priority_queue<Lane, std::vector<Lane>, std::greater<Lane>> lanes;
  int64_t numLanes = 0;
  for (const TensorRow *row : rows) {
    int64_t lane = numLanes;
    if (!lanes.empty() && lanes.top().first <= row->held.begin) {
      lane = lanes.top().second;
      lanes.pop();
    } else {
      name("thread_name", ++numLanes, "lane " + std::to_string(lane));
    }
    lanes.push({row->held.end, lane});
    slice(row->name, lane + 1, {row->held.begin * kStep, row->held.end * kStep},
          Object{{"bytes", row->bytes.length()},
                 {"offset", saturatedSub(row->bytes.begin, base)},
                 {"address", llvm::formatv("{0:x}", row->bytes.begin).str()},
                 {"kind", row->kind}});
  }
}

void TraceWriter::addRegion(const MemoryReport &report,
                            const RegionRow &region) {
  std::vector<const TensorRow *> rows;
  for (const TensorRow &row : report.tensors)
    if (row.region == region.name && row.aliasOf.empty() && !row.held.empty())
      rows.push_back(&row);
  if (rows.empty())
    return;
  begin(report.module + ": " + region.name);
  addCounter(rows, report.numSteps);
  out.value(Object{{"ph", "i"},
                   {"name", "peak"},
                   {"s", "p"},
                   {"pid", process},
                   {"tid", 0},
                   {"ts", region.peakStep * kStep}});
  addSlices(std::move(rows), region.base);
}

void TraceWriter::addSteps(const MemoryReport &report) {
  begin(report.module + ": steps");
  name("thread_name", 1, "ops");
  for (size_t i = 0; i < std::min(report.steps.size(), options.maxSteps); ++i) {
    const StepRow &row = report.steps[i];
    Object args{{"name", llvm::json::fixUTF8(row.name)}};
    if (row.group)
      args["group"] = *row.group;
    slice(row.op, 1, {int64_t(i) * kStep, int64_t(i + 1) * kStep},
          std::move(args));
  }
}

void TraceWriter::addMemory(const MemoryReport &report) {
  for (const RegionRow &region : report.regions)
    addRegion(report, region);
  addSteps(report);
}

std::string renderTrace(const std::vector<MemoryReport> &memory,
                        const std::vector<LocalReport> &local,
                        const TraceOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream);
  out.object([&] {
    out.attribute("displayTimeUnit", "ms");
    out.attributeArray("traceEvents", [&] {
      TraceWriter writer(options, out);
      for (const MemoryReport &report : memory)
        writer.addMemory(report);
      GroupTrace groups(options, out, writer.numProcesses());
      for (const LocalReport &report : local)
        groups.add(report);
    });
  });
  stream << "\n";
  return text;
}

} // namespace tpu_mlir::report
