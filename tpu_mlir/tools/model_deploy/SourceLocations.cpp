#include "tpu_mlir/tools/model_deploy/SourceLocations.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tpu_mlir::deploy {

/// Line and column of every line start, so that a lookup is a binary search.
static std::pair<unsigned, unsigned>
lineAndColumn(const std::vector<const char *> &lineStarts, const char *at) {
  auto next = llvm::upper_bound(lineStarts, at);
  size_t line = next - lineStarts.begin();
  return {line, at - *std::prev(next) + 1};
}

/// Parses `text` into `block`; `state` is given where it is worth its cost.
static LogicalResult parseInto(Block &block, const llvm::MemoryBuffer &text,
                               MLIRContext &context, AsmParserState *state) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text.getMemBufferRef()), llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  return parseAsmSourceFile(sources, &block, config, state);
}

OwningOpRef<ModuleOp> SourceLocations::parse(const std::string &path,
                                             MLIRContext &context) {
  file = path;
  Location here = FileLineColLoc::get(&context, path, 0, 0);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    emitCodedError(UnknownLoc::get(&context), ErrorCode::NotReadable,
                   "cannot read '" + path +
                       "': " + buffer.getError().message());
    return nullptr;
  }
  Block block;
  if (failed(parseInto(block, **buffer, context, nullptr)))
    return nullptr;
  text = std::move(*buffer);
  // Of a file no memory until it is looked at again.
  text->dontNeedIfMmap();

  ModuleOp module;
  if (llvm::hasSingleElement(block))
    module = dyn_cast<ModuleOp>(block.front());
  if (!module) {
    emitCodedError(here, ErrorCode::NotReadable,
                   "the file has to hold exactly one module");
    return nullptr;
  }
  module->remove();
  OwningOpRef<ModuleOp> owned(module);
  if (failed(verify(module)))
    return nullptr;
  return owned;
}

/// Parses the text, which had no errors, once more.
void SourceLocations::findPositions(MLIRContext &context) {
  const std::unique_ptr<llvm::MemoryBuffer> read = std::move(text);
  AsmParserState state;
  Block block;
  if (!read || failed(parseInto(block, *read, context, &state)))
    return;
  std::vector<const char *> lineStarts{read->getBufferStart()};
  for (const char *c = read->getBufferStart(); c != read->getBufferEnd(); ++c)
    if (*c == '\n')
      lineStarts.push_back(c + 1);
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs()) {
    const auto position = lineAndColumn(lineStarts, op.loc.Start.getPointer());
    positions.try_emplace(op.op->getLoc(), position);
    // The results of an op with several are named by the parts.
    if (auto fused = dyn_cast<FusedLoc>(op.op->getLoc()))
      for (Location part : fused.getLocations())
        positions.try_emplace(part, position);
  }
  // Locations that say nothing are shared by unrelated ops.
  positions.erase(Location(UnknownLoc::get(&context)));
}

/// The first of the location and its parts that is known.
SourceLocations::Positions::const_iterator
SourceLocations::find(Location location) const {
  auto found = positions.find(location);
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (found == positions.end())
        found = find(part);
  return found;
}

std::string SourceLocations::describe(Location location) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto position = dyn_cast<FileLineColLoc>(location)) {
    out << position.getFilename().getValue();
    if (position.getLine())
      out << ":" << position.getLine() << ":" << position.getColumn();
    return text;
  }
  findPositions(*location->getContext());
  if (auto found = find(location); found != positions.end()) {
    out << file << ":" << found->second.first << ":" << found->second.second;
  } else if (auto name = location->findInstanceOf<NameLoc>()) {
    out << file << ": '" << name.getName().getValue() << "'";
  } else {
    out << file;
  }
  return text;
}

std::string SourceLocations::render(Diagnostic &diagnostic) {
  auto kind = [](DiagnosticSeverity severity) {
    switch (severity) {
    case DiagnosticSeverity::Note:
      return "note";
    case DiagnosticSeverity::Warning:
      return "warning";
    case DiagnosticSeverity::Error:
      return "error";
    case DiagnosticSeverity::Remark:
      return "remark";
    }
    return "";
  };
  std::string text;
  llvm::raw_string_ostream out(text);
  auto line = [&](Diagnostic &one) {
    out << describe(one.getLocation()) << ": " << kind(one.getSeverity())
        << ": " << one.str() << "\n";
  };
  line(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    line(note);
  return text;
}

} // namespace tpu_mlir::deploy
