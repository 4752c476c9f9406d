//===- BufferAliasesTest.cpp - Which tensors share storage ----------------===//

#include "tests/Analysis/Tensor/Net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::HasSubstr;

namespace tpu_mlir::test {
namespace {

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TEST(Views, LieInTheirOperand) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<1x8x512xi8> loc("a")
    %s = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [1, 8, 512], offset = [0, -3, 0], steps = [1, 1, 1]} : (tensor<1x8x512xi8>, none, none, none, none) -> tensor<1x3x512xi8> loc("s")
    %r = "tpu.Reshape"(%s) : (tensor<1x3x512xi8>) -> tensor<1536xi8> loc("r")
    %i = "tpu.Identity"(%r) : (tensor<1536xi8>) -> tensor<1536xi8> loc("i")
    %n = "tpu.AutoIncrease"(%i) : (tensor<1536xi8>) -> tensor<1536xi8> loc("n")
    %y = "tpu.Active"(%n) : (tensor<1536xi8>) -> !t loc("y")
    return %y : !t
  )"));
  ASSERT_EQ(net.errors, "");
  for (const char *view : {"s", "r", "i", "n"}) {
    EXPECT_TRUE(net.share("a", view)) << view;
    EXPECT_EQ(net.distance("a", view), 5 * 512) << view;
  }
  EXPECT_FALSE(net.share("n", "y"));
  EXPECT_FALSE(net.share("x", "a"));
}

TEST(Views, OfAWeightAreTheWeight) {
  Net net(mainOf(R"(
    %w = "top.Weight"() : () -> !t loc("w")
    %a = "tpu.Weight2Activation"(%w) : (!t) -> !t loc("a")
    return %a : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("w", "a"));
  EXPECT_EQ(net.facts->aliases.classes()[net.storage("a").classId].weight,
            net.value("w"));
}

TEST(Views, AreCopiesWhereTheBytesAreNotOneRun) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<2x2048xi8> loc("a")
    %inner = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [2, 1024], offset = [0, 0], steps = [1, 1]} : (tensor<2x2048xi8>, none, none, none, none) -> tensor<2x1024xi8> loc("inner")
    %step = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [2, 2048], offset = [0, 0], steps = [2, 1]} : (tensor<2x2048xi8>, none, none, none, none) -> tensor<1x2048xi8> loc("step")
    %types = "tpu.Cast"(%a) : (tensor<2x2048xi8>) -> tensor<2x2048xi8> loc("types")
    return %x : !t
  )"));
  ASSERT_EQ(net.errors, "");
  for (const char *copy : {"inner", "step", "types"})
    EXPECT_FALSE(net.share("a", copy)) << copy;
}

/// A dynamic function computes offsets at run time.
TEST(Views, WithAnOffsetAreCopiesInDynamicFunctions) {
  Net net(mainOf(R"(
    %0:2 = func.call @dynamic(%x) : (!t) -> (tensor<1x4x512xi8>, !t)
    return %x : !t
  )") + R"(
    func.func @dynamic(%p: !t) -> (tensor<1x4x512xi8>, !t) attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {
      %none = "top.None"() : () -> none
      %a = "tpu.Active"(%p) : (!t) -> tensor<1x8x512xi8> loc("a")
      %s = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [1, 8, 512], offset = [0, 4, 0], steps = [1, 1, 1]} : (tensor<1x8x512xi8>, none, none, none, none) -> tensor<1x4x512xi8> loc("s")
      %r = "tpu.Reshape"(%a) : (tensor<1x8x512xi8>) -> !t loc("r")
      return %s, %r : tensor<1x4x512xi8>, !t
    })");
  ASSERT_EQ(net.errors, "");
  EXPECT_FALSE(net.share("a", "s"));
  EXPECT_TRUE(net.share("a", "r"));
}

