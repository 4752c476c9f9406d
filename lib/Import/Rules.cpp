//===- Rules.cpp - The table of rules -------------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/StringMap.h"

namespace tpu_mlir::importer {

namespace {

/// An op whose meaning an opset changed of which the rules know nothing.
struct Change {
  llvm::StringLiteral op;
  int64_t opset;
};

} // namespace

static llvm::ArrayRef<Rule> (*const kChapters[])() = {
    arithmeticRules, functionRules,  logicRules,   shapeRules,
    indexRules,      windowRules,    imageRules,   matrixRules,
    normRules,       reductionRules, sequenceRules};

/// Opsets 18 and up: attributes that became operands, new modes under old
/// names, other defaults. What only took in more types is not here.
static const Change kChanges[] = {{"GridSample", 20},
                                  {"Resize", 18},
                                  {"Pad", 19},
                                  {"AveragePool", 19},
                                  {"GroupNormalization", 21}};

static const llvm::StringMap<Rule> &table() {
  static const llvm::StringMap<Rule> all = [] {
    llvm::StringMap<Rule> map;
    for (auto *chapter : kChapters)
      for (const Rule &rule : chapter())
        map[rule.op] = rule;
    return map;
  }();
  return all;
}

const Rule *findRule(llvm::StringRef op) {
  auto found = table().find(op);
  return found == table().end() ? nullptr : &found->second;
}

bool hasRule(const std::string &op) { return findRule(op) != nullptr; }

std::string whyRefused(const Node &node) {
  for (const Change &change : kChanges)
    if (node.op == change.op && node.opset >= change.opset)
      return "it has another meaning since opset " +
             std::to_string(change.opset) + ", which is not known here";
  return "";
}

} // namespace tpu_mlir::importer
