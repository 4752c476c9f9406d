//===- Constant.h - Numbers that a model file has ---------------*- C++ -*-===//

#ifndef TPU_MLIR_IMPORT_CONSTANT_H
#define TPU_MLIR_IMPORT_CONSTANT_H

#include "tpu_mlir/Execution/Tensor.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace tpu_mlir::importer {

using execution::Shape;

/// The element types of ONNX. Numbers are read of those before Other, the rest
/// have names alone; Other: what is no tensor, and types that are not known.
enum class DataType {
  F32,
  F64,
  F16,
  BF16,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  Bool,
  Other,
  Text,
  Complex64,
  Complex128,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  U4,
  I4,
  F4E2M1,
  F8E8M0,
  U2,
  I2
};

/// As ONNX spells it: "float", "int64", "bool".
llvm::StringRef nameOf(DataType type);
bool isFloat(DataType type);
/// Whether all of them are integers of 32 bits with a sign.
bool fitsInt32(DataType type);
/// Whether the numbers of such elements are read.
bool hasNumbers(DataType type);

/// No tensor has more dimensions.
inline constexpr size_t kMostDims = 64;

/// How many elements a shape has; nullopt where that leaves 63 bits, for the
/// dimensions that are not 0 as well, where a dimension is negative, and where
/// there are more than kMostDims.
std::optional<int64_t> elementsOf(llvm::ArrayRef<int64_t> shape);
/// "[1,3,224,224]"; a negative dimension is "?".
std::string describe(llvm::ArrayRef<int64_t> shape);

/// One number, as often as the shape says. Integers have both.
struct Filled {
  double real = 0;
  int64_t whole = 0;
  int64_t count = 0;
};

/// Elements of the constant's type one after the other, little-endian, where
/// somebody else keeps them: in a message or in a mapped file.
struct Stored {
  std::shared_ptr<const void> owner;
  llvm::StringRef bytes;
};

/// A tensor whose numbers are known, in memory by kind: f32 and smaller floats
/// as f32, f64 as it is, everything else as int64 (uint64 modulo 2^64); or not
/// in memory of its own. As many numbers as the shape has elements.
struct Constant {
  DataType type = DataType::F32;
  Shape shape;
  std::variant<std::vector<float>, std::vector<double>, std::vector<int64_t>,
               Filled, Stored>
      numbers;

  int64_t size() const;
  bool isFilled() const { return std::holds_alternative<Filled>(numbers); }
  /// Number `index`; as an integer cut towards zero and saturated, NaN as 0.
  double real(int64_t index) const;
  int64_t whole(int64_t index) const;
  /// Numbers `begin` and following, rounded once, as many as `to` takes.
  void read(int64_t begin, llvm::MutableArrayRef<float> to) const;
  /// All of them, rounded once.
  std::vector<float> floats() const;
  std::vector<int64_t> wholes() const;
};

/// Bytes of an element as a file has it.
int64_t widthOf(DataType type);

/// A constant of that type: `numbers`, rounded to what the type can hold.
Constant makeConstant(DataType type, Shape shape,
                      llvm::ArrayRef<double> numbers);
Constant makeConstant(DataType type, Shape shape, std::vector<int64_t> numbers);
/// All elements are what element `index` of `from` is. The shape's elements can
/// be counted.
Constant makeFilled(const Constant &from, int64_t index, Shape shape);

/// The number that an integer of a constant is: uint64 has no sign.
double realOf(DataType type, int64_t whole);
/// A float cut towards zero and saturated; a NaN is 0.
int64_t truncated(double number);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_CONSTANT_H
