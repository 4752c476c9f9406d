//===- WeightStore.cpp - The numbers of a network's weights ---------------===//

#include "tpu_mlir/Quantization/WeightStore.h"

#include "llvm/Support/MemoryBuffer.h"

#include <set>

namespace tpu_mlir::quantization {

using execution::ElementType;
using execution::NpyArray;
using execution::NpzError;

std::variant<std::shared_ptr<WeightStore>, std::string>
WeightStore::open(const std::string &file) {
  const std::string failed = "cannot read '" + file + "': ";
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failed + buffer.getError().message();
  auto read = execution::readNpz((*buffer)->getBuffer());
  if (auto *error = std::get_if<NpzError>(&read))
    return failed + error->message;
  auto store = std::make_shared<WeightStore>();
  for (NpyArray &array : std::get<std::vector<NpyArray>>(read)) {
    std::string name = array.name;
    store->arrays[std::move(name)] = std::move(array);
  }
  return store;
}

const NpyArray *WeightStore::arrayOf(llvm::StringRef name) const {
  auto found = arrays.find(std::string_view(name));
  return found == arrays.end() ? nullptr : &found->second;
}

std::optional<std::vector<float>> WeightStore::floats(llvm::StringRef name,
                                                      int64_t count) const {
  const NpyArray *array = arrayOf(name);
  if (!array)
    return std::nullopt;
  auto bytes = execution::bytesFor({ElementType::F32, {count}, 1, 0}, *array);
  if (!std::holds_alternative<std::vector<uint8_t>>(bytes))
    return std::nullopt;
  std::vector<float> numbers(count);
  execution::readFloats(ElementType::F32,
                        std::get<std::vector<uint8_t>>(bytes).data(), 0, count,
                        numbers.data());
  return numbers;
}

void WeightStore::put(llvm::StringRef name, ElementType element,
                      llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<uint8_t> bytes) {
  const execution::TensorType type{
      element, execution::Shape(shape.begin(), shape.end()), 1, 0};
  arrays[name.str()] = execution::arrayOf(name.str(), {type, bytes});
}

std::variant<std::string, NpzError>
WeightStore::render(llvm::ArrayRef<std::string> names) const {
  std::vector<NpyArray> chosen;
  std::set<std::string> seen;
  for (const std::string &name : names)
    if (const NpyArray *array = arrayOf(name);
        array && seen.insert(name).second)
      chosen.push_back(*array);
  return execution::writeNpz(chosen);
}

} // namespace tpu_mlir::quantization
