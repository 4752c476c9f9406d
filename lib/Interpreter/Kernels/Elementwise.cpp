//===- Elementwise.cpp - Arithmetic, functions, types ---------------------===//

#include "lib/Interpreter/Kernels/Float8.h"
#include "lib/Interpreter/Kernels/Quantized.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Elementwise.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

template <Binary kOp> static Outcome runBinary(const Call &call) {
  if (isQuantized(call))
    return runQuantizedBinary(call, kOp);
  for (double factor : call.reals("coeff"))
    if (factor != 1)
      return KernelError{"the operands have coefficients"};
  if (hasFactors(call, "f8_scales"))
    return runScaledSum(call, kOp);
  llvm::SmallVector<TensorView> operands = call.present();
  if (Outcome error = reverseOperands(call, operands))
    return error;
  const CombinationTask task{kOp, operands, call.relu()};
  if (hasFactors(call, "out_f8_scales"))
    return runScaled(call, "out_f8_scales", [&](const TensorSpan &sums) {
      return run(call, task, sums);
    });
  return run(call, task);
}

template <Binary kOp> static Outcome runBinaryConst(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (!call.attribute("const_val"))
    return KernelError{"'const_val' is missing"};
  return run(call,
             ConstantTask{kOp, *call.operand(0), call.real("const_val", 0),
                          call.flag("is_reverse"), call.relu()});
}

static std::optional<Function> functionOf(tpu::ActiveMode mode) {
  using Mode = tpu::ActiveMode;
  static const std::pair<Mode, Function> kModes[] = {
      {Mode::ABSVAL, Function::Abs},
      {Mode::ARCCOS, Function::Arccos},
      {Mode::ARCCOSH, Function::Arccosh},
      {Mode::ARCSIN, Function::Arcsin},
      {Mode::ARCSINH, Function::Arcsinh},
      {Mode::ARCTANH, Function::Arctanh},
      {Mode::CEIL, Function::Ceil},
      {Mode::COS, Function::Cos},
      {Mode::COSH, Function::Cosh},
      {Mode::ELU, Function::Elu},
      {Mode::ERF, Function::Erf},
      {Mode::EXP, Function::Exp},
      {Mode::FLOOR, Function::Floor},
      {Mode::GELU, Function::Gelu},
      {Mode::HSIGMOID, Function::HardSigmoid},
      {Mode::HSWISH, Function::HardSwish},
      {Mode::IS_FINITE, Function::IsFinite},
      {Mode::LN, Function::Log},
      {Mode::LN1P, Function::Log1p},
      {Mode::LOG2, Function::Log2},
      {Mode::LOG_SIGMOID, Function::LogSigmoid},
      {Mode::MISH, Function::Mish},
      {Mode::NEG, Function::Negate},
      {Mode::QGELU, Function::GeluSigmoid},
      {Mode::RELU6, Function::Relu6},
      {Mode::ROUND, Function::Round},
      {Mode::RSQRT, Function::Rsqrt},
      {Mode::SIGMOID, Function::Sigmoid},
      {Mode::SIGN, Function::Sign},
      {Mode::SILU, Function::Silu},
      {Mode::SIN, Function::Sin},
      {Mode::SINH, Function::Sinh},
      {Mode::SOFT_PLUS, Function::Softplus},
      {Mode::SOFT_SIGN, Function::Softsign},
      {Mode::SQRT, Function::Sqrt},
      {Mode::SQUARE, Function::Square},
      {Mode::SWISH, Function::Swish},
      {Mode::TAN, Function::Tan},
      {Mode::TANH, Function::Tanh},
      {Mode::TGELU, Function::GeluTanh}};
  for (auto [known, function] : kModes)
    if (known == mode)
      return function;
  return std::nullopt;
}

static Outcome runFunction(const Call &call, Function function) {
  if (!call.operand(0))
    return missing();
  return run(call, FunctionTask{function, call.reals("coeffs"),
                                *call.operand(0), call.relu()});
}

static Outcome runActive(const Call &call) {
  auto mode = tpu::readEnum<tpu::ActiveModeAttr>(call.attribute("mode"));
  std::optional<Function> function =
      mode ? functionOf(*mode) : std::optional<Function>();
  if (!function)
    return KernelError{"'mode' is no function that is known"};
  return runFunction(call, *function);
}

template <Function kFunction> static Outcome runNamed(const Call &call) {
  return runFunction(call, kFunction);
}

/// `approx_mode` says which formula is meant.
static Outcome runGelu(const Call &call) {
  static const std::pair<llvm::StringLiteral, Function> kModes[] = {
      {"", Function::Gelu},
      {"normal", Function::Gelu},
      {"tanh", Function::GeluTanh},
      {"sigm", Function::GeluSigmoid}};
  auto formula = call.oneOf("approx_mode", kModes);
  return formula ? runFunction(call, *formula)
                 : KernelError{"'approx_mode' is no formula that is known"};
}

