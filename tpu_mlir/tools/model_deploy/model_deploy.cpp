//===- model_deploy.cpp - From a network to addresses, in one command -----===//

#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/model_deploy/Deploy.h"
#include "tpu_mlir/tools/model_deploy/Options.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tpu_mlir::beginProgram();
  auto parsed = tpu_mlir::deploy::parseOptions(argc, argv);
  if (!parsed.options)
    return parsed.exitCode;
  return tpu_mlir::deploy::deploy(*parsed.options);
}
