//===- OpRulesShape.cpp - Ops that move elements, structure ---------------===//

#include "lib/Transforms/ConvertTopToTpu/OpRules.h"

namespace tpu_mlir {

static void addViewRules(OpRules &rules) {
  rules.add("Reshape")
      .in(Compute::View)
      .operands(".i")
      .with("flatten_start_dim = -1 : i64, shape = []");
  for (auto name : {"Squeeze", "Unsqueeze"})
    rules.add(name).in(Compute::View);
  // Views whose new shape is that of the result.
  rules.add("View", "Reshape")
      .in(Compute::View)
      .take(1)
      .with("flatten_start_dim = -1 : i64, shape = []");
  rules.add("Flatten", "Reshape")
      .in(Compute::View)
      .take(1)
      .drop("start_dim")
      .drop("end_dim")
      .with("flatten_start_dim = -1 : i64, shape = []");
}

static void addMoveRules(OpRules &rules) {
  rules.add("Concat").in(Compute::Move).fusesRelu().with("only_merge = false");
  rules.add("Slice").in(Compute::Move).operands(".iii").pad(5);
  rules.add("StridedSlice").in(Compute::Move).operands(".iii");
  rules.add("Permute").in(Compute::Move).pad(2);
  rules.add("Depth2Space").in(Compute::Move).pad(2);
  rules.add("Pad")
      .in(Compute::Move)
      .operands(".i")
      .pad(5)
      .with("with_insert_zero = false");
  rules.add("Tile").in(Compute::Move).operands(".i").pad(3);
  rules.add("Expand").in(Compute::Move).operands(".i");
  for (auto name :
       {"ConcatSlice", "Split", "Unpack", "Pack", "Transpose", "ShuffleChannel",
        "SwapChannel", "SwapDimInner", "Reverse", "Roll", "Trilu"})
    rules.add(name).in(Compute::Move);
  rules.add("Insert").in(Compute::Move).operands("..i");

  rules.add("Upsample").fusesRelu();
  rules.add("Interp").operands(".i").pad(3);
}

static void addIndexedRules(OpRules &rules) {
  rules.add("Gather")
      .in(Compute::Move)
      .operands(".i")
      .pad(3)
      .with("if_neg_index = true");
  rules.add("GatherElements").in(Compute::Move).operands(".i").pad(3);
  rules.add("GatherND").in(Compute::Move).operands(".i").pad(4);
  rules.add("ScatterElements").in(Compute::Move).operands(".i.").pad(5);
  rules.add("ScatterND").in(Compute::Move).operands(".i.").pad(5);
  rules.add("IndexPut").in(Compute::Move).operands(".i.").pad(4);
  rules.add("ConstantFill").operands("i");
  // What counts is likely to be an index: f32 or integers.
  for (auto name : {"Arange", "Range"})
    rules.add(name).in(Compute::F32).operands("mmm");
  rules.add("Shape").operands("k").results("i");
}

static void addStructureRules(OpRules &rules) {
  rules.add("Custom");
  for (auto name : {"If", "Loop"})
    rules.add(name).in(Compute::Regions);
  rules.add("Yield").in(Compute::Regions);
}

void addShapeRules(OpRules &rules) {
  addViewRules(rules);
  addMoveRules(rules);
  addIndexedRules(rules);
  addStructureRules(rules);
}

} // namespace tpu_mlir
