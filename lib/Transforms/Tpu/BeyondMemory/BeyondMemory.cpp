//===- BeyondMemory.cpp - What lies beyond the end of a memory ------------===//

#include "lib/Transforms/Tpu/BeyondMemory/BeyondMemory.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tpu_mlir {

llvm::StringMap<StringRef> readBeyond(ModuleOp module) {
  llvm::StringMap<StringRef> memoryOf;
  auto memories = module->getAttrOfType<DictionaryAttr>(kBeyondMemory);
  if (!memories)
    return memoryOf;
  for (NamedAttribute memory : memories)
    if (auto names = dyn_cast<ArrayAttr>(memory.getValue()))
      for (Attribute one : names)
        if (auto name = dyn_cast<StringAttr>(one))
          memoryOf[name.getValue()] = memory.getName().getValue();
  return memoryOf;
}

} // namespace tpu_mlir
