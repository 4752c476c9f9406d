//===- LocalSchemaTest.cpp - The schema of reports on layer groups --------===//

#include "tests/schema/SchemaChecker.h"

#include "tpu_mlir/Report/LocalReport.h"

using namespace tpu_mlir;
using namespace tpu_mlir::report;
using namespace tpu_mlir::schema;

namespace {

LocalReport fullReport() {
  LocalReport report;
  report.module = "net";
  report.chip = "bm1684x";
  report.lanes = 64;
  report.laneBytes = 262144;
  report.banks = 16;
  report.euBytes = 64;
  report.numFreeLayers = 1;
  LocalGroupRow group;
  group.name = "a \xFF";
  group.location = "net.mlir:3:4";
  group.sections = {1, 2, 3, 4, 5};
  for (LocalEngine engine :
       {LocalEngine::Load, LocalEngine::Compute, LocalEngine::Store}) {
    LocalOpRow op;
    op.engine = engine;
    group.ops.push_back(op);
  }
  for (LocalKind kind :
       {LocalKind::Activation, LocalKind::Weight, LocalKind::ReloadedWeight,
        LocalKind::Result, LocalKind::Scratch}) {
    LocalBufferRow buffer;
    buffer.kind = kind;
    buffer.bytes = {64, 128};
    buffer.life = {{0, 1}, {2, 3}};
    group.buffers.push_back(buffer);
  }
  group.buffers.back().inPlaceOf = 0;
  report.groups = {group, LocalGroupRow()};
  LocalGlobalRow layer;
  layer.reason = "it is too large";
  report.globals = {layer, LocalGlobalRow()};
  return report;
}

TEST(LocalSchema, EveryFieldIsWrittenAndEveryWrittenFieldIsKnown) {
  Schema schema("local.schema.json");
  schema.apply(parsed(renderLocalJson(fullReport())));
  EXPECT_EQ(schema.problems, std::vector<std::string>());
  EXPECT_EQ(schema.used, schema.known());
}

TEST(LocalSchema, AnEmptyReportIsOne) {
  Schema schema("local.schema.json");
  schema.apply(parsed(renderLocalJson(LocalReport())));
  EXPECT_EQ(schema.problems, std::vector<std::string>());
}

TEST(LocalSchema, RejectsANegativeAddressAndNoSections) {
  LocalReport report = fullReport();
  report.groups[0].buffers[0].bytes.begin = -1;
  report.groups[1].sections[1] = 0;
  Schema schema("local.schema.json");
  schema.apply(parsed(renderLocalJson(report)));
  EXPECT_EQ(schema.problems, (std::vector<std::string>{
                                 "$.groups[].buffers[].begin violates minimum",
                                 "$.groups[].sections.c violates minimum"}));
}

} // namespace
