//===- Outputs.h - The files that a run writes ------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_OUTPUTS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_OUTPUTS_H

#include "tpu_mlir/Execution/Files/NpzWriter.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/model_deploy/Options.h"

namespace tpu_mlir::deploy {

/// All of them at the end of a run, or none.
struct Outputs {
  void add(std::string path, std::string text) {
    files.push_back({std::move(path), std::move(text)});
  }
  std::vector<std::string> paths() const;
  /// What would be written over what `options` say is read, or over another
  /// one; "" for nothing.
  std::string findOverwritten(const Options &options) const;
  /// Why it failed, or "".
  std::string write();
  /// Takes away what an earlier run wrote of `options.stem` and this one does
  /// not: the table of --fit, and reports on layer groups. They would say
  /// something about a module that is gone. Not what `options` say is read.
  /// The paths.
  std::vector<std::string> removeOld(const Options &options) const;

  std::vector<FileToWrite> files;
  /// Of a model of ONNX; null without one.
  std::unique_ptr<execution::NpzWriter> weights;
  std::string weightFile;
  /// What a model of ONNX reads beside its own file.
  std::vector<NamedFile> dataFiles;

private:
  std::vector<NamedFile> readFiles(const Options &options) const;
};

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_OUTPUTS_H
