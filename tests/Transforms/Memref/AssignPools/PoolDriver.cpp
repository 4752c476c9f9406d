//===- PoolDriver.cpp - Call planned functions with pools -----------------===//
//
// Adds a main function that allocates the pools and passes them.
//
//===----------------------------------------------------------------------===//

#include "PoolDriver.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

/// The image of a read-only pool as a constant of the module.
Value imageOf(OpBuilder &builder, ModuleOp module, func::FuncOp function,
              StringRef pool, MemRefType type, const std::string &bytes) {
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  std::vector<int8_t> elements(bytes.begin(), bytes.end());
  std::string name = (function.getName() + "_" + pool).str();
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  memref::GlobalOp::create(
      atStart, function.getLoc(), name, builder.getStringAttr("private"), type,
      DenseElementsAttr::get(tensor, llvm::ArrayRef<int8_t>(elements)),
      /*constant=*/true, builder.getI64IntegerAttr(64));
  return memref::GetGlobalOp::create(builder, function.getLoc(), type, name);
}

void wrap(ModuleOp module, func::FuncOp function, const PoolImages &images) {
  OpBuilder builder(function);
  unsigned pools =
               cast<ArrayAttr>(function->getAttr("tpu.pool_arguments")).size(),
           own = function.getNumArguments() - pools;
  FunctionType type = builder.getFunctionType(
      function.getArgumentTypes().take_front(own), function.getResultTypes());
  std::string name = function.getName().str();
  // Calls from inside stay with the function itself.
  (void)SymbolTable::replaceAllSymbolUses(
      function, builder.getStringAttr(name + "_pooled"), module);
  function.setName(name + "_pooled");
  function.setPrivate();
  auto driver = func::FuncOp::create(builder, function.getLoc(), name, type);
  builder.setInsertionPointToStart(driver.addEntryBlock());
  SmallVector<Value> operands(driver.getArguments());
  SmallVector<Value> allocated;
  for (unsigned i = own; i < function.getNumArguments(); ++i) {
    auto pool = cast<MemRefType>(function.getArgument(i).getType());
    StringRef poolName =
        cast<StringAttr>(function.getArgAttr(i, "tpu.pool")).getValue();
    auto image = images.find(poolName.str());
    if (image != images.end()) {
      operands.push_back(
          imageOf(builder, module, function, poolName, pool, image->second));
      continue;
    }
    operands.push_back(memref::AllocOp::create(
        builder, function.getLoc(), pool,
        cast<IntegerAttr>(function.getArgAttr(i, "tpu.pool_alignment"))));
    allocated.push_back(operands.back());
  }
  auto call =
      func::CallOp::create(builder, function.getLoc(), function, operands);
  for (Value pool : allocated)
    memref::DeallocOp::create(builder, function.getLoc(), pool);
  func::ReturnOp::create(builder, function.getLoc(), call.getResults());
}

} // namespace

void allocatePools(ModuleOp module, const PoolImages &images) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && function->hasAttr("tpu.pool_arguments"))
      functions.push_back(function);
  for (func::FuncOp function : functions)
    wrap(module, function, images);
}

void poisonInternalPool(ModuleOp module, int8_t poison) {
  auto global = module.lookupSymbol<memref::GlobalOp>("tpu_workspace");
  if (!global)
    return;
  Builder builder(module.getContext());
  std::string name = "tpu_workspace";
  for (auto function : module.getOps<func::FuncOp>())
    name += "_" + function.getName().str();
  MemRefType type = global.getType();
  global.setInitialValueAttr(DenseElementsAttr::get(
      RankedTensorType::get(type.getShape(), type.getElementType()), poison));
  (void)SymbolTable::replaceAllSymbolUses(global, builder.getStringAttr(name),
                                          module);
  global.setName(name);
}

} // namespace tpu_mlir::jit
