//===- OptionsTest.cpp - Requests, and networks of any length -------------===//

#include "Networks.h"

#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::HasSubstr;

namespace tpu_mlir {
namespace {

/// "" when there is a module.
std::string errorOf(const ModelOptions &options) {
  MLIRContext context;
  auto built = buildModel(context, options);
  auto *error = std::get_if<ModelError>(&built);
  return error ? error->message : "";
}

template <class T>
std::string errorWith(llvm::StringRef model, T ModelOptions::*field,
                      int64_t value) {
  ModelOptions given = options(model);
  given.*field = value;
  return errorOf(given);
}

TEST(Options, AnUnknownModelIsAnsweredWithTheNames) {
  EXPECT_THAT(errorOf(options("resnet51")),
              testing::AllOf(HasSubstr("'resnet51'"), HasSubstr("resnet50"),
                             HasSubstr("llama_block")));
  EXPECT_NE(errorOf(options("")), "");
}

TEST(Options, RangesAreChecked) {
  auto batch = [](int64_t n) {
    return errorWith("resnet50", &ModelOptions::batch, n);
  };
  EXPECT_EQ(batch(0), "'batch' is 0, must be between 1 and 1024");
  EXPECT_NE(batch(-1), "");
  EXPECT_EQ(batch(1024), "");
  EXPECT_NE(batch(1025), "");
  auto bert = [](int64_t n) {
    return errorWith("bert_base", &ModelOptions::seq, n);
  };
  EXPECT_EQ(bert(512), "");
  EXPECT_EQ(bert(513), "'seq' is 513, must be between 1 and 512");
  EXPECT_NE(bert(0), "");
  EXPECT_EQ(errorWith("llama_block", &ModelOptions::seq, 2048), "");
  EXPECT_NE(errorWith("llama_block", &ModelOptions::seq, 2049), "");
  EXPECT_NE(errorWith("chain", &ModelOptions::ops, 0), "");
  EXPECT_NE(errorWith("chain", &ModelOptions::ops, kMaxOps + 1), "");
}

TEST(Options, WhatAModelDoesNotHaveIsRefused) {
  EXPECT_EQ(errorWith("resnet50", &ModelOptions::seq, 8),
            "model 'resnet50' has no option 'seq'");
  EXPECT_EQ(errorWith("bert_base", &ModelOptions::ops, 8),
            "model 'bert_base' has no option 'ops'");
  EXPECT_EQ(errorWith("unet", &ModelOptions::seed, 8),
            "model 'unet' has no option 'seed'");
  EXPECT_EQ(errorWith("chain", &ModelOptions::seq, 8),
            "model 'chain' has no option 'seq'");
}

TEST(Options, TheLargestBatchCountsRight) {
  ModelOptions given = options("yolo_fpn");
  given.batch = kMaxBatch;
  Network network(given);
  EXPECT_EQ(elements(network.named("stem.conv")->getResult(0)),
            1024LL * 32 * 320 * 320);
}

//===----------------------------------------------------------------------===//
// chain
//===----------------------------------------------------------------------===//

ModelOptions chain(int64_t ops, uint64_t seed, Level level = Level::Tpu) {
  ModelOptions given = options("chain", level);
  given.ops = ops;
  given.seed = seed;
  return given;
}

TEST(Chain, HasExactlySoManyLayers) {
  for (int64_t ops = 1; ops <= 40; ++ops)
    for (uint64_t seed = 0; seed < 8; ++seed)
      EXPECT_EQ(int64_t(Network(chain(ops, seed)).layers().size()), ops)
          << seed;
}

TEST(Chain, IsThatOfItsSeed) {
  EXPECT_EQ(Network(chain(300, 7)).text(), Network(chain(300, 7)).text());
  EXPECT_NE(Network(chain(300, 7)).text(), Network(chain(300, 8)).text());
}

TEST(Chain, IsTheSameNetworkAtBothLevels) {
  Network top(chain(500, 3, Level::Top)), tpu(chain(500, 3));
  auto topLayers = top.layers(), tpuLayers = tpu.layers();
  ASSERT_EQ(topLayers.size(), tpuLayers.size());
  for (auto [a, b] : llvm::zip_equal(topLayers, tpuLayers)) {
    EXPECT_EQ(nameOf(a), nameOf(b));
    EXPECT_EQ(shapeOf(a->getResult(0)), shapeOf(b->getResult(0)));
  }
}

/// Ops between a value and its last use.
int64_t longestLife(Network &network) {
  llvm::DenseMap<Operation *, int64_t> place;
  for (auto [index, op] : llvm::enumerate(network.layers()))
    place[op] = index;
  int64_t longest = 0;
  for (Operation *op : network.layers())
    for (Operation *user : op->getUsers())
      if (place.count(user))
        longest = std::max(longest, place[user] - place[op]);
  return longest;
}

TEST(Chain, LooksLikeANetwork) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Network network(chain(2000, seed));
    for (const char *kind : {"Conv2D", "Active", "Add", "Concat", "Reshape",
                             "Softmax", "Mul", "Pool2D", "Upsample"})
      EXPECT_GT(network.count(kind), 5) << kind << ", seed " << seed;
    EXPECT_GT(longestLife(network), 100) << seed;
    for (Operation *op : network.layers())
      EXPECT_LE(elements(op->getResult(0)), 4 * 64 * 64 * 64) << nameOf(op);
  }
}

TEST(Chain, ManyOpsVerify) {
  Network network(chain(20000, 1));
  EXPECT_TRUE(succeeded(verify(*network.module)));
  EXPECT_EQ(network.layers().size(), 20000u);
}

} // namespace
} // namespace tpu_mlir