TEST(Views, OfFourImagesNeedEqualBatches) {
  const std::string text = mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<4x64xi8> loc("a")
    %b = "tpu.Reshape"(%a) : (tensor<4x64xi8>) -> tensor<4x8x8xi8> loc("b")
    %c = "tpu.Reshape"(%a) : (tensor<4x64xi8>) -> tensor<2x128xi8> loc("c")
    %d = "tpu.Reshape"(%a) : (tensor<4x64xi8>) -> tensor<8x32xi8> loc("d")
    %e = "tpu.Active"(%x) : (!t) -> tensor<4x64xf32> loc("e")
    %f32 = "tpu.Reshape"(%e) : (tensor<4x64xf32>) -> tensor<2x128xf32> loc("f32")
    return %x : !t
  )");
  Net one(text), four(text, /*fourN=*/true);
  EXPECT_TRUE(one.share("a", "c") && one.share("a", "d"));
  EXPECT_TRUE(four.share("a", "b"));
  EXPECT_FALSE(four.share("a", "c"));
  EXPECT_FALSE(four.share("a", "d"));  // Equal bytes, another order.
  EXPECT_TRUE(four.share("e", "f32")); // An element fills the slot.
}

//===----------------------------------------------------------------------===//
// Merged concats
//===----------------------------------------------------------------------===//

TEST(Merges, PutTheirOperandsIntoTheResult) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<1x10xi8> loc("a")
    %b = "tpu.Active"(%x) : (!t) -> tensor<3x10xi8> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (tensor<1x10xi8>, tensor<3x10xi8>) -> tensor<4x10xi8> loc("c")
    %d = "tpu.Active"(%x) : (!t) -> tensor<2x10xi8> loc("d")
    %e = "tpu.Concat"(%d, %c) {axis = 0 : si32, only_merge = true} : (tensor<2x10xi8>, tensor<4x10xi8>) -> tensor<6x10xi8> loc("e")
    %plain = "tpu.Concat"(%d, %c) {axis = 0 : si32} : (tensor<2x10xi8>, tensor<4x10xi8>) -> tensor<6x10xi8> loc("plain")
    return %x : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_EQ(net.distance("e", "d"), 0);
  EXPECT_EQ(net.distance("e", "c"), 20);
  EXPECT_EQ(net.distance("e", "a"), 20);
  EXPECT_EQ(net.distance("e", "b"), 30);
  for (const char *piece : {"a", "b", "c", "d"})
    EXPECT_TRUE(net.share("e", piece)) << piece;
  EXPECT_FALSE(net.share("e", "plain"));
}

TEST(Merges, ThatCannotHoldAreErrors) {
  auto concat = [](const std::string &operands, const std::string &before) {
    return Net(mainOf(
                   before + "%c = \"tpu.Concat\"(" + operands +
                   R"() {axis = 0 : si32, only_merge = true} : (!t, !t) -> tensor<8192xi8>
      return %x : !t)"))
        .errors;
  };
  EXPECT_EQ(concat("%x, %k", ""), "");
  EXPECT_THAT(concat("%x, %x", ""), HasSubstr("TPUMEM-E008"));
  EXPECT_THAT(concat("%x, %w", "%w = \"top.Weight\"() : () -> !t\n"),
              HasSubstr("TPUMEM-E008"));
  EXPECT_THAT(concat("%x, %v", "%v = \"tpu.Reshape\"(%x) : (!t) -> !t\n"),
              HasSubstr("TPUMEM-E008"));
  // Pieces of two results at different places, but no third way round.
  EXPECT_THAT(
      concat(
          "%x, %k",
          R"(%d = "tpu.Concat"(%k, %x) {axis = 0 : si32, only_merge = true} : (!t, !t) -> tensor<8192xi8>)"
          "\n"),
      HasSubstr("TPUMEM-E008"));
}

/// A merge of two pieces of `piece` into one of `whole`.
std::string mergeOf(const std::string &piece, const std::string &whole) {
  return mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> )" +
                piece + R"( loc("a")
    %b = "tpu.Active"(%x) : (!t) -> )" +
                piece + R"( loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : ()" +
                piece + ", " + piece + ") -> " + whole + R"( loc("c")
    return %x : !t
  )");
}

