//===- OpTable.h - Modules made from the interface of the dialects -*- C++
//-*-===//
//
// The interface of tpu-mlir's dialects as data: $TPU_MEMORY_DATA/tpu_mlir_ops
// has a file a dialect, with every op's operands, results, regions and
// attributes. From each op come modules that hold one of it, in every form
// that the table allows.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_DIALECT_OPTABLE_H
#define TPU_MLIR_TESTS_DIALECT_OPTABLE_H

#include <string>
#include <vector>

namespace tpu_mlir::test {

struct OpForm {
  std::string op;   ///< With the dialect: "tpu.Rope".
  std::string what; ///< "all attributes", "round_mode = HalfUp", ...
  std::string text; ///< A module with one function, `main`, that holds the op.
};

/// For each op of `dialect` ("top" or "tpu"): one form with all attributes, one
/// without the optional ones, and one for each case of each attribute that is
/// an enum, in each of its spellings, or one of some strings. Empty when there
/// is no data.
std::vector<OpForm> opForms(const std::string &dialect);

/// How many ops the table of `dialect` has; 0 when there is no data.
size_t numTableOps(const std::string &dialect);

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_DIALECT_OPTABLE_H
