#include "tpu_mlir/tools/model_deploy/SourceLocations.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tpu_mlir::deploy {

using Mark = const SourcePosition *;

/// `location` with every name in it at `position`. What names a file is as it
/// was.
static Location marked(Location location, Mark position) {
  if (isa<UnknownLoc>(location))
    return OpaqueLoc::get<Mark>(position, location);
  if (auto name = dyn_cast<NameLoc>(location))
    return NameLoc::get(name.getName(), marked(name.getChildLoc(), position));
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(marked(part, position));
    return FusedLoc::get(location->getContext(), parts, fused.getMetadata());
  }
  return location;
}

static Mark markOf(Location location) {
  auto opaque = location->findInstanceOf<OpaqueLoc>();
  return opaque ? OpaqueLoc::getUnderlyingLocationOrNull<Mark>(opaque)
                : nullptr;
}

static Location unmarked(Location location) {
  if (isa<OpaqueLoc>(location) && markOf(location))
    return cast<OpaqueLoc>(location).getFallbackLocation();
  if (auto name = dyn_cast<NameLoc>(location))
    return NameLoc::get(name.getName(), unmarked(name.getChildLoc()));
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(unmarked(part));
    return FusedLoc::get(location->getContext(), parts, fused.getMetadata());
  }
  return location;
}

/// Replaces the locations of all ops and block arguments, in a fixed order.
static void replaceLocations(ModuleOp module,
                             llvm::function_ref<Location(Location)> replace) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    op->setLoc(replace(op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(replace(argument.getLoc()));
  });
}

PlainLocations::PlainLocations(ModuleOp module) : module(module) {
  replaceLocations(module, [&](Location location) {
    marked.push_back(location);
    return unmarked(location);
  });
}

PlainLocations::~PlainLocations() {
  size_t next = 0;
  replaceLocations(module, [&](Location) { return marked[next++]; });
}

void SourceLocations::mark(const AsmParserState &state, StringRef text) {
  std::vector<const char *> lineStarts{text.begin()};
  for (const char &c : text)
    if (c == '\n')
      lineStarts.push_back(&c + 1);
  const auto markAt = [&](llvm::SMLoc at) {
    auto next = llvm::upper_bound(lineStarts, at.getPointer());
    positions.push_back(
        {static_cast<unsigned>(next - lineStarts.begin()),
         static_cast<unsigned>(at.getPointer() - *std::prev(next) + 1)});
    return &positions.back();
  };
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    if (!isa<ModuleOp>(op.op)) // What is said of a module is of the file.
      op.op->setLoc(marked(op.op->getLoc(), markAt(op.loc.Start)));
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [argument, definition] :
         llvm::zip(block.block->getArguments(), block.arguments))
      if (definition.loc.isValid())
        argument.setLoc(
            marked(argument.getLoc(), markAt(definition.loc.Start)));
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
  const StringRef text = (*buffer)->getBuffer();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  mark(state, text);

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

std::string SourceLocations::describe(Location location) const {
  const Mark position = markOf(location);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto here = dyn_cast<FileLineColLoc>(location)) {
    out << here.getFilename().getValue();
    if (here.getLine())
      out << ":" << here.getLine() << ":" << here.getColumn();
  } else if (position) {
    out << file << ":" << position->line << ":" << position->column;
  } else if (auto name = location->findInstanceOf<NameLoc>()) {
    out << file << ": '" << name.getName().getValue() << "'";
  } else {
    out << file;
  }
  return text;
}

std::string SourceLocations::render(Diagnostic &diagnostic) const {
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
