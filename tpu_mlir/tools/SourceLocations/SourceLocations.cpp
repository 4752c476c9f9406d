//===- SourceLocations.cpp - Find the line of an op in the file -----------===//
//
// Marks locations after parsing and looks positions up in the text when a
// message asks for one.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/SourceLocations/SourceLocations.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Support/Properties.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tpu_mlir {

using Mark = const SourcePosition *;

/// A place in `file`; others are those of what it was made from.
static bool isIn(Location location, StringRef file) {
  auto here = dyn_cast<FileLineColRange>(location);
  return here && here.getFilename() == file;
}

/// `location` with every name in it, and every place in another file, at
/// `position`. What is in `file` is there already.
static Location marked(Location location, Mark position, StringRef file) {
  if (isa<UnknownLoc>(location) ||
      (isa<FileLineColRange>(location) && !isIn(location, file)))
    return OpaqueLoc::get<Mark>(position, location);
  if (auto name = dyn_cast<NameLoc>(location))
    return NameLoc::get(name.getName(),
                        marked(name.getChildLoc(), position, file));
  if (auto site = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(marked(site.getCallee(), position, file),
                            marked(site.getCaller(), position, file));
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(marked(part, position, file));
    return FusedLoc::get(location->getContext(), parts, fused.getMetadata());
  }
  return location;
}

static Mark markIn(OpaqueLoc location) {
  return OpaqueLoc::getUnderlyingLocationOrNull<Mark>(location);
}

static Mark markOf(Location location) {
  auto opaque = location->findInstanceOf<OpaqueLoc>();
  return opaque ? markIn(opaque) : nullptr;
}

static Location unmarked(Location location) {
  if (auto opaque = dyn_cast<OpaqueLoc>(location); opaque && markIn(opaque))
    return opaque.getFallbackLocation();
  if (auto name = dyn_cast<NameLoc>(location))
    return NameLoc::get(name.getName(), unmarked(name.getChildLoc()));
  if (auto site = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(unmarked(site.getCallee()),
                            unmarked(site.getCaller()));
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(unmarked(part));
    // Parts that differed by their marks alone are one, as when they are read.
    return FusedLoc::get(parts, fused.getMetadata(), location->getContext());
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

/// All ops but the module itself (what is said of that is of the file) and
/// block arguments, in the order of the text.
template <typename OnOp, typename OnArgument>
static void walkLocations(Block &file, OnOp onOp, OnArgument onArgument) {
  file.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp>(op))
      onOp(op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          onArgument(argument);
  });
}

void SourceLocations::mark(Block &file) {
  walkLocations(
      file,
      [&](Operation *op) {
        op->setLoc(marked(op->getLoc(), &positions.emplace_back(), parsed));
      },
      [&](BlockArgument argument) {
        argument.setLoc(
            marked(argument.getLoc(), &positions.emplace_back(), parsed));
      });
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

/// Parses the text, which had no errors, once more: the walk that marked finds
/// the same ops and arguments in the same order.
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
  auto next = positions.begin();
  const auto setNext = [&](llvm::SMRange range) {
    SourcePosition &position = *next++;
    if (!range.isValid())
      return;
    const char *at = range.Start.getPointer();
    const auto line = llvm::upper_bound(lineStarts, at);
    position.line = static_cast<unsigned>(line - lineStarts.begin());
    position.column = static_cast<unsigned>(at - *std::prev(line) + 1);
  };
  walkLocations(
      block,
      [&](Operation *op) {
        const auto *definition = state.getOpDef(op);
        setNext(definition ? definition->loc : llvm::SMRange());
      },
      [&](BlockArgument argument) {
        const auto *definition = state.getBlockDef(argument.getOwner());
        const unsigned index = argument.getArgNumber();
        setNext(definition && index < definition->arguments.size()
                    ? definition->arguments[index].loc
                    : llvm::SMRange());
      });
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
  text = propertiesAsAttributes(std::move(*buffer));
  parsed = text->getBufferIdentifier().str();
  Block block;
  if (failed(parseInto(block, *text, context, nullptr)))
    return nullptr;
  // Of a file no memory until it is looked at again.
  text->dontNeedIfMmap();
  mark(block);

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

std::string SourceLocations::describe(Location location) {
  const Mark position = markOf(location);
  if (position)
    findPositions(*location->getContext());
  std::string text;
  llvm::raw_string_ostream out(text);
  auto here = dyn_cast<FileLineColLoc>(location);
  if (here && (isIn(location, file) || isIn(location, parsed))) {
    out << here.getFilename().getValue();
    if (here.getLine())
      out << ":" << here.getLine() << ":" << here.getColumn();
  } else if (position && position->line) {
    out << file << ":" << position->line << ":" << position->column;
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

static DialectRegistry knownDialects() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

ModuleReader::ModuleReader(bool quiet)
    : context(knownDialects(), MLIRContext::Threading::DISABLED),
      handler(&context, [this, quiet](Diagnostic &diagnostic) {
        if (!quiet || diagnostic.getSeverity() == DiagnosticSeverity::Error)
          log::error(StringRef(sources.render(diagnostic)).rtrim());
      }) {
  log::setLevel(quiet ? log::Level::Error : log::Level::Info);
  context.allowUnregisteredDialects();
}

} // namespace tpu_mlir
