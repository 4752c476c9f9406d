//===- TestModules.cpp - Modules for the dialects' tests ------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace mlir;

namespace tpu_mlir::test {

TestContext::TestContext() {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

Type TestContext::type(StringRef text) {
  Type type = parseType(text, &context);
  EXPECT_TRUE(type) << text.str();
  return type;
}

Attribute TestContext::attribute(StringRef text) {
  Attribute attribute = parseAttribute(text, &context);
  EXPECT_TRUE(attribute) << text.str();
  return attribute;
}

OwningOpRef<ModuleOp> TestContext::parse(StringRef text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text.str();
  return module;
}

OwningOpRef<ModuleOp> TestContext::parseOps(StringRef arguments,
                                            StringRef ops) {
  return parse(
      ("func.func @f(" + arguments + ") {\n" + ops + "\nreturn\n}").str());
}

std::string print(ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  if (generic)
    flags.printGenericOpForm();
  module.print(os, flags);
  return text;
}

Operation *findOp(ModuleOp module, StringRef name) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!found && op->getName().getStringRef() == name)
      found = op;
  });
  return found;
}

std::vector<std::string> realModules() {
  namespace fs = std::filesystem;
  const char *data = std::getenv("TPU_MEMORY_DATA");
  std::vector<std::string> files;
  for (const char *name : {"tpu_mlir", "tpu_mlir_more", "tpu_mlir_old"}) {
    fs::path folder = fs::path(data ? data : "") / name;
    if (!data || !fs::is_directory(folder))
      continue;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".mlir")
        files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace tpu_mlir::test
