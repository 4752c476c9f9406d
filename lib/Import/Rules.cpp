//===- Rules.cpp - The table of rules -------------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/StringExtras.h"

namespace tpu_mlir::importer {

namespace {

/// An op whose meaning an opset changed of which the rules know nothing.
struct Change {
  llvm::StringLiteral op;
  int64_t opset;
};

} // namespace

static void (*const kChapters[])(RuleTable &) = {
    addArithmeticRules, addFunctionRules, addImageRules, addIndexRules,
    addLogicRules,      addMatrixRules,   addNormRules,  addQuantizeRules,
    addReductionRules,  addSequenceRules, addShapeRules, addWindowRules};

/// Opsets 18 and up: attributes that became operands, new modes under old
/// names, other defaults. What only took in more types is not here.
static const Change kChanges[] = {{"GridSample", 20},
                                  {"Resize", 18},
                                  {"Pad", 19},
                                  {"AveragePool", 19},
                                  {"GroupNormalization", 21}};

void RuleTable::add(std::initializer_list<Rule> rules) {
  for (const Rule &rule : rules)
    builds[rule.op] = rule.build;
}

void RuleTable::add(llvm::StringRef ops, Build build) {
  for (llvm::StringRef op : llvm::split(ops, ' '))
    builds[op] = build;
}

Build findRule(llvm::StringRef op) {
  static const RuleTable table = [] {
    RuleTable all;
    for (auto *addChapter : kChapters)
      addChapter(all);
    return all;
  }();
  return table.find(op);
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
