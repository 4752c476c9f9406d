//===- ModelsTest.cpp - Networks against what was published ---------------===//

#include "Networks.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

using namespace mlir;
using testing::ElementsAre;
using testing::HasSubstr;

namespace tpu_mlir {
namespace {

//===----------------------------------------------------------------------===//
// Every model
//===----------------------------------------------------------------------===//

TEST_P(EveryModel, ReadsBackAsTheSameVerifiedModule) {
  Network network(given());
  ASSERT_TRUE(succeeded(verify(*network.module)));
  std::string text = network.text();

  auto again = parseSourceString<ModuleOp>(text, &network.context);
  ASSERT_TRUE(again);
  ASSERT_TRUE(succeeded(verify(*again)));
  std::string textAgain;
  llvm::raw_string_ostream os(textAgain);
  printModel(*again, os);
  EXPECT_EQ(text, textAgain);
}

TEST_P(EveryModel, IsTheSameEachTime) {
  EXPECT_EQ(Network(given()).text(), Network(given()).text());
}

TEST_P(EveryModel, GivesEveryOpANameOfItsOwn) {
  Network network(given());
  std::set<std::string> names;
  for (Operation *op : network.ops()) {
    if (kindOf(op) == "None" || kindOf(op) == "return")
      continue;
    EXPECT_NE(nameOf(op), "");
    EXPECT_TRUE(names.insert(nameOf(op)).second) << nameOf(op);
  }
}

TEST_P(EveryModel, UsesEveryResult) {
  Network network(given());
  for (Operation *op : network.ops())
    if (kindOf(op) != "return" && kindOf(op) != "None") {
      EXPECT_FALSE(op->use_empty()) << nameOf(op);
    }
}

TEST_P(EveryModel, PutsWeightsInFrontOfTheirLayer) {
  Network network(given());
  for (Operation *op : network.weights()) {
    ASSERT_TRUE(op->hasOneUse()) << nameOf(op);
    Operation *next = op->getNextNode();
    while (kindOf(next) == "Weight")
      next = next->getNextNode();
    EXPECT_EQ(next, *op->user_begin()) << nameOf(op);
  }
}

TEST_P(EveryModel, HasLayersOfItsDialectOnly) {
  Network network(given());
  for (Operation *op : network.layers())
    EXPECT_EQ(op->getName().getDialectNamespace(),
              given().level == Level::Top ? "top" : "tpu");
}

TEST_P(EveryModel, SaysWhatItIs) {
  std::string header = Network(given()).text();
  bool isTop = given().level == Level::Top;
  header.resize(std::min<size_t>(header.size(), 1000));
  EXPECT_THAT(header, HasSubstr("module @" + given().model + " attributes"));
  EXPECT_THAT(header, HasSubstr(isTop ? "module.state = \"TOP_F32\""
                                      : "module.state = \"TPU_LOWERED\""));
  EXPECT_THAT(header, HasSubstr(isTop ? "module.chip = \"ALL\""
                                      : "module.chip = \"bm1684x\""));
  EXPECT_THAT(header, HasSubstr("module.weight_file = "));
}

/// The first dimension of every input and of every layer that is no table
/// look-up is the batch; weights do not know it.
TEST_P(EveryModel, GrowsWithTheBatchInActivationsOnly) {
  ModelOptions three = given();
  three.batch = 3;
  Network one(given()), many(three);
  auto oneOps = one.ops(), manyOps = many.ops();
  ASSERT_EQ(oneOps.size(), manyOps.size());
  for (auto [a, b] : llvm::zip_equal(oneOps, manyOps)) {
    ASSERT_EQ(a->getName().getStringRef(), b->getName().getStringRef());
    if (kindOf(a) == "None" || kindOf(a) == "return")
      continue;
    bool hasBatch = kindOf(a) != "Weight" && nameOf(a) != "embeddings.position";
    EXPECT_EQ(elements(b->getResult(0)),
              elements(a->getResult(0)) * (hasBatch ? 3 : 1))
        << nameOf(a);
  }
  EXPECT_TRUE(succeeded(verify(*many.module)));
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel,
                         testing::Combine(testing::ValuesIn(modelNames()),
                                          testing::Values(Level::Top,
                                                          Level::Tpu)),
                         testName);

//===----------------------------------------------------------------------===//
// Numbers of the papers
//===----------------------------------------------------------------------===//

/// What is learned: all weights but constant tables.
int64_t parameters(Network &network) {
  int64_t sum = 0;
  for (Operation *op : network.weights())
    if (!llvm::StringRef(nameOf(op)).ends_with(".table") &&
        !llvm::StringRef(nameOf(op)).ends_with("_index"))
      sum += elements(op->getResult(0));
  return sum;
}

/// Multiplications of convolutions and matrices.
int64_t multiplications(Network &network) {
  int64_t sum = 0;
  for (Operation *op : network.layers()) {
    if (kindOf(op) == "Conv")
      sum += elements(op->getResult(0)) * elements(op->getOperand(1)) /
             shapeOf(op->getOperand(1))[0];
    if (kindOf(op) == "Deconv")
      sum += elements(op->getOperand(0)) * elements(op->getOperand(1)) /
             shapeOf(op->getOperand(1))[1];
    if (kindOf(op) == "MatMul")
      sum += elements(op->getResult(0)) * shapeOf(op->getOperand(0)).back();
  }
  return sum;
}

struct Size {
  std::string model;
  int64_t parameters;
  int64_t layers;
};

class Sizes : public testing::TestWithParam<Size> {};

TEST_P(Sizes, AreThePublishedOnes) {
  Network network(options(GetParam().model));
  EXPECT_EQ(parameters(network), GetParam().parameters);
  EXPECT_EQ(int64_t(network.layers().size()), GetParam().layers);
}

// A folded normalisation saves a scale for each channel; that is taken off the
// published count.
INSTANTIATE_TEST_SUITE_P(
    All, Sizes,
    testing::Values(
        // 53 normalisations with 26,560 channels.
        Size{"resnet50", 25557032 - 26560, 53 + 16 + 4},
        // 52 normalisations with 17,056 channels.
        Size{"mobilenet_v2", 3504872 - 17056, 52 + 10 + 3},
        // Those of the stem and after the first convolution of 58 layers.
        Size{"densenet121", 7978856 - 64 - 58 * 128,
             (120 + 1) + 62 + 58 + 4 + 2},
        // Published for the folded network.
        Size{"yolo_fpn", 7225885, 60 + 57 + 7 + 13 + 3 + 2},
        Size{"unet", 31030658, 23 + 4 + 4},
        // Normalisations with 17,216 and 31,584 channels.
        Size{"inception_v3", 23834568 - 17216, 94 + 13 + 11 + 3},
        Size{"inception_v4", 42679816 - 31584, 149 + 19 + 18 + 3},
        // "110M"
        Size{"bert_base", 109482240, 5 + 3 + 12 * 24 + 5},
        // 4 h^2 + 3 h f + 2 h for h = 4096, f = 11008.
        Size{"llama_block", 202383360, 44}),
    [](const auto &info) { return info.param.model; });

struct Work {
  std::string model;
  double multiplications;
};

class Works : public testing::TestWithParam<Work> {};

TEST_P(Works, IsThePublishedWithin2Percent) {
  Network network(options(GetParam().model));
  int64_t ours = multiplications(network);
  EXPECT_NEAR(ours / GetParam().multiplications, 1.0, 0.02) << ours;
}

INSTANTIATE_TEST_SUITE_P(
    All, Works,
    testing::Values(
        // Table 1; table 4; the authors' code; half of 16.5 GFLOP.
        Work{"resnet50", 3.8e9}, Work{"mobilenet_v2", 300e6},
        Work{"densenet121", 2.83e9}, Work{"yolo_fpn", 16.5e9 / 2},
        // Table 2 of NASNet's paper, table 5 of PNASNet's, table 2 of
        // RandWire's; table 3 of Inception-v3's; the authors' code.
        Work{"nasnet_a_large", 23.8e9}, Work{"pnasnet5_large", 25.0e9},
        Work{"randwire", 583e6}, Work{"inception_v3", 5.72e9},
        Work{"inception_v4", 12.27e9},
        // From the sizes in the paper: 12 h^2 for a token and layer, and
        // twice s h for its attention.
        Work{"bert_base", 12 * 384 * (12 * 768.0 * 768 + 2 * 384 * 768)},
        Work{"llama_block", 512 * (202383360.0 + 2 * 1024 * 4096)}),
    [](const auto &info) { return info.param.model; });

//===----------------------------------------------------------------------===//
// Shapes and structure of the papers
//===----------------------------------------------------------------------===//

TEST(ResNet50, HasTheStagesOfTable1) {
  Network network(options("resnet50"));
  EXPECT_EQ(shapeOf(network.named("conv1")->getResult(0)),
            (Shape{1, 64, 112, 112}));
  EXPECT_EQ(shapeOf(network.named("conv2_3.add")->getResult(0)),
            (Shape{1, 256, 56, 56}));
  EXPECT_EQ(shapeOf(network.named("conv3_4.add")->getResult(0)),
            (Shape{1, 512, 28, 28}));
  EXPECT_EQ(shapeOf(network.named("conv4_6.add")->getResult(0)),
            (Shape{1, 1024, 14, 14}));
  EXPECT_EQ(shapeOf(network.named("conv5_3.add")->getResult(0)),
            (Shape{1, 2048, 7, 7}));
  EXPECT_THAT(network.outputs(), ElementsAre(Shape{1, 1000}));
  EXPECT_EQ(network.count("Conv"), 49 + 4);
  EXPECT_EQ(network.count("Add"), 16);
}

TEST(MobileNetV2, HasTheStagesOfTable2) {
  Network network(options("mobilenet_v2"));
  EXPECT_EQ(shapeOf(network.named("block1.project")->getResult(0)),
            (Shape{1, 16, 112, 112}));
  EXPECT_EQ(shapeOf(network.named("block3.add")->getResult(0)),
            (Shape{1, 24, 56, 56}));
  EXPECT_EQ(shapeOf(network.named("block13.add")->getResult(0)),
            (Shape{1, 96, 14, 14}));
  EXPECT_EQ(shapeOf(network.named("conv_last")->getResult(0)),
            (Shape{1, 1280, 7, 7}));
  EXPECT_THAT(network.outputs(), ElementsAre(Shape{1, 1000}));
  EXPECT_EQ(network.count("Add"), 10);
}

TEST(DenseNet121, ConcatenatesAllFeaturesBefore) {
  Network network(options("densenet121"));
  EXPECT_EQ(network.named("block3.layer24.concat")->getNumOperands(), 24u);
  EXPECT_EQ(shapeOf(network.named("block1.concat")->getResult(0)),
            (Shape{1, 256, 56, 56}));
  EXPECT_EQ(shapeOf(network.named("block3.concat")->getResult(0)),
            (Shape{1, 1024, 14, 14}));
  EXPECT_EQ(shapeOf(network.named("norm5")->getResult(0)),
            (Shape{1, 1024, 7, 7}));
  EXPECT_THAT(network.outputs(), ElementsAre(Shape{1, 1000}));
}

TEST(UNet, Has23ConvolutionsAndJoinsEachLevel) {
  Network network(options("unet"));
  EXPECT_EQ(network.count("Conv") + network.count("Deconv"), 23);
  EXPECT_EQ(shapeOf(network.named("bottom.conv2")->getResult(0)),
            (Shape{1, 1024, 16, 16}));
  Operation *join = network.named("up0.concat");
  EXPECT_EQ(join->getOperand(0).getDefiningOp(), network.named("down0.conv2"));
  EXPECT_EQ(shapeOf(join->getResult(0)), (Shape{1, 128, 256, 256}));
  EXPECT_THAT(network.outputs(), ElementsAre(Shape{1, 2, 256, 256}));
}

TEST(YoloFpn, HasThreeOutputsAt8And16And32) {
  Network network(options("yolo_fpn"));
  EXPECT_THAT(network.outputs(),
              ElementsAre(Shape{1, 255, 80, 80}, Shape{1, 255, 40, 40},
                          Shape{1, 255, 20, 20}));
  EXPECT_EQ(network.count("Upsample"), 2);
}

TEST(BertBase, LooksUpWordsSegmentsAndPositions) {
  Network network(options("bert_base"));
  EXPECT_EQ(shapeOf(network.named("embeddings.word.weight")->getResult(0)),
            (Shape{30522, 768}));
  EXPECT_EQ(network.count("Gather"), 3);
  EXPECT_EQ(network.count("LayerNorm"), 25);
  EXPECT_EQ(network.count("Softmax"), 12);
  EXPECT_EQ(shapeOf(network.named("layer0.attention.scores")->getResult(0)),
            (Shape{1, 12, 384, 384}));
  EXPECT_THAT(network.outputs(),
              ElementsAre(Shape{1, 384, 768}, Shape{1, 768}));
}

TEST(LlamaBlock, SeesOldTokensAndHandsOnNewOnes) {
  Network network(options("llama_block"));
  EXPECT_EQ(shapeOf(network.named("self_attn.scores")->getResult(0)),
            (Shape{1, 32, 512, 1024}));
  EXPECT_THAT(network.outputs(),
              ElementsAre(Shape{1, 512, 4096}, Shape{1, 512, 32, 128},
                          Shape{1, 512, 32, 128}));
  EXPECT_EQ(network.ops().back()->getOperand(1).getDefiningOp(),
            network.named("self_attn.k_rotary"));
}

//===----------------------------------------------------------------------===//
// Networks found by search
//===----------------------------------------------------------------------===//

TEST(Cells, HaveTheSizesOfThePapers) {
  Network nasnet(options("nasnet_a_large")), pnas(options("pnasnet5_large")),
      amoeba(options("amoebanet_a")), darts(options("darts"));
  // Stem, two reductions, three stages of six cells, two reductions.
  EXPECT_EQ(shapeOf(nasnet.named("stem")->getResult(0)),
            (Shape{1, 96, 165, 165}));
  EXPECT_EQ(shapeOf(nasnet.named("cell2")->getResult(0)),
            (Shape{1, 4 * 84, 42, 42}));
  EXPECT_EQ(shapeOf(nasnet.named("cell8")->getResult(0)),
            (Shape{1, 6 * 168, 42, 42}));
  EXPECT_EQ(shapeOf(nasnet.named("cell22")->getResult(0)),
            (Shape{1, 4032, 11, 11}));
  EXPECT_EQ(shapeOf(pnas.named("cell14")->getResult(0)),
            (Shape{1, 4320, 11, 11}));
  EXPECT_EQ(shapeOf(amoeba.named("cell16")->getResult(0)),
            (Shape{1, 600, 7, 7}));
  EXPECT_EQ(shapeOf(darts.named("cell14")->getResult(0)),
            (Shape{1, 768, 7, 7}));
  for (Network *network : {&nasnet, &pnas, &amoeba, &darts})
    EXPECT_THAT(network->outputs(), ElementsAre(Shape{1, 1000}));
  // Published, a scale for each channel that is normalised included.
  EXPECT_NEAR(parameters(nasnet) / 88.75e6, 1, 0.002);
  EXPECT_NEAR(parameters(pnas) / 86.06e6, 1, 0.002);
  EXPECT_NEAR(parameters(darts) / 4.7e6, 1, 0.01);
}

/// An odd size has one even row more than odd ones: the second half of an input
/// that is halved is padded there.
TEST(Cells, HalveOddSizes) {
  Network network(options("nasnet_a_large"));
  EXPECT_EQ(shapeOf(network.named("cell2.older.shifted")->getResult(0)),
            (Shape{1, 96, 164, 164}));
  for (const char *half : {"cell2.older.even", "cell2.older.odd"})
    EXPECT_EQ(shapeOf(network.named(half)->getResult(0)),
              (Shape{1, 42, 83, 83}));
}

TEST(Stacks, HaveTheLayersOfFourCells) {
  const std::pair<const char *, size_t> kLayers[] = {{"darts_cells", 116},
                                                     {"nasnet_a_cells", 124},
                                                     {"amoebanet_a_cells", 112},
                                                     {"pnasnet5_cells", 140}};
  for (auto [model, layers] : kLayers)
    EXPECT_EQ(Network(options(model)).layers().size(), layers) << model;
}

TEST(SwiftNet, HasItsCells) {
  Network whole(options("swiftnet")), a(options("swiftnet_a")),
      b(options("swiftnet_b")), c(options("swiftnet_c"));
  EXPECT_THAT(a.outputs(), ElementsAre(Shape{1, 48, 28, 28}));
  EXPECT_THAT(b.outputs(), ElementsAre(Shape{1, 80, 14, 14}));
  EXPECT_THAT(c.outputs(), ElementsAre(Shape{1, 76, 7, 7}));
  EXPECT_EQ(a.layers().size() + b.layers().size() + c.layers().size() + 9,
            whole.layers().size());
  EXPECT_THAT(whole.outputs(), ElementsAre(Shape{1, 2}));
}

TEST(RandWire, IsThatOfItsSeed) {
  ModelOptions other = options("randwire");
  other.seed = 7;
  EXPECT_NE(Network(other).text(), Network(options("randwire")).text());
  Network network(other);
  EXPECT_EQ(shapeOf(network.named("stage5.mean")->getResult(0)),
            (Shape{1, 312, 7, 7}));
  EXPECT_EQ(network.count("Conv"), 2 + 3 * 32 * 2 + 1);
}

TEST(IndexInputs, AreF32InTopAndStayWholeInTpu) {
  Network top(options("bert_base")), tpu(options("bert_base", Level::Tpu));
  auto types = [](Network &network) {
    Operation *op = network.named("input_ids");
    std::string text;
    llvm::raw_string_ostream os(text);
    os << op->getOperand(0).getType() << ' ' << op->getResult(0).getType();
    return text;
  };
  EXPECT_EQ(types(top), "tensor<1x384xsi32> tensor<1x384xf32>");
  EXPECT_EQ(types(tpu), "tensor<1x384xsi32> tensor<1x384xsi32>");
}

TEST(Seq, SetsTheNumberOfTokens) {
  ModelOptions bert = options("bert_base"), llama = options("llama_block");
  bert.seq = 128;
  llama.seq = 1;
  EXPECT_THAT(Network(bert).outputs(),
              ElementsAre(Shape{1, 128, 768}, Shape{1, 768}));
  EXPECT_EQ(shapeOf(Network(llama).named("self_attn.keys")->getResult(0)),
            (Shape{1, 2, 32, 128}));
}

} // namespace
} // namespace tpu_mlir
