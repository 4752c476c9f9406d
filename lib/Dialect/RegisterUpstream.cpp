//===- RegisterUpstream.cpp - MLIR's own dialects -------------------------===//
//
// One by one: registerAllDialects() makes a static tool five times as large.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tpu_mlir {

void registerUpstreamDialects(mlir::DialectRegistry &registry) {
  registry.insert<
      mlir::affine::AffineDialect, mlir::arith::ArithDialect,
      mlir::async::AsyncDialect, mlir::bufferization::BufferizationDialect,
      mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect,
      mlir::DLTIDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
      mlir::index::IndexDialect, mlir::LLVM::LLVMDialect,
      mlir::linalg::LinalgDialect, mlir::math::MathDialect,
      mlir::memref::MemRefDialect, mlir::ml_program::MLProgramDialect,
      mlir::NVVM::NVVMDialect, mlir::nvgpu::NVGPUDialect,
      mlir::omp::OpenMPDialect, mlir::quant::QuantDialect,
      mlir::scf::SCFDialect, mlir::shape::ShapeDialect,
      mlir::sparse_tensor::SparseTensorDialect, mlir::tensor::TensorDialect,
      mlir::tosa::TosaDialect, mlir::transform::TransformDialect,
      mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

} // namespace tpu_mlir
