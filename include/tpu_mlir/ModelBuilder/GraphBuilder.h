//===- GraphBuilder.h - Networks, a layer a call ----------------*- C++ -*-===//
//
// Writes a network the way an importer would: one function @main, top.Input
// for each argument, top.Weight in front of the layer that reads it, names as
// locations. Shapes are computed here; numbers in weights there are none.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_MODELBUILDER_GRAPHBUILDER_H
#define TPU_MLIR_MODELBUILDER_GRAPHBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tpu_mlir {

/// The dialect of the layers.
enum class Level {
  /// As imported: module.state TOP_F32, chip ALL.
  Top,
  /// As lowered without quantisation: module.state TPU_LOWERED, chip bm1684x,
  /// mode F32. Layers have the extra operands of that form, all of them none.
  Tpu,
};

/// An activation function that is part of the layer in front of it.
enum class Fused { None, Relu, Relu6 };

/// An activation function that is an op of its own.
enum class Function { SiLU, GELU, Tanh };

/// A convolution. Padding keeps the size (at stride 1, for odd windows) unless
/// pad() says otherwise. A following batch normalisation counts as folded in:
/// that is what the bias is.
struct Conv {
  Conv(int64_t channels, int64_t kernel) : Conv(channels, kernel, kernel) {}
  Conv(int64_t channels, int64_t rows, int64_t columns)
      : channels(channels), rows(rows), columns(columns), padRows(rows / 2),
        padColumns(columns / 2) {}

  Conv &stride(int64_t n) { return stride(n, n); }
  Conv &stride(int64_t down, int64_t right) {
    return strideRows = down, strideColumns = right, *this;
  }
  Conv &pad(int64_t n) { return padRows = padColumns = n, *this; }
  /// So much more at the bottom and at the right.
  Conv &padEnd(int64_t n) { return padAtEnd = n, *this; }
  /// So far apart are the pixels of a window; padding grows with it.
  Conv &dilate(int64_t n) {
    padRows *= n, padColumns *= n, dilation = n;
    return *this;
  }
  Conv &groups(int64_t n) { return groupCount = n, *this; }
  Conv &noBias() { return hasBias = false, *this; }
  Conv &relu() { return fused = Fused::Relu, *this; }
  Conv &relu6() { return fused = Fused::Relu6, *this; }

  int64_t channels;
  int64_t rows, columns;
  int64_t strideRows = 1, strideColumns = 1;
  int64_t padRows, padColumns, padAtEnd = 0;
  int64_t dilation = 1;
  int64_t groupCount = 1;
  bool hasBias = true;
  Fused fused = Fused::None;
};

/// One network under construction. Each method appends the layer `name`,
/// after the weights it needs (`name`.weight, `name`.bias), and returns its
/// result; images are NCHW, all elements f32. Every method works at both
/// levels. Time and memory are linear in what is built.
///
/// Shapes have to fit: an author of an architecture guarantees it, and the
/// verifier looks again at what it knows. Names have to differ from each
/// other, since they are what tells two weights apart.
class GraphBuilder {
public:
  using Value = mlir::Value;
  using Twine = llvm::Twine;
  using Shape = llvm::SmallVector<int64_t, 5>;
  using Dims = llvm::ArrayRef<int64_t>;

  /// Loads the dialects it needs into `context`, which has to outlive the
  /// module. `platform` is what module.platform says: where the network came
  /// from.
  GraphBuilder(mlir::MLIRContext &context, llvm::StringRef network,
               Level level = Level::Top, llvm::StringRef platform = "ONNX");

  static Shape shapeOf(Value value);

  /// Arguments of the network; all of them before the first layer.
  Value input(const Twine &name, Dims shape);
  /// Whole numbers: si32 outside, and inside of a TPU module.
  Value indexInput(const Twine &name, Dims shape);
  /// Elements of any type outside, f32 inside of a Top module.
  Value input(const Twine &name, Dims shape, mlir::Type outside);
  /// Learned or constant, one cannot tell.
  Value weight(const Twine &name, Dims shape);
  /// Constant whole numbers: i32 in a TPU module.
  Value indexWeight(const Twine &name, Dims shape);

