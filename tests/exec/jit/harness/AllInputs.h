//===- AllInputs.h - Every way through a small function ---------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ALLINPUTS_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ALLINPUTS_H

#include "tests/exec/jit/harness/JitHarness.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cstring>

namespace tpu_mlir::jit {

inline void setInteger(Data &data, int64_t value) {
  std::memcpy(data.bytes.data(), &value, data.bytes.size());
}

/// Inputs with every i1 both ways, every i32 from 0 to 3 and every index
/// `size`, in all combinations; the rest is as makeInputs() has it. The module
/// has the function.
inline std::vector<std::vector<Data>> allInputs(const CompiledModule &module,
                                                llvm::StringRef function,
                                                int64_t size) {
  std::vector<std::vector<Data>> all = {*module.makeInputs(function, 1)};
  for (size_t i = 0; i < all.front().size(); ++i) {
    mlir::Type type = all.front()[i].type;
    int values = type.isInteger(1) ? 2 : type.isInteger(32) ? 4 : 1;
    std::vector<std::vector<Data>> more;
    for (const std::vector<Data> &inputs : all)
      for (int value = 0; value < values; ++value) {
        more.push_back(inputs);
        if (values > 1)
          setInteger(more.back()[i], value);
        else if (type.isIndex())
          setInteger(more.back()[i], size);
      }
    all = more;
  }
  return all;
}

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_ALLINPUTS_H