/// Two images of a slot of four are not one after the other.
TEST(Merges, OfImagesInOneSlotAreErrors) {
  const std::string text = mergeOf("tensor<2x10xi8>", "tensor<4x10xi8>");
  EXPECT_EQ(Net(text).errors, "");
  EXPECT_THAT(Net(text, /*fourN=*/true).errors,
              HasSubstr("'b' is no run of bytes of its result on this chip; "
                        "clear 'only_merge' on the op [TPUMEM-E008]"));
}

TEST(Merges, OfWholeSlotsCountSlots) {
  Net bytes(mergeOf("tensor<4x10xi8>", "tensor<8x10xi8>"), /*fourN=*/true);
  EXPECT_EQ(bytes.errors, "");
  EXPECT_EQ(bytes.distance("c", "b"), 40);
  Net halves(mergeOf("tensor<2x10xf16>", "tensor<4x10xf16>"), /*fourN=*/true);
  EXPECT_EQ(halves.errors, "");
  EXPECT_EQ(halves.distance("c", "b"), 40);
}

/// An image by itself has a slot for each element, in the channels, too.
TEST(Merges, OfPartsOfOneImageCountSlots) {
  const std::string text = mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<1x3x5xi8> loc("a")
    %b = "tpu.Active"(%x) : (!t) -> tensor<1x4x5xi8> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 1 : si32, only_merge = true} : (tensor<1x3x5xi8>, tensor<1x4x5xi8>) -> tensor<1x7x5xi8> loc("c")
    return %x : !t
  )");
  Net one(text), four(text, /*fourN=*/true);
  EXPECT_EQ(one.errors, "");
  EXPECT_EQ(one.distance("c", "b"), 15);
  EXPECT_EQ(four.errors, "");
  EXPECT_EQ(four.distance("c", "b"), 60);
}

/// Weights are stored as they say themselves, here without slots.
TEST(Views, OfWeightsAreNoneOnFourImages) {
  const std::string text = mainOf(R"(
    %w = "top.Weight"() : () -> tensor<4x16xi8> loc("w")
    %r = "tpu.Reshape"(%w) : (tensor<4x16xi8>) -> tensor<4x4x4xi8> loc("r")
    return %x : !t
  )");
  EXPECT_TRUE(Net(text).share("w", "r"));
  EXPECT_FALSE(Net(text, /*fourN=*/true).share("w", "r"));
}

//===----------------------------------------------------------------------===//
// Several cores
//===----------------------------------------------------------------------===//

