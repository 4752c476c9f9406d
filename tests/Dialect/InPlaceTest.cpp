//===- InPlaceTest.cpp - Which ops share bytes ----------------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

/// "0<1@16" is result 1 in operand 0 at byte 16, "0>1@16" operand 0 in result
/// 1; "!" required, "*" overwrites.
std::string show(ArrayRef<InPlaceEdge> edges) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const InPlaceEdge &edge : edges) {
    bool inOperand = edge.direction == InPlaceEdge::Direction::ResultInOperand;
    os << (text.empty() ? "" : " ") << edge.operand << (inOperand ? '<' : '>')
       << edge.result << '@' << edge.offsetBytes << (edge.required ? "!" : "")
       << (edge.overwrites ? "*" : "");
  }
  return text;
}

class InPlaceTest : public ::testing::Test {
protected:
  /// The edges of the op called `name`.
  std::string edges(StringRef name, StringRef ops) {
    auto module = context.parseOps(
        "%x: tensor<8x4xi8>, %n: none, %s: tensor<2xi32>", ops);
    if (!module)
      return "does not parse";
    return show(
        cast<InPlaceOpInterface>(findOp(*module, name)).getInPlaceEdges());
  }

  /// The edges of a slice of `from`; `attributes` without braces.
  std::string slice(StringRef attributes, StringRef from, StringRef to) {
    return edges("tpu.Slice",
                 ("%a = \"top.Weight\"() : () -> " + from +
                  "\n%0 = \"tpu.Slice\"(%a, %n, %n, %n, %n) {" + attributes +
                  "} : (" + from + ", none, none, none, none) -> " + to)
                     .str());
  }
  TestContext context;
};

TEST_F(InPlaceTest, Views) {
  EXPECT_EQ(
      edges("tpu.Reshape",
            R"(%0 = "tpu.Reshape"(%x) : (tensor<8x4xi8>) -> tensor<32xi8>)"),
      "0<0@0");
  EXPECT_EQ(
      edges(
          "tpu.Unsqueeze",
          R"(%0 = "tpu.Unsqueeze"(%x) : (tensor<8x4xi8>) -> tensor<1x8x4xi8>)"),
      "0<0@0");
  EXPECT_EQ(
      edges(
          "tpu.Squeeze",
          R"(%0 = "tpu.Squeeze"(%x, %n) : (tensor<8x4xi8>, none) -> tensor<8x4xi8>)"),
      "0<0@0");
  EXPECT_EQ(
      edges("top.Reshape",
            R"(%0 = "top.Reshape"(%x) : (tensor<8x4xi8>) -> tensor<32xi8>)"),
      "0<0@0");
  EXPECT_EQ(
      edges(
          "tpu.Weight2Activation",
          R"(%0 = "tpu.Weight2Activation"(%x) : (tensor<8x4xi8>) -> tensor<8x4xi8>)"),
      "0<0@0");
}

TEST_F(InPlaceTest, ViewsOfOtherSizes) {
  EXPECT_EQ(
      edges("tpu.Reshape",
            R"(%0 = "tpu.Reshape"(%x) : (tensor<8x4xi8>) -> tensor<32xi16>)"),
      "");
  EXPECT_EQ(
      edges("tpu.Reshape",
            R"(%0 = "tpu.Reshape"(%x) : (tensor<8x4xi8>) -> tensor<?xi8>)"),
      "");
  EXPECT_EQ(edges("tpu.Reshape", R"(%0 = "tpu.Reshape"(%n) : (none) -> none)"),
            "");
}

