//===- RealSlicesTest.cpp - Rules against compiled layer groups -----------===//
//
// In a compiled model each op of a group says which part of its result each
// section computes, and the op that made an operand says which part of it is
// there. What the rules ask for must be there. Needs $TPU_MEMORY_DATA; skips
// without.
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

/// n, c, d, h, w.
using Section = std::array<int64_t, 5>;

/// What a dimension of a tensor is called in a group: the first four are n, c,
/// h, w (group types 0 and 4).
int axisOf(size_t dim) { return dim < 2 ? dim : dim + 1; }

/// The part of the result of an op with `info` that `section` computes.
Interval storedPart(tpu::LayerGroupAttr info, int axis,
                    const Section &section) {
  const ArrayRef<int64_t> starts[] = {info.getNIdx(), info.getCIdx(),
                                      info.getDIdx(), info.getHIdx(),
                                      info.getWIdx()};
  const ArrayRef<int64_t> lengths[] = {info.getNSlice(), info.getCSlice(),
                                       info.getDSlice(), info.getHSlice(),
                                       info.getWSlice()};
  // One entry: the same for all sections.
  size_t index = starts[axis].size() == 1 ? 0 : section[axis];
  if (index >= starts[axis].size() || index >= lengths[axis].size())
    return {0, 0};
  return {starts[axis][index], starts[axis][index] + lengths[axis][index]};
}

tpu::LayerGroupAttr groupInfo(Operation *op) {
  return op ? op->getAttrOfType<tpu::LayerGroupAttr>("ginfo") : nullptr;
}

std::vector<Section> sectionsOf(tpu::GroupOp group) {
  std::vector<Section> sections;
  auto count = [](tpu::GroupOp group, StringRef name) {
    return readInteger(group->getAttr(name)).value_or(1);
  };
  for (int64_t n = 0; n < count(group, "nsecs"); ++n)
    for (int64_t d = 0; d < count(group, "dsecs"); ++d)
      for (int64_t h = 0; h < count(group, "hsecs"); ++h)
        for (int64_t w = 0; w < count(group, "wsecs"); ++w)
          for (int64_t c = 0; c < count(group, "csecs"); ++c)
            sections.push_back({n, c, d, h, w});
  return sections;
}

class RealSlicesTest : public ::testing::Test {
protected:
  /// Calls `visit` with every op that computes in a group of a real model.
  template <typename Visit> void forEachOp(Visit visit) {
    std::vector<std::string> files = realModules();
    if (files.empty())
      GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
    for (const std::string &file : files) {
      // This one loads rows of its tables that belong to other tokens.
      if (!StringRef(file).ends_with("/final.mlir") ||
          StringRef(file).contains("qwen_vit"))
        continue;
      TestContext context;
      auto module = parseSourceFile<ModuleOp>(file, context.get());
      ASSERT_TRUE(module) << file;
      module->walk([&](tpu::GroupOp group) {
        for (Operation &op : group.getRegion().front())
          if (!isa<tpu::LoadOp, tpu::StoreOp, tpu::YieldOp>(op))
            visit(file, group, &op);
      });
    }
  }

  void checkOperand(LocalSliceOpInterface op, unsigned operand,
                    ArrayRef<Interval> result, const Section &section) {
    auto rules = op.getOperandRules(operand);
    auto need = op.getOperandSlice(operand, result);
    ASSERT_TRUE(succeeded(rules) && succeeded(need));
    Operation *producer = op->getOperand(operand).getDefiningOp();
    tpu::LayerGroupAttr info = groupInfo(producer);
    if (need->empty() || !info)
      return;
    for (auto [dim, interval] : llvm::enumerate(*need)) {
      Interval stored = storedPart(info, axisOf(dim), section);
      EXPECT_TRUE(interval.empty() || stored.contains(interval))
          << "dimension " << dim << " of operand " << operand << " of "
          << op->getName().getStringRef().str() << " " << groupInfo(op).getId()
          << ": needs [" << interval.begin << ", " << interval.end << "), has ["
          << stored.begin << ", " << stored.end << ")";
      const DimRule &rule = (*rules)[dim];
      if (rule.extent > 1 && interval.length() > 1 &&
          !(interval == result[rule.resultDim]))
        ++halos;
      equal += stored == interval;
      ++checked;
    }
  }

  int64_t checked = 0, equal = 0, halos = 0;
};

TEST_F(RealSlicesTest, EveryOpHasRules) {
  std::map<std::string, int> seen;
  forEachOp([&](const std::string &file, tpu::GroupOp, Operation *op) {
    std::string name = op->getName().getStringRef().str();
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    ASSERT_TRUE(local) << file << ": " << name;
    EXPECT_EQ(local.whyGlobal(), "") << file << ": " << name;
    ++seen[name];
  });
  if (IsSkipped())
    return;
  for (const auto &[name, count] : seen)
    RecordProperty(name, count);
  EXPECT_GE(seen["tpu.Conv2D"], 68);
  EXPECT_GE(seen["tpu.Deconv"], 2);
  EXPECT_GE(seen["tpu.Concat"], 12);
  EXPECT_GE(seen["tpu.MatMul"], 2);
  EXPECT_GE(seen["tpu.RMSNorm"], 1);
}

TEST_F(RealSlicesTest, WhatIsNeededIsStored) {
  int64_t ops = 0, sections = 0;
  forEachOp([&](const std::string &file, tpu::GroupOp group, Operation *op) {
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    tpu::LayerGroupAttr info = groupInfo(op);
    ASSERT_TRUE(local && type && info) << file;
    ASSERT_TRUE(info.getGroupType() == 0 || info.getGroupType() == 4) << file;
    ASSERT_LE(type.getRank(), 4) << file;
    ++ops;
    for (const Section &section : sectionsOf(group)) {
      SmallVector<Interval> result;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        result.push_back(storedPart(info, axisOf(dim), section));
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        checkOperand(local, i, result, section);
      ++sections;
    }
  });
  if (IsSkipped())
    return;
  RecordProperty("ops", static_cast<int>(ops));
  RecordProperty("intervals", static_cast<int>(checked));
  RecordProperty("equal intervals", static_cast<int>(equal));
  EXPECT_GE(ops, 170);
  EXPECT_GE(sections, 500);
  EXPECT_GE(checked, 5000);
  // Windows that read other rows than they write.
  RecordProperty("halos", static_cast<int>(halos));
  EXPECT_GE(halos, 100);
  // Rules that ask for far less than is there would be as wrong.
  EXPECT_GE(equal * 100, checked * 95);
}

// The scratch that the plans show for functions on f32 and for RMSNorm; other
// ops get no less than there, apart from convolutions, whose scratch depends
// on the chip.
TEST_F(RealSlicesTest, Scratch) {
  int exact = 0;
  forEachOp([&](const std::string &file, tpu::GroupOp, Operation *op) {
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    tpu::LayerGroupAttr info = groupInfo(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    ASSERT_TRUE(local && info);
    LocalScratch scratch = local.getLocalScratch();
    int64_t bytes = scratch.tiles * info.getOutSize() * scratch.tileBits /
                        *elementBits(type.getElementType()) +
                    scratch.tableBytes;
    if (isa<tpu::ActiveOp, tpu::RMSNormOp>(op)) {
      EXPECT_EQ(bytes, info.getBufferSize()) << file;
      ++exact;
    } else if (!isa<tpu::Conv2DOp>(op)) {
      EXPECT_GE(bytes, info.getBufferSize()) << file;
    }
  });
  if (IsSkipped())
    return;
  EXPECT_GE(exact, 6);
}

} // namespace