  // Layers with weights.
  Value conv(const Twine &name, Value x, const Conv &spec);
  /// Transposed convolution without padding: the size grows by `factor`, which
  /// is the kernel and the stride.
  Value deconv(const Twine &name, Value x, int64_t channels, int64_t factor);
  /// Works on the last dimension.
  Value linear(const Twine &name, Value x, int64_t features,
               bool hasBias = true);
  /// A factor and a bias for each channel: a normalisation that nothing in
  /// front can take in.
  Value scale(const Twine &name, Value x, Fused fused = Fused::None);
  /// Both over the last dimension.
  Value layerNorm(const Twine &name, Value x, double epsilon);
  Value rmsNorm(const Twine &name, Value x, double epsilon);
  /// Row indices[...] of `table`, [rows, ...]; its dimensions after the rows
  /// follow those of the indices.
  Value gatherRows(const Twine &name, Value table, Value indices);

  // Layers without.
  Value maxPool(const Twine &name, Value x, int64_t kernel, int64_t stride,
                int64_t pad = 0);
  /// Padding does not count.
  Value avgPool(const Twine &name, Value x, int64_t kernel, int64_t stride,
                int64_t pad = 0);
  /// The mean of each channel, [n, c, 1, 1].
  Value globalAvgPool(const Twine &name, Value x);
  /// [..., m, k] by [..., k, n], the dimensions in front being equal.
  Value matmul(const Twine &name, Value left, Value right);
  /// Elementwise; shapes broadcast.
  Value add(const Twine &name, Value a, Value b, Fused fused = Fused::None);
  Value mul(const Twine &name, Value a, Value b);
  Value mulConst(const Twine &name, Value x, double factor);
  /// constant - x.
  Value subFromConst(const Twine &name, Value x, double constant);
  Value relu(const Twine &name, Value x);
  Value activate(const Twine &name, Value x, Function function);
  Value softmax(const Twine &name, Value x, int64_t axis);

  // Layers that move elements.
  Value concat(const Twine &name, llvm::ArrayRef<Value> xs, int64_t axis);
  /// Elements [begin, end) along the axis.
  Value slice(const Twine &name, Value x, int64_t axis, int64_t begin,
              int64_t end);
  /// Of an image without its first row and its first column.
  Value shifted(const Twine &name, Value x);
  Value permute(const Twine &name, Value x, Dims order);
  Value reshape(const Twine &name, Value x, Dims shape);
  /// Every pixel becomes factor x factor pixels.
  Value upsample(const Twine &name, Value x, int64_t factor);

  /// A layer that no method above makes: "top.LSTM". A name and a type for
  /// each result; an operand without a value is `none`.
  mlir::Operation *layer(llvm::StringRef op, llvm::ArrayRef<std::string> names,
                         llvm::ArrayRef<Value> operands, mlir::TypeRange types,
                         llvm::ArrayRef<mlir::NamedAttribute> attributes);

  /// Closes the function. The builder is used up. At the Tpu level a relu that
  /// alone reads what a layer makes becomes a part of it, as when the Top
  /// module is lowered; not without `fuses`.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::ValueRange outputs,
                                           bool fuses = true);

private:
  class Attributes;
  struct Layer;
  void fuseRelus();

  Value argument(const Twine &name, Dims shape, mlir::Type outside,
                 mlir::Type inside);
  Value window(const Twine &name, Value x, bool isMax, Dims kernel,
               int64_t stride, int64_t pad);
  Value part(const Twine &name, Value x, Dims begins, Dims ends);
  Layer matmulLayer(Value left, Value right, Value bias);
  /// A layer whose operands broadcast to its result.
  Value elementwise(const Twine &name, const Layer &layer);
  Value append(const Twine &name, Dims shape, const Layer &layer);

  Attributes attributes();
  Attributes constAttributes(double constant);
  /// The multiplier and shift of a product that is not quantised.
  Attributes noRequant();
  mlir::Location named(const Twine &name);
  mlir::Type tensor(Dims shape);
  /// `whole`, or f32 in a Top module, which knows no other element type.
  mlir::Type indexType(mlir::Type whole);

  mlir::OpBuilder builder;
  Level level;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *body;
  Value none;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_MODELBUILDER_GRAPHBUILDER_H