/// `log`: of that the logarithm.
static Outcome runSigmoid(const Call &call) {
  if (call.real("scale", 1) != 1 || call.real("bias", 0) != 0)
    return KernelError{"'scale' and 'bias' are not computed"};
  return runFunction(call, call.flag("log") ? Function::LogSigmoid
                                            : Function::Sigmoid);
}

/// With coefficients of these names.
static Outcome runWith(const Call &call, Function function,
                       llvm::ArrayRef<llvm::StringRef> names) {
  Coefficients coefficients;
  for (llvm::StringRef name : names) {
    if (!call.attribute(name))
      return KernelError{"'" + name.str() + "' is missing"};
    coefficients.push_back(call.real(name, 0));
  }
  if (!call.operand(0))
    return missing();
  return run(call, FunctionTask{function, std::move(coefficients),
                                *call.operand(0), call.relu()});
}

/// What a chip computes as another function is that one: a square root is no
/// number of minus infinity and -0 of -0, where the power is infinite and 0.
static Outcome runPow(const Call &call) {
  const double exponent = call.real("exponent", 0);
  if (exponent == 0.5 || exponent == 2)
    return runWith(call, exponent == 2 ? Function::Square : Function::Sqrt, {});
  return runWith(call, Function::Power, {"exponent"});
}

static Outcome runPow2(const Call &call) {
  return runWith(call, Function::PowerOf, {"const_val"});
}

static Outcome runRelu(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (isQuantized(call)) {
    const execution::TensorType &type = call.result().type;
    if (call.real("relu_limit", -1) >= 0 ||
        call.operand(0)->type.scale != type.scale ||
        call.operand(0)->type.zeroPoint != type.zeroPoint)
      return KernelError{"integers with a limit, or of two scales, are not "
                         "computed"};
    return combineConst(Binary::Max, raw(*call.operand(0)),
                        static_cast<double>(type.zeroPoint), false, {},
                        raw(call.result()));
  }
  return run(call, ConstantTask{Binary::Add,
                                *call.operand(0),
                                0,
                                false,
                                {true, call.real("relu_limit", -1)}});
}

static Outcome runLeakyRelu(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (isQuantized(call))
    return runQuantizedLeakyRelu(call);
  return run(call, LeakyReluTask{*call.operand(0), call.real("alpha", 0)});
}

static Outcome runPRelu(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  return run(call, PReluTask{*call.operand(0), *call.operand(1)});
}

static Outcome runClip(const Call &call) {
  if (!call.operand(0))
    return missing();
  return run(call, ClipTask{*call.operand(0), call.real("min", -INFINITY),
                            call.real("max", INFINITY)});
}

/// const_val / x.
static Outcome runReciprocal(const Call &call) {
  if (!call.operand(0))
    return missing();
  return run(call, ConstantTask{Binary::Div, *call.operand(0),
                                call.real("const_val", 1),
                                /*isReversed=*/true, call.relu()});
}

static Outcome runRope(const Call &call) {
  if (!hasOperands(call, 3))
    return missing();
  if (call.flag("is_permute_optimize"))
    return KernelError{"the tables are laid out for another order of "
                       "dimensions"};
  auto mode = tpu::readEnum<tpu::RopeModeAttr>(call.attribute("rope_mode"));
  if (!mode)
    return KernelError{"'rope_mode' is no mode that is known"};
  return rotate(*call.operand(0), *call.operand(1), *call.operand(2),
                *mode == tpu::RopeMode::contiguous_halves ? Pairing::Halves
                                                          : Pairing::Neighbours,
                call.result());
}

/// What a processor beside the chip does; quantization of inputs is known.
static Outcome runOnProcessor(const Call &call) {
  if (call.word("cpu_op_name") != "quant")
    return KernelError{"'cpu_op_name' is '" + call.word("cpu_op_name").str() +
                       "', which is not known"};
  if (!call.operand(0))
    return missing();
  return convert(*call.operand(0), call.result());
}

/// The same number in another type; without scales the stored one.
static Outcome runCast(const Call &call) {
  if (!call.operand(0))
    return missing();
  Rounding rounding = Rounding::HalfAwayFromZero;
  if (Outcome error = readRounding(call, rounding))
    return error;
  return call.flag("with_scale", true)
             ? convert(*call.operand(0), call.result(), rounding)
             : convert(raw(*call.operand(0)), raw(call.result()), rounding);
}

/// `to` INT32: of a float the whole number, as whatever the result is.
static Outcome runTopCast(const Call &call) {
  if (!call.operand(0))
    return missing();
  Rounding rounding = Rounding::HalfAwayFromZero;
  if (Outcome error = readRounding(call, rounding))
    return error;
  const llvm::StringRef to = call.word("to");
  if (to.empty() || to == "F32")
    return convert(*call.operand(0), call.result(), rounding);
  if (to != "INT32")
    return KernelError{"'to' is no type that is known"};
  execution::Tensor whole(
      {ElementType::I32, call.operand(0)->type.shape, 1, 0});
  if (Outcome error = convert(*call.operand(0), whole.span(), rounding))
    return error;
  return convert(whole.view(), call.result());
}

static Outcome runInput(const Call &call) {
  if (!call.operand(0))
    return missing();
  return convert(*call.operand(0), call.result());
}

