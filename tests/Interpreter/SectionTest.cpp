//===- SectionTest.cpp - Parts of results are the bits of the whole -------===//
//
// Each op on whole tensors, and again for random parts of its result from parts
// of its operands that hold what is read, and sometimes more.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels/Network.h"

#include "lib/Interpreter/Kernels/Call.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Interpreter/Local/GroupModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::execution;
using namespace tpu_mlir::interpreter;

namespace {

struct Case {
  std::string name;
  std::vector<std::string> operands; ///< Types of %0, %1, ...
  std::string op;                    ///< "tpu.Add"
  std::string attributes;
  std::string result;
  /// What a Load makes of operand 1; empty: there is none.
  std::string loaded = "";
};
void PrintTo(const Case &one, std::ostream *out) { *out << one.name; }

const Case kConvolutions[] = {
    {"Conv",
     {"2x6x11x9xf16", "8x6x3x3xf16", "8xf32"},
     "tpu.Conv2D",
     "kernel_shape = [3, 3], strides = [2, 1], pads = [1, 1, 1, 1], do_relu = "
     "true",
     "2x8x6x9xf16"},
    {"DilatedConv",
     {"1x4x13x10xf32", "4x4x3x2xf32", "4xf32"},
     "tpu.Conv2D",
     "kernel_shape = [3, 2], strides = [1, 3], dilations = [2, 1], pads = [2, "
     "0, 3, 1]",
     "1x4x14x4xf32"},
    {"DepthwiseConv",
     {"2x6x9x7xbf16", "6x1x3x3xbf16", "6xf32"},
     "tpu.Conv2D",
     "kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 6 "
     ": i64",
     "2x6x9x7xbf16"},
    {"Deconv",
     {"1x4x5x6xf32", "3x4x4x3xf32", "3xf32"},
     "tpu.Deconv",
     "kernel_shape = [4, 3], strides = [2, 3], pads = [1, 0, 1, 0]",
     "1x3x10x18xf32"},
};

const Case kOthers[] = {
    {"MaxPool",
     {"2x3x9x12xf16"},
     "tpu.Pool2D",
     "kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 0], pool_mode "
     "= #tpu<pool_mode Max>",
     "2x3x5x6xf16"},
    {"AvgPool",
     {"1x3x8x8xf32"},
     "tpu.Pool2D",
     "kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode "
     "= #tpu<pool_mode Avg>, count_include_pad = false",
     "1x3x8x8xf32"},
    {"Upsample",
     {"2x3x4x5xf16"},
     "tpu.Upsample",
     "scale_h = 2 : i64, scale_w = 3 : i64",
     "2x3x8x15xf16"},
    {"Add", {"2x3x4x5xf16", "1x3x1x5xf16"}, "tpu.Add", "", "2x3x4x5xf16"},
    {"Function",
     {"2x3x4x5xf16"},
     "tpu.Active",
     "mode = #tpu<active_mode SILU>",
     "2x3x4x5xf16"},
    {"PRelu", {"2x6x4x5xf32", "1x6x1x1xf32"}, "tpu.PRelu", "", "2x6x4x5xf32"},
    {"Cast", {"2x6x4x5xf32"}, "tpu.Cast", "", "2x6x4x5xf16"},
    {"MatMul",
     {"2x7x12xf16", "12x10xf16", "10xf32"},
     "tpu.MatMul",
     "",
     "2x7x10xf16"},
    {"LoadedMatMul",
     {"7x12xf16", "12x10xf16", "10xf32"},
     "tpu.MatMul",
     "",
     "7x10xf16",
     "1x12x10xf16"},
    {"LoadedTransposedMatMul",
     {"7x12xf32", "10x12xf32", "none"},
     "tpu.MatMul",
     "right_transpose = true",
     "7x10xf32",
     "1x10x12xf32"},
    {"TransposedMatMul",
     {"2x3x7x12xf32", "2x3x10x12xf32", "none"},
     "tpu.MatMul",
     "right_transpose = true",
     "2x3x7x10xf32"},
    {"Softmax",
     {"2x3x4x9xf16"},
     "tpu.Softmax",
     "axis = 3 : si32, beta = 1.0 : f64",
     "2x3x4x9xf16"},
    {"LayerNorm",
     {"2x5x12xf16", "12xf16", "12xf16"},
     "tpu.LayerNorm",
     "axis = 2 : si32, eps = 1.0e-5 : f64, normalized_shape = [12]",
     "2x5x12xf16"},
    {"Scale",
     {"2x6x4x5xf32", "1x6x1x1xf32", "1x6x1x1xf32"},
     "tpu.Scale",
     "",
     "2x6x4x5xf32"},
    {"Slice",
     {"2x6x9x8xf16", "none", "none", "none", "none"},
     "tpu.Slice",
     "offset = [0, 1, 2, 1], steps = [1, 1, 2, 3], ends = [2, 6, 9, 8]",
     "2x5x4x3xf16"},
    {"Pad",
     {"1x3x5x4xf16", "none", "none", "none"},
     "tpu.Pad",
     "paddings = [0, 0, 1, 2, 0, 0, 2, 1], val = 3.0 : f64, mode = "
     "#tpu<Pad_Mode constant>",
     "1x3x8x7xf16"},
    {"Rope",
     {"2x5x3x8xf32", "1x5x1x8xf32", "1x5x1x8xf32"},
     "tpu.Rope",
     "rope_mode = #tpu<rope_mode contiguous_halves>",
     "2x5x3x8xf32"},
    {"Concat",
     {"2x3x4x5xf16", "2x2x4x5xf16"},
     "tpu.Concat",
     "axis = 1 : si32",
     "2x5x4x5xf16"},
    {"Reshape", {"2x3x4x5xf16"}, "tpu.Reshape", "", "2x3x20xf16"},
    {"Reduce",
     {"2x3x4x5xf32", "none", "none"},
     "tpu.Reduce",
     "axes = [3], keepdims = true, mode = \"ReduceMean\"",
     "2x3x4x1xf32"},
};

/// Where another dimension is as long as the channels, or as the columns of a
/// product: it does not cut their numbers.
const Case kSameLengths[] = {
    {"LoadedScale",
     {"2x6x4x6xf32", "6xf32", "6xf32"},
     "tpu.Scale",
     "",
     "2x6x4x6xf32",
     "1x1x1x6xf32"},
    {"ScaleOnColumns",
     {"2x6x4x6xf32", "1x1x1x6xf32", "none"},
     "tpu.Scale",
     "",
     "2x6x4x6xf32"},
    {"ScaleOnRows",
     {"2x6x6x5xf32", "1x1x6x1xf32", "1x6x1x1xf32"},
     "tpu.Scale",
     "",
     "2x6x6x5xf32"},
    {"ScaleOnImages",
     {"6x6x4x5xf32", "6x1x1x1xf32", "none"},
     "tpu.Scale",
     "",
     "6x6x4x5xf32"},
    {"LoadedPRelu",
     {"2x6x4x6xf32", "6xf32"},
     "tpu.PRelu",
     "",
     "2x6x4x6xf32",
     "1x1x1x6xf32"},
    {"LoadedAdd",
     {"2x6x6x6xf32", "6xf32"},
     "tpu.Add",
     "",
     "2x6x6x6xf32",
     "1x1x1x6xf32"},
    {"LoadedLayerNorm",
     {"2x6x6x6xf32", "6xf32", "6xf32"},
     "tpu.LayerNorm",
     "axis = 3 : si32, eps = 1.0e-5 : f64, normalized_shape = [6]",
     "2x6x6x6xf32",
     "1x1x1x6xf32"},
    {"LoadedGroupNorm",
     {"6x6x4x6xf32", "6xf32", "6xf32"},
     "tpu.GroupNorm",
     "num_groups = 2 : i64, eps = 1.0e-5 : f64",
     "6x6x4x6xf32",
     "1x1x1x6xf32"},
    {"LoadedMatMul",
     {"6x6x6xf32", "6x6xf32", "6xf32"},
     "tpu.MatMul",
     "",
     "6x6x6xf32",
     "1x6x6xf32"},
    {"FactorsOfColumns",
     {"2x6x5xi8", "5x6xi8", "6xi32"},
     "tpu.MatMul",
     "multipliers = [1, 2, 3, 4, 5, 6], rshifts = [0, 1, 0, 1, 0, 1]",
     "2x6x6xi8"},
    {"TableOfChannels",
     {"2x6x4x6xi32", "1x6x1x2xi32"},
     "tpu.RequantIntAxis",
     "",
     "2x6x4x6xi8"},
};

class SectionTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(text(), &context);
    ASSERT_TRUE(module) << text();
    module->walk([&](Operation *candidate) {
      if (candidate->getName().getStringRef() == GetParam().op)
        op = candidate;
    });
    ASSERT_TRUE(op);
    for (Value value : op->getOperands())
      operands.push_back(isa<NoneType>(value.getType())
                             ? TensorPart()
                             : random(value.getType()));
    whole = TensorPart::whole(shape(op->getResult(0).getType()));
    ASSERT_EQ(run(whole, operands), "");
  }

  static std::string typeOf(const std::string &type) {
    return type == "none" ? type : "tensor<" + type + ">";
  }
  std::string text() const {
    std::string arguments, names, types, load;
    for (std::string type : GetParam().operands) {
      std::string name =
          type == "none" ? "%none" : "%a" + std::to_string(names.size());
      if (type != "none")
        arguments +=
            (arguments.empty() ? "" : ", ") + name + ": " + typeOf(type);
      if (!types.empty() && load.empty() && !GetParam().loaded.empty()) {
        load = "%loaded = \"tpu.Load\"(" + name + ") : (" + typeOf(type) +
               ") -> " + typeOf(GetParam().loaded) + "\n";
        name = "%loaded";
        type = GetParam().loaded;
      }
      names += (names.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + typeOf(type);
    }
    return "func.func @f(" + arguments +
           ") {\n%none = \"top.None\"() : () -> none\n" + load + "%r = \"" +
           GetParam().op + "\"(" + names + ") {" + GetParam().attributes +
           "} : (" + types + ") -> " + typeOf(GetParam().result) +
           "\nreturn\n}";
  }

  TensorShape shape(Type type) {
    const auto known = shapeOf(type, /*groupType=*/0, /*lanes=*/4);
    EXPECT_EQ(known.error, "");
    return known.shape;
  }
  TensorPart random(Type type) {
    TensorPart part = TensorPart::whole(shape(type));
    execution::Tensor tensor(*kernelType(type));
    std::vector<float> values(part.values.size());
    for (float &value : values)
      value = static_cast<float>(numbers() % 4096) / 2048.0f - 1.0f;
    store(llvm::ArrayRef<float>(values), tensor.span());
    readBits(tensor.view().bytes, part);
    return part;
  }

  std::string run(TensorPart &into, const std::vector<TensorPart> &from) {
    KernelCall call{op, {}, &into};
    for (const TensorPart &part : from)
      call.operands.push_back(part.values.empty() ? nullptr : &part);
    return NetworkKernels(/*threads=*/1, /*madeUpWeights=*/false,
                          /*chip=*/nullptr)
        .run(call)
        .value_or("");
  }

  /// Whether operand `k` is refused, or the result wrong, without a slice of
  /// it; a result that is right did not need it.
  bool isMissed(llvm::ArrayRef<Interval> part, std::vector<TensorPart> parts,
                size_t k, int dim, bool atEnd);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  std::mt19937 numbers{7};
  std::vector<TensorPart> operands;
  TensorPart whole;
};

