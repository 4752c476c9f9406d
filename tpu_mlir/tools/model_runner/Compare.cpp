//===- Compare.cpp - Two files of arrays side by side ---------------------===//

#include "tpu_mlir/tools/model_runner/Compare.h"

#include "tpu_mlir/tools/model_runner/Arrays.h"

#include "tpu_mlir/Execution/Files/Npz.h"
#include "tpu_mlir/Execution/Similarity.h"
#include "tpu_mlir/Support/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tpu_mlir {

using execution::ElementType;
using execution::NpyArray;
using execution::NpzError;

namespace {

struct Row {
  std::string name, shape;
  execution::Similarity similarity;
};

} // namespace

/// The array's numbers; 16 bits without a sign are those of bfloat16, as the
/// toolchain writes it.
static std::variant<std::vector<float>, CompareError>
numbersOf(const NpyArray &array, const std::string &file) {
  int64_t count = 1;
  for (int64_t size : array.shape)
    count *= size;
  if (array.dtype == "<u2") {
    std::vector<float> numbers(array.data.size() / 2);
    execution::readFloats(ElementType::BF16, array.data.data(), 0,
                          numbers.size(), numbers.data());
    return numbers;
  }
  auto bytes =
      execution::bytesFor({ElementType::F32, array.shape, 1, 0}, array);
  if (auto *error = std::get_if<NpzError>(&bytes))
    return CompareError{error->message + ", in '" + file + "'"};
  std::vector<float> numbers(count);
  execution::readFloats(ElementType::F32,
                        std::get<std::vector<uint8_t>>(bytes).data(), 0, count,
                        numbers.data());
  return numbers;
}

static std::variant<Row, CompareError> compareOne(const NpyArray &a,
                                                  const std::string &first,
                                                  const NpyArray &b,
                                                  const std::string &second) {
  auto left = numbersOf(a, first), right = numbersOf(b, second);
  for (auto *read : {&left, &right})
    if (auto *error = std::get_if<CompareError>(read))
      return std::move(*error);
  const auto &x = std::get<0>(left), &y = std::get<0>(right);
  if (x.size() != y.size())
    return CompareError{"array '" + a.name + "' is " +
                        execution::describe(a.shape) + " in '" + first +
                        "' and " + execution::describe(b.shape) + " in '" +
                        second + "'"};
  std::string shape = execution::describe(a.shape);
  // Element by element in the order of the files.
  if (a.shape != b.shape)
    shape += " and " + execution::describe(b.shape);
  return Row{a.name, std::move(shape), execution::similarityOf(x, y)};
}

static std::string render(std::vector<Row> rows, size_t alone,
                          const std::string &first, size_t other,
                          const std::string &second) {
  llvm::stable_sort(rows, [](const Row &a, const Row &b) {
    if (a.similarity.cosine != b.similarity.cosine)
      return a.similarity.cosine < b.similarity.cosine;
    return a.similarity.euclidean < b.similarity.euclidean;
  });
  TextTable table({TextTable::Column("tensor"), TextTable::Column("shape"),
                   TextTable::Column("cosine", TextTable::Align::Right),
                   TextTable::Column("Euclidean", TextTable::Align::Right)});
  auto cell = [](double value) {
    return value < -1e200 ? std::string("no number")
                          : formatv("{0:f6}", value).str();
  };
  for (const Row &row : rows)
    table.addRow({row.name, row.shape, cell(row.similarity.cosine),
                  cell(row.similarity.euclidean)});
  std::string text = table.render();
  for (auto [count, file] : {std::pair(alone, first), std::pair(other, second)})
    if (count > 0)
      text += formatv("only in '{0}': {1}\n", file, count).str();
  return text;
}

std::variant<std::string, CompareError>
compareArrays(const std::string &first, const std::string &second) {
  std::map<std::string, NpyArray> arrays[2];
  for (auto [file, into] :
       {std::pair(&first, &arrays[0]), std::pair(&second, &arrays[1])}) {
    auto read = readArrays(*file);
    if (auto *error = std::get_if<std::string>(&read))
      return CompareError{*error};
    *into = std::move(std::get<0>(read));
  }
  std::vector<Row> rows;
  for (const auto &[name, array] : arrays[0]) {
    auto other = arrays[1].find(name);
    if (other == arrays[1].end())
      continue;
    auto row = compareOne(array, first, other->second, second);
    if (auto *error = std::get_if<CompareError>(&row))
      return std::move(*error);
    rows.push_back(std::move(std::get<Row>(row)));
  }
  if (rows.empty())
    return CompareError{"'" + first + "' and '" + second +
                        "' have no array of the same name"};
  const size_t common = rows.size();
  return render(std::move(rows), arrays[0].size() - common, first,
                arrays[1].size() - common, second);
}

} // namespace tpu_mlir
