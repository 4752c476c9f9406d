//===- Form.cpp - What departs from its record, and what is not known -----===//

#include "tpu_mlir/Dialect/Interfaces/Form.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/KeptText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
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

Attribute keptAttribute(DialectAsmParser &parser, StringRef dialect,
                        Type type) {
  return OpaqueAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(parser.getContext(), dialect), parser.getFullSymbolSpec(),
      type ? type : NoneType::get(parser.getContext()));
}

Type keptType(DialectAsmParser &parser, StringRef dialect) {
  return OpaqueType::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(parser.getContext(), dialect),
      parser.getFullSymbolSpec());
}

} // namespace tpu_mlir
