//===- Names.cpp - Tensors by their names ---------------------------------===//

#include "tpu_mlir/Analysis/Names.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

using namespace mlir;

namespace tpu_mlir {

SmallVector<Value> tensorsNamed(ModuleOp module, StringRef name) {
  SmallVector<Value> found;
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<ShapedType>(result.getType()) && valueName(result) == name)
        found.push_back(result);
  });
  return found;
}

SmallVector<StringRef> namesIn(StringRef list) {
  SmallVector<StringRef> names;
  list.split(names, ';', -1, /*KeepEmpty=*/false);
  for (StringRef &name : names)
    name = name.trim();
  return names;
}

FailureOr<Value> tensorOfOption(ModuleOp module, StringRef name) {
  const SmallVector<Value> found = tensorsNamed(module, name);
  if (found.size() == 1)
    return found.front();
  return emitCodedError(module.getLoc(), ErrorCode::BadOption,
                        "option 'tensors': " + std::to_string(found.size()) +
                            " tensors are called '" + name +
                            "', and it has to be one");
}

} // namespace tpu_mlir