TEST_F(InPlaceTest, SliceOfOneAxis) {
  EXPECT_EQ(slice("offset = [0, 32, 0, 0], ends = [-1, 64, -1, -1], steps = "
                  "[1, 1, 1, 1], axes = []",
                  "tensor<1x64x160x160xi8>", "tensor<1x32x160x160xi8>"),
            "0<0@819200");
  EXPECT_EQ(slice("offset = [3, 0], ends = [5, 4], steps = [1, 1]",
                  "tensor<8x4xf16>", "tensor<2x4xf16>"),
            "0<0@24");
  // At the end of the input, from 0, and of nothing.
  EXPECT_EQ(slice("offset = [6, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "0<0@48");
  EXPECT_EQ(slice("offset = [0, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "0<0@0");
  EXPECT_EQ(slice("offset = [8, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<0x4xf16>"),
            "0<0@64");
}

TEST_F(InPlaceTest, SliceOffsetsFromTheEnd) {
  EXPECT_EQ(slice("offset = [0, 0, -4], ends = [1, 6144, 9223372036854775807], "
                  "steps = [1, 1, 1]",
                  "tensor<1x1x1024xbf16>", "tensor<1x1x4xbf16>"),
            "0<0@2040");
  EXPECT_EQ(slice("offset = [-9, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "");
}

TEST_F(InPlaceTest, SliceWithAxes) {
  EXPECT_EQ(slice("offset = [5], ends = [7], steps = [1], axes = [0]",
                  "tensor<8x4xf16>", "tensor<2x4xf16>"),
            "0<0@40");
  EXPECT_EQ(slice("offset = [5], ends = [7], steps = [1], axes = [-2]",
                  "tensor<8x4xf16>", "tensor<2x4xf16>"),
            "0<0@40");
  EXPECT_EQ(slice("offset = [5], steps = [1], axes = [2]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [5, 0, 0], steps = [1, 1, 1], axes = [0]",
                  "tensor<8x4xf16>", "tensor<2x4xf16>"),
            "");
}

TEST_F(InPlaceTest, SliceThatIsNoRunOfMemory) {
  // Rows are cut.
  EXPECT_EQ(slice("offset = [0, 2], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<8x2xf16>"),
            "");
  // But one row is a run.
  EXPECT_EQ(slice("offset = [0, 2], steps = [1, 1]", "tensor<1x4xf16>",
                  "tensor<1x2xf16>"),
            "0<0@4");
  // Two axes; none; every second row.
  EXPECT_EQ(slice("offset = [0, 2], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<1x2xf16>"),
            "");
  EXPECT_EQ(slice("offset = [0, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<8x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [0, 0], steps = [2, 1]", "tensor<8x4xf16>",
                  "tensor<4x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [7, 0], steps = [-1, 1]", "tensor<8x4xf16>",
                  "tensor<4x4xf16>"),
            "");
}

TEST_F(InPlaceTest, SliceThatDoesNotFit) {
  EXPECT_EQ(slice("offset = [7, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [9223372036854775807, 0], steps = [1, 1]",
                  "tensor<8x4xf16>", "tensor<2x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [0, 1], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<2x4xf16>"),
            "");
  EXPECT_EQ(
      slice("offset = [0], steps = [1]", "tensor<8x4xf16>", "tensor<2x4xf16>"),
      "");
  EXPECT_EQ(slice("", "tensor<8x4xf16>", "tensor<2x4xf16>"), "");
  EXPECT_EQ(slice("offset = [0, 0], steps = [1, 1]", "tensor<?x4xf16>",
                  "tensor<2x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [0, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<?x4xf16>"),
            "");
  EXPECT_EQ(slice("offset = [0, 0], steps = [1, 1]", "tensor<8x4xf16>",
                  "tensor<8xf16>"),
            "");
}

TEST_F(InPlaceTest, SliceOfPackedElements) {
  EXPECT_EQ(slice("offset = [4], steps = [1]", "tensor<8xi4>", "tensor<2xi4>"),
            "0<0@2");
  // Starts or ends inside a byte.
  EXPECT_EQ(slice("offset = [3], steps = [1]", "tensor<8xi4>", "tensor<2xi4>"),
            "");
  EXPECT_EQ(slice("offset = [4], steps = [1]", "tensor<8xi4>", "tensor<3xi4>"),
            "");
}

TEST_F(InPlaceTest, SliceThatConverts) {
  EXPECT_EQ(
      slice("offset = [4], steps = [1]", "tensor<8xf16>", "tensor<2xbf16>"),
      "");
  EXPECT_EQ(slice("offset = [4], steps = [1]",
                  "tensor<8x!quant.uniform<i8:f32, 0.5>>",
                  "tensor<2x!quant.uniform<i8:f32, 0.25>>"),
            "");
}

TEST_F(InPlaceTest, SliceOfRunTimeOffset) {
  EXPECT_EQ(
      edges(
          "tpu.Slice",
          R"(%0 = "tpu.Slice"(%x, %s, %n, %n, %n) {offset = [1, 0], steps = [1, 1]}
      : (tensor<8x4xi8>, tensor<2xi32>, none, none, none) -> tensor<2x4xi8>)"),
      "");
  // The last operand is scratch and changes nothing.
  EXPECT_EQ(
      edges(
          "tpu.Slice",
          R"(%0 = "tpu.Slice"(%x, %n, %n, %n, %s) {offset = [1, 0], steps = [1, 1]}
      : (tensor<8x4xi8>, none, none, none, tensor<2xi32>) -> tensor<2x4xi8>)"),
      "0<0@4");
  EXPECT_EQ(edges("tpu.Slice",
                  R"(%0 = "tpu.Slice"(%x) {offset = [1, 0], steps = [1, 1]}
      : (tensor<8x4xi8>) -> tensor<2x4xi8>)"),
            "0<0@4");
}

TEST_F(InPlaceTest, Concat) {
  StringRef ops =
      R"(%a = "tpu.Reshape"(%x) : (tensor<8x4xi8>) -> tensor<1x32xi8>
      %b = "top.Weight"() : () -> tensor<1x5xi8>
      %0 = "tpu.Concat"(%a, %b, %a) {axis = 1 : si32, only_merge = true}
        : (tensor<1x32xi8>, tensor<1x5xi8>, tensor<1x32xi8>) -> tensor<1x69xi8>)";
  EXPECT_EQ(edges("tpu.Concat", ops), "0>0@0! 1>0@32! 2>0@37!");
  EXPECT_EQ(edges("tpu.Concat", R"(%0 = "tpu.Concat"(%x, %x) {axis = 0 : si32}
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<16x4xi8>)"),
            "");
  EXPECT_EQ(
      edges("tpu.Concat",
            R"(%0 = "tpu.Concat"(%x, %x) {axis = 0 : si32, only_merge = true}
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<?x4xi8>)"),
      "");
}

TEST_F(InPlaceTest, Cores) {
  EXPECT_EQ(edges("tpu.CoreSplit", R"(%0:3 = "tpu.CoreSplit"(%x)
      : (tensor<8x4xi8>) -> (tensor<3x4xi8>, tensor<3x4xi8>, tensor<2x4xi8>))"),
            "0<0@0! 0<1@12! 0<2@24!");
  EXPECT_EQ(edges("tpu.CoreJoin", R"(%0 = "tpu.CoreJoin"(%x, %x)
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<16x4xi8>)"),
            "0>0@0! 1>0@32!");
  // Pieces that overlap are not one after the other.
  EXPECT_EQ(edges("tpu.CoreSplit", R"(%0:2 = "tpu.CoreSplit"(%x)
      : (tensor<8x4xi8>) -> (tensor<5x4xi8>, tensor<5x4xi8>))"),
            "");
}

TEST_F(InPlaceTest, CoresPartsThatAreRuns) {
  // Rows that are cut, one after the other.
  EXPECT_EQ(
      edges("tpu.CoreSplit", R"(%w = "top.Weight"() : () -> tensor<2x3xi32>
      %0:4 = "tpu.CoreSplit"(%w) {axis = 1 : si32} : (tensor<2x3xi32>)
      -> (tensor<1x2xi32>, tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x1xi32>))"),
      "0<0@0! 0<1@8! 0<2@12! 0<3@20!");
  EXPECT_EQ(
      edges("tpu.CoreJoin", R"(%a = "top.Weight"() : () -> tensor<1x1x20xi8>
      %b = "top.Weight"() : () -> tensor<1x1x12xi8>
      %0 = "tpu.CoreJoin"(%a, %b) {axis = -1 : si32}
      : (tensor<1x1x20xi8>, tensor<1x1x12xi8>) -> tensor<1x1x32xi8>)"),
      "0>0@0! 1>0@20!");
}

TEST_F(InPlaceTest, CoresPartsThatAreNoRuns) {
  EXPECT_EQ(
      edges("tpu.CoreSplit", R"(%0:2 = "tpu.CoreSplit"(%x) {axis = 1 : si32}
      : (tensor<8x4xi8>) -> (tensor<8x2xi8>, tensor<8x2xi8>))"),
      "");
  EXPECT_EQ(
      edges("tpu.CoreJoin", R"(%0 = "tpu.CoreJoin"(%x, %x) {axis = -1 : si32}
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<8x8xi8>)"),
      "");
  EXPECT_EQ(edges("tpu.Join", R"(%0 = "tpu.Join"(%x, %x) {axis = 1 : si32}
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<8x8xi8>)"),
            "");
  // Parts that go on in the next row, and those of another shape or width.
  EXPECT_EQ(
      edges("tpu.CoreSplit", R"(%w = "top.Weight"() : () -> tensor<2x3xi32>
      %0:3 = "tpu.CoreSplit"(%w)
      : (tensor<2x3xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>))"),
      "");
  EXPECT_EQ(edges("tpu.CoreSplit", R"(%0:2 = "tpu.CoreSplit"(%x)
      : (tensor<8x4xi8>) -> (tensor<16xi8>, tensor<16xi8>))"),
            "");
  EXPECT_EQ(edges("tpu.CoreSplit", R"(%0:2 = "tpu.CoreSplit"(%x)
      : (tensor<8x4xi8>) -> (tensor<2x4xi16>, tensor<2x4xi16>))"),
            "");
  // The second one begins inside a byte.
  EXPECT_EQ(edges("tpu.CoreSplit", R"(%w = "top.Weight"() : () -> tensor<2x3xi4>
      %0:2 = "tpu.CoreSplit"(%w)
      : (tensor<2x3xi4>) -> (tensor<1x3xi4>, tensor<1x3xi4>))"),
            "");
}

/// A counter that is read afterwards must not be counted up where it is.
TEST_F(InPlaceTest, CountersAreUpdated) {
  EXPECT_EQ(
      edges(
          "tpu.AutoIncrease",
          R"(%0 = "tpu.AutoIncrease"(%x) : (tensor<8x4xi8>) -> tensor<8x4xi8>)"),
      "0<0@0*");
}

TEST_F(InPlaceTest, Same) {
  EXPECT_EQ(edges("tpu.Identity", R"(%0:3 = "tpu.Identity"(%x, %n, %s)
      : (tensor<8x4xi8>, none, tensor<2xi32>) -> (tensor<8x4xi8>, none, tensor<2xi32>))"),
            "0<0@0 2<2@0");
  EXPECT_EQ(edges("tpu.Insert", R"(%0 = "tpu.Insert"(%x, %s, %n)
      : (tensor<8x4xi8>, tensor<2xi32>, none) -> tensor<8x4xi8>)"),
            "0<0@0*");
  EXPECT_EQ(edges("tpu.ConcatSlice", R"(%0 = "tpu.ConcatSlice"(%x, %x)
      : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<8x4xi8>)"),
            "0<0@0*");
  EXPECT_EQ(edges("tpu.BatchNormTrain",
                  R"(%0:5 = "tpu.BatchNormTrain"(%x, %s, %s, %n, %n)
      : (tensor<8x4xi8>, tensor<2xi32>, tensor<2xi32>, none, none)
      -> (tensor<8x4xi8>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>))"),
            "1<3@0* 2<4@0*");
  EXPECT_EQ(
      edges(
          "tpu.BatchNormTrain",
          R"(%0 = "tpu.BatchNormTrain"(%x) : (tensor<8x4xi8>) -> tensor<8x4xi8>)"),
      "");
}

TEST_F(InPlaceTest, PlaceByPlace) {
  const auto marked = [&](StringRef name, StringRef rest) {
    return edges(name, ("%0 = \"" + name + "\"" + rest).str());
  };
  // Only where the op is marked.
  EXPECT_EQ(marked("tpu.Active", "(%x) {mode = 1} : (tensor<8x4xi8>) -> "
                                 "tensor<8x4xi8>"),
            "");
  EXPECT_EQ(marked("tpu.Active",
                   "(%x) {in_place, mode = 1} : (tensor<8x4xi8>) -> "
                   "tensor<8x4xi8>"),
            "0<0@0*");
  // Not over what is spread, nor over elements of another width.
  EXPECT_EQ(edges("tpu.Add", R"(
    %a = "top.Weight"() : () -> tensor<1x4xi8>
    %0 = "tpu.Add"(%a, %x) {in_place} :
        (tensor<1x4xi8>, tensor<8x4xi8>) -> tensor<8x4xi8>)"),
            "1<0@0*");
  EXPECT_EQ(marked("tpu.Add",
                   "(%x, %x) {in_place} : (tensor<8x4xi8>, tensor<8x4xi8>) -> "
                   "tensor<8x4xi8>"),
            "0<0@0* 1<0@0*");
  EXPECT_EQ(marked("tpu.Cast", "(%x) {in_place} : (tensor<8x4xi8>) -> "
                               "tensor<8x4xf16>"),
            "");
  EXPECT_EQ(marked("tpu.Cast", "(%x) {in_place} : (tensor<8x4xi8>) -> "
                               "tensor<8x4xui8>"),
            "0<0@0*");
  // A row is read before any of its elements is known.
  EXPECT_EQ(marked("tpu.Softmax", "(%x, %n, %n, %n, %n) {axis = 1, in_place} : "
                                  "(tensor<8x4xi8>, none, none, none, none) "
                                  "-> tensor<8x4xi8>"),
            "");
  // In several passes: the first one may write what the second one reads.
  EXPECT_EQ(edges("tpu.Active", R"(
    %a = "tpu.Buffer"() : () -> tensor<8x4xi8>
    %0 = "tpu.Active"(%a) {in_place, mode = 1} :
        (tensor<8x4xi8>) -> tensor<8x4xi8>)"),
            "");
}

/// A group of one layer in two sections; `load` and `store` are where these
/// are along n.
std::string groupOf(StringRef load, StringRef store, StringRef attributes) {
  const auto info = [](StringRef along, int id) {
    return ("ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, "
            "buffer_size = 0, eu_align = true, " +
            along +
            ", c_idx = [0], c_slice = [4], d_idx = [0], d_slice = [1], "
            "h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [1], id = " +
            Twine(id) + ", stage = 1, group_type = 0>")
        .str();
  };
  return R"(%0 = "tpu.Group"(%x) ({
      %a = "tpu.Load"(%x) {)" +
         info(load, 0) + R"(} : (tensor<8x4xi8>) -> tensor<8x4xi8>
      %b = "tpu.Active"(%a) {mode = 1, )" +
         info(store, 1) + R"(} : (tensor<8x4xi8>) -> tensor<8x4xi8>
      %c = "tpu.Store"(%b, %n) {)" +
         info(store, 2) + R"(} : (tensor<8x4xi8>, none) -> tensor<8x4xi8>
      "tpu.Yield"(%c) : (tensor<8x4xi8>) -> ()
    }) {nsecs = 2, csecs = 1, dsecs = 1, hsecs = 1, wsecs = 1)" +
         attributes.str() + "} : (tensor<8x4xi8>) -> tensor<8x4xi8>";
}

TEST_F(InPlaceTest, GroupsThatStoreWhatTheyLoad) {
  const StringRef halves = "n_idx = [0, 4], n_slice = [4, 4]";
  const auto group = [&](StringRef load, StringRef store,
                         StringRef attributes) {
    return edges("tpu.Group", groupOf(load, store, attributes));
  };
  EXPECT_EQ(group(halves, halves, ""), "");
  EXPECT_EQ(group(halves, halves, ", in_place"), "0<0@0*");
  // The second section loads a row that the first one has written.
  EXPECT_EQ(group("n_idx = [0, 3], n_slice = [5, 5]", halves, ", in_place"),
            "");
  EXPECT_EQ(group("n_idx = [0, 3], n_slice = [5, 5]",
                  "n_idx = [0, 3], n_slice = [5, 5]", ", in_place"),
            "");
  // Every section loads all of it.
  EXPECT_EQ(group("n_idx = [0], n_slice = [8]", "n_idx = [0], n_slice = [8]",
                  ", in_place"),
            "");
  // A neighbour may run its load after the store.
  EXPECT_EQ(group(halves, halves, ", in_place, other_up_overlap_op = [3]"), "");
}

} // namespace
