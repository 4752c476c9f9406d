//===- Weight.h - Numbers on their way to a file ----------------*- C++ -*-===//

#ifndef TPU_MLIR_IMPORT_WEIGHT_H
#define TPU_MLIR_IMPORT_WEIGHT_H

#include "tpu_mlir/Import/Constant.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <string>

namespace tpu_mlir::importer {

/// Takes some numbers; they are gone when it returns.
using TakesNumbers = llvm::function_ref<void(llvm::ArrayRef<float>)>;

/// All numbers in order, in parts of at most a megabyte.
void forEachPart(const Constant &constant, TakesNumbers take);

/// A weight of a module. Its numbers are f32, and nowhere in memory but in what
/// the model file was read into: they are converted, or computed, part by part
/// when somebody asks.
struct Weight {
  std::string name;
  /// Of the tensor: at least one dimension.
  Shape shape;
  /// The numbers, or what they are computed from.
  std::shared_ptr<const Constant> constant;
  /// Hands over all numbers in order; empty where they are the constant's.
  std::function<void(const Constant &, TakesNumbers)> parts;

  /// All numbers in order. O(numbers), and memory for a part.
  void forEachPart(TakesNumbers take) const;
  /// All of them at once.
  std::vector<float> floats() const;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_WEIGHT_H
