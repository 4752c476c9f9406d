//===- MemoryHover.h - What is known of the memory of a line ----*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_TPUC_LSP_SERVER_MEMORYHOVER_H
#define TPU_MLIR_TOOLS_TPUC_LSP_SERVER_MEMORYHOVER_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace mlir {
class DialectRegistry;
}

namespace tpu_mlir::lsp {

/// Line (from 0) to text in Markdown: for each result of an op that begins
/// there, and each argument of its blocks, the region, the addresses, the
/// bytes, the life in steps, and whose storage it shares. Empty for text that
/// does not parse, has no addresses or names no chip: an editor shows half a
/// module most of the time. O(text + values log values).
std::map<int, std::string>
describeMemory(llvm::StringRef text, const mlir::DialectRegistry &dialects);

} // namespace tpu_mlir::lsp

#endif // TPU_MLIR_TOOLS_TPUC_LSP_SERVER_MEMORYHOVER_H
