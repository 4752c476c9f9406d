//===- NetworkValues.cpp - What goes into and out of a network ------------===//

#include "tpu_mlir/Analysis/NetworkValues.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir {

void visitNetworkValues(ModuleOp module,
                        llvm::function_ref<void(Value)> visit) {
  llvm::DenseSet<StringAttr> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (called.contains(function.getSymNameAttr()))
      continue;
    function.walk([&](top::InputOp input) { visit(input->getResult(0)); });
    for (Block &block : function.getBody()) {
      if (block.isEntryBlock())
        for (BlockArgument argument : block.getArguments())
          visit(argument);
      if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
        for (Value value : ret.getOperands())
          visit(value);
    }
  }
}

std::optional<Interval> relocatedIo(ModuleOp module) {
  const Attribute mode = findModuleAttr(module, "module.addr_mode");
  const auto base = readInteger(module->getAttr("module.neuron_addr")),
             size = readInteger(module->getAttr("module.neuron_size"));
  if (readWord(mode).value_or("") != "io_reloc" || !base || !size ||
      module->hasAttr("module.io_addr") || module->hasAttr("module.io_size"))
    return std::nullopt;
  const int64_t end = saturatedAdd(*base, *size);
  std::optional<Interval> found;
  visitNetworkValues(module, [&](Value value) {
    const auto address = getAddress(value.getType());
    const auto bytes = typeBytes(value.getType(), /*fourN=*/false);
    if (!address || !bytes || *address < end)
      return;
    const Interval own{*address, saturatedAdd(*address, *bytes)};
    found = found ? Interval{std::min(found->begin, own.begin),
                             std::max(found->end, own.end)}
                  : own;
  });
  return found;
}

} // namespace tpu_mlir
