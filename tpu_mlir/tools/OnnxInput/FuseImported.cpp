//===- FuseImported.cpp - Fuse layers of an imported model ----------------===//
//
// Runs the fusion patterns on weights that are still in memory.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/OnnxInput/FuseImported.h"

#include "lib/Transforms/Tpu/TopFuse/Fuse.h"
#include "lib/Transforms/Tpu/TopFuse/WeightValues.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir {

using importer::Weight;

static Weight weightOf(const execution::NpyArray &array) {
  auto numbers =
      std::make_shared<std::vector<float>>(array.data.size() / sizeof(float));
  std::memcpy(numbers->data(), array.data.data(), array.data.size());
  Weight weight;
  weight.name = array.name;
  weight.constant = std::make_shared<importer::Constant>();
  weight.parts = [numbers](const importer::Constant &,
                           importer::TakesNumbers take) { take(*numbers); };
  return weight;
}

void fuseImported(importer::Imported &imported) {
  llvm::StringMap<Weight *> known;
  for (Weight &weight : imported.weights)
    known[weight.name] = &weight;
  fusion::WeightValues values(
      *imported.module,
      [&](StringRef name) -> std::optional<std::vector<float>> {
        const Weight *weight = known.lookup(name);
        return weight ? std::optional(weight->floats()) : std::nullopt;
      });
  fusion::fuseTop(*imported.module, values);
  std::vector<Weight> kept;
  llvm::StringSet<> seen;
  imported.module->walk([&](top::WeightOp op) {
    const std::string name = valueName(op);
    Weight *old = known.lookup(name);
    const execution::NpyArray *made = values.findNew(name);
    if ((!old && !made) || !seen.insert(name).second)
      return;
    kept.push_back(made ? weightOf(*made) : *old);
    // A bias may have become a list.
    const auto shape =
        cast<RankedTensorType>(op.getResult().getType()).getShape();
    kept.back().shape.assign(shape.begin(), shape.end());
  });
  imported.weights = std::move(kept);
}

} // namespace tpu_mlir
