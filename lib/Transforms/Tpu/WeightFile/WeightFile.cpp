//===- WeightFile.cpp - Files of a module's weights -----------------------===//

#include "lib/Transforms/Tpu/WeightFile/WeightFile.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tpu_mlir::weight_files {

using quantization::WeightStore;

std::string weightsBeside(ModuleOp module, StringRef path) {
  auto named = readWord(findSharedAttr(module, "module.weight_file"));
  SmallString<128> file(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(file, named.value_or(""));
  return named && !named->empty() && llvm::sys::fs::is_regular_file(file)
             ? file.str().str()
             : "";
}

FailureOr<std::shared_ptr<WeightStore>> openWeights(ModuleOp module,
                                                    const std::string &file) {
  auto opened = WeightStore::open(file);
  if (auto *error = std::get_if<std::string>(&opened))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable, *error);
  return std::move(std::get<std::shared_ptr<WeightStore>>(opened));
}

/// Under which of its names the weight is there; "" for none.
static std::string storedName(top::WeightOp weight,
                              const WeightStore &weights) {
  std::string name = valueName(weight->getResult(0));
  if (weights.has(name))
    return name;
  auto origin = readWord(weight->getAttr("origin"));
  return origin && weights.has(*origin) ? origin->str() : "";
}

/// The first weight without numbers; null for none.
static top::WeightOp findUnknown(ModuleOp module, const WeightStore &weights) {
  top::WeightOp unknown;
  module.walk([&](top::WeightOp weight) {
    if (isa<NoneType>(weight->getResult(0).getType()) ||
        !storedName(weight, weights).empty())
      return WalkResult::advance();
    unknown = weight;
    return WalkResult::interrupt();
  });
  return unknown;
}

bool hasAllWeights(ModuleOp module, const WeightStore &weights) {
  return !findUnknown(module, weights);
}

FailureOr<std::string> renderWeights(ModuleOp module,
                                     const WeightStore &weights) {
  if (top::WeightOp unknown = findUnknown(module, weights))
    return emitCodedError(unknown->getLoc(), ErrorCode::NotReadable,
                          "the numbers of weight '" +
                              valueName(unknown->getResult(0)) +
                              "' are not known: no file of weights can be "
                              "written");
  std::vector<std::string> names;
  module.walk([&](top::WeightOp weight) {
    names.push_back(storedName(weight, weights));
  });
  auto file = weights.render(names);
  if (auto *error = std::get_if<execution::NpzError>(&file))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          "the file of weights: " + error->message);
  return std::move(std::get<std::string>(file));
}

LogicalResult writeWeights(ModuleOp module, const WeightStore &weights,
                           const std::string &file) {
  FailureOr<std::string> contents = renderWeights(module, weights);
  if (failed(contents))
    return failure();
  if (auto error = writeFileAtomically(file, *contents))
    return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                          error->message);
  return success();
}

} // namespace tpu_mlir::weight_files