class ConvolutionTest : public SectionTest {};

TensorPart cut(const TensorPart &whole, const Box &box) {
  TensorPart part(whole.shape, box);
  for (const Run &run : runsOf(part.shape, box))
    std::copy_n(&whole.values[run.flat], run.length,
                &part.values[run.position]);
  return part;
}

/// The box of intervals of a tensor's own dimensions.
Box boxOf(const TensorShape &shape, llvm::ArrayRef<Interval> part) {
  static constexpr Dim kDims[] = {N, C, H, W};
  Box box = shape.wholeBox();
  for (auto [i, interval] : llvm::enumerate(part)) {
    box.lo[kDims[i]] = interval.begin;
    box.size[kDims[i]] = interval.length();
  }
  return box;
}

/// What remains of `part` without the first or the last of a dimension.
std::optional<TensorPart> smaller(const TensorPart &part, int dim, bool atEnd) {
  if (part.box.size[dim] < 2)
    return std::nullopt;
  Box less = part.box;
  --less.size[dim];
  less.lo[dim] += atEnd ? 0 : 1;
  TensorPart result(part.shape, less);
  for (int64_t &lo : less.lo)
    lo -= part.box.lo[&lo - less.lo.data()];
  TensorShape shape = part.shape;
  shape.whole = part.box.size;
  for (const Run &run : runsOf(shape, less))
    std::copy_n(&part.values[run.flat], run.length,
                &result.values[run.position]);
  return result;
}

