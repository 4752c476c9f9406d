//===- Register.cpp - The dialects of this project ------------------------===//

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

namespace tpu_mlir {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<top::TopDialect, tpu::TpuDialect, mlir::func::FuncDialect,
                  mlir::quant::QuantDialect>();
}

} // namespace tpu_mlir
