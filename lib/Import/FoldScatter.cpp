//===- FoldScatter.cpp - Constants that are written to --------------------===//

#include "lib/Import/Fold.h"

namespace tpu_mlir::importer {

Constant foldScatterND(const NodeContext &node) {
  const Constant &x = node.constant(0), &at = node.constant(1),
                 &updates = node.constant(2);
  node.require(node.text("reduction", "none") == "none",
               "updates that are combined");
  const int64_t depth = at.shape.empty() ? 0 : at.shape.back();
  node.require(depth >= 1 && depth <= node.rank(),
               "the indices are no coordinates of the operand");
  const Shape strides = stridesOf(x.shape);
  const int64_t block = strides[depth - 1], count = at.size() / depth;
  node.require(updates.size() == count * block, "there is no update for each");
  std::vector<double> reals;
  std::vector<int64_t> wholes = x.wholes();
  const bool isReal = isFloat(x.type);
  for (int64_t i = 0; i < x.size() && isReal; ++i)
    reals.push_back(x.real(i));
  for (int64_t row = 0; row < count; ++row) {
    int64_t place = 0;
    for (int64_t dim = 0; dim < depth; ++dim)
      place +=
          node.place(at.whole(row * depth + dim), x.shape[dim]) * strides[dim];
    for (int64_t i = 0; i < block; ++i)
      if (isReal)
        reals[place + i] = updates.real(row * block + i);
      else
        wholes[place + i] = updates.whole(row * block + i);
  }
  return isReal ? makeConstant(x.type, x.shape, reals)
                : makeConstant(x.type, x.shape, std::move(wholes));
}

} // namespace tpu_mlir::importer
