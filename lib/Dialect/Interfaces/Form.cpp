//===- Form.cpp - Whether an op fits its record ---------------------------===//

#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace tpu_mlir {

std::string FormOpInterface::whyUnfit() {
  Operation *op = getOperation();
  std::string why;
  // What other threads say meanwhile is not for us.
  ScopedDiagnosticHandler listen(
      op->getContext(),
      [&, self = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != self)
          return failure();
        if (why.empty())
          why = diagnostic.str();
        return success();
      });
  if (succeeded(verifyForm()))
    return "";
  // Whoever reports it names the op.
  std::string prefix = ("'" + op->getName().getStringRef() + "' op ").str();
  StringRef rest = why;
  rest.consume_front(prefix);
  return rest.str();
}

std::string whyUnfit(Operation *op) {
  auto form = dyn_cast<FormOpInterface>(op);
  return form ? form.whyUnfit() : "";
}

SmallVector<InPlaceEdge> InPlaceOpInterface::getInPlaceEdges() {
  if (!whyUnfit(getOperation()).empty())
    return {};
  return statedInPlaceEdges();
}

LocalFacts LocalSliceOpInterface::getLocalFacts() {
  std::string why = whyUnfit(getOperation());
  return why.empty() ? statedLocalFacts() : LocalFacts::global(why);
}

} // namespace tpu_mlir
