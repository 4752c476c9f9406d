//===- Arrays.cpp - Read inputs and write results of a run ----------------===//
//
// Finds the arrays of .npz files by the names of tensors, and compares shapes
// without their ones.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/model_runner/Arrays.h"

#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace llvm;

namespace tpu_mlir {

using execution::NpyArray;
using execution::NpzError;

std::variant<std::map<std::string, NpyArray>, std::string>
readArrays(const std::string &file) {
  const std::string failed = "cannot read '" + file + "': ";
  auto buffer = MemoryBuffer::getFile(file, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failed + buffer.getError().message();
  auto read = execution::readNpz((*buffer)->getBuffer());
  if (auto *error = std::get_if<NpzError>(&read))
    return failed + error->message;
  std::map<std::string, NpyArray> arrays;
  for (NpyArray &array : std::get<std::vector<NpyArray>>(read)) {
    const std::string name = array.name;
    arrays[name] = std::move(array);
  }
  return arrays;
}

static std::vector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  std::vector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t dim) { return dim != 1; });
  return kept;
}

std::variant<ArraySource, std::string> openArrays(const std::string &file,
                                                  bool sameShape) {
  auto read = readArrays(file);
  if (auto *error = std::get_if<std::string>(&read))
    return std::move(*error);
  auto arrays = std::make_shared<std::map<std::string, NpyArray>>(
      std::move(std::get<0>(read)));
  auto taken = std::make_shared<std::set<std::string>>();
  const auto find = [arrays, taken, file,
                     sameShape](ArrayRef<std::string> names,
                                const execution::TensorType &type)
      -> std::variant<std::vector<uint8_t>, std::string> {
    const auto *name = llvm::find_if(names, [&](const std::string &each) {
      return arrays->count(each) > 0;
    });
    if (name == names.end())
      return "there is no array '" + llvm::join(names, "' and no '") +
             "' in '" + file + "'";
    taken->insert(*name);
    const NpyArray &array = arrays->at(*name);
    if (sameShape && withoutOnes(array.shape) != withoutOnes(type.shape))
      return "array '" + array.name + "' is " +
             execution::describe(array.shape) + ", " +
             execution::describe(type.shape) + " is needed, in '" + file + "'";
    auto bytes = execution::bytesFor(type, array);
    if (auto *error = std::get_if<NpzError>(&bytes))
      return error->message + ", in '" + file + "'";
    return std::move(std::get<std::vector<uint8_t>>(bytes));
  };
  const auto unread = [arrays, taken] {
    std::vector<std::string> names;
    for (const auto &[name, array] : *arrays)
      if (!taken->count(name))
        names.push_back(name);
    return names;
  };
  return ArraySource{find, unread};
}

struct ArrayWriter::State {
  std::string file;
  MapVector<std::string, NpyArray, std::map<std::string, unsigned>> arrays;
};

ArrayWriter::ArrayWriter(std::string file) : state(new State) {
  state->file = std::move(file);
}

ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::add(StringRef name, const execution::TensorView &tensor) {
  state->arrays[name.str()] = execution::arrayOf(name.str(), tensor);
}

std::optional<std::string> ArrayWriter::write() const {
  std::vector<NpyArray> arrays;
  for (const auto &entry : state->arrays)
    arrays.push_back(entry.second);
  auto file = execution::writeNpz(arrays);
  if (auto *error = std::get_if<NpzError>(&file))
    return "cannot write '" + state->file + "': " + error->message;
  if (auto error =
          writeFileAtomically(state->file, std::get<std::string>(file)))
    return error->message;
  return std::nullopt;
}

} // namespace tpu_mlir
