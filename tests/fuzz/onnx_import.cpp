//===- onnx_import.cpp - Arbitrary bytes as a model of ONNX ---------------===//
//
// The reader and the rules, with a module that only counts: no IR, which
// Debian builds without sanitizers.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/Entries.h"

#include "lib/Import/Importer.h"
#include "lib/Import/Reader.h"

namespace tpu_mlir::planning {
namespace {

using namespace importer;

/// Keeps what is asked of it, and what was wrong with that.
class CountingModule : public TopModule {
public:
  Value input(const std::string &name, const Shape &shape, DataType) override {
    return keep(name, shape);
  }
  Value weight(const std::string &name, const Shape &shape) override {
    return keep(name, shape);
  }
  std::vector<Value> layer(llvm::StringRef op,
                           const std::vector<std::string> &names,
                           const std::vector<Value> &operands,
                           const std::vector<std::optional<Shape>> &shapes,
                           const LayerAttributes &attributes) override {
    if (op.empty() || names.size() != shapes.size())
      broken = "a layer without a name for each result";
    for (const Value &operand : operands)
      if (operand.id >= static_cast<int>(all.size()))
        broken = "an operand that is not there";
    for (const LayerAttribute &attribute : attributes)
      if (attribute.name.empty())
        broken = "an attribute without a name";
    std::vector<Value> results;
    for (size_t i = 0; i < shapes.size(); ++i)
      results.push_back(shapes[i] ? keep(names[i], *shapes[i]) : Value());
    return results;
  }
  std::string nameOf(const Value &value) const override {
    return all.at(value.id);
  }
  void rename(const Value &value, const std::string &name) override {
    all.at(value.id) = name;
  }
  void annotate(const Value &, const LayerAttributes &) override {}
  void note(llvm::StringRef, const std::vector<std::string> &) override {}

  std::string broken;

private:
  Value keep(const std::string &name, const Shape &shape) {
    if (!elementsOf(shape) || *elementsOf(shape) <= 0)
      broken = "'" + name + "' is " + describe(shape);
    all.push_back(name);
    return {static_cast<int>(all.size()) - 1, shape};
  }
  std::vector<std::string> all;
};

std::string brokenWeights(const std::vector<Weight> &weights) {
  constexpr int64_t kFew = 1 << 16;
  for (const Weight &weight : weights) {
    const int64_t count = elementsOf(weight.shape).value_or(-1);
    if (count > kFew)
      continue;
    int64_t numbers = 0;
    weight.forEachPart([&](llvm::ArrayRef<float> part) {
      numbers += static_cast<int64_t>(part.size());
    });
    if (numbers != count)
      return "weight '" + weight.name + "' has " + std::to_string(numbers) +
             " numbers, its shape " + std::to_string(count);
  }
  return "";
}

} // namespace

FuzzOutcome fuzzOnnxImport(std::string_view bytes) {
  FuzzOutcome outcome;
  auto graph = readOnnxBytes({bytes.data(), bytes.size()}, hasRule);
  if (auto *error = std::get_if<ReadError>(&graph)) {
    if (error->message.empty())
      outcome.broken = "an error without a message";
    return outcome;
  }
  ImportOptions options;
  options.name = "net";
  options.preprocessing.emplace();
  CountingModule module;
  Importer run(std::move(std::get<Graph>(graph)), options, module);
  const std::vector<Value> results = run.run();
  outcome.isProblem = run.errors.empty();
  outcome.broken = module.broken;
  for (const ImportError &error : run.errors)
    if (error.message.empty())
      outcome.broken = "an error without a message";
  if (run.errors.empty() && results.size() != run.outputs.size())
    outcome.broken = "outputs are missing";
  if (outcome.broken.empty())
    outcome.broken = brokenWeights(run.weights);
  return outcome;
}

} // namespace tpu_mlir::planning
