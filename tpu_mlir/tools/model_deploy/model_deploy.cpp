//===- model_deploy.cpp - From a network to addresses, in one command -----===//

#include "tpu_mlir/tools/model_deploy/Deploy.h"
#include "tpu_mlir/tools/model_deploy/Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdlib>

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // `bazel run` starts programs elsewhere; paths mean the caller's directory.
  if (const char *directory = std::getenv("BUILD_WORKING_DIRECTORY"))
    (void)llvm::sys::fs::set_current_path(directory);
  auto parsed = tpu_mlir::deploy::parseOptions(argc, argv);
  if (!parsed.options)
    return parsed.exitCode;
  return tpu_mlir::deploy::deploy(*parsed.options);
}
