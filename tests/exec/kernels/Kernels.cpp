//===- Kernels.cpp - Which kernel an op has -------------------------------===//

#include "tests/exec/kernels/KernelSupport.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "mlir/IR/BuiltinTypes.h"

#include <limits>
#include <map>

using namespace mlir;

namespace tpu_mlir::exec {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct Family {
  void (*run)(Kernel &);
  bool elementwise = false;
};
} // namespace

static void addAll(std::map<std::string, Family> &families, Family family,
                   std::initializer_list<const char *> names) {
  for (const char *name : names)
    families.emplace(std::string("tpu.") + name, family);
}

static const std::map<std::string, Family> &families() {
  static const std::map<std::string, Family> all = [] {
    std::map<std::string, Family> result;
    addAll(result, {runElementwise, true},
           {"Add",        "Sub",         "Mul",          "Div",
            "Min",        "Max",         "Mod",          "Pow3",
            "Compare",    "BinaryShift", "LogicalAnd",   "LogicalOr",
            "BitwiseAnd", "Where",       "MaskedFill",   "PRelu",
            "AddConst",   "SubConst",    "MulConst",     "DivConst",
            "MaxConst",   "MinConst",    "CompareConst", "BinaryConstShift",
            "MulShift",   "Pow",         "Pow2",         "Active",
            "Relu",       "LeakyRelu",   "Clip",         "Reciprocal",
            "Cast",       "DtypeCast",   "Trilu"});
    addAll(result, {runView, true},
           {"Reshape", "Squeeze", "Unsqueeze", "LineBuffer"});
    addAll(result, {runTable}, {"Lut", "LutBF16", "ScaleLut"});
    addAll(result, {runAxisTable},
           {"RequantInt", "RequantIntAxis", "RequantFp", "RequantFpAxis",
            "DequantInt", "DequantIntAxis"});
    addAll(result, {runConvolution}, {"Conv1D", "Conv2D", "Conv3D"});
    addAll(result, {runDeconvolution}, {"Deconv"});
    addAll(result, {runPool}, {"Pool1D", "Pool2D", "Pool3D"});
    addAll(result, {runMatMul}, {"MatMul"});
    addAll(result, {runA16MatMul}, {"A16MatMul"});
    addAll(result, {runSoftmax}, {"Softmax", "SoftmaxCast"});
    addAll(result, {runLayerNorm}, {"LayerNorm"});
    addAll(result, {runRmsNorm}, {"RMSNorm"});
    addAll(result, {runChannelNorm},
           {"GroupNorm", "InstanceNorm", "PixelNorm"});
    addAll(result, {runScale}, {"Scale"});
    addAll(result, {runReduce}, {"Reduce"});
    addAll(result, {runConcat}, {"Concat"});
    addAll(result, {runSlice}, {"Slice"});
    addAll(result, {runUpsample}, {"Upsample"});
    addAll(result, {runPad}, {"Pad"});
    addAll(result, {runPermute}, {"Permute"});
    addAll(result, {runRope}, {"Rope"});
    return result;
  }();
  return all;
}

static const Family *familyOf(StringRef name) {
  auto found = families().find(name.str());
  return found == families().end() ? nullptr : &found->second;
}

bool hasKernel(StringRef opName) { return familyOf(opName) != nullptr; }

bool isElementwise(Operation *op) {
  const Family *family = familyOf(op->getName().getStringRef());
  return family && family->elementwise;
}

std::optional<std::string> runKernel(const KernelCall &call) {
  const StringRef name = call.op->getName().getStringRef();
  const Family *family = familyOf(name);
  if (!family)
    return "there is no kernel for '" + name.str() + "'";
  Kernel kernel(call);
  family->run(kernel);
  return kernel.error();
}

namespace {
class MixingKernels : public SectionKernels {
public:
  bool has(StringRef opName) const override { return hasKernel(opName); }
  bool isElementwise(Operation *op) const override {
    return exec::isElementwise(op);
  }
  std::optional<std::string> run(const KernelCall &call) const override {
    return runKernel(call);
  }
};
} // namespace

const SectionKernels &mixingKernels() {
  static const MixingKernels kernels;
  return kernels;
}

//===----------------------------------------------------------------------===//
// What kernels share
//===----------------------------------------------------------------------===//

Kernel::Kernel(const KernelCall &call)
    : op(call.op), result(*call.result), bits(call.result->shape.bits) {
  for (const TensorPart *part : call.operands)
    operands.emplace_back(part, bits);
}

std::optional<std::string> Kernel::error() const {
  if (!refusal.empty())
    return "there is no kernel for this '" +
           op->getName().getStringRef().str() + "': " + refusal;
  for (auto [index, reader] : llvm::enumerate(operands))
    if (auto complaint = reader.complaint())
      return "reads what it was not given: operand " + std::to_string(index) +
             ", " + *complaint;
  return std::nullopt;
}

int64_t Kernel::number(StringRef name, int64_t otherwise) const {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getValue().getSExtValue() : otherwise;
}

bool Kernel::flag(StringRef name, bool otherwise) const {
  auto attribute = op->getAttrOfType<BoolAttr>(name);
  return attribute ? attribute.getValue() : otherwise;
}

std::vector<int64_t> Kernel::numbers(StringRef name) const {
  std::vector<int64_t> result;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (auto entry : list.getAsRange<IntegerAttr>())
      result.push_back(entry.getInt());
  return result;
}

std::string Kernel::word(StringRef name) const {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return "";
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  StringRef word = printed;
  word = word.rsplit(' ').second.empty() ? word : word.rsplit(' ').second;
  return word.rtrim('>').str();
}

int64_t Kernel::axis(StringRef name, int64_t otherwise, int64_t rank) const {
  const int64_t given = number(name, otherwise);
  return given < 0 ? given + rank : given;
}

uint32_t saltOf(Operation *op) {
  uint32_t salt = 2166136261u; // FNV-1a
  for (char c : op->getName().getStringRef())
    salt = (salt ^ static_cast<unsigned char>(c)) * 16777619u;
  return salt;
}

ParameterRows rowsOf(const TensorShape &parameter) {
  const auto &dims = parameter.dims;
  ParameterRows result;
  if (!dims.empty())
    result.rows = dims[0] == 1 && dims.size() > 1 ? dims[1] : dims[0];
  result.length = parameter.elements() / result.rows;
  return result;
}

uint32_t mixedRow(Reader &parameter, int64_t channel) {
  const ParameterRows rows = rowsOf(parameter.shape());
  uint32_t mixed = 0;
  for (int64_t i = 0; i < rows.length; ++i)
    mixed += odd(i) * parameter.at((channel % rows.rows) * rows.length + i);
  return mixed;
}

uint32_t mixedWhole(Reader &parameter) {
  uint32_t mixed = 0;
  for (int64_t i = 0, e = parameter.elements(); i < e; ++i)
    mixed += odd(i) * parameter.at(i);
  return mixed;
}

SmallVector<int64_t, 6> indexIn(const std::vector<int64_t> &dims,
                                int64_t flat) {
  SmallVector<int64_t, 6> index(dims.size(), 0);
  for (int dim = static_cast<int>(dims.size()) - 1; dim >= 0; --dim) {
    index[dim] = flat % dims[dim];
    flat /= dims[dim];
  }
  return index;
}

SmallVector<int64_t, 6> stridesOf(const std::vector<int64_t> &dims) {
  SmallVector<int64_t, 6> strides(dims.size(), 1);
  for (int dim = static_cast<int>(dims.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * dims[dim + 1];
  return strides;
}

} // namespace tpu_mlir::exec
