//===- RecountTest.cpp - The report against whoever else counts -----------===//
//
// Groups of another compiler against loops written here, groups of our own
// against what the search said that they cost (I11). The real models need
// $TPU_MEMORY_DATA; they skip without.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h"
#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <set>

using namespace mlir;
using namespace tpu_mlir;
using report::LocalGroupRow;

namespace {

struct Model {
  std::string name;
  std::string file; ///< In $TPU_MEMORY_DATA/tpu_mlir, or ours.
  std::string chip;
  bool isReal = true;
  int64_t maxLayers = 64;
};

void PrintTo(const Model &model, std::ostream *os) { *os << model.name; }

std::string nameOf(const testing::TestParamInfo<Model> &info) {
  return info.param.name;
}

class RecountTest : public testing::TestWithParam<Model> {
protected:
  RecountTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        ADD_FAILURE() << diagnostic.str();
    });
  }

  void SetUp() override {
    const char *data = std::getenv("TPU_MEMORY_DATA");
    if (GetParam().isReal && !data)
      GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
    chip = target::findChip(GetParam().chip);
    ASSERT_TRUE(chip);
    const std::string folder =
        GetParam().isReal ? std::string(data) + "/tpu_mlir/" : "";
    root = parseSourceFile<ModuleOp>(folder + GetParam().file, &context);
    ASSERT_TRUE(root);
    const auto modules = functionModules(*root);
    ASSERT_EQ(modules.size(), 1u);
    module = modules.front();
  }

  void run(std::unique_ptr<Pass> pass) {
    PassManager manager(&context);
    manager.addPass(std::move(pass));
    ASSERT_TRUE(succeeded(manager.run(*root)));
  }

  report::LocalReport collect() {
    FailureOr<report::LocalReport> result =
        local_report::collectLocalReport(module, *chip);
    EXPECT_TRUE(succeeded(result));
    return succeeded(result) ? std::move(*result) : report::LocalReport();
  }

  MLIRContext context;
  const target::ChipSpec *chip = nullptr;
  OwningOpRef<ModuleOp> root;
  ModuleOp module; ///< The one with the functions.
};

//===----------------------------------------------------------------------===//
// Groups of another compiler
//===----------------------------------------------------------------------===//

class OtherGroups : public RecountTest {};

struct Bytes {
  int64_t loaded = 0, stored = 0, peak = 0;
};

int64_t sections(tpu::GroupOp group, const char *name) {
  return group->getAttrOfType<IntegerAttr>(name).getInt();
}

int64_t bitsOf(Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

/// Five loops over the sections, one section after the other.
int64_t bytesOf(Operation *op, tpu::LayerGroupAttr info, tpu::GroupOp group) {
  const int64_t n = sections(group, "nsecs"), c = sections(group, "csecs"),
                d = sections(group, "dsecs"), h = sections(group, "hsecs"),
                w = sections(group, "wsecs");
  const auto length = [](ArrayRef<int64_t> list, int64_t index) {
    return list[list.size() == 1 ? 0 : index];
  };
  // A list of one entry in each dimension that is cut: loaded once.
  const bool isOnce = isa<tpu::LoadOp>(op) &&
                      (n == 1 || info.getNSlice().size() == 1) &&
                      (c == 1 || info.getCSlice().size() == 1) &&
                      (d == 1 || info.getDSlice().size() == 1) &&
                      (h == 1 || info.getHSlice().size() == 1) &&
                      (w == 1 || info.getWSlice().size() == 1);
  int64_t bytes = 0;
  for (int64_t in = 0; in < n; ++in)
    for (int64_t id = 0; id < d; ++id)
      for (int64_t ih = 0; ih < h; ++ih)
        for (int64_t iw = 0; iw < w; ++iw)
          for (int64_t ic = 0; ic < c; ++ic) {
            if (isOnce && in + id + ih + iw + ic > 0)
              continue;
            const int64_t elements =
                length(info.getNSlice(), in) * length(info.getCSlice(), ic) *
                length(info.getDSlice(), id) * length(info.getHSlice(), ih) *
                length(info.getWSlice(), iw);
            bytes += (elements * bitsOf(op->getResult(0)) + 7) / 8;
          }
  return bytes;
}

Bytes count(tpu::GroupOp group) {
  Bytes bytes;
  for (Operation &op : group.getRegion().front()) {
    auto info = op.getAttrOfType<tpu::LayerGroupAttr>("ginfo");
    if (!info)
      continue;
    bytes.peak = std::max({bytes.peak, info.getOutAddr() + info.getOutSize(),
                           info.getBufferAddr() + info.getBufferSize()});
    if (isa<tpu::LoadOp>(op))
      bytes.loaded += bytesOf(&op, info, group);
    else if (isa<tpu::StoreOp>(op))
      bytes.stored += bytesOf(&op, info, group);
  }
  return bytes;
}

TEST_P(OtherGroups, BytesAndPeaksAreThoseOfPlainLoops) {
  const report::LocalReport report = collect();
  std::vector<tpu::GroupOp> groups;
  module.walk<WalkOrder::PreOrder>(
      [&](tpu::GroupOp group) { groups.push_back(group); });
  ASSERT_EQ(report.groups.size(), groups.size());
  ASSERT_FALSE(groups.empty());
  int64_t traffic = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    SCOPED_TRACE("group " + std::to_string(i));
    const Bytes bytes = count(groups[i]);
    EXPECT_EQ(report.groups[i].peakBytes, bytes.peak);
    EXPECT_EQ(report.groups[i].cost.loadBytes, bytes.loaded);
    EXPECT_EQ(report.groups[i].cost.storeBytes, bytes.stored);
    traffic += bytes.loaded + bytes.stored;
  }
  EXPECT_EQ(report.groupCost().trafficBytes(), traffic);
}

