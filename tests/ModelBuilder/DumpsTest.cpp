//===- DumpsTest.cpp - Ops spelled as real dumps spell them ---------------===//
//
// Needs the real models in $TPU_MEMORY_DATA; skips without.
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

using namespace mlir;

namespace tpu_mlir {
namespace {

/// Kind and type of an attribute: "IntegerAttr si32".
std::string spelling(Attribute attribute) {
  std::string text = attribute.getAbstractAttribute().getName().str();
  if (auto typed = dyn_cast<TypedAttr>(attribute)) {
    llvm::raw_string_ostream os(text);
    os << ' ' << typed.getType();
  }
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && !list.empty() ? text + " of " + spelling(list[0]) : text;
}

/// For each op its attributes in all of their spellings.
using Vocabulary =
    std::map<std::string, std::map<std::string, std::set<std::string>>>;

void learn(Operation *op, Vocabulary &vocabulary) {
  auto &known = vocabulary[op->getName().getStringRef().str()];
  for (NamedAttribute attribute : op->getAttrs())
    known[attribute.getName().str()].insert(spelling(attribute.getValue()));
}

/// Empty without the real models.
Vocabulary dumps() {
  Vocabulary vocabulary;
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    return vocabulary;
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           std::string(data) + "/tpu_mlir")) {
    if (entry.path().extension() != ".mlir")
      continue;
    auto module = parseSourceFile<ModuleOp>(entry.path().string(), &context);
    EXPECT_TRUE(module) << entry.path();
    if (module)
      module->walk([&](Operation *op) { learn(op, vocabulary); });
  }
  return vocabulary;
}

TEST(Dumps, HaveEveryAttributeOfOurOps) {
  Vocabulary vocabulary = dumps();
  if (vocabulary.empty())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  std::set<std::string> compared;
  auto compare = [&](Operation *op) {
    std::string name = op->getName().getStringRef().str();
    auto known = vocabulary.find(name);
    if (known == vocabulary.end())
      return;
    compared.insert(name);
    for (NamedAttribute attribute : op->getAttrs()) {
      const std::set<std::string> &spellings =
          known->second[attribute.getName().str()];
      std::string ours = spelling(attribute.getValue());
      // An empty list has no elements to tell the type from.
      EXPECT_TRUE(spellings.count(ours) ||
                  (isa<ArrayAttr>(attribute.getValue()) && !spellings.empty()))
          << name << " " << attribute.getName().str() << ": " << ours;
    }
  };
  for (const std::string &model : modelNames())
    for (Level level : {Level::Top, Level::Tpu})
      Network(options(model, level)).module->walk(compare);
  EXPECT_GT(compared.size(), 25u);
}

} // namespace
} // namespace tpu_mlir
