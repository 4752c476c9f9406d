//===- Attributes.cpp - What attributes ask a kernel for ------------------===//

#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

namespace {

/// When an attribute says anything.
enum class When {
  Always,
  Integers,     ///< About how results become integers.
  Coefficients, ///< About an order of coefficients, so not of random ones.
};

/// An attribute that changes what an op computes, and the value with which it
/// does not: of a flag, a number, or each of several numbers.
struct Neutral {
  StringRef name;
  double value;
  When when = When::Always;
};

} // namespace

/// Those that kernels may not ask for. What is missing here either says again
/// what shapes and types say, or how a chip does what it does.
static const Neutral kNeutral[] = {
    {"do_relu", 0},
    {"do_leaky_relu", 0},
    {"do_early_stride", 0},
    {"do_kernel_rotate", 0},
    {"fuse_rq", 0},
    {"fuse_rq_axis", 0},
    {"rq_axis", 1},
    {"coeff", 1},
    {"multiplier", 1},
    {"multipliers", 1},
    {"rshift", 0},
    {"rshifts", 0},
    {"multiplier_neg", 1},
    {"rshift_neg", 0},
    {"f8_scale", 1},
    {"f8_scales", 1},
    {"out_f8_scale", 1},
    {"out_f8_scales", 1},
    {"out_scales", 1},
    {"fp8_out_scale", 1},
    {"mul1_shift", 0},
    {"mul2_shift", 0},
    {"add_shift", 0},
    {"input_zp", 0},
    {"right_zp", 0},
    {"kernel_zp", 0},
    {"pad_value", 0},
    {"pad_const_val", 0},
    {"paddings", 0},
    {"dynweight_reorderd", 0, When::Coefficients},
    {"use_winograd", 0, When::Coefficients},
    {"use_3ic_optimize", 0, When::Coefficients},
    {"mul1_saturation", 1, When::Integers},
    {"mul2_saturation", 1, When::Integers},
    {"add_saturation", 1, When::Integers},
};

/// Every number that the attribute has; empty for none.
static SmallVector<double> numbersIn(Attribute attribute) {
  SmallVector<double> numbers;
  auto add = [&](Attribute entry) {
    if (auto real = dyn_cast<FloatAttr>(entry))
      numbers.push_back(real.getValueAsDouble());
    else if (auto flag = readFlag(entry))
      numbers.push_back(*flag);
    else if (auto integer = readInteger(entry))
      numbers.push_back(static_cast<double>(*integer));
  };
  if (auto list = readIntegers(attribute))
    numbers.assign(list->begin(), list->end());
  else if (auto entries = dyn_cast<ArrayAttr>(attribute))
    llvm::for_each(entries, add);
  else
    add(attribute);
  return numbers;
}

/// Not the only ones that kernels know without being asked.
static bool isOtherMode(StringRef name, Attribute attribute) {
  if (name.ends_with("round_mode"))
    return tpu::readEnum<tpu::RoundModeAttr>(attribute) !=
           tpu::RoundMode::HalfAwayFromZero;
  if (name == "quant_mode")
    return tpu::readEnum<tpu::RequantModeAttr>(attribute) !=
           tpu::RequantMode::MultiplierShift;
  return false;
}

static bool isOther(const NamedAttribute &attribute, const Call &call) {
  const StringRef name = attribute.getName().strref();
  const bool isInteger =
      !call.results.empty() && !execution::isFloat(call.result().type.element);
  if (name == "dq_type")
    return !readWord(attribute.getValue())
                .value_or("NONE")
                .equals_insensitive("NONE");
  if (isInteger && isOtherMode(name, attribute.getValue()))
    return true;
  const auto *known = llvm::find_if(
      kNeutral, [&](const Neutral &one) { return one.name == name; });
  if (known == std::end(kNeutral) ||
      (known->when == When::Integers && !isInteger) ||
      (known->when == When::Coefficients && call.madeUpWeights))
    return false;
  return llvm::any_of(numbersIn(attribute.getValue()),
                      [&](double number) { return number != known->value; });
}

execution::Outcome checkUnread(const Call &call,
                               const llvm::StringSet<> &asked) {
  for (const NamedAttribute &attribute : call.op->getAttrs())
    if (!asked.contains(attribute.getName().strref()) &&
        isOther(attribute, call))
      return execution::KernelError{"'" + attribute.getName().str() +
                                    "' is not computed"};
  return std::nullopt;
}

} // namespace tpu_mlir::interpreter
