//===- WeightValues.cpp - Read and add the numbers of weights -------------===//
//
// Loads the file of weights when the first number is asked for, and names new
// weights uniquely.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/WeightValues.h"

#include "lib/Transforms/Tpu/WeightFile/InlineBytes.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir::fusion {

using execution::NpyArray;
using execution::NpzError;

WeightValues::WeightValues(ModuleOp module, std::vector<NpyArray> given)
    : module(module), arrays(std::move(given)) {
  for (auto [place, array] : llvm::enumerate(arrays))
    places[array.name] = place;
}

WeightValues::WeightValues(ModuleOp module, std::string path, bool keepsNew)
    : module(module), path(std::move(path)), growing(keepsNew),
      isLoaded(false) {}

WeightValues::WeightValues(ModuleOp module, Source numbers)
    : module(module), source(std::move(numbers)) {}

void WeightValues::load() {
  isLoaded = true;
  if (path.empty()) {
    why = "the module names no file of weights";
    return;
  }
  auto text = readWholeFile(path);
  if (auto *error = std::get_if<FileError>(&text)) {
    why = error->message;
    return;
  }
  auto read = execution::readNpz(std::get<std::string>(text));
  if (auto *error = std::get_if<NpzError>(&read)) {
    why = "cannot read '" + path + "': " + error->message;
    return;
  }
  // What was added before stays.
  for (NpyArray &array : std::get<std::vector<NpyArray>>(read))
    if (places.try_emplace(array.name, arrays.size()).second)
      arrays.push_back(std::move(array));
}

const NpyArray *WeightValues::find(StringRef name) {
  if (!isLoaded)
    load();
  auto found = places.find(name);
  return found == places.end() ? nullptr : &arrays[found->second];
}

template <typename Bytes>
static std::optional<std::vector<float>>
asFloats(const std::optional<Bytes> &bytes) {
  if (!bytes)
    return std::nullopt;
  std::vector<float> numbers(bytes->size() / sizeof(float));
  std::memcpy(numbers.data(), bytes->data(), numbers.size() * sizeof(float));
  return numbers;
}

std::optional<std::vector<float>> WeightValues::read(Value weight) {
  auto op = weight.getDefiningOp<top::WeightOp>();
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  const auto bytes = op && type ? typeBytes(type) : std::nullopt;
  if (!bytes || !type.getElementType().isF32() ||
      readWord(op->getAttr("store_mode")).value_or("1N") != "1N" ||
      readFlag(op->getAttr("do_compress")).value_or(false))
    return std::nullopt;
  if (op->getAttrOfType<StringAttr>("inline_bytes"))
    return asFloats(weight_files::inlineBytes(op, *bytes));
  const NpyArray *array = find(valueName(weight));
  if (!array && source) {
    auto numbers = source(valueName(weight));
    const bool fits = numbers && static_cast<int64_t>(numbers->size() *
                                                      sizeof(float)) == *bytes;
    return fits ? std::move(numbers) : std::nullopt;
  }
  if (!array)
    return std::nullopt;
  const execution::TensorType as{execution::ElementType::F32,
                                 execution::Shape(type.getShape()), 1, 0};
  auto data = execution::bytesFor(as, *array);
  return std::holds_alternative<NpzError>(data)
             ? std::nullopt
             : asFloats(std::optional(std::get<0>(data)));
}

std::optional<float> WeightValues::single(Value weight) {
  auto numbers = read(weight);
  if (!numbers || numbers->empty() || !llvm::all_equal(*numbers))
    return std::nullopt;
  return numbers->front();
}

Value WeightValues::add(PatternRewriter &rewriter, StringRef stem,
                        ArrayRef<int64_t> shape, std::vector<float> numbers) {
  // Names are looked at once: what comes later comes from here.
  if (names.empty())
    module.walk([&](Operation *op) {
      for (Value result : op->getResults())
        names.insert(valueName(result));
    });
  std::string name = (stem + "_fix").str();
  for (int count = 1; !names.insert(name).second || places.contains(name);
       ++count)
    name = (stem + "_fix_" + Twine(count)).str();
  NpyArray array{name, "<f4", execution::Shape(shape), {}};
  array.data.resize(numbers.size() * sizeof(float));
  std::memcpy(array.data.data(), numbers.data(), array.data.size());
  places[name] = arrays.size();
  arrays.push_back(std::move(array));
  added.insert(name);
  return top::WeightOp::create(
      rewriter, NameLoc::get(rewriter.getStringAttr(name)),
      RankedTensorType::get(shape, rewriter.getF32Type()), ValueRange());
}

const NpyArray *WeightValues::findNew(StringRef name) const {
  auto found = places.find(name);
  return added.contains(name) && found != places.end() ? &arrays[found->second]
                                                       : nullptr;
}

bool WeightValues::isNew(Operation *weight) const {
  return added.contains(valueName(weight->getResult(0)));
}

void WeightValues::miss(Operation *layer) {
  missedLayers.insert(valueName(layer->getResult(0)));
}

std::vector<NpyArray> WeightValues::take() {
  if (!isLoaded)
    load();
  std::vector<NpyArray> kept;
  llvm::StringSet<> seen;
  module.walk([&](top::WeightOp weight) {
    const std::string name = valueName(weight);
    auto place = places.find(name);
    if (place == places.end() || !seen.insert(name).second)
      return;
    kept.push_back(std::move(arrays[place->second]));
    // A bias may have become a list.
    auto type = dyn_cast<RankedTensorType>(weight.getResult().getType());
    NpyArray &array = kept.back();
    if (type && typeBytes(type) == static_cast<int64_t>(array.data.size()))
      array.shape.assign(type.getShape().begin(), type.getShape().end());
  });
  arrays.clear();
  places.clear();
  return kept;
}

} // namespace tpu_mlir::fusion
