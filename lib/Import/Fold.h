//===- Fold.h - Constants computed while importing --------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_FOLD_H
#define TPU_MLIR_LIB_IMPORT_FOLD_H

#include "lib/Import/Rule.h"

namespace tpu_mlir::importer {

/// Elements apart, in a tensor of that shape, row by row.
Shape stridesOf(llvm::ArrayRef<int64_t> shape);
/// What is apart in a tensor of shape `from` that spreads to `to`.
Shape spreadStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// What has more elements is computed when the network runs.
inline constexpr int64_t kMostFolded = 1 << 20;
/// Thrown where a constant would have more elements than that.
struct TooLargeToFold {};
/// The places that a walk over `shape` visits, row by row. Throws
/// TooLargeToFold.
std::vector<int64_t> indicesOf(llvm::ArrayRef<int64_t> shape, int64_t first,
                               llvm::ArrayRef<int64_t> strides);
/// Elements of a constant, in a new shape.
Constant pick(const Constant &from, Shape shape,
              llvm::ArrayRef<int64_t> indices);
/// Integers whose order is that of the numbers they stand for: those of uint64
/// are kept with a sign. Twice: the same again.
int64_t ordered(DataType type, int64_t number);
Constant castTo(const Constant &x, DataType type);

/// One number in every place of a shape; a refusal where that is too large.
Constant filled(const NodeContext &node, const Constant &number,
                const Shape &shape);
/// Operand 0 where nothing has to move, whatever its size: under another shape,
/// or one number everywhere. nullopt for other ops.
std::optional<Constant> foldInPlace(const NodeContext &node);
/// Elements of operand 0 in other places: Slice, Gather and so on;
/// nullopt for other ops.
std::optional<Constant> foldMovement(const NodeContext &node);
/// QuantizeLinear and DequantizeLinear, whatever the size; nullopt for others.
std::optional<Constant> foldQuantized(const NodeContext &node);
/// Blocks of operand 0 in whose place those of operand 2 are.
Constant foldScatterND(const NodeContext &node);
/// The results of Split, and those of TopK; nullopt for other ops.
std::optional<std::vector<Constant>> foldParts(const NodeContext &node);
std::optional<std::vector<Constant>> foldTopK(const NodeContext &node);
/// ArgMax and ArgMin, exact for every integer; nullopt for other ops.
std::optional<Constant> foldArg(const NodeContext &node);
/// The value of a Constant, in whichever attribute it is.
Constant constantOf(const NodeContext &node);
Constant eyeLike(const NodeContext &node);

/// The type with that number in TensorProto.
DataType dataTypeOf(const NodeContext &node, int64_t number);
/// What a Cast makes: a number, up to opset 5 the name that TensorProto has.
DataType castTypeOf(const NodeContext &node);

// What rules and folding both have to know of an op.

/// The shape that a Reshape asks for.
Shape reshaped(const NodeContext &node);
/// Two dimensions: those before the axis of a Flatten and those from it on.
Shape flattened(const NodeContext &node);
/// Axes of a result of `rank` that Unsqueeze puts in; of the operand's that
/// Squeeze takes out.
Shape unsqueezed(const NodeContext &node);
Shape squeezed(const NodeContext &node);
/// The place and the size of what a Slice takes, one of each for a dimension.
struct Range {
  Shape begins, ends, steps, shape;
};
Range sliced(const NodeContext &node);
/// The shape of a transposed operand, and how far apart its elements were.
std::pair<Shape, Shape> transposed(const NodeContext &node);
/// The axis of ArgMax, ArgMin and TopK, and the shape of their results.
struct Extremes {
  int64_t axis;
  Shape shape;
};
Extremes argOf(const NodeContext &node);
Extremes topOf(const NodeContext &node);
/// Lengths along the axis.
Shape splitSizes(const NodeContext &node, int64_t axis);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_FOLD_H
