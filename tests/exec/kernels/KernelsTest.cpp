//===- KernelsTest.cpp - What each kernel depends on ----------------------===//
//
// Each kernel is probed: one element of an operand is changed, and exactly
// those elements of the result may change that by the op's definition depend
// on it. Then parts of results are computed from the parts of operands that
// they depend on, and from ones that are too small.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/kernels/KernelCases.h"

#include "tests/exec/groups/Reference.h"
#include "tests/exec/kernels/Kernels.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

class KernelsTest : public testing::TestWithParam<KernelCase> {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    std::string arguments;
    for (size_t i = 0; i < GetParam().operands.size(); ++i)
      arguments += (i ? ", %" : "%") + std::to_string(i) + ": tensor<" +
                   GetParam().operands[i] + ">";
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") {\n" +
                                             GetParam().text + "\nreturn\n}",
                                         &context);
    ASSERT_TRUE(module) << GetParam().text;
    module->walk([&](Operation *candidate) {
      if (candidate->getName().getDialectNamespace() == "tpu")
        op = candidate;
    });
    ASSERT_TRUE(op);
    for (Value value : op->getOperands())
      if (isa<NoneType>(value.getType()))
        operands.push_back(TensorPart());
      else
        operands.push_back(madeUp(shape(value.getType()), operands.size() + 1));
    result = TensorPart::whole(shape(op->getResult(0).getType()));
    ASSERT_EQ(run(result, operands), "");
  }

  TensorShape shape(Type type) {
    const auto known = shapeOf(type, GetParam().groupType, 4);
    EXPECT_EQ(known.error, "");
    return known.shape;
  }

  std::string run(TensorPart &into, const std::vector<TensorPart> &from) {
    KernelCall call{op, {}, &into};
    for (size_t i = 0; i < from.size(); ++i)
      call.operands.push_back(
          isa<NoneType>(op->getOperand(i).getType()) ? nullptr : &from[i]);
    return runKernel(call).value_or("");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  std::vector<TensorPart> operands;
  TensorPart result;
};

std::vector<int64_t> indexOf(const TensorShape &shape, int64_t flat) {
  std::vector<int64_t> index(shape.dims.size());
  for (int64_t dim = static_cast<int64_t>(index.size()) - 1; dim >= 0; --dim) {
    index[dim] = flat % shape.dims[dim];
    flat /= shape.dims[dim];
  }
  return index;
}

TEST_P(KernelsTest, DependsOnWhatItsDefinitionSays) {
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t e = 0; e < operands[k].values.size(); ++e) {
      auto changed = operands;
      changed[k].values[e] ^= 1;
      TensorPart other(result.shape, result.box);
      ASSERT_EQ(run(other, changed), "");
      const auto from = indexOf(operands[k].shape, e);
      for (size_t r = 0; r < result.values.size(); ++r)
        ASSERT_EQ(other.values[r] != result.values[r],
                  GetParam().reads(indexOf(result.shape, r),
                                   static_cast<int>(k), from))
            << "operand " << k << ", element " << e << ", result " << r;
    }
}

/// The smallest box of operand `k` that holds all that the box of the result
/// depends on; one element when there is none.
Box neededBox(const KernelCase &one, const TensorShape &result, const Box &part,
              int k, const TensorShape &operand) {
  Index5 lo = operand.whole, hi{};
  for (const Run &run : runsOf(result, part))
    for (int64_t r = run.flat; r < run.flat + run.length; ++r)
      for (int64_t e = 0; e < operand.elements(); ++e)
        if (one.reads(indexOf(result, r), k, indexOf(operand, e))) {
          const Index5 at = operand.indexOf(e);
          for (int dim = 0; dim < kNumDims; ++dim) {
            lo[dim] = std::min(lo[dim], at[dim]);
            hi[dim] = std::max(hi[dim], at[dim] + 1);
          }
        }
  Box box;
  if (hi[0] > 0)
    for (int dim = 0; dim < kNumDims; ++dim) {
      box.lo[dim] = lo[dim];
      box.size[dim] = hi[dim] - lo[dim];
    }
  return box;
}

TensorPart cut(const TensorPart &whole, const Box &box) {
  TensorPart part(whole.shape, box);
  for (const Run &run : runsOf(part.shape, box))
    std::copy_n(&whole.values[run.flat], run.length,
                &part.values[run.position]);
  return part;
}

TEST_P(KernelsTest, PartsFromPartsAreTheSame) {
  std::mt19937 random(5);
  int tooSmall = 0;
  for (int i = 0; i < 12; ++i) {
    Box box;
    for (int dim = 0; dim < kNumDims; ++dim) {
      box.size[dim] = 1 + random() % result.shape.whole[dim];
      box.lo[dim] = random() % (result.shape.whole[dim] - box.size[dim] + 1);
    }
    std::vector<TensorPart> parts;
    for (size_t k = 0; k < operands.size(); ++k)
      parts.push_back(operands[k].values.empty()
                          ? TensorPart()
                          : cut(operands[k], neededBox(GetParam(), result.shape,
                                                       box, static_cast<int>(k),
                                                       operands[k].shape)));
    TensorPart part(result.shape, box);
    ASSERT_EQ(run(part, parts), "");
    EXPECT_EQ(part.values, cut(result, box).values);

    for (size_t k = 0; k < parts.size(); ++k)
      for (int dim = 0; dim < kNumDims; ++dim)
        for (bool atEnd : {false, true}) {
          if (parts[k].values.empty() || parts[k].box.size[dim] < 2)
            continue;
          auto smaller = parts;
          Box less = parts[k].box;
          --less.size[dim];
          less.lo[dim] += atEnd ? 0 : 1;
          smaller[k] = cut(operands[k], less);
          ++tooSmall;
          EXPECT_NE(run(part, smaller).find("is not in the stored part"),
                    std::string::npos)
              << "operand " << k << ", dim " << dim;
        }
  }
  if (!operands.empty() && operands[0].values.size() > 1) {
    EXPECT_GT(tooSmall, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, KernelsTest, testing::ValuesIn(kernelCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
