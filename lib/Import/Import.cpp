//===- Import.cpp - ONNX as Top modules -----------------------------------===//

#include "tpu_mlir/Import/Import.h"
#include "lib/Import/Importer.h"
#include "lib/Import/IrModule.h"
#include "lib/Import/Reader.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

namespace tpu_mlir::importer {

using Errors = std::vector<ImportError>;

static std::variant<Imported, Errors> import(mlir::MLIRContext &context,
                                             const std::string &path,
                                             const ImportOptions &options) {
  auto graph = readOnnx(path, hasRule);
  if (auto *error = std::get_if<ReadError>(&graph))
    return Errors{{false, error->message}};
  std::vector<std::string> dataFiles =
      std::move(std::get<Graph>(graph).dataFiles);
  IrModule module(context, options.name);
  Importer importer(std::move(std::get<Graph>(graph)), options, module);
  const std::vector<Value> results = importer.run();
  if (!importer.errors.empty())
    return std::move(importer.errors);
  Imported imported{module.finish(results), std::move(importer.weights),
                    std::move(importer.inputs), std::move(importer.outputs),
                    std::move(dataFiles)};
  if (mlir::failed(mlir::verify(imported.module.get())))
    return Errors{{false, "the module that was made of '" + path +
                              "' is not well-formed"}};
  return imported;
}

std::variant<Imported, Errors> importOnnx(mlir::MLIRContext &context,
                                          const std::string &path,
                                          const ImportOptions &options) {
  try {
    return import(context, path, options);
  } catch (const std::bad_alloc &) {
    return Errors{{false, "there is not enough memory for '" + path + "'"}};
  } catch (const std::exception &error) {
    return Errors{{false, "'" + path + "': " + error.what()}};
  }
}

std::variant<std::vector<Border>, ImportError>
inputsOf(const std::string &path) {
  auto graph = readOnnx(path, hasRule);
  if (auto *error = std::get_if<ReadError>(&graph))
    return ImportError{false, error->message};
  std::vector<Border> inputs;
  for (const Declared &input : std::get<Graph>(graph).inputs)
    inputs.push_back({input.name, input.type, input.shape.value_or(Shape())});
  return inputs;
}

std::variant<Constant, ImportError>
readTensorFile(const std::string &path, std::vector<std::string> *beside) {
  auto read = readTensorProto(path, beside);
  if (auto *error = std::get_if<ReadError>(&read))
    return ImportError{false, error->message};
  return std::move(std::get<Constant>(read));
}

} // namespace tpu_mlir::importer
