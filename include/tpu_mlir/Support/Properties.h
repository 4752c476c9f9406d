//===- Properties.h - Properties of ops as attributes -----------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_PROPERTIES_H
#define TPU_MLIR_SUPPORT_PROPERTIES_H

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tpu_mlir {

/// `text`, MLIR, with the properties of the generic form among the attributes,
/// for ops of the dialects top and tpu, which have attributes alone here:
/// `"tpu.Cast"(%a) <{with_scale = true}> {id = 1 : i64} : ...` becomes
/// `"tpu.Cast"(%a) {with_scale = true, id = 1 : i64} : ...`. A compiler whose
/// dialects use properties, MLIR's default from LLVM 18 on, writes the former.
/// `text` as it is where there is nothing to move, or something is not closed.
/// All but the properties stays in its line. O(bytes).
std::unique_ptr<llvm::MemoryBuffer>
propertiesAsAttributes(std::unique_ptr<llvm::MemoryBuffer> text);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_PROPERTIES_H
