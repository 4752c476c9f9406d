//===- WeightStore.h - The numbers of a network's weights -------*- C++ -*-===//
//
// What a front end wrote beside a module, by name, and what is made of it:
// integers, tables, coefficients in the order of a chip. A name that is made
// hides one that was read.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_WEIGHTSTORE_H
#define TPU_MLIR_QUANTIZATION_WEIGHTSTORE_H

#include "tpu_mlir/Execution/Files/Npz.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir::quantization {

class WeightStore {
public:
  /// With the arrays of an .npz; an error of one line when it cannot be read.
  static std::variant<std::shared_ptr<WeightStore>, std::string>
  open(const std::string &file);

  bool has(llvm::StringRef name) const { return arrayOf(name) != nullptr; }
  /// As floats; nullopt when there is none of the name with as many elements.
  std::optional<std::vector<float>> floats(llvm::StringRef name,
                                           int64_t count) const;
  /// Null for none of the name.
  const execution::NpyArray *arrayOf(llvm::StringRef name) const;
  /// As many bytes as the shape has elements of the type.
  void put(llvm::StringRef name, execution::ElementType element,
           llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<uint8_t> bytes);

  /// A file of the arrays of these names, in this order, each once; those that
  /// are not there are left out. Error: 4 GiB or more.
  std::variant<std::string, execution::NpzError>
  render(llvm::ArrayRef<std::string> names) const;

private:
  std::map<std::string, execution::NpyArray, std::less<>> arrays;
};

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_WEIGHTSTORE_H
