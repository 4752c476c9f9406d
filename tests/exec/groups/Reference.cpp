//===- Reference.cpp - What groups compute, on whole tensors --------------===//

#include "tests/exec/groups/Reference.h"

#include "tests/exec/kernels/Kernels.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tpu_mlir::exec {

TensorPart madeUp(const TensorShape &shape, uint64_t seed) {
  TensorPart part = TensorPart::whole(shape);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  for (int32_t &value : part.values) { // splitmix64
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    value = wrapped(static_cast<uint32_t>(z ^ (z >> 31)), shape.bits);
  }
  return part;
}

TensorPart loadedForm(const TensorPart &source, const TensorShape &shape) {
  TensorPart part = TensorPart::whole(shape);
  const size_t size = part.values.size();
  for (size_t i = 0; i < source.values.size(); ++i) {
    int32_t &value = part.values[i % size];
    value = wrapped(static_cast<uint32_t>(value) +
                        static_cast<uint32_t>(source.values[i]),
                    shape.bits);
  }
  return part;
}

namespace {

class ReferenceRun {
public:
  std::variant<ChainReference, std::string>
  run(const std::vector<GroupModel> &chain) {
    for (const GroupModel &model : chain) {
      reference.results.emplace_back(model.items.size());
      for (size_t item = 0; item < model.items.size(); ++item)
        if (auto error = runItem(model, item))
          return nameOf(model.items[item]) + " " + *error;
    }
    return std::move(reference);
  }

private:
  std::optional<std::string> runItem(const GroupModel &model, size_t index) {
    const GroupItem &item = model.items[index];
    auto &results = reference.results.back();
    if (item.kind == GroupItem::Kind::Load) {
      results[index] = loadedForm(source(item), item.shape);
      return std::nullopt;
    }
    if (item.kind == GroupItem::Kind::Store) {
      results[index] = results[item.operands[0]];
      stored[item.global] = {reference.results.size() - 1, index};
      return std::nullopt;
    }
    results[index] = TensorPart::whole(item.shape);
    KernelCall call{item.op, {}, &results[index]};
    for (int operand : item.operands)
      call.operands.push_back(operand < 0 ? nullptr : &results[operand]);
    return runKernel(call);
  }

  const TensorPart &source(const GroupItem &load) {
    auto made = stored.find(load.global);
    if (made != stored.end())
      return reference.results[made->second.first][made->second.second];
    auto [found, isNew] = inputs.try_emplace(load.global);
    if (isNew)
      found->second = madeUp(load.globalShape, inputs.size());
    return found->second;
  }

  ChainReference reference;
  llvm::DenseMap<Value, TensorPart> inputs; ///< Looked up, never walked.
  /// Group and item of the Store that made a value.
  llvm::DenseMap<Value, std::pair<size_t, size_t>> stored;
};

} // namespace

std::variant<ChainReference, std::string>
runReference(const std::vector<GroupModel> &chain) {
  return ReferenceRun().run(chain);
}

} // namespace tpu_mlir::exec
