//===- MemoryHover.cpp - What is known of the memory of a line ------------===//
//
// Parses the text with positions, collects the memory report of each module of
// functions, and looks for the report's rows by the addresses in the types.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/tpuc-lsp-server/MemoryHover.h"

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tpu_mlir::lsp {

namespace {

using Rows = std::multimap<std::string, report::TensorRow>;

Rows collectRows(Block &block) {
  Rows rows;
  block.walk<WalkOrder::PreOrder>([&](ModuleOp module) {
    if (module.getOps<func::FuncOp>().empty())
      return WalkResult::advance();
    FailureOr<target::ChipSpec> chip = resolveChip(module, "", "");
    if (failed(chip))
      return WalkResult::skip();
    auto report = memory_report::collectMemoryReport(module, *chip);
    if (succeeded(report))
      for (report::TensorRow &row : report->tensors)
        rows.emplace(row.name, std::move(row));
    return WalkResult::skip();
  });
  return rows;
}

std::string describeRow(const report::TensorRow &row) {
  std::string text =
      llvm::formatv("\n\n**{0}** {1}, {2}: `{3:x}` to `{4:x}`, {5}", row.name,
                    row.kind, row.region, row.bytes.begin, row.bytes.end,
                    formatExactBytes(row.bytes.length()));
  if (row.kind == "weight")
    text += "; alive always";
  else
    text += llvm::formatv("; alive in steps [{0}, {1})", row.life.begin,
                          row.life.end);
  if (!row.aliasOf.empty())
    text += llvm::formatv("; inside **{0}**, {1} from its start", row.aliasOf,
                          formatExactBytes(row.aliasOffsetBytes));
  return text;
}

std::string describeValues(ValueRange values, const Rows &rows) {
  std::string text;
  for (Value value : values) {
    // Names may repeat; the address of a type is its tensor's.
    auto [begin, end] = rows.equal_range(valueName(value));
    for (auto row = begin; row != end; ++row)
      if (std::next(begin) == end ||
          getAddress(value.getType()) == row->second.bytes.begin)
        text += describeRow(row->second);
  }
  return text;
}

} // namespace

std::map<int, std::string> describeMemory(StringRef text,
                                          const DialectRegistry &dialects) {
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  // What is wrong the server itself says where it stands.
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text),
                             llvm::SMLoc());
  Block block;
  AsmParserState positions;
  ParserConfig config(&context);
  if (failed(parseAsmSourceFile(sources, &block, config, &positions)))
    return {};
  const Rows rows = collectRows(block);
  std::map<int, std::string> lines;
  for (const AsmParserState::OperationDefinition &op : positions.getOpDefs()) {
    std::string found = describeValues(op.op->getResults(), rows);
    for (Region &region : op.op->getRegions())
      for (Block &inner : region)
        found += describeValues(inner.getArguments(), rows);
    if (found.empty())
      continue;
    // Results stand in front of the name of the op, on the same line.
    const auto [line, column] = sources.getLineAndColumn(op.loc.Start);
    lines[static_cast<int>(line) - 1] += found;
  }
  return lines;
}

} // namespace tpu_mlir::lsp