static Outcome runLut(const Call &call) {
  if (!hasOperands(call, 2))
    return missing();
  return lookUp(*call.operand(0), *call.operand(1), call.result());
}

/// In both dialects.
static constexpr std::pair<const char *, Kernel> kBoth[] = {
    {"Add", runBinary<Binary::Add>},
    {"Sub", runBinary<Binary::Sub>},
    {"Mul", runBinary<Binary::Mul>},
    {"Div", runBinary<Binary::Div>},
    {"Max", runBinary<Binary::Max>},
    {"Min", runBinary<Binary::Min>},
    {"AddConst", runBinaryConst<Binary::Add>},
    {"SubConst", runBinaryConst<Binary::Sub>},
    {"MulConst", runBinaryConst<Binary::Mul>},
    {"DivConst", runBinaryConst<Binary::Div>},
    {"MaxConst", runBinaryConst<Binary::Max>},
    {"MinConst", runBinaryConst<Binary::Min>},
    {"Relu", runRelu},
    {"LeakyRelu", runLeakyRelu},
    {"PRelu", runPRelu},
    {"Clip", runClip},
    {"Reciprocal", runReciprocal},
    {"Pow", runPow},
    {"Pow2", runPow2},
    {"Pow3", runBinary<Binary::Power>},
    {"Mod", runBinary<Binary::Modulo>},
    {"Remainder", runBinary<Binary::Remainder>},
    {"Arctan", runNamed<Function::Arctan>}};

/// Those that read the scales of their tensors.
static constexpr llvm::StringLiteral kQuantized[] = {
    "Add", "Sub", "Mul", "Max", "Min", "Relu", "LeakyRelu"};

static constexpr std::pair<const char *, Kernel> kRescales[] = {
    {"tpu.MulShift", runMulShift},
    {"tpu.RequantInt", runMulShift},
    {"tpu.RequantIntAxis", runRequantAxis},
    {"tpu.RequantFp", runRequantFp},
    {"tpu.DequantInt", runDequantInt}};

static constexpr std::pair<const char *, Kernel> kTop[] = {
    {"top.Abs", runNamed<Function::Abs>},
    {"top.Arccos", runNamed<Function::Arccos>},
    {"top.Arcsin", runNamed<Function::Arcsin>},
    {"top.Arctanh", runNamed<Function::Arctanh>},
    {"top.Ceil", runNamed<Function::Ceil>},
    {"top.Cos", runNamed<Function::Cos>},
    {"top.Cosh", runNamed<Function::Cosh>},
    {"top.Erf", runNamed<Function::Erf>},
    {"top.Exp", runNamed<Function::Exp>},
    {"top.Floor", runNamed<Function::Floor>},
    {"top.GELU", runGelu},
    {"top.HardSwish", runNamed<Function::HardSwish>},
    {"top.Log", runNamed<Function::Log>},
    {"top.Mish", runNamed<Function::Mish>},
    {"top.Round", runNamed<Function::Round>},
    {"top.Rsqrt", runNamed<Function::Rsqrt>},
    {"top.Sigmoid", runSigmoid},
    {"top.SiLU", runNamed<Function::Silu>},
    {"top.Sign", runNamed<Function::Sign>},
    {"top.Sin", runNamed<Function::Sin>},
    {"top.Sinh", runNamed<Function::Sinh>},
    {"top.Softplus", runNamed<Function::Softplus>},
    {"top.Softsign", runNamed<Function::Softsign>},
    {"top.Sqrt", runNamed<Function::Sqrt>},
    {"top.Tan", runNamed<Function::Tan>},
    {"top.Tanh", runNamed<Function::Tanh>},
    {"top.Elu",
     [](const Call &call) { return runWith(call, Function::Elu, {"alpha"}); }},
    {"top.HardSigmoid",
     [](const Call &call) {
       return runWith(call, Function::HardSigmoid, {"beta", "alpha"});
     }},
    {"top.Swish", [](const Call &call) {
       return runWith(call, Function::Swish, {"beta"});
     }}};

void addElementwiseKernels(KernelTable &table) {
  for (auto [name, kernel] : kBoth)
    addBoth(table, name,
            {kernel, llvm::is_contained(kQuantized, name) ? Scales::Read
                                                          : Scales::Refused});
  for (auto [name, kernel] : kRescales)
    table.push_back({name, {kernel, Scales::Read}});
  table.push_back({"tpu.Active", {runActive}});
  table.push_back({"top.Input", {runInput, Scales::Read}});
  table.push_back({"top.Cast", {runTopCast, Scales::Read}});
  table.push_back({"tpu.Cast", {runCast, Scales::Read}});
  table.push_back({"tpu.AutoIncrease", {runBinaryConst<Binary::Add>}});
  table.push_back({"tpu.GenericCpu", {runOnProcessor, Scales::Read}});
  addBoth(table, "Rope", {runRope});
  table.push_back({"tpu.Lut", {runLut, Scales::Read}});
  for (auto [name, kernel] : kTop)
    table.push_back({name, {kernel}});
}

} // namespace tpu_mlir::interpreter
