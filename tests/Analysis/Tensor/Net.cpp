//===- Net.cpp - A module of a few lines and its facts --------------------===//
//
// Parses the text and runs the analyses that a test asks for.
//
//===----------------------------------------------------------------------===//

#include "tests/Analysis/Tensor/Net.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tpu_mlir::test {

std::string mainOf(const std::string &body, const std::string &results) {
  return "func.func @main(%arg0: !t, %arg1: !t, %arg2: !c) -> (" + results +
         ") {\n"
         "  %none = \"top.None\"() : () -> none\n"
         "  %x = \"top.Input\"(%arg0) : (!t) -> !t loc(\"x\")\n"
         "  %k = \"top.Input\"(%arg1) : (!t) -> !t loc(\"k\")\n"
         "  %f = \"top.Input\"(%arg2) : (!c) -> !c loc(\"f\")\n" +
         body + "}\n";
}

static ScopedDiagnosticHandler collect(MLIRContext *context,
                                       std::string &errors) {
  return ScopedDiagnosticHandler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
    return success();
  });
}

Net::Net(const std::string &text, bool fourN) {
  DialectRegistry registry;
  registerDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->allowUnregisteredDialects();
  auto handler = collect(context.get(), errors);
  module = parseSourceString<ModuleOp>("!t = tensor<4096xi8>\n"
                                       "!c = tensor<1xi32>\n" +
                                           text,
                                       context.get());
  if (!module)
    return;
  auto analyzed = analyzeModule(*module, fourN);
  if (succeeded(analyzed))
    facts = std::move(*analyzed);
}

Value Net::value(StringRef name) const {
  Value found;
  auto consider = [&](Value candidate) {
    if (!found && valueName(candidate) == name)
      found = candidate;
  };
  (*module)->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), consider);
    for (mlir::Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), consider);
  });
  return found;
}

Operation *Net::op(StringRef name) const {
  Operation *found = nullptr;
  (*module)->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto location = op->getLoc()->findInstanceOf<NameLoc>();
    if (!found && location && location.getName() == name)
      found = op;
  });
  return found;
}

std::optional<GlobalProblem> Net::problem(const std::string &chip,
                                          const GlobalPlanOptions &options) {
  auto handler = collect(context.get(), errors);
  const target::ChipSpec &spec = *target::findChip(chip);
  auto built = buildGlobalProblem(*module, *facts, spec,
                                  {spec.weightBase, 8192}, options);
  if (failed(built))
    return std::nullopt;
  return *built;
}

} // namespace tpu_mlir::test
