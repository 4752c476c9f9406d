#include "lib/Transforms/ConvertTopToTpu/OpRules.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace tpu_mlir {

FailureOr<OpRules> OpRules::create(MLIRContext *context) {
  OpRules table;
  addMathRules(table);
  addNNRules(table);
  addShapeRules(table);
  for (OpRule *rule : {&table.sameNameRule, &table.keepRule})
    rule->defaults = DictionaryAttr::get(context);
  table.keepRule.compute = Compute::Keep;
  for (OpRule &rule : table.rules) {
    std::string text = "{" + rule.defaultsText + "}";
    rule.defaults =
        dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, context));
    if (!rule.defaults)
      return failure();
  }
  return table;
}

const OpRule *OpRules::find(StringRef topName) const {
  return byName.lookup(topName);
}

OpRule &OpRules::add(StringRef top, StringRef tpu) {
  OpRule &rule = rules.emplace_back();
  rule.topName = "top." + top.str();
  rule.tpuName = "tpu." + (tpu.empty() ? top : tpu).str();
  byName[rule.topName] = &rule;
  return rule;
}

} // namespace tpu_mlir