bool SectionTest::isMissed(llvm::ArrayRef<Interval> part,
                           std::vector<TensorPart> parts, size_t k, int dim,
                           bool atEnd) {
  if (parts[k].values.empty())
    return false;
  auto less = smaller(parts[k], dim, atEnd);
  if (!less)
    return false;
  parts[k] = *less;
  TensorPart made(whole.shape, boxOf(whole.shape, part));
  const std::string refusal = run(made, parts);
  if (refusal.empty()) {
    EXPECT_EQ(made.values, cut(whole, made.box).values)
        << "operand " << k << " without a slice of dimension " << dim;
    return false;
  }
  EXPECT_NE(refusal.find(" is there"), std::string::npos) << refusal;
  return true;
}

/// The op's result is the same as that of its kernel on whole tensors.
TEST_P(SectionTest, WholeIsTheKernels) {
  Call call{op, {}, {}, 1, false};
  std::vector<std::vector<uint8_t>> bytes;
  for (const TensorPart &part : operands)
    bytes.push_back(bytesOfBits(part.values, part.shape.bits));
  for (size_t i = 0; i < operands.size(); ++i) {
    Value operand = op->getOperand(i);
    if (auto load = operand.getDefiningOp<tpu::LoadOp>())
      operand = load.getInput();
    auto type = kernelType(operand.getType());
    call.operands.push_back(type ? std::optional(TensorView{*type, bytes[i]})
                                 : std::nullopt);
  }
  execution::Tensor result(*kernelType(op->getResult(0).getType()));
  call.results = {result.span()};
  ASSERT_FALSE(compute(call));
  EXPECT_EQ(bytesOfBits(whole.values, whole.shape.bits),
            result.view().bytes.vec());
}

