//===- tpuc-opt.cpp - Passes on Top and Tpu modules -----------------------===//

#include "RegisterPasses.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tpu_mlir::registerDialects(registry);
  tpu_mlir::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Top and Tpu modules\n", registry));
}
