//===- Rules.cpp - The table of rules -------------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/StringExtras.h"

namespace tpu_mlir::importer {

static void (*const kChapters[])(RuleTable &) = {
    addArithmeticRules, addFunctionRules, addImageRules, addIndexRules,
    addLogicRules,      addMatrixRules,   addNormRules,  addQuantizeRules,
    addReductionRules,  addSequenceRules, addShapeRules, addWindowRules};

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

} // namespace tpu_mlir::importer
