//===- ExportTest.cpp - There and back again ------------------------------===//
//
// What the importer makes of a network that was written as ONNX is the network
// that was built, by these rules: a layer `x` is called `x_<Op>`, after the
// last of its nodes; what is several nodes there is several layers (an
// activation that was part of a layer, SiLU, GELU, RMSNorm, a bias that is
// added to a batch of products); weights whose numbers are stored otherwise end
// in `_fix`; and what follows from constants alone is a weight.
//
//===----------------------------------------------------------------------===//

#include "tests/ModelBuilder/Networks.h"

#include "lib/Import/Reader.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tpu_mlir/Import/Export.h"
#include "tpu_mlir/Import/Import.h"
#include "tpu_mlir/Import/LightNetworks.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "mlir/Pass/PassManager.h"

#include <fstream>
#include <map>
#include <set>

using namespace mlir;

namespace tpu_mlir {
namespace {

std::string written(const std::string &name, const std::string &bytes) {
  const std::string path = testing::TempDir() + name + ".onnx";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

OwningOpRef<ModuleOp> imported(MLIRContext &context, const std::string &path) {
  importer::ImportOptions options;
  options.name = "net";
  auto made = importer::importOnnx(context, path, options);
  if (auto *errors = std::get_if<std::vector<importer::ImportError>>(&made)) {
    ADD_FAILURE() << errors->front().message;
    return {};
  }
  return std::move(std::get<importer::Imported>(made).module);
}

//===----------------------------------------------------------------------===//
// Layer by layer
//===----------------------------------------------------------------------===//

/// "Conv x_Conv(input, x.weight, x.bias) [1, 64, 112, 112]", and attributes
/// where a layer is one on both sides.
struct Line {
  std::string kind, name;
  std::vector<std::string> operands;
  Shape shape;
  std::map<std::string, std::string> attributes = {};

  std::string text() const {
    std::string all = kind + " " + name + "(";
    for (const std::string &operand : operands)
      all += operand + ", ";
    all += ") [";
    for (int64_t size : shape)
      all += std::to_string(size) + ", ";
    return all + "]";
  }
};

std::map<std::string, std::string> attributesOf(Operation *op) {
  std::map<std::string, std::string> all;
  for (NamedAttribute attribute : op->getAttrs())
    llvm::raw_string_ostream(all[attribute.getName().str()])
        << attribute.getValue();
  return all;
}

bool isLayer(Operation *op) {
  static const std::set<std::string> kOthers = {"None", "Weight", "Input",
                                                "return"};
  return !kOthers.count(kindOf(op));
}

std::vector<Line> linesOf(Operation &function) {
  std::vector<Line> lines;
  for (Operation &op : function.getRegion(0).front()) {
    if (!isLayer(&op))
      continue;
    Line line{kindOf(&op), nameOf(&op), {}, shapeOf(op.getResult(0))};
    for (Value operand : op.getOperands())
      line.operands.push_back(nameOf(operand.getDefiningOp()));
    line.attributes = attributesOf(&op);
    lines.push_back(line);
  }
  return lines;
}

/// What the rules make of a built network.
class Expected {
public:
  explicit Expected(Network &network) {
    for (Operation *op : network.ops())
      isLayer(op) ? add(op) : void(names[op] = nameOf(op));
  }
  std::vector<Line> lines;

private:
  std::string in(Operation *op, unsigned index) {
    return names[op->getOperand(index).getDefiningOp()];
  }
  bool isWeight(Operation *op, unsigned index) {
    return kindOf(op->getOperand(index).getDefiningOp()) == "Weight";
  }
  void step(const std::string &kind, const std::string &name,
            std::vector<std::string> operands, const Shape &shape) {
    lines.push_back({kind, name, std::move(operands), shape});
    last = name;
  }
  void add(Operation *op);
  void addWhole(Operation *op, const std::string &node);
  void addGelu(const std::string &name, const std::string &x,
               const Shape &shape);
  void addRmsNorm(Operation *op);

  std::map<Operation *, std::string> names;
  std::string last;
};

void Expected::addGelu(const std::string &name, const std::string &x,
                       const Shape &shape) {
  step("MulConst", name + ".scaled_Div", {x}, shape);
  step("Erf", name + ".erf_Erf", {last}, shape);
  step("AddConst", name + ".above_Add", {last}, shape);
  step("Mul", name + ".twice_Mul", {x, last}, shape);
  step("MulConst", name + "_Mul", {last}, shape);
}

void Expected::addRmsNorm(Operation *op) {
  const std::string name = nameOf(op), x = in(op, 0);
  const Shape shape = shapeOf(op->getResult(0));
  Shape row = shape;
  row.back() = 1;
  step("Mul", name + ".squares_Mul", {x, x}, shape);
  step("Reduce", name + ".mean_ReduceMean", {last}, row);
  step("AddConst", name + ".sum_Add", {last}, row);
  step("Sqrt", name + ".root_Sqrt", {last}, row);
  step("Div", name + ".normal_Div", {x, last}, shape);
  step("Mul", name + "_Mul", {last, in(op, 1)}, shape);
}

/// A layer of one node, or of one and an activation.
void Expected::addWhole(Operation *op, const std::string &node) {
  Line line{kindOf(op),
            nameOf(op) + "_" + node,
            {},
            shapeOf(op->getResult(0)),
            attributesOf(op)};
  static const std::set<std::string> kStored = {"Deconv", "Scale"};
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    line.operands.push_back(in(op, i) +
                            (kStored.count(kindOf(op)) && isWeight(op, i) &&
                                     (kindOf(op) == "Scale" || i == 1)
                                 ? "_fix"
                                 : ""));
  const auto has = [&](const char *attribute, const char *value) {
    auto found = line.attributes.find(attribute);
    return found != line.attributes.end() && found->second == value;
  };
  const bool hasRelu = has("do_relu", "true");
  const bool isLimited = has("relu_limit", "6.000000e+00 : f64");
  if (hasRelu) {
    line.name = nameOf(op) + ".linear_" + node;
    line.attributes["do_relu"] = "false";
    line.attributes["relu_limit"] = "-1.000000e+00 : f64";
  }
  lines.push_back(line);
  last = line.name;
  if (hasRelu)
    step("Relu", nameOf(op) + (isLimited ? "_Clip" : "_Relu"), {last},
         line.shape);
}

void Expected::add(Operation *op) {
  static const std::map<std::string, std::string> kNodes = {
      {"AvgPool", "AveragePool"},
      {"Deconv", "ConvTranspose"},
      {"Scale", "BatchNormalization"},
      {"LayerNorm", "LayerNormalization"},
      {"MulConst", "Mul"},
      {"SubConst", "Sub"},
      {"Permute", "Transpose"},
      {"Upsample", "Resize"}};
  const std::string kind = kindOf(op), name = nameOf(op);
  const Shape shape = shapeOf(op->getResult(0));
  if (kind == "Gather" && isWeight(op, 0) && isWeight(op, 1)) {
    names[op] = name;
    return;
  }
  const bool hasBias =
      kind == "MatMul" && !isa<NoneType>(op->getOperand(2).getType());
  if (kind == "SiLU") {
    step("Sigmoid", name + ".sigmoid_Sigmoid", {in(op, 0)}, shape);
    step("Mul", name + "_Mul", {in(op, 0), last}, shape);
  } else if (kind == "GELU") {
    addGelu(name, in(op, 0), shape);
  } else if (kind == "RMSNorm") {
    addRmsNorm(op);
  } else if (hasBias && shape.size() > 2) {
    step("MatMul", name + ".product_MatMul", {in(op, 0), in(op, 1), ""}, shape);
    step("Add", name + "_Add", {last, in(op, 2)}, shape);
  } else if (kind == "AvgPool" && shape[2] == 1 && shape[3] == 1) {
    addWhole(op, "GlobalAveragePool");
  } else {
    auto node = kNodes.find(kind);
    addWhole(op, hasBias ? "Gemm" : node == kNodes.end() ? kind : node->second);
  }
  names[op] = last;
}

/// Attributes that one side leaves out, where they have the value that means
/// nothing, or are said by shapes.
bool mayDiffer(const std::string &name) {
  static const std::set<std::string> kNames = {
      "dq_type",   "is_lora",    "q_group_size",      "inserts",
      "is_scalar", "allowzero",  "output_padding",    "normalized_shape",
      "pad_value", "keepdims",   "count_include_pad", "ceil_mode",
      "dilations", "is_adaptive"};
  return kNames.count(name) > 0;
}

/// Numbers are f32 in ONNX.
bool isSame(const std::string &a, const std::string &b) {
  StringRef x = a, y = b;
  double left, right;
  if (!x.consume_back(" : f64") || !y.consume_back(" : f64") ||
      x.getAsDouble(left) || y.getAsDouble(right))
    return a == b;
  return static_cast<float>(left) == static_cast<float>(right);
}

void expectEqual(const Line &made, const Line &wanted) {
  EXPECT_EQ(made.text(), wanted.text());
  if (wanted.attributes.empty())
    return;
  std::set<std::string> names;
  for (const Line *line : {&made, &wanted})
    for (const auto &attribute : line->attributes)
      names.insert(attribute.first);
  for (const std::string &name : names) {
    auto a = made.attributes.find(name), b = wanted.attributes.find(name);
    if (a != made.attributes.end() && b != wanted.attributes.end() &&
        name != "normalized_shape")
      EXPECT_TRUE(isSame(a->second, b->second))
          << wanted.name << " " << name << ": " << a->second << ", "
          << b->second;
    else
      EXPECT_TRUE(mayDiffer(name)) << wanted.name << " " << name;
  }
}

class EveryName : public testing::TestWithParam<std::string> {
protected:
  std::string exported(Network &network) {
    auto file = importer::exportOnnx(*network.module);
    EXPECT_TRUE(std::holds_alternative<std::string>(file));
    return written(GetParam(), std::get<std::string>(file));
  }
};

TEST_P(EveryName, ComesBackAsItWasBuilt) {
  Network built(options(GetParam()));
  MLIRContext context;
  auto module = imported(context, exported(built));
  ASSERT_TRUE(module);
  const std::vector<Line> made = linesOf(module->getBody()->front());
  const std::vector<Line> wanted = Expected(built).lines;
  ASSERT_EQ(made.size(), wanted.size());
  for (size_t i = 0; i < made.size(); ++i)
    expectEqual(made[i], wanted[i]);
}

/// Weights and neurons of a plan for F16.
std::pair<int64_t, int64_t> planned(ModuleOp module) {
  MLIRContext *context = module.getContext();
  ConvertTopToTpuOptions lowering;
  lowering.chip = "bm1684x";
  lowering.mode = "F16";
  GlobalMemoryOptions memory;
  memory.chip = "bm1684x";
  PassManager passes(context);
  passes.addPass(createConvertTopToTpu(lowering));
  buildGlobalMemoryPipeline(passes, memory);
  if (failed(passes.run(module)))
    return {-1, -1};
  auto size = [&](StringRef name) {
    return module->getAttrOfType<IntegerAttr>(name).getInt();
  };
  return {size("module.coeff_size"), size("module.neuron_size")};
}

TEST_P(EveryName, TakesTheSameMemory) {
  Network built(options(GetParam()));
  MLIRContext context;
  auto module = imported(context, exported(built));
  ASSERT_TRUE(module);
  const auto wanted = planned(*built.module), made = planned(*module);
  ASSERT_GT(wanted.first, 0);
  // Rows that are looked up by constant indices are the weight, not the table.
  if (GetParam() == "bert_base")
    EXPECT_LT(made.first, wanted.first);
  else
    EXPECT_EQ(made.first, wanted.first);
  // A product may take the place of its operand, a SiLU does not.
  if (GetParam() == "yolo_fpn")
    EXPECT_LT(made.second, wanted.second);
  else
    EXPECT_EQ(made.second, wanted.second);
}

INSTANTIATE_TEST_SUITE_P(All, EveryName, testing::ValuesIn(modelNames()),
                         [](const auto &info) { return info.param; });

TEST(Export, SaysWhatCannotBeWritten) {
  Network built(options("unet"));
  Operation *conv = built.named("classes");
  OpBuilder builder(conv);
  OperationState state(conv->getLoc(), "top.LSTM");
  state.addOperands(conv->getOperands());
  state.addTypes(conv->getResultTypes());
  Operation *other = builder.create(state);
  conv->replaceAllUsesWith(other);
  conv->erase();
  auto file = importer::exportOnnx(*built.module);
  auto *error = std::get_if<importer::ExportError>(&file);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "layer 'classes': there is no way to write top.LSTM");
}

//===----------------------------------------------------------------------===//
// Light networks
//===----------------------------------------------------------------------===//

std::map<std::string, int> nodesOf(const std::string &path) {
  auto graph =
      importer::readOnnx(path, [](const std::string &) { return true; });
  std::map<std::string, int> counts;
  if (!std::holds_alternative<importer::Graph>(graph))
    return counts;
  for (const importer::Node &node : std::get<importer::Graph>(graph).nodes)
    if (node.op != "ConstantOfShape")
      ++counts[node.op];
  return counts;
}

/// Nodes besides weights, as the published files have them.
TEST(LightNetworks, HaveTheNodesOfThePublishedFiles) {
  const std::map<std::string, int> kNodes = {
      {"light_zfnet512", 22},      {"light_alexnet", 24},
      {"light_vgg19", 46},         {"light_squeezenet", 66},
      {"light_resnet50", 176},     {"light_shufflenet", 203},
      {"light_inception_v2", 509}, {"light_densenet121", 910}};
  for (const auto &[name, wanted] : kNodes) {
    const auto counts =
        nodesOf(written(name, *importer::buildLightNetwork(name, 1)));
    int sum = 0;
    for (const auto &entry : counts)
      sum += entry.second;
    EXPECT_EQ(sum, wanted) << name;
  }
  auto resnet = nodesOf(
      written("resnet", *importer::buildLightNetwork("light_resnet50", 1)));
  EXPECT_EQ(resnet["Conv"], 53);
  EXPECT_EQ(resnet["BatchNormalization"], 53);
  EXPECT_EQ(resnet["Relu"], 49);
  EXPECT_EQ(resnet["Sum"], 16);
}

TEST(LightNetworks, AreSmallAndCanBeImported) {
  for (const importer::LightNetwork &network : importer::lightNetworks()) {
    const std::string bytes = *importer::buildLightNetwork(network.name, 2);
    EXPECT_LT(bytes.size(), 1u << 19) << network.name.str();
    MLIRContext context;
    auto module = imported(context, written(network.name.str(), bytes));
    ASSERT_TRUE(module) << network.name.str();
    Operation &end = module->getBody()->front().getRegion(0).front().back();
    EXPECT_EQ(shapeOf(end.getOperand(0)).at(1), 1000) << network.name.str();
  }
  EXPECT_FALSE(importer::buildLightNetwork("light_house", 1));
}

} // namespace
} // namespace tpu_mlir
