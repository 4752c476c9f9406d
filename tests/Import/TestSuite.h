//===- TestSuite.h - The models of ONNX's own test suite --------*- C++ -*-===//
//
// Where Debian's libonnx-testdata puts them: a folder a model, with recorded
// inputs and outputs, one tensor a file.
//
//===----------------------------------------------------------------------===//

#ifndef TESTS_IMPORT_TESTSUITE_H
#define TESTS_IMPORT_TESTSUITE_H

#include "tpu_mlir/Import/Import.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"

#include <map>

namespace tpu_mlir {

/// The folder of the package.
extern const char *const kSuite;

/// "node/test_abs" and so on, sorted; none where the package is missing.
std::vector<std::string> modelsOfSuite();

/// Elements as a tensor of that type has them.
std::vector<uint8_t> bytesOf(const importer::Constant &value,
                             const execution::TensorType &type);

class SuiteModel {
public:
  SuiteModel(mlir::MLIRContext &context, const std::string &name);

  std::string file() const;
  /// The recorded tensor, if there is one that has numbers.
  std::optional<importer::Constant> data(const std::string &kind,
                                         size_t index) const;
  /// What is wrong with the recorded inputs; "" for nothing.
  std::string readInputs();
  /// Inputs whose numbers the importer asks for are bound, as a user would;
  /// `options` then says which.
  std::variant<importer::Imported, std::vector<importer::ImportError>>
  import(importer::ImportOptions &options);
  /// The recorded inputs; those of other sizes are errors.
  DataSource inputSource() const;
  /// Runs `module`; what is wrong with that, or "".
  std::string run(mlir::ModuleOp module, const RunOptions &options,
                  RunResult &result) const;

private:
  mlir::MLIRContext &context;
  std::string folder;
  std::map<std::string, importer::Constant> inputs;
};

} // namespace tpu_mlir

#endif // TESTS_IMPORT_TESTSUITE_H
