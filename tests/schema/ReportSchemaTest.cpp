//===- ReportSchemaTest.cpp - The schema of reports says what is written --===//

#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Report/MemoryReport.h"

using namespace tpu_mlir;
using namespace tpu_mlir::report;
using namespace tpu_mlir::schema;

namespace {

MemoryReport fullReport() {
  MemoryReport report;
  report.module = "net";
  report.chip = "bm1684x";
  report.ioMode = "basic";
  report.numSteps = 7;
  RegionRow neuron;
  neuron.name = "neuron";
  neuron.base = int64_t(1) << 40;
  neuron.usedBytes = 8192;
  neuron.capacityBytes = 16384;
  neuron.lowerBoundBytes = 4096;
  neuron.classicBytes = 12288;
  neuron.peakStep = 3;
  neuron.peakSet = {{"a", 4096, 0, "op", "made"},
                    {"b \xFF", 12, 4084, "order", "waits \xFF"}};
  neuron.changes = {{"'b \xFF' stays in local memory", 4096}};
  report.regions = {RegionRow(), neuron};
  for (const char *kind :
       {"weight", "input", "output", "activation", "scratch"}) {
    TensorRow row;
    row.name = kind;
    row.kind = kind;
    row.region = "neuron";
    row.bytes = {neuron.base, neuron.base + 4096};
    report.tensors.push_back(row);
  }
  TensorRow &view = report.tensors.back();
  view.life = {1, 5};
  view.aliasOf = "weight";
  view.aliasOffsetBytes = 64;
  view.location = "net.mlir:3:4";
  return report;
}

TEST(ReportSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("report.schema.json");
  schema.apply(parsed(renderJson(fullReport())));
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(ReportSchema, AnEmptyReportIsOne) {
  Schema schema("report.schema.json");
  schema.apply(parsed(renderJson(MemoryReport())));
  EXPECT_EQ(schema.problems, std::vector<std::string>());
}

TEST(ReportSchema, RejectsAReportWithAnotherKindOfTensor) {
  MemoryReport report = fullReport();
  report.tensors.front().kind = "gradient";
  Schema schema("report.schema.json");
  schema.apply(parsed(renderJson(report)));
  EXPECT_EQ(schema.problems,
            std::vector<std::string>{"$.tensors[].kind violates enum"});
}

} // namespace
