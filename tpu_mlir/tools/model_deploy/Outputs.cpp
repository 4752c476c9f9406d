//===- Outputs.cpp - The files that a run writes --------------------------===//

#include "tpu_mlir/tools/model_deploy/Outputs.h"

#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"

namespace tpu_mlir::deploy {

std::vector<std::string> Outputs::paths() const {
  std::vector<std::string> all;
  for (const FileToWrite &file : files)
    all.push_back(file.first);
  if (weights)
    all.push_back(weightFile);
  return all;
}

std::string Outputs::findOverwritten(const Options &options) const {
  std::vector<NamedFile> read = filesOf(options.onnx), written;
  read.insert(read.end(), {{options.mlirFile, "--mlir"},
                           {options.onnxFile, "--onnx"},
                           {options.chipFile, "--chip-file"},
                           {options.calibrationTable, "--calibration_table"},
                           {options.quantizeTable, "--quantize_table"},
                           {options.weightFile, "--weight"}});
  for (const std::string &path : paths())
    written.push_back({path, "--model"});
  return tpu_mlir::findOverwritten(read, written);
}

std::string Outputs::write() {
  if (auto error = writeFilesAtomically(files))
    return error->message;
  if (weights)
    if (auto error = weights->putInPlace())
      return error->message;
  return "";
}

} // namespace tpu_mlir::deploy
