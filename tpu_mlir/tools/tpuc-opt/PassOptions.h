//===- PassOptions.h - Options of passes, before one runs -------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_TPUC_OPT_PASSOPTIONS_H
#define TPU_MLIR_TOOLS_TPUC_OPT_PASSOPTIONS_H

#include "tpu_mlir/tools/CommandLine/CommandLine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace tpu_mlir {

/// A pass in the text of a pipeline, with its options in their order.
struct PassText {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

/// The passes of "builtin.module(a{x=1 y={b c}},b)", those that hold others
/// first. Values lose one pair of braces or quotes. Text that is no pipeline is
/// left to whoever parses it in earnest.
std::vector<PassText> readPipeline(llvm::StringRef text);

/// "x=1 y={b c}", as it stands after "--pass=".
PassText readPassOptions(llvm::StringRef name, llvm::StringRef text);

/// An option that is there twice though it holds one value: MLIR takes the
/// last one. "" when there is none.
std::string findRepeatedOption(llvm::ArrayRef<PassText> passes);

/// A file that is written and that something else reads or writes, with those
/// of the tool itself in `read` and `written`, or one that a pass writes for
/// each part of a split input. "" when there are none.
std::string findSharedFile(llvm::ArrayRef<PassText> passes,
                           std::vector<NamedFile> read,
                           std::vector<NamedFile> written, bool isSplit);

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_TPUC_OPT_PASSOPTIONS_H
