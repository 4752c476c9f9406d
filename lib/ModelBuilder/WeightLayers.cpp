//===- WeightLayers.cpp - Layers that bring weights -----------------------===//

#include "Layer.h"
#include "Shapes.h"

#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

using namespace mlir;

namespace tpu_mlir {

using namespace model_builder;

Value GraphBuilder::conv(const Twine &name, Value x, const Conv &spec) {
  Shape in = shapeOf(x);
  Value filter =
      weight(name + ".weight",
             {spec.channels, in[1] / spec.groupCount, spec.rows, spec.columns});
  Value bias = spec.hasBias ? weight(name + ".bias", {spec.channels}) : none;
  const int64_t down = spec.padRows + spec.padAtEnd,
                right = spec.padColumns + spec.padAtEnd;
  auto layer = Layer::of<top::ConvOp, tpu::Conv2DOp>(
      {x, filter, bias},
      attributes()
          .ints("dilations", {spec.dilation, spec.dilation})
          .flag("dynweight_reorderd", false)
          .integer("group", spec.groupCount)
          .ints("kernel_shape", {spec.rows, spec.columns})
          .ints("pads", {spec.padRows, spec.padColumns, down, right})
          .ints("strides", {spec.strideRows, spec.strideColumns})
          .integer("weight_is_coeff", 1)
          .fused(spec.fused));
  layer.onTpu(attributes()
                  .flag("coeff_merged", false)
                  .integer("kernel_zp", 0)
                  .flag("support_compress", true)
                  .integer("use_3ic_optimize", 0)
                  .flag("with_bias", spec.hasBias)
                  .round(tpu::RoundMode::HalfUp)
                  .multiplierShift());
  const auto spanned = [&](int64_t kernel) {
    return spec.dilation * (kernel - 1) + 1;
  };
  return append(name,
                {in[0], spec.channels,
                 windowCount(in[2], spanned(spec.rows), spec.strideRows,
                             spec.padRows, down),
                 windowCount(in[3], spanned(spec.columns), spec.strideColumns,
                             spec.padColumns, right)},
                layer);
}

Value GraphBuilder::deconv(const Twine &name, Value x, int64_t channels,
                           int64_t factor) {
  Shape in = shapeOf(x);
  Value filter = weight(name + ".weight", {channels, in[1], factor, factor});
  Value bias = weight(name + ".bias", {channels});
  auto layer = Layer::of<top::DeconvOp, tpu::DeconvOp>(
      {x, filter, bias}, attributes()
                             .ints("dilations", {1, 1})
                             .flag("dynweight_reorderd", false)
                             .integer("group", 1)
                             .ints("inserts", {0, 0})
                             .ints("kernel_shape", {factor, factor})
                             .ints("pads", {0, 0, 0, 0})
                             .ints("strides", {factor, factor})
                             .fused(Fused::None));
  layer.onTpu(attributes().flag("with_bias", true).multiplierShift());
  return append(name, {in[0], channels, in[2] * factor, in[3] * factor}, layer);
}

Value GraphBuilder::linear(const Twine &name, Value x, int64_t features,
                           bool hasBias) {
  Shape shape = shapeOf(x);
  Value right = weight(name + ".weight", {shape.back(), features});
  // As many dimensions as the result has, ones in front.
  Shape biasShape(shape.size(), 1);
  biasShape.back() = features;
  Value bias = hasBias ? weight(name + ".bias", biasShape) : none;
  shape.back() = features;
  return append(name, shape, matmulLayer(x, right, bias));
}

Value GraphBuilder::scale(const Twine &name, Value x, Fused fused) {
  Shape shape = shapeOf(x);
  Value factor = weight(name + ".weight", {shape[1]});
  Value bias = weight(name + ".bias", {shape[1]});
  auto layer = Layer::of<top::ScaleOp, tpu::ScaleOp>({x, factor, bias},
                                                     attributes().fused(fused));
  return append(name, shape, layer.tpuRest(1));
}

Value GraphBuilder::layerNorm(const Twine &name, Value x, double epsilon) {
  Shape shape = shapeOf(x);
  Value gamma = weight(name + ".weight", {shape.back()});
  Value beta = weight(name + ".bias", {shape.back()});
  auto layer = Layer::of<top::LayerNormOp, tpu::LayerNormOp>(
      {x, gamma, beta}, attributes()
                            .si32("axis", shape.size() - 1)
                            .real("eps", epsilon)
                            .ints("normalized_shape", {shape.back()}));
  return append(name, shape, layer.tpuRest(2));
}

Value GraphBuilder::rmsNorm(const Twine &name, Value x, double epsilon) {
  Shape shape = shapeOf(x);
  Shape gammaShape(shape.size(), 1);
  gammaShape.back() = shape.back();
  Value gamma = weight(name + ".weight", gammaShape);
  return append(
      name, shape,
      Layer::of<top::RMSNormOp, tpu::RMSNormOp>(
          {x, gamma},
          attributes().real("eps", epsilon).flag("weight_keep_f32", false)));
}

Value GraphBuilder::gatherRows(const Twine &name, Value table, Value indices) {
  Shape shape = shapeOf(indices);
  llvm::append_range(shape, llvm::drop_begin(shapeOf(table)));
  auto layer = Layer::of<top::GatherOp, tpu::GatherOp>(
      {table, indices}, attributes()
                            .si32("axis", 0)
                            .flag("is_lora", false)
                            .flag("is_scalar", false)
                            .flag("keepdims", true));
  layer.onTpu(attributes().flag("if_neg_index", true)).tpuRest(1);
  return append(name, shape, layer);
}

} // namespace tpu_mlir
