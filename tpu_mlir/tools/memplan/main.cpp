//===- main.cpp - memplan with the strategies of this project -------------===//

#include "tpu_mlir/tools/memplan/Memplan.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return tpu_mlir::memplan::runMemplan(argc, argv);
}
