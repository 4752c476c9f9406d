//===- MarkedFunction.h - A function whose ops have names -------*- C++ -*-===//
//
// Functions are given without their first line; allocs are found by their
// attribute `n`, other ops by their attribute `t`. Lives are compared with the
// ticks of these ops.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_ANALYSIS_MEMREF_MARKEDFUNCTION_H
#define TPU_MLIR_TESTS_ANALYSIS_MEMREF_MARKEDFUNCTION_H

#include "tpu_mlir/Analysis/Memref/Liveness.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <map>

namespace tpu_mlir {

/// A function with these ops, and what is known of its memrefs.
class Function {
public:
  explicit Function(const std::string &body) {
    mlir::DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerBufferFlowModels(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    std::string text = "func.func @f(%p: i1, %lb: index, %ub: index, %s: "
                       "index, %outer: !t) {\n" +
                       body + "\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "!t = memref<4xf32>\n" + text, &context);
    if (!module)
      return;
    function = *module->getOps<mlir::func::FuncOp>().begin();
    ticks.emplace(function);
    flow.emplace(function);
    dominance.emplace(function.getOperation());
    liveness.emplace(*ticks, *flow);
    function.walk([&](mlir::Operation *op) {
      if (auto name = op->getAttrOfType<mlir::StringAttr>("n"))
        allocs[name.str()] = mlir::cast<mlir::memref::AllocOp>(op);
      if (auto name = op->getAttrOfType<mlir::StringAttr>("t"))
        marks[name.str()] = op;
    });
  }

  MemrefUses uses(const std::string &name) {
    return collectUses(allocs.at(name).getResult(), *flow, *ticks, *dominance);
  }
  /// When the memref is in use; it has to be known.
  std::vector<Interval> life(const std::string &name) {
    MemrefUses found = uses(name);
    EXPECT_FALSE(found.escape) << name << ": " << describe(*found.escape);
    return liveness->life(allocs.at(name).getResult(), found);
  }
  Interval hull(const std::string &name) {
    return liveness->hull(allocs.at(name).getResult(), uses(name));
  }
  /// From the tick of one mark to after that of another.
  Interval span(const std::string &first, const std::string &last) {
    return {ticks->of(marks.at(first)), ticks->range(marks.at(last)).end};
  }
  Interval span(const std::string &only) { return span(only, only); }
  bool meet(const std::string &a, const std::string &b) {
    return anyOverlap(life(a), life(b));
  }
  /// Why nothing is known of its end.
  std::optional<StayReason> reason(const std::string &name) {
    MemrefUses found = uses(name);
    return found.escape ? std::optional(found.escape->reason) : std::nullopt;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::optional<OpTicks> ticks;
  std::optional<mlir::BufferViewFlowAnalysis> flow;
  std::optional<mlir::DominanceInfo> dominance;
  std::optional<MemrefLiveness> liveness;
  std::map<std::string, mlir::memref::AllocOp> allocs;
  std::map<std::string, mlir::Operation *> marks;
};

using Life = std::vector<Interval>;

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_ANALYSIS_MEMREF_MARKEDFUNCTION_H
