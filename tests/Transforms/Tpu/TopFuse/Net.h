//===- Net.h - Random networks of patterns ----------------------*- C++ -*-===//
//
// Writes layers of Top one after the other, with numbers for their weights, in
// forms that are drawn: a sum with a number may be an AddConst, a SubConst, or
// an Add with a weight on either side.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_TPU_TOPFUSE_NET_H
#define TPU_MLIR_TESTS_TRANSFORMS_TPU_TOPFUSE_NET_H

#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Execution/Files/Npz.h"
#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

namespace tpu_mlir::test {

using mlir::Value;
using Shape = llvm::SmallVector<int64_t, 6>;

/// What keeps an instance of a pattern from being one.
enum class Miss {
  No,
  Reader,   ///< Somebody else reads an inner value: `returned`.
  Constant, ///< A number is another one.
  Operand,  ///< An operand is another value.
  Axis,     ///< A dimension is another one.
  Relu,     ///< An inner layer has a relu.
};

class Net {
public:
  Net(mlir::MLIRContext &context, uint64_t seed)
      : draw(seed), context(context), builder(context, "net") {}

  Value input(const Shape &shape);
  double real(double low, double high) {
    return low + (high - low) * double(draw.between(0, 65535)) / 65535;
  }
  /// Numbers between the two.
  Value weight(const Shape &shape, double low, double high);
  /// All elements are the number.
  Value constant(const Shape &shape, double number);
  /// `attributes`: "axis = 1 : si32".
  Value layer(llvm::StringRef op, llvm::ArrayRef<Value> operands,
              const Shape &shape, const std::string &attributes = "");
  static Shape shapeOf(Value value);

  // Of the shape of x.
  Value unary(llvm::StringRef op, Value x, const std::string &attributes = "") {
    return layer(op, {x}, shapeOf(x), attributes);
  }
  /// In either order where that is the same; of the shape of the larger one.
  Value add(Value a, Value b, bool relu = false);
  Value mul(Value a, Value b, bool relu = false);
  Value sub(Value a, Value b) { return layer("Sub", {a, b}, shapeOf(a)); }
  Value div(Value a, Value b) { return layer("Div", {a, b}, shapeOf(a)); }
  Value plus(Value x, double number);
  Value times(Value x, double number);
  /// x^2, x^3.
  Value square(Value x);
  Value cube(Value x);
  Value mean(Value x, const Shape &axes);
  Value reshape(Value x, const Shape &shape);
  Value permute(Value x, const Shape &order);
  Value slice(Value x, int64_t axis, int64_t begin, int64_t step,
              int64_t count);
  Value concat(Value a, Value b, int64_t axis);

  /// Another reader of an inner value.
  void alsoReturn(Value value) { returned.push_back(value); }
  mlir::OwningOpRef<mlir::ModuleOp> finish(Value result);

  Draw draw;
  std::vector<execution::NpyArray> weights;
  /// Rows may be nearly constant, so that a small number as the difference of
  /// two large ones would be all rounding.
  bool avoidsCancellation = false;

private:
  std::string nextName(llvm::StringRef stem) {
    return stem.str() + std::to_string(count++);
  }
  Value commutes(llvm::StringRef op, Value a, Value b, bool relu);

  mlir::MLIRContext &context;
  GraphBuilder builder;
  llvm::SmallVector<Value> returned;
  int count = 0;
};

/// An instance of a pattern on `x`, of its shape: images of [n, c, h, w] where
/// c is a multiple of 4 and h and w are even.
using Family = Value (*)(Net &net, Value x, Miss miss);

/// How many layers of these names are there when it is fused, by what keeps it
/// from being so.
struct Pattern {
  llvm::StringRef name;
  Family family;
  llvm::ArrayRef<Miss> misses;
  llvm::StringRef op;         ///< "top.SiLU"
  int fused = 1, unfused = 0; ///< Their number.
};
std::vector<Pattern> functionPatterns();
std::vector<Pattern> layerPatterns();

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_TRANSFORMS_TPU_TOPFUSE_NET_H
