//===- KeptText.cpp - What is not known is kept as text -------------------===//

#include "tpu_mlir/Dialect/Interfaces/KeptText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tpu_mlir {

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