/// Elements of type `element`, split for two cores and joined.
std::string coresOf(const std::string &element) {
  std::string text = mainOf(R"(
    %w = "tpu.Active"(%x) : (!t) -> tensor<4x16xE> loc("w")
    %y = "tpu.CoreParallel"(%w) ({
      %p:2 = "tpu.CoreSplit"(%w) {axis = 0 : i64, size = 2 : i64} : (tensor<4x16xE>) -> (tensor<2x16xE>, tensor<2x16xE>) loc(fused["p0", "p1"])
      %a = "tpu.Active"(%p#0) : (tensor<2x16xE>) -> tensor<2x16xE> loc("a")
      %b = "tpu.Active"(%p#1) : (tensor<2x16xE>) -> tensor<2x16xE> loc("b")
      %j = "tpu.CoreJoin"(%a, %b) {axis = 0 : i64, size = 2 : i64} : (tensor<2x16xE>, tensor<2x16xE>) -> tensor<4x16xE> loc("j")
      "tpu.Yield"(%j) : (tensor<4x16xE>) -> ()
    }) : (tensor<4x16xE>) -> tensor<4x16xE> loc("y")
    return %x : !t
  )");
  for (size_t at; (at = text.find("16xE")) != std::string::npos;)
    text.replace(at, 4, "16x" + element);
  return text;
}

TEST(Cores, WorkOnPieces) {
  Net net(coresOf("f16"));
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("w", "p0") && net.share("w", "p1"));
  EXPECT_EQ(net.distance("w", "p1"), 64);
  EXPECT_TRUE(net.share("y", "j") && net.share("y", "a") &&
              net.share("y", "b"));
  EXPECT_EQ(net.distance("y", "b"), 64);
  EXPECT_FALSE(net.share("w", "y"));
}

TEST(Cores, SplitSlotsAndNotTheirImages) {
  EXPECT_THAT(Net(coresOf("i8"), /*fourN=*/true).errors,
              HasSubstr("'tpu.CoreSplit' emits no copy, but 'p1' is no run of "
                        "bytes of 'w' on this chip [TPUMEM-E008]"));
  Net halves(coresOf("f16"), /*fourN=*/true); // Two images a slot.
  EXPECT_EQ(halves.errors, "");
  EXPECT_EQ(halves.distance("w", "p1"), 64);
}

TEST(Cores, PartsYieldTheResultsOneAfterTheOther) {
  Net net(mainOf(R"(
    %y:3 = "tpu.GroupParallel"(%x) ({
      %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
      "tpu.Yield"(%a, %k) : (!t, !t) -> ()
    }, {
      %b = "tpu.Active"(%x) : (!t) -> !t loc("b")
      "tpu.Yield"(%b) : (!t) -> ()
    }) : (!t) -> (!t, !t, !t) loc(fused["y0", "y1", "y2"])
    return %x : !t
  )"));
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("y0", "a"));
  EXPECT_FALSE(net.share("y1", "k")); // From outside: copied.
  EXPECT_TRUE(net.share("y2", "b"));
  EXPECT_FALSE(net.share("y0", "y2"));
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

std::string ifOf(const std::string &then, const std::string &otherwise,
                 const std::string &behind = "") {
  return mainOf("%r:2 = \"tpu.If\"(%f) ({\n" + then + "}, {\n" + otherwise +
                "}) : (!c) -> (!t, !t) loc(fused[\"r0\", \"r1\"])\n" + behind +
                "return %x : !t\n");
}
std::string computed(const std::string &name) {
  return "%" + name + " = \"tpu.Active\"(%x) : (!t) -> !t loc(\"" + name +
         "\")\n";
}
std::string yields(const std::string &a, const std::string &b) {
  return "\"tpu.Yield\"(%" + a + ", %" + b + ") : (!t, !t) -> ()\n";
}

TEST(Branches, YieldIntoTheResults) {
  Net net(ifOf(computed("a") + computed("b") + yields("a", "b"),
               computed("c") + computed("d") + yields("c", "d")));
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("r0", "a") && net.share("r0", "c"));
  EXPECT_TRUE(net.share("r1", "b") && net.share("r1", "d"));
  EXPECT_FALSE(net.share("r0", "r1"));
}

/// A branch that copies into both results keeps them apart, even if another
/// one yields the same value twice.
TEST(Branches, ThatCopyKeepTheResultsApart) {
  for (auto &[then, otherwise] :
       {std::pair(yields("x", "k"), computed("u") + yields("u", "u")),
        std::pair(computed("u") + yields("u", "u"), yields("x", "k"))}) {
    Net net(ifOf(then, otherwise));
    ASSERT_EQ(net.errors, "");
    EXPECT_FALSE(net.share("r0", "r1"));
    EXPECT_FALSE(net.share("r0", "x") || net.share("r1", "k"));
  }
}

/// The copy of one branch must not hit what another result has in place.
TEST(Branches, ThatCopyDoNotHitAnotherResult) {
  Net net(
      ifOf(computed("v") + yields("x", "v"), computed("u") + yields("u", "u")));
  ASSERT_EQ(net.errors, "");
  EXPECT_FALSE(net.share("r0", "r1"));
  EXPECT_TRUE(net.share("r1", "v"));
}

TEST(Branches, DoNotYieldWeightsInPlace) {
  const std::string weight = "%w = \"top.Weight\"() : () -> !t loc(\"w\")\n";
  Net net(ifOf(weight + computed("a") + yields("w", "a"),
               computed("c") + computed("d") + yields("c", "d")));
  ASSERT_EQ(net.errors, "");
  EXPECT_FALSE(net.share("r0", "w"));
  EXPECT_TRUE(net.share("r0", "c"));
}

/// What a merged concat needs comes first: the branch then copies.
TEST(Branches, GiveWayToMerges) {
  Net net(ifOf(
      computed("a") + computed("b") +
          R"(%in = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (!t, !t) -> tensor<8192xi8> loc("in"))"
          "\n" +
          yields("a", "a"),
      computed("c") + computed("d") + yields("c", "d"),
      computed("z") +
          R"(%out = "tpu.Concat"(%r#0, %z) {axis = 0 : si32, only_merge = true} : (!t, !t) -> tensor<8192xi8> loc("out"))"
          "\n"));
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("in", "b") && net.share("out", "z"));
  EXPECT_FALSE(net.share("in", "out"));
  EXPECT_TRUE(net.share("out", "c"));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST(Calls, PassBuffers) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> !t loc("a")
    %0:3 = func.call @s(%a, %none, %k) : (!t, none, !t) -> (!t, !t, none) loc(fused["y0", "y1", "y2"])
    return %0#0 : !t
  )") + R"(
    func.func @s(%p: !t loc("p"), %n: none, %q: !t loc("q")) -> (!t, !t, none) {
      %b = "tpu.Add"(%p, %q) : (!t, !t) -> !t loc("b")
      return %b, %p, %n : !t, !t, none
    })");
  ASSERT_EQ(net.errors, "");
  EXPECT_TRUE(net.share("a", "p") && net.share("a", "y1"));
  EXPECT_TRUE(net.share("k", "q"));
  EXPECT_TRUE(net.share("b", "y0"));
  // What people know it by, not the call or the argument.
  const auto &classes = net.facts->aliases.classes();
  EXPECT_EQ(classes[net.storage("y0").classId].representative(),
            net.value("b"));
}

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

