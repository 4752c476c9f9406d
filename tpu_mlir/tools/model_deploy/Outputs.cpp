//===- Outputs.cpp - The files that a run writes --------------------------===//

#include "tpu_mlir/tools/model_deploy/Outputs.h"

#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"

#include "llvm/ADT/STLExtras.h"

#include <filesystem>

namespace tpu_mlir::deploy {

std::vector<NamedFile> Outputs::readFiles(const Options &options) const {
  std::vector<NamedFile> read = filesOf(options.onnx);
  read.insert(read.end(), {{options.mlirFile, "--mlir"},
                           {options.onnxFile, "--onnx"},
                           {options.chipFile, "--chip-file"},
                           {options.calibrationTable, "--calibration_table"},
                           {options.quantizeTable, "--quantize_table"},
                           {options.weightFile, "--weight"}});
  read.insert(read.end(), dataFiles.begin(), dataFiles.end());
  return read;
}

std::vector<std::string> Outputs::paths() const {
  std::vector<std::string> all;
  for (const FileToWrite &file : files)
    all.push_back(file.first);
  if (weights)
    all.push_back(weightFile);
  return all;
}

std::string Outputs::findOverwritten(const Options &options) const {
  std::vector<NamedFile> written;
  // The trace is the last of the reports with its name.
  const std::vector<std::string> all = paths();
  const auto trace = std::find(all.rbegin(), all.rend(), options.traceFile);
  for (auto path = all.begin(); path != all.end(); ++path)
    written.push_back({*path, trace != all.rend() && path + 1 == trace.base()
                                  ? "--trace"
                                  : "--model"});
  return tpu_mlir::findOverwritten(readFiles(options), written);
}

std::string Outputs::write() {
  if (auto error = writeFilesAtomically(files))
    return error->message;
  if (weights)
    if (auto error = weights->putInPlace())
      return error->message;
  return "";
}

std::vector<std::string> Outputs::removeOld(const Options &options) const {
  const std::vector<std::string> fresh = paths();
  const std::vector<NamedFile> read = readFiles(options);
  std::vector<std::string> removed;
  for (const char *end : {"_fit.json", "_local.json", "_local.txt"}) {
    const std::string path = options.stem + end;
    const bool isUsed =
        llvm::is_contained(fresh, path) ||
        llvm::any_of(read, [&](const NamedFile &file) {
          return !file.first.empty() && isSameFile(file.first, path);
        });
    std::error_code error;
    if (!isUsed && std::filesystem::is_regular_file(path, error) &&
        std::filesystem::remove(path, error))
      removed.push_back(path);
  }
  return removed;
}

} // namespace tpu_mlir::deploy
