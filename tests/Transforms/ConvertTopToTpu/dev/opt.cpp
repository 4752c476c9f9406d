#include "lib/Transforms/ConvertTopToTpu/ConvertTopToTpu.h"
#include "tpu_mlir/Dialect/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tpu_mlir::registerDialects(registry);
  tpu_mlir::registerConvertTopToTpu();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "dev\n", registry));
}