std::string updateOf(const std::string &update,
                     const std::string &behind = "") {
  return mainOf(computed("a") + computed("b") + update + behind +
                "return %x : !t\n");
}
const std::string kInsert =
    "%u = \"tpu.Insert\"(%a, %b) : (!t, !t) -> !t loc(\"u\")\n";

TEST(Updates, TakeThePlaceOfWhatDies) {
  EXPECT_TRUE(Net(updateOf(kInsert)).share("a", "u"));
  EXPECT_TRUE(Net(updateOf("%u = \"tpu.ConcatSlice\"(%a, %b) : (!t, !t) -> !t "
                           "loc(\"u\")\n"))
                  .share("a", "u"));
  Net statistics(updateOf(
      R"(%n:5 = "tpu.BatchNormTrain"(%x, %a, %b) : (!t, !t, !t) -> (!t, !t, !t, !t, !t) loc(fused["n0", "n1", "n2", "n3", "n4"])
      )"));
  EXPECT_TRUE(statistics.share("a", "n3") && statistics.share("b", "n4"));
  EXPECT_FALSE(statistics.share("x", "n0") || statistics.share("a", "n1"));
}

TEST(Updates, LeaveAloneWhatIsReadLater) {
  EXPECT_FALSE(Net(updateOf(kInsert, "%c = \"tpu.Active\"(%a) : (!t) -> !t\n"))
                   .share("a", "u"));
  // Through a view, or from inside a group that does not list it.
  EXPECT_FALSE(Net(updateOf("%v = \"tpu.Reshape\"(%a) : (!t) -> !t\n" + kInsert,
                            "%c = \"tpu.Active\"(%v) : (!t) -> !t\n"))
                   .share("a", "u"));
  EXPECT_FALSE(Net(updateOf(kInsert, R"(%g = "tpu.Group"() ({
      %l = "tpu.Load"(%a) : (!t) -> !t
      %s = "tpu.Store"(%l) : (!t) -> !t
      "tpu.Yield"(%s) : (!t) -> ()
    }) : () -> !t
    )"))
                   .share("a", "u"));
}

