//===- LightBuilder.h - Networks of images, a node a call -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_WRITE_LIGHTBUILDER_H
#define TPU_MLIR_LIB_IMPORT_WRITE_LIGHTBUILDER_H

#include "lib/Import/Write/OnnxBuilder.h"

namespace tpu_mlir::importer {

/// A value and its shape: NCHW, or rows.
struct Tensor {
  std::string name;
  Shape shape;
};

/// Square windows; pads at the beginning and at the end of rows and columns.
struct Window {
  int64_t kernel = 1, stride = 1, begin = 0, end = 0;

  /// With so many pads at both ends.
  static Window of(int64_t kernel, int64_t stride = 1, int64_t pad = 0) {
    return {kernel, stride, pad, pad};
  }
};

/// Appends nodes of opset 9, called `<op>_<number>`, with their weights.
class LightBuilder {
public:
  Tensor input(const std::string &name, const Shape &shape);
  Tensor conv(const Tensor &x, int64_t channels, const Window &window,
              int64_t group = 1, bool hasBias = true);
  Tensor relu(const Tensor &x) { return same("Relu", x); }
  Tensor convRelu(const Tensor &x, int64_t channels, const Window &window,
                  int64_t group = 1) {
    return relu(conv(x, channels, window, group));
  }
  Tensor maxPool(const Tensor &x, const Window &window) {
    return pool("MaxPool", x, window);
  }
  Tensor averagePool(const Tensor &x, const Window &window) {
    return pool("AveragePool", x, window);
  }
  Tensor globalAveragePool(const Tensor &x);
  /// Over 5 channels.
  Tensor lrn(const Tensor &x);
  Tensor batchNorm(const Tensor &x, double factor = 1);
  /// A factor and a bias for each channel, whose dimensions are put in first.
  Tensor affine(const Tensor &x);
  Tensor dropout(const Tensor &x) { return same("Dropout", x); }
  Tensor sum(const Tensor &a, const Tensor &b);
  Tensor concat(const std::vector<Tensor> &xs);
  Tensor transpose(const Tensor &x, const std::vector<int64_t> &order);
  Tensor reshape(const Tensor &x, const Shape &shape);
  /// A row for each image.
  Tensor flatten(const Tensor &x);
  Tensor gemm(const Tensor &x, int64_t features);
  Tensor softmax(const Tensor &x) { return same("Softmax", x); }
  Graph finish(const Tensor &output);

private:
  std::string next(const std::string &op);
  Tensor same(const std::string &op, const Tensor &x);
  Tensor pool(const std::string &op, const Tensor &x, const Window &window);

  OnnxBuilder graph;
  std::map<std::string, int64_t> counts;
};

// Networks, each for so many images.
Graph lightZfNet512(int64_t batch);
Graph lightAlexNet(int64_t batch);
Graph lightVgg19(int64_t batch);
Graph lightSqueezeNet(int64_t batch);
Graph lightInceptionV1(int64_t batch);
Graph lightInceptionV2(int64_t batch);
Graph lightResNet50(int64_t batch);
Graph lightShuffleNet(int64_t batch);
Graph lightDenseNet121(int64_t batch);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_WRITE_LIGHTBUILDER_H
