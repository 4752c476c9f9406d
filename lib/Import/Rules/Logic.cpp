//===- Logic.cpp - Comparisons and truth ----------------------------------===//

#include "lib/Import/Rule.h"

namespace tpu_mlir::importer {

Value alignedOperand(NodeContext &node, unsigned index);

/// And, Xor, Equal, Less and so on: the mode is called as the op.
static void buildCompare(NodeContext &node) {
  const Value left = node.in(0), right = alignedOperand(node, 1);
  node.give(0,
            node.layer("Compare", {left, right},
                       node.broadcast(left.shape, right.shape),
                       {{"mode", node.node.op}}),
            DataType::Bool);
}

static void buildNot(NodeContext &node) {
  node.give(0, node.compareConst("Not", node.in(), 0), DataType::Bool);
}

static void buildOr(NodeContext &node) {
  const Value sum = node.binary("Add", node.in(0), alignedOperand(node, 1));
  node.give(0, node.compareConst("Greater", sum, 0), DataType::Bool);
}

static void buildWhere(NodeContext &node) {
  node.give(0, node.where(node.in(0), node.in(1), node.in(2)), node.type(1));
}

void addLogicRules(RuleTable &rules) {
  rules.add({TPU_RULE(Not), TPU_RULE(Or), TPU_RULE(Where)});
  rules.add("And Equal Greater GreaterOrEqual Less LessOrEqual Xor",
            buildCompare);
}

} // namespace tpu_mlir::importer
