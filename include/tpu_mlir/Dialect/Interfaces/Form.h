//===- Form.h - Whether an op fits its record -------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_FORM_H
#define TPU_MLIR_DIALECT_INTERFACES_FORM_H

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace tpu_mlir {

namespace detail {
template <typename Concrete, template <typename> class... Traits>
llvm::LogicalResult verifyTraitsOf(mlir::Op<Concrete, Traits...> op) {
  return mlir::op_definition_impl::verifyTraits<Traits<Concrete>...>(
      op.getOperation());
}
/// verify() is protected where an op has none of its own.
template <typename Concrete>
auto verifyOwn(Concrete op, int) -> decltype(op.verify()) {
  return op.verify();
}
template <typename Concrete> llvm::LogicalResult verifyOwn(Concrete, long) {
  return llvm::success();
}
} // namespace detail

/// What MLIR's verifier checks of an op whose record is binding: the numbers
/// and kinds of operands, results, regions and attributes, then the op's own
/// verify().
template <typename Concrete> llvm::LogicalResult verifyRecord(Concrete op) {
  return llvm::success(llvm::succeeded(detail::verifyTraitsOf(op)) &&
                       llvm::succeeded(detail::verifyOwn(op, 0)));
}

/// Why the op does not fit its record; empty when it does, or when it has
/// none. O(operands + results).
std::string whyUnfit(mlir::Operation *op);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_INTERFACES_FORM_H