/// What is stored is each result once, and the whole network is accounted for.
TEST_P(OtherGroups, NumbersFitTogether) {
  const report::LocalReport report = collect();
  int64_t layers = 0;
  module.walk([&](Operation *op) {
    const StringRef name = op->getName().getStringRef();
    layers += name.starts_with("tpu.") &&
              !isa<tpu::GroupOp, tpu::LoadOp, tpu::StoreOp, tpu::YieldOp,
                   tpu::BufferOp>(op);
  });
  EXPECT_EQ(report.numGroupedLayers() + int64_t(report.globals.size()) +
                report.numFreeLayers,
            layers);
  for (const LocalGroupRow &group : report.groups) {
    SCOPED_TRACE("group " + std::to_string(group.index));
    EXPECT_LE(group.lowerBoundBytes, group.peakBytes);
    EXPECT_LE(group.peakBytes, report.laneBytes);
    EXPECT_GE(group.work, group.wholeWork);
    EXPECT_GT(group.activationBytes, 0);
    EXPECT_LE(group.activationBytes, group.cost.loadBytes);
    EXPECT_GT(group.cost.cycles, group.cost.computeCycles);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, OtherGroups,
    testing::Values(
        Model{"blazeface_bm1688", "blazeface_bm1688_f16/final.mlir", "bm1688"},
        Model{"qwen_block_0", "qwen_block_0_bm1684x/final.mlir", "bm1684x"},
        Model{"qwen_block_cache_0", "qwen_block_cache_0_bm1684x/final.mlir",
              "bm1684x"},
        Model{"yolov8s_cv181x", "yolov8s_cv181x_int8/final.mlir", "cv181x"}),
    nameOf);

/// A network whose run a vendor's simulator has listed transfer by transfer.
class TracedRun : public RecountTest {};

/// Pad and Concat copy from global to global memory there, without the lanes,
/// and are counted once; what Pad fills in is not in the list.
TEST_P(TracedRun, MovesTheBytesOfTheVendorsTrace) {
  const report::LocalReport report = collect();
  Bytes lanes = {report.groupCost().loadBytes, report.groupCost().storeBytes};
  int64_t copied = 0;
  for (const report::LocalGlobalRow &row : report.globals) {
    if (row.op == "tpu.Pad" || row.op == "tpu.Concat") {
      copied += row.cost.loadBytes;
      continue;
    }
    lanes.loaded += row.cost.loadBytes;
    lanes.stored += row.cost.storeBytes;
  }
  EXPECT_EQ(lanes.loaded, 2'173'968);
  EXPECT_EQ(lanes.stored, 1'182'720);
  EXPECT_EQ(copied, 591'616);
}

INSTANTIATE_TEST_SUITE_P(Models, TracedRun,
                         testing::Values(Model{
                             "blazeface_bm1688",
                             "blazeface_bm1688_f16/final.mlir", "bm1688"}),
                         nameOf);

//===----------------------------------------------------------------------===//
// Our own groups
//===----------------------------------------------------------------------===//

class OwnGroups : public RecountTest {};

/// What the search says of each block, and in sum.
struct Told {
  layer::Cost cost;
  std::vector<layer::GroupPlan> plans;
  std::vector<int64_t> conflicts; ///< Of each plan.
};

/// The search lists a pair for each row in which it meets.
int64_t conflictsOf(const layer::GroupPlan &plan, layer::LmemProblem problem) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  llvm::erase_if(problem.bankPairs, [&](const layer::BankPair &pair) {
    return !pairs.insert(std::minmax(pair.first, pair.second)).second;
  });
  return layer::countConflicts(problem, plan.placement.addresses).count;
}

Told search(ModuleOp module, const target::ChipSpec &chip, int64_t maxLayers) {
  Told told;
  layer::SearchOptions options;
  options.maxLayers = int(maxLayers);
  options.group.maxParts = 256;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      const grouping::BlockLayers layers = grouping::buildLayers(block, chip);
      std::vector<layer::LayerId> order(layers.graph.layers.size());
      for (size_t i = 0; i < order.size(); ++i)
        order[i] = layer::LayerId(i);
      layer::Grouping grouping =
          layer::searchGroups(layers.graph, order, chip, options);
      told.cost += grouping.cost;
      const layer::GroupPlanner planner(layers.graph, chip, options.group);
      for (layer::GroupPlan &plan : grouping.groups) {
        told.conflicts.push_back(
            conflictsOf(plan, planner.lmemProblem(plan.draft)));
        told.plans.push_back(std::move(plan));
      }
    }
  return told;
}

