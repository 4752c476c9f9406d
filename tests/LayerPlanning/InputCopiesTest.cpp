//===- InputCopiesTest.cpp - Inputs that are loaded twice -----------------===//

#include "Networks.h"

#include "tpu_mlir/LayerPlanning/GroupPlan.h"

#include <gtest/gtest.h>

namespace tpu_mlir::layer {

namespace {

/// Heavy 1x1 convolutions on the way, and the input is added at the end.
NetworkBuilder residual(int numConvs) {
  NetworkBuilder net;
  const TensorId in = net.input(8, 64, 32);
  TensorId at = in;
  for (int i = 0; i < numConvs; ++i)
    at = net.conv(at, 8, 1, 1, 0);
  at = net.elementwise({at, in});
  net.graph.tensors[at].isReadOutside = true;
  return net;
}

TEST(InputCopiesTest, ReadByTheFirstAndTheLastLayer) {
  const NetworkBuilder net = residual(2);
  const auto copies = inputCopies(net.graph, net.order());
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].tensor, 0);
  EXPECT_EQ(copies[0].readers, std::vector<LayerId>{2});
}

TEST(InputCopiesTest, NotForNeighboursNorForWeights) {
  NetworkBuilder net;
  const TensorId in = net.input(8, 16, 16);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.elementwise({a, in});
  const TensorId c = net.elementwise({b});
  net.graph.tensors[c].isReadOutside = true;
  EXPECT_TRUE(inputCopies(net.graph, net.order()).empty());
  // A longer way round is worth a try.
  NetworkBuilder longer;
  const TensorId from = longer.input(8, 16, 16);
  TensorId at = longer.elementwise({from});
  for (int i = 0; i < 3; ++i)
    at = longer.elementwise({at});
  at = longer.elementwise({at, from});
  at = longer.elementwise({at});
  longer.graph.tensors[at].isReadOutside = true;
  const auto copies = inputCopies(longer.graph, longer.order());
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].readers, std::vector<LayerId>{4});
}

TEST(InputCopiesTest, TheCopyIsATensorOfItsOwn) {
  const NetworkBuilder net = residual(1);
  LayerGraph split = net.graph;
  addCopies(split, {{0, {1}}});
  const TensorId copy = static_cast<TensorId>(net.graph.tensors.size());
  ASSERT_EQ(split.tensors.size(), net.graph.tensors.size() + 1);
  EXPECT_EQ(split.layers[0].operands[0].tensor, 0);
  EXPECT_EQ(split.layers[1].operands[1].tensor, copy);
  EXPECT_EQ(split.tensors[copy].shape, net.graph.tensors[0].shape);
}

TEST(InputCopiesTest, CopiesCanBeTakenBack) {
  const NetworkBuilder net = residual(3);
  const std::vector<InputCopy> copies = inputCopies(net.graph, net.order());
  ASSERT_FALSE(copies.empty());
  LayerGraph graph = net.graph;
  addCopies(graph, copies);
  EXPECT_GT(graph.tensors.size(), net.graph.tensors.size());
  removeCopies(graph, copies);
  ASSERT_EQ(graph.tensors.size(), net.graph.tensors.size());
  for (size_t i = 0; i < graph.layers.size(); ++i)
    for (size_t k = 0; k < graph.layers[i].operands.size(); ++k)
      EXPECT_EQ(graph.layers[i].operands[k].tensor,
                net.graph.layers[i].operands[k].tensor);
}

/// The input would cost every section a row in which nothing computes.
TEST(InputCopiesTest, PaysWhereComputingTakesLonger) {
  const NetworkBuilder net = residual(3);
  target::ChipSpec chip = smallChip();
  chip.dmaBytesPerCycle = 64;
  GroupOptions options;
  options.objective = Objective::Cycles;
  options.cutChannels = false;
  const GroupPlanner planner(net.graph, chip, options);
  auto result = planner.plan(net.order());
  ASSERT_TRUE(std::holds_alternative<GroupPlan>(result));
  const GroupPlan &plan = std::get<GroupPlan>(result);
  EXPECT_GT(plan.draft.slices.sections[H], 1);
  ASSERT_EQ(plan.draft.changes.copies.size(), 1u);
  EXPECT_EQ(plan.draft.steps.numRows, 4);
  EXPECT_EQ(plan.draft.tensors.inputs.size(), 5u); // Twice in, three filters.
  EXPECT_LE(plan.placement.highWaterBytes, chip.laneBytes);
  // Bytes are moved for it: whoever minimises those does without.
  options.objective = Objective::Traffic;
  result = planner.plan(net.order());
  ASSERT_TRUE(std::holds_alternative<GroupPlan>(result));
  EXPECT_TRUE(std::get<GroupPlan>(result).draft.changes.copies.empty());
}

} // namespace

} // namespace tpu_mlir::layer
