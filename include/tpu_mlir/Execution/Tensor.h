//===- Tensor.h - What kernels see of a tensor ------------------*- C++ -*-===//
//
// A kernel sees spans of bytes, never a memory: where they are from is the
// caller's business. Elements lie one after the other, the last dimension
// fastest. A kernel never reads the bytes of its result, and what it writes
// shares none with what it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_TENSOR_H
#define TPU_MLIR_EXECUTION_TENSOR_H

#include "tpu_mlir/Execution/Element.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::execution {

using Shape = llvm::SmallVector<int64_t, 6>;

/// Why a kernel cannot compute: shapes, types or numbers that do not fit each
/// other. "the operands have 3 and 4 columns".
struct KernelError {
  std::string message;
};
/// What kernels return: an error, or nothing when the result is written.
using Outcome = std::optional<KernelError>;

struct TensorType {
  ElementType element = ElementType::F32;
  Shape shape;
  /// The number that an integer element q is: (q - zeroPoint) * scale.
  double scale = 1;
  int64_t zeroPoint = 0;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// The product of the shape; nullopt when it leaves 63 bits or a dimension
  /// is negative.
  std::optional<int64_t> elements() const;
  std::optional<int64_t> bytes() const;
};

/// Operands. The bytes are those of the type, exactly: see check().
struct TensorView {
  TensorType type;
  llvm::ArrayRef<uint8_t> bytes;

  int64_t rank() const { return type.rank(); }
  int64_t dim(int64_t index) const { return type.shape[index]; }
  int64_t elements() const { return *type.elements(); }
};

/// Results.
struct TensorSpan {
  TensorType type;
  llvm::MutableArrayRef<uint8_t> bytes;

  int64_t rank() const { return type.rank(); }
  int64_t dim(int64_t index) const { return type.shape[index]; }
  int64_t elements() const { return *type.elements(); }
};

/// A tensor with bytes of its own, all 0 at first.
class Tensor {
public:
  explicit Tensor(TensorType type)
      : type(std::move(type)), storage(*this->type.bytes()) {}
  TensorView view() const { return {type, storage}; }
  TensorSpan span() { return {type, storage}; }

private:
  TensorType type;
  std::vector<uint8_t> storage;
};

/// An error unless the spans are as long as the types say.
Outcome check(llvm::ArrayRef<TensorView> operands,
              llvm::ArrayRef<TensorSpan> results);

/// The product of the dimensions [first, last) of a shape that was checked.
int64_t countOf(llvm::ArrayRef<int64_t> shape, int64_t first, int64_t last);
/// "1x3x224x224".
std::string describe(llvm::ArrayRef<int64_t> shape);
/// `axis` counted from the front; nullopt when there is no such dimension.
std::optional<int64_t> wholeAxis(int64_t axis, int64_t rank);

/// All elements, in their order.
std::vector<float> floatsOf(const TensorView &view);
std::vector<int64_t> integersOf(const TensorView &view);
/// As many as the result has elements; rounding as in Element.h.
void store(llvm::ArrayRef<float> values, const TensorSpan &result);
void store(llvm::ArrayRef<int64_t> values, const TensorSpan &result);

/// Calls `body(index)` for 0 to count - 1, on at most `threads` threads, in no
/// certain order: results must not depend on it. O(count) calls.
void parallelFor(int64_t count, unsigned threads,
                 const std::function<void(int64_t)> &body);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_TENSOR_H
