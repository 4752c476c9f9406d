//===- Constants.cpp - Put constant globals into read-only pools ----------===//
//
// Serialises their contents as they lie in memory and checks the offsets that
// the program asks for.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/Constants.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tpu_mlir::pools {

static void append(std::string &bytes, const llvm::APInt &value,
                   int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    bytes +=
        i * 8 < value.getBitWidth()
            ? char(value.extractBitsAsZExtValue(
                  std::min<unsigned>(8, value.getBitWidth() - i * 8), i * 8))
            : char(0);
}

/// The contents as they are in this process, if that is how the program wants
/// them: whole bytes, the lowest one first.
static std::optional<std::string> rawBytes(ElementsAttr contents,
                                           MemRefType type, int64_t sizeBytes) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (llvm::endianness::native != llvm::endianness::little ||
      bits * type.getNumElements() != sizeBytes * 8)
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(contents)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || int64_t(blob->getData().size()) != sizeBytes)
      return std::nullopt;
    return std::string(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseElementsAttr>(contents);
  if (!dense)
    return std::nullopt;
  std::string bytes(dense.getRawData().begin(), dense.getRawData().end());
  if (!dense.isSplat())
    return bytes;
  std::string all;
  all.reserve(sizeBytes);
  while (int64_t(all.size()) < sizeBytes)
    all += bytes;
  return all;
}

std::optional<std::string> bytesOf(memref::GlobalOp global) {
  MemRefType type = global.getType();
  auto contents = dyn_cast_or_null<ElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  auto size = memrefSize(type, DataLayout::closest(global));
  if (!global.getConstant() || !contents || !size ||
      !type.getLayout().isIdentity() || type.getMemorySpace() ||
      !type.getElementType().isIntOrIndexOrFloat() || size->sizeBytes == 0)
    return std::nullopt;
  if (auto raw = rawBytes(contents, type, size->sizeBytes))
    return raw;
  auto dense = dyn_cast<DenseElementsAttr>(contents);
  if (!dense)
    return std::nullopt;
  int64_t elementBytes = size->sizeBytes / type.getNumElements();
  std::string bytes;
  bytes.reserve(size->sizeBytes);
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      append(bytes, value.bitcastToAPInt(), elementBytes);
  else
    for (const APInt &value : dense.getValues<APInt>())
      append(bytes, value, elementBytes);
  return bytes;
}

/// Under its own name and as a view; what a call does with it, the callee
/// knows.
static Accessors readersOf(memref::GetGlobalOp global, func::FuncOp function,
                           const AllFacts &facts) {
  Accessors result;
  SmallVector<Value> names = {global};
  while (!names.empty())
    for (OpOperand &use : names.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      auto call = dyn_cast<func::CallOp>(user);
      auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                               call, call.getCalleeAttr())
                         : func::FuncOp();
      auto known = callee ? facts.find(callee) : facts.end();
      if (known != facts.end())
        result.add(known->second.arguments[use.getOperandNumber()].accessors);
      else if (auto target = function->getAttrOfType<StringAttr>(kTarget))
        result.add({true, false, {target.getValue().str()}});
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(names, user->getResults());
    }
  return result;
}

std::vector<ConstantBytes>
collectConstants(ModuleOp module, const AllFacts &facts,
                 const llvm::DenseMap<Operation *, int64_t> &runs,
                 bool remarks) {
  struct Uses {
    std::vector<memref::GetGlobalOp> ops;
    int64_t accesses = 0;
    Accessors readers;
  };
  llvm::StringMap<Uses> usesOf;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!facts.contains(func))
      continue;
    InnermostAround isolated(func, [](Operation *op) {
      return op->hasTrait<OpTrait::IsIsolatedFromAbove>();
    });
    func->walk<WalkOrder::PreOrder>([&](memref::GetGlobalOp op) {
      // The pool cannot be reached from there.
      if (isolated.opAround(op))
        return;
      Uses &uses = usesOf[op.getName()];
      uses.ops.push_back(op);
      int64_t users =
          std::distance(op->getUsers().begin(), op->getUsers().end());
      uses.accesses =
          addCapped(uses.accesses, multiplyCapped(users, runs.lookup(func)));
      uses.readers.add(readersOf(op, func, facts));
    });
  }
  std::vector<ConstantBytes> result;
  llvm::StringMap<size_t> byBytes;
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto uses = usesOf.find(global.getName());
    if (uses == usesOf.end() || !global.getConstant())
      continue;
    std::optional<std::string> bytes = bytesOf(global);
    if (!bytes) {
      if (remarks)
        emitRemark(global.getLoc())
            << "constant stays: its bytes are not known, or it has a layout "
               "or memory space";
      continue;
    }
    auto [slot, isNew] = byBytes.try_emplace(*bytes, result.size());
    if (isNew)
      result.emplace_back().bytes = std::move(*bytes);
    ConstantBytes &constant = result[slot->second];
    constant.alignment = std::max<int64_t>(
        {constant.alignment,
         memrefSize(global.getType(), DataLayout::closest(global))
             ->elementAlignment,
         int64_t(global.getAlignment().value_or(1))});
    constant.globals.push_back(global);
    llvm::append_range(constant.uses, uses->second.ops);
    constant.accesses = addCapped(constant.accesses, uses->second.accesses);
    constant.readers.add(uses->second.readers);
  }
  return result;
}

} // namespace tpu_mlir::pools