/// Filters and biases in parts, too: those of the channels that are computed.
TEST_P(ConvolutionTest, ChannelsOfParts) {
  const int64_t channels = whole.shape.dims[1];
  auto slices = cast<LocalSliceOpInterface>(op);
  for (int64_t begin = 0; begin < channels; ++begin)
    for (int64_t end = begin + 1; end <= channels; ++end) {
      llvm::SmallVector<Interval> part;
      for (int64_t size : whole.shape.dims)
        part.push_back({0, size});
      part[1] = {begin, end};
      std::vector<TensorPart> parts;
      for (auto [k, operand] : llvm::enumerate(operands)) {
        auto needed = slices.getOperandSlice(k, part);
        ASSERT_TRUE(succeeded(needed));
        if (k > 0)
          (*needed)[0] = {begin, end};
        parts.push_back(cut(operand, boxOf(operand.shape, *needed)));
      }
      TensorPart made(whole.shape, boxOf(whole.shape, part));
      ASSERT_EQ(run(made, parts), "");
      EXPECT_EQ(made.values, cut(whole, made.box).values);
      if (end == channels)
        continue;
      part[1] = {begin, end + 1};
      TensorPart more(whole.shape, boxOf(whole.shape, part));
      EXPECT_NE(run(more, parts), "");
    }
}

TEST_P(SectionTest, PartsAreTheBitsOfTheWhole) {
  auto slices = cast<LocalSliceOpInterface>(op);
  ASSERT_EQ(slices.whyGlobal(), "");
  const auto uncut = slices.getUncutDims();
  int cuts = 0, refused = 0;
  for (int i = 0; i < 40; ++i) {
    llvm::SmallVector<Interval> part;
    for (auto [dim, size] : llvm::enumerate(whole.shape.dims)) {
      const int64_t length = uncut[dim] ? size : 1 + numbers() % size;
      const int64_t begin = numbers() % (size - length + 1);
      part.push_back({begin, begin + length});
      cuts += length != size;
    }
    std::vector<TensorPart> parts;
    bool isEmpty = false;
    for (auto [k, operand] : llvm::enumerate(operands)) {
      if (operand.values.empty()) {
        parts.push_back({});
        continue;
      }
      auto needed = slices.getOperandSlice(k, part);
      ASSERT_TRUE(succeeded(needed));
      for (auto [dim, interval] : llvm::enumerate(*needed)) {
        isEmpty |= interval.empty();
        // Other readers may need more of it.
        if (numbers() % 2)
          interval.begin = numbers() % (interval.begin + 1);
        if (numbers() % 2)
          interval.end = operand.shape.dims[dim];
      }
      isEmpty |= boxOf(operand.shape, *needed).elements() == 0;
      parts.push_back(isEmpty ? operand
                              : cut(operand, boxOf(operand.shape, *needed)));
    }
    TensorPart made(whole.shape, boxOf(whole.shape, part));
    ASSERT_EQ(run(made, parts), "");
    ASSERT_EQ(made.values, cut(whole, made.box).values) << "part " << i;
    for (size_t k = 0; k < parts.size(); ++k)
      for (int dim = 0; dim < kNumDims; ++dim)
        for (bool atEnd : {false, true})
          refused += isMissed(part, parts, k, dim, atEnd);
  }
  EXPECT_GT(cuts, 0);
  EXPECT_GT(refused, 0);
}

std::string nameOfCase(const testing::TestParamInfo<Case> &info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Convolutions, SectionTest,
                         testing::ValuesIn(kConvolutions), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Others, SectionTest, testing::ValuesIn(kOthers),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(SameLengths, SectionTest,
                         testing::ValuesIn(kSameLengths), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Convolutions, ConvolutionTest,
                         testing::ValuesIn(kConvolutions), nameOfCase);

} // namespace
