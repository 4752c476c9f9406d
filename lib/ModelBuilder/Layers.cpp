//===- Layers.cpp - Layers without weights of their own -------------------===//

#include "Layer.h"
#include "Shapes.h"

#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

using namespace mlir;

namespace tpu_mlir {

using namespace model_builder;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Value GraphBuilder::window(const Twine &name, Value x, bool isMax, Dims kernel,
                           int64_t stride, int64_t pad) {
  Shape in = shapeOf(x);
  Attributes common = attributes()
                          .flag("count_include_pad", false)
                          .flag("keepdims", true)
                          .ints("kernel_shape", kernel)
                          .integer("pad_value", 0)
                          .ints("pads", {pad, pad, pad, pad})
                          .ints("strides", {stride, stride})
                          .fused(Fused::None);
  auto layer = isMax ? Layer::of<top::MaxPoolOp, tpu::Pool2DOp>({x}, common)
                     : Layer::of<top::AvgPoolOp, tpu::Pool2DOp>({x}, common);
  auto mode = isMax ? tpu::PoolMode::Max : tpu::PoolMode::Avg;
  layer.onTpu(
      attributes()
          .set("pool_mode", tpu::PoolModeAttr::get(builder.getContext(), mode))
          .round(tpu::RoundMode::HalfAwayFromZero)
          .round(tpu::RoundMode::HalfAwayFromZero, "first_round_mode")
          .flag("is_adaptive", false));
  return append(name,
                {in[0], in[1], windowCount(in[2], kernel[0], stride, pad, pad),
                 windowCount(in[3], kernel[1], stride, pad, pad)},
                layer);
}

Value GraphBuilder::maxPool(const Twine &name, Value x, int64_t kernel,
                            int64_t stride, int64_t pad) {
  return window(name, x, /*isMax=*/true, {kernel, kernel}, stride, pad);
}

Value GraphBuilder::avgPool(const Twine &name, Value x, int64_t kernel,
                            int64_t stride, int64_t pad) {
  return window(name, x, /*isMax=*/false, {kernel, kernel}, stride, pad);
}

Value GraphBuilder::globalAvgPool(const Twine &name, Value x) {
  Shape shape = shapeOf(x);
  return window(name, x, /*isMax=*/false, {shape[2], shape[3]}, 1, 0);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

GraphBuilder::Layer GraphBuilder::matmulLayer(Value left, Value right,
                                              Value bias) {
  auto layer = Layer::of<top::MatMulOp, tpu::MatMulOp>(
      {left, right, bias}, attributes()
                               .text("dq_type", "NONE")
                               .flag("hdim_is_batch", false)
                               .flag("is_lora", false)
                               .flag("keep_dims", true)
                               .flag("left_transpose", false)
                               .flag("output_transpose", false)
                               .integer("q_group_size", 0)
                               .flag("right_transpose", false)
                               .fused(Fused::None));
  layer.onTpu(attributes()
                  .flag("fuse_rq", false)
                  .integer("input_zp", 0)
                  .integer("left_reuse", 1)
                  .ints("multipliers", {1})
                  .integer("right_zp", 0)
                  .ints("rshifts", {0})
                  .round(tpu::RoundMode::HalfAwayFromZero)
                  .multiplierShift());
  return layer.tpuRest(2);
}

Value GraphBuilder::matmul(const Twine &name, Value left, Value right) {
  Shape shape = shapeOf(left);
  shape.back() = shapeOf(right).back();
  return append(name, shape, matmulLayer(left, right, none));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value GraphBuilder::elementwise(const Twine &name, const Layer &layer) {
  Shape shape;
  for (Value operand : layer.operands)
    shape = broadcast(shape, shapeOf(operand));
  return append(name, shape, layer);
}

Value GraphBuilder::add(const Twine &name, Value a, Value b, Fused fused) {
  return elementwise(
      name, Layer::of<top::AddOp, tpu::AddOp>(
                {a, b}, attributes().flag("is_scalar", false).fused(fused)));
}

Value GraphBuilder::mul(const Twine &name, Value a, Value b) {
  auto layer = Layer::of<top::MulOp, tpu::MulOp>(
      {a, b}, attributes().flag("is_scalar", false).fused(Fused::None));
  layer.onTpu(noRequant().multiplierShift());
  return elementwise(name, layer);
}

Value GraphBuilder::mulConst(const Twine &name, Value x, double factor) {
  return elementwise(name, Layer::of<top::MulConstOp, tpu::MulConstOp>(
                               {x}, constAttributes(factor))
                               .onTpu(noRequant()));
}

Value GraphBuilder::subFromConst(const Twine &name, Value x, double constant) {
  return elementwise(
      name, Layer::of<top::SubConstOp, tpu::SubConstOp>(
                {x}, constAttributes(constant).flag("is_reverse", true))
                .onTpu(noRequant()));
}

GraphBuilder::Attributes GraphBuilder::constAttributes(double constant) {
  return attributes()
      .real("const_val", constant)
      .flag("is_scalar", false)
      .fused(Fused::None);
}

GraphBuilder::Attributes GraphBuilder::noRequant() {
  return attributes().si32("multiplier", 1).si32("rshift", 0);
}

Value GraphBuilder::relu(const Twine &name, Value x) {
  return elementwise(name, Layer::of<top::ReluOp, tpu::ReluOp>(
                               {x}, attributes().real("relu_limit", -1.0)));
}

Value GraphBuilder::activate(const Twine &name, Value x, Function function) {
  auto layer = [&](auto topOp, tpu::ActiveMode mode) {
    return Layer::of<decltype(topOp), tpu::ActiveOp>({x}, attributes())
        .onTpu(attributes().active(mode));
  };
  switch (function) {
  case Function::SiLU:
    return elementwise(name, layer(top::SiLUOp(), tpu::ActiveMode::SILU));
  case Function::GELU:
    return elementwise(name, layer(top::GELUOp(), tpu::ActiveMode::GELU));
  case Function::Tanh:
    return elementwise(name, layer(top::TanhOp(), tpu::ActiveMode::TANH));
  }
  return {};
}

Value GraphBuilder::softmax(const Twine &name, Value x, int64_t axis) {
  auto layer = Layer::of<top::SoftmaxOp, tpu::SoftmaxOp>(
      {x},
      attributes().si32("axis", axis).real("beta", 1.0).flag("log", false));
  return append(name, shapeOf(x), layer.tpuRest(5));
}

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

Value GraphBuilder::concat(const Twine &name, ArrayRef<Value> xs,
                           int64_t axis) {
  Shape shape = shapeOf(xs.front());
  for (Value x : xs.drop_front())
    shape[axis] += shapeOf(x)[axis];
  auto layer = Layer::of<top::ConcatOp, tpu::ConcatOp>(
      xs, attributes().si32("axis", axis).fused(Fused::None));
  return append(name, shape,
                layer.onTpu(attributes().flag("only_merge", false)));
}

Value GraphBuilder::part(const Twine &name, Value x, Dims begins, Dims ends) {
  Shape shape, steps(begins.size(), 1);
  for (auto [begin, end] : llvm::zip_equal(begins, ends))
    shape.push_back(end - begin);
  // Offset, ends and steps as operands: known here, so none.
  auto layer = Layer::of<top::SliceOp, tpu::SliceOp>(
      {x, none, none, none}, attributes()
                                 .ints("axes", {})
                                 .ints("ends", ends)
                                 .ints("hasparamConvert_axes", {})
                                 .ints("offset", begins)
                                 .ints("steps", steps));
  return append(name, shape, layer.tpuRest(1));
}

Value GraphBuilder::slice(const Twine &name, Value x, int64_t axis,
                          int64_t begin, int64_t end) {
  Shape ends = shapeOf(x), begins(ends.size(), 0);
  begins[axis] = begin;
  ends[axis] = end;
  return part(name, x, begins, ends);
}

Value GraphBuilder::shifted(const Twine &name, Value x) {
  return part(name, x, {0, 0, 1, 1}, shapeOf(x));
}

Value GraphBuilder::permute(const Twine &name, Value x, Dims order) {
  Shape in = shapeOf(x), shape;
  for (int64_t dim : order)
    shape.push_back(in[dim]);
  auto layer = Layer::of<top::PermuteOp, tpu::PermuteOp>(
      {x}, attributes().ints("order", order));
  return append(name, shape, layer.tpuRest(1));
}

Value GraphBuilder::reshape(const Twine &name, Value x, Dims shape) {
  return append(
      name, shape,
      Layer::of<top::ReshapeOp, tpu::ReshapeOp>(
          {x},
          attributes().integer("flatten_start_dim", -1).ints("shape", shape)));
}

Value GraphBuilder::upsample(const Twine &name, Value x, int64_t factor) {
  Shape in = shapeOf(x);
  auto layer = Layer::of<top::UpsampleOp, tpu::UpsampleOp>(
      {x}, attributes()
               .integer("scale_h", factor)
               .integer("scale_w", factor)
               .fused(Fused::None));
  return append(name, {in[0], in[1], in[2] * factor, in[3] * factor}, layer);
}

} // namespace tpu_mlir
