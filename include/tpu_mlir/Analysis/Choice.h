//===- Choice.h - Options that are one of some words ------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_CHOICE_H
#define TPU_MLIR_ANALYSIS_CHOICE_H

#include "tpu_mlir/Analysis/Diagnostics.h"

#include <type_traits>

namespace tpu_mlir {

/// Words, each with what it stands for; T follows from elsewhere.
template <typename T>
using Choices =
    std::common_type_t<llvm::ArrayRef<std::pair<llvm::StringRef, T>>>;

/// Sets `value` to what the word `text` of the option `name` stands for. Emits
/// E005 with the words and fails when it is none of them.
template <typename T>
llvm::LogicalResult chooseByWord(mlir::Location location, llvm::StringRef name,
                                 llvm::StringRef text, Choices<T> choices,
                                 T &value) {
  std::string expected;
  for (const auto &[word, choice] : choices) {
    if (text == word) {
      value = choice;
      return llvm::success();
    }
    expected += (expected.empty() ? "'" : ", '") + word.str() + "'";
  }
  return emitCodedError(location, ErrorCode::BadAttribute,
                        "option '" + name + "' is '" + text +
                            "', expected one of " + expected);
}

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_CHOICE_H