/// Held tensors are loaded before anything computes, so that they meet nobody
/// on the way in; the search takes them to come in with every section.
bool holds(const layer::GroupPlan &plan) {
  return llvm::any_of(plan.draft.steps.loads,
                      [](const layer::Transfer &load) { return load.isHeld; });
}

/// What conflicts cost is not in the report's cycles. The search takes the
/// largest part for every section, padding for bytes that move, and held
/// tensors as said above: it is never below the report.
int64_t waits(const layer::GroupPlan &plan) {
  return plan.cost.cycles - plan.draft.cost.cycles;
}

void expectSame(const LocalGroupRow &group, const layer::GroupPlan &plan) {
  const layer::Cost &cost = plan.draft.cost;
  EXPECT_EQ(group.cost.loadBytes, cost.loadBytes);
  EXPECT_EQ(group.cost.storeBytes, cost.storeBytes);
  EXPECT_EQ(group.cost.computeCycles, cost.computeCycles);
  EXPECT_EQ(group.cost.cycles, cost.cycles);
  EXPECT_EQ(group.peakBytes, plan.placement.highWaterBytes);
  EXPECT_EQ(group.numRows, plan.draft.steps.numRows);
}

TEST_P(OwnGroups, CostWhatTheSearchSaid) {
  if (!GetParam().isReal) {
    ConvertTopToTpuOptions lower;
    lower.chip = chip->name;
    lower.mode = "F16";
    run(createConvertTopToTpu(lower));
  }
  const Told told = search(module, *chip, GetParam().maxLayers);
  LayerGroupOptions options;
  options.chip = chip->name;
  options.remarks = false;
  options.maxLayers = GetParam().maxLayers;
  run(createLayerGroup(options));
  const report::LocalReport report = collect();
  ASSERT_EQ(report.groups.size(), told.plans.size());
  ASSERT_FALSE(told.plans.empty());
  int64_t wait = 0;
  for (size_t i = 0; i < told.plans.size(); ++i) {
    SCOPED_TRACE("group " + std::to_string(i));
    expectSame(report.groups[i], told.plans[i]);
    EXPECT_LE(report.groups[i].bankConflicts, told.conflicts[i]);
    if (!holds(told.plans[i])) {
      EXPECT_EQ(report.groups[i].bankConflicts, told.conflicts[i]);
    }
    wait += waits(told.plans[i]);
    EXPECT_LE(report.groups[i].cost.waitCycles, waits(told.plans[i]));
    EXPECT_EQ(report.groups[i].cost.waitCycles > 0,
              report.groups[i].bankConflicts > 0);
  }
  const report::LocalCost total = report.totalCost();
  EXPECT_EQ(total.loadBytes, told.cost.loadBytes);
  EXPECT_EQ(total.storeBytes, told.cost.storeBytes);
  EXPECT_EQ(total.cycles + wait, told.cost.cycles);
  EXPECT_EQ(total.computeCycles, told.cost.computeCycles);
  // Something has to move, and groups move less than layers one by one.
  EXPECT_GT(report.bound.loadBytes, 0);
  EXPECT_GT(report.bound.storeBytes, 0);
  EXPECT_LE(report.bound.bytes(), total.trafficBytes());
  EXPECT_LE(total.trafficBytes(), report.layerByLayerBytes);
}

const char *const kExamples = "tpu_mlir/examples/";

INSTANTIATE_TEST_SUITE_P(
    Models, OwnGroups,
    testing::Values(
        Model{"mobilenet_v2", std::string(kExamples) + "mobilenet_v2.mlir",
              "bm1684x", false, 6},
        Model{"llama_block", std::string(kExamples) + "llama_block.mlir",
              "bm1688", false},
        Model{"qwen_block_0", "qwen_block_0_bm1684x/tpu.mlir", "bm1684x"},
        Model{"qwen_block_cache_0", "qwen_block_cache_0_bm1684x/tpu.mlir",
              "bm1684x"},
        Model{"yolov8s_cv181x", "yolov8s_cv181x_int8/tpu.mlir", "cv181x", true,
              3}),
    nameOf);

} // namespace
