//===- tpuc-opt.cpp - Passes on Top and Tpu modules -----------------------===//

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tpu_mlir::registerDialects(registry);
  tpu_mlir::registerUpstreamDialects(registry);
  tpu_mlir::registerAllPassesAndPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Top and Tpu modules\n", registry));
}
