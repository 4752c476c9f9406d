//===- Commands.cpp - The tpuc-opt lines that stand for a run -------------===//

#include "tpu_mlir/tools/model_deploy/Commands.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace tpu_mlir::deploy {

/// The fields of a printed option list, "{a=1 b={x y}}".
static SmallVector<StringRef> splitOptions(StringRef text) {
  SmallVector<StringRef> fields;
  text = text.drop_front().drop_back();
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ' ' && depth == 0)) {
      fields.push_back(text.slice(begin, i));
      begin = i + 1;
    } else if (text[i] == '{' || text[i] == '}') {
      depth += text[i] == '{' ? 1 : -1;
    }
  }
  return fields;
}

std::string optionsNotIn(StringRef all, StringRef others) {
  const SmallVector<StringRef> known = splitOptions(others);
  std::string changed;
  for (StringRef field : splitOptions(all))
    if (!llvm::is_contained(known, field))
      changed += (changed.empty() ? "" : " ") + field.str();
  return changed;
}

static std::string word(bool value) { return value ? "true" : "false"; }

/// Nothing for what is not given.
static std::string entry(const char *name, const std::string &value) {
  return value.empty() ? "" : std::string(" ") + name + "=" + value;
}

/// The same of one that may have blanks in it.
static std::string list(const char *name, const std::string &value) {
  return value.empty() ? "" : std::string(" ") + name + "={" + value + "}";
}

std::string describeReorder(const ReorderOptions &options) {
  const std::string alignment =
      options.alignment ? std::to_string(options.alignment) : "";
  return "in-place=" + word(options.inPlace) +
         entry("io-mode", options.ioMode) +
         entry("same-addr", options.sameAddr) + list("pools", options.pools) +
         list("pins", options.pins) +
         entry("pool-io", options.poolIo ? "true" : "") +
         entry("l2", options.l2 ? "" : "false") +
         entry("alignment", alignment) + entry("chip", options.chip) +
         entry("chip-file", options.chipFile);
}

std::string describeStrip(const StripIoCastOptions &options) {
  return "inputs=" + word(options.inputs) +
         " outputs=" + word(options.outputs) +
         entry("input-list", options.inputList) +
         entry("output-list", options.outputList);
}

std::string describeGroups(const LocalMemoryOptions &options) {
  const std::string limit =
      options.maxLayers ? std::to_string(options.maxLayers) : "";
  return "search=" + options.search.getValue() +
         " objective=" + options.objective.getValue() +
         entry("max-layers", limit) + list("keep-local", options.keepLocal) +
         (options.maxRecompute == LocalMemoryOptions().maxRecompute
              ? ""
              : " max-recompute=" + std::to_string(options.maxRecompute)) +
         (options.lineBuffers ? " line-buffers=true" : "") +
         list("pools", options.pools) + (options.l2 ? "" : " l2=false") +
         (options.merges ? " merges=true" : "") +
         (options.overlap ? "" : " overlap=false") +
         (options.regroup ? " regroup=true" : " remarks=false") +
         entry("chip", options.chip) + entry("chip-file", options.chipFile);
}

std::string describeChip(const LocalMemoryOptions &options) {
  const std::string chip =
      entry("chip", options.chip) + entry("chip-file", options.chipFile);
  return chip.empty() ? "" : "=\"" + chip.substr(1) + "\"";
}

bool hasUnknownDialects(ModuleOp module) {
  MLIRContext *context = module.getContext();
  bool found = false;
  AttrTypeWalker walker;
  walker.addWalk([&](OpaqueAttr attribute) {
    found |= !context->getLoadedDialect(attribute.getDialectNamespace());
  });
  walker.addWalk([&](OpaqueType type) {
    found |= !context->getLoadedDialect(type.getDialectNamespace());
  });
  const auto walkTypes = [&](auto types) {
    for (Type type : types)
      walker.walk(type);
  };
  module->walk([&](Operation *op) {
    found |= !op->getDialect();
    walker.walk(op->getAttrDictionary());
    walkTypes(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        walkTypes(block.getArgumentTypes());
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool hasGroups(ModuleOp module) {
  const auto stop = [](tpu::GroupOp) { return WalkResult::interrupt(); };
  return module.walk(stop).wasInterrupted();
}

} // namespace tpu_mlir::deploy
