//===- WeightValues.h - The numbers of a module's weights -------*- C++ -*-===//
//
// A module names its weights, their numbers are in an .npz file beside it. What
// a rewrite needs of them is read here, and what it computes is kept here until
// somebody writes it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_WEIGHTVALUES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_WEIGHTVALUES_H

#include "tpu_mlir/Execution/Files/Npz.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::fusion {

/// The weights of one module. Arrays are in memory from the start, or are read
/// from a file as a whole when a number is first asked for.
class WeightValues {
public:
  /// Arrays in memory; new ones are added to them.
  WeightValues(mlir::ModuleOp module, std::vector<execution::NpyArray> arrays);
  /// Those of file `path`, "" for none. `keepsNew`: somebody will write what is
  /// added; without it nothing can be added.
  WeightValues(mlir::ModuleOp module, std::string path, bool keepsNew);

  /// Those that `numbers` gives by their names, each time they are asked for;
  /// nullopt: there are none. New ones are kept here alone.
  using Source =
      std::function<std::optional<std::vector<float>>(llvm::StringRef)>;
  WeightValues(mlir::ModuleOp module, Source numbers);

  /// The numbers of a value that a top.Weight of f32 defines, from its
  /// `inline_bytes` or from the array of its name. nullopt: it is no such
  /// weight, it is stored in a layout of a chip's, or its numbers are not
  /// there. O(bytes of the file) the first time, O(elements) after it.
  std::optional<std::vector<float>> read(mlir::Value weight);
  /// The one number that all elements of a weight are; nullopt as above.
  std::optional<float> single(mlir::Value weight);
  bool keepsNew() const { return growing; }
  /// A new top.Weight in front of the rewriter's place, called `stem`_fix, with
  /// another name where that is taken.
  mlir::Value add(mlir::PatternRewriter &rewriter, llvm::StringRef stem,
                  llvm::ArrayRef<int64_t> shape, std::vector<float> numbers);

  /// Whether it was made by add().
  bool isNew(mlir::Operation *weight) const;

  /// `layer` could be fused if the numbers of its weights were there.
  void miss(mlir::Operation *layer);
  /// How many layers that are.
  size_t missed() const { return missedLayers.size(); }
  /// Why numbers are not there: what is wrong with the file, or "".
  const std::string &problem() const { return why; }

  /// The array of a weight that was added; null: it was not.
  const execution::NpyArray *findNew(llvm::StringRef name) const;

  /// The arrays of the weights that the module has now, in its order. An array
  /// that is not there is left out.
  std::vector<execution::NpyArray> take();

private:
  const execution::NpyArray *find(llvm::StringRef name);
  void load();

  mlir::ModuleOp module;
  std::string path;
  Source source;
  bool growing = true, isLoaded = true;
  std::string why;
  std::vector<execution::NpyArray> arrays;
  llvm::StringMap<size_t> places; ///< By name, in `arrays`.
  llvm::StringSet<> names;        ///< Of all that the module has.
  llvm::StringSet<> added, missedLayers;
};

} // namespace tpu_mlir::fusion

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_WEIGHTVALUES_H
