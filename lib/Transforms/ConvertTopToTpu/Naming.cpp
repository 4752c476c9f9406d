#include "lib/Transforms/ConvertTopToTpu/Naming.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tpu_mlir {

StringRef nameOf(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

StringRef nameOf(Value value) {
  Location location = value.getLoc();
  auto result = dyn_cast<OpResult>(value);
  // An op with several results has a fused location with a part for each.
  if (auto fused = dyn_cast<FusedLoc>(location); fused && result)
    if (fused.getLocations().size() == result.getOwner()->getNumResults())
      return nameOf(fused.getLocations()[result.getResultNumber()]);
  return nameOf(location);
}

std::string typeSuffix(Type element) {
  std::string text = "_";
  llvm::raw_string_ostream(text) << element;
  return text;
}

Location renamed(Location location, const Twine &name) {
  auto old = location->findInstanceOf<NameLoc>();
  auto text = StringAttr::get(location->getContext(), name);
  if (!old || text.getValue().empty())
    return location;
  return NameLoc::get(text, old.getChildLoc());
}

} // namespace tpu_mlir