TEST(Updates, LeaveAloneWhatTheOpReadsTwice) {
  auto shares = [](const std::string &operands, const std::string &before) {
    return Net(updateOf(before + "%u = \"tpu.Insert\"(" + operands +
                        ") : (!t, !t) -> !t loc(\"u\")\n"))
        .share("a", "u");
  };
  EXPECT_TRUE(shares("%a, %b", ""));
  EXPECT_FALSE(shares("%a, %a", ""));
  EXPECT_FALSE(shares("%a, %v", "%v = \"tpu.Reshape\"(%a) : (!t) -> !t\n"));
  Net both(updateOf(
      R"(%n:5 = "tpu.BatchNormTrain"(%x, %a, %a) : (!t, !t, !t) -> (!t, !t, !t, !t, !t) loc(fused["n0", "n1", "n2", "n3", "n4"])
      )"));
  EXPECT_FALSE(both.share("n3", "n4"));
}

TEST(Updates, LeaveAloneInputsWeightsAndWhatALoopReadsAgain) {
  auto shares = [](const std::string &body, const char *old) {
    Net net(mainOf(body + "return %x : !t\n"));
    EXPECT_EQ(net.errors, "");
    return net.share(old, "u");
  };
  EXPECT_FALSE(
      shares("%u = \"tpu.Insert\"(%x, %k) : (!t, !t) -> !t loc(\"u\")\n", "x"));
  EXPECT_FALSE(shares("%w = \"top.Weight\"() : () -> !t loc(\"w\")\n"
                      "%u = \"tpu.Insert\"(%w, %k) : (!t, !t) -> !t "
                      "loc(\"u\")\n",
                      "w"));
  EXPECT_FALSE(shares(computed("a") + R"(
    %l = "tpu.Loop"(%f, %none, %k) ({
    ^bb0(%n: !c, %c: none, %s: !t):
      %u = "tpu.Insert"(%a, %s) : (!t, !t) -> !t loc("u")
      "tpu.Yield"(%c, %u) : (none, !t) -> ()
    }) : (!c, none, !t) -> !t
  )",
                      "a"));
}

//===----------------------------------------------------------------------===//
// On request
//===----------------------------------------------------------------------===//

TEST(Request, JoinsTwoClassesAtOneAddress) {
  Net net(mainOf(R"(
    %a = "tpu.Active"(%x) : (!t) -> tensor<1x4096xi8> loc("a")
    %b = "tpu.Active"(%x) : (!t) -> tensor<1x4096xi8> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (tensor<1x4096xi8>, tensor<1x4096xi8>) -> tensor<2x4096xi8> loc("c")
    return %x : !t
  )"));
  BufferAliases &aliases = net.facts->aliases;
  int64_t before = aliases.classes()[net.storage("c").classId].sizeBytes;
  EXPECT_EQ(before, 8192);
  EXPECT_TRUE(aliases.mergeByRequest(net.value("k"), net.value("b")));
  EXPECT_TRUE(net.share("k", "a"));
  EXPECT_EQ(net.distance("k", "b"), 0);
  EXPECT_EQ(net.distance("k", "a"), -4096);
  EXPECT_EQ(aliases.classes()[net.storage("k").classId].sizeBytes, 8192);
  // At another offset they already are one.
  EXPECT_FALSE(aliases.mergeByRequest(net.value("a"), net.value("b")));
}

} // namespace
} // namespace tpu_mlir::test
