//===- Call.cpp - Find and run the kernel of an op ------------------------===//
//
// Reads operands and attributes in all their spellings, and refuses attributes
// that change numbers but that the kernel has not read.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels/Call.h"
#include "tpu_mlir/Interpreter/Interpreter.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

#include <list>

using namespace mlir;

namespace tpu_mlir::interpreter {

using execution::ElementType;
using execution::KernelError;
using execution::Outcome;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::optional<ElementType> integerType(unsigned bits, bool isUnsigned) {
  switch (bits) {
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  default:
    return std::nullopt;
  }
}

static std::optional<ElementType> plainType(Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerType(integer.getWidth(), integer.isUnsigned());
  return std::nullopt;
}

std::optional<execution::TensorType> kernelType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  execution::TensorType result;
  result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  std::optional<ElementType> element;
  Type elements = tensor.getElementType();
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(elements)) {
    element =
        integerType(uniform.getStorageTypeIntegralWidth(), !uniform.isSigned());
    result.scale = uniform.getScale();
    result.zeroPoint = uniform.getZeroPoint();
  } else if (auto calibrated =
                 dyn_cast<quant::CalibratedQuantizedType>(elements)) {
    element = plainType(calibrated.getExpressedType());
  } else {
    element = plainType(elements);
  }
  if (!element)
    return std::nullopt;
  result.element = *element;
  if (!result.bytes())
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

llvm::SmallVector<execution::TensorView> Call::present() const {
  llvm::SmallVector<execution::TensorView> views;
  for (const auto &view : operands)
    if (view)
      views.push_back(*view);
  return views;
}

const execution::TensorSpan *Call::given(unsigned index) const {
  return index < results.size() &&
                 !isa<NoneType>(op->getResult(index).getType())
             ? &results[index]
             : nullptr;
}

Attribute Call::attribute(StringRef name) const {
  if (asked)
    asked->insert(name);
  return op->getAttr(name);
}

int64_t Call::integer(StringRef name, int64_t absent) const {
  return readInteger(attribute(name)).value_or(absent);
}

bool Call::flag(StringRef name, bool absent) const {
  return readFlag(attribute(name)).value_or(absent);
}

double Call::real(StringRef name, double absent) const {
  if (auto value = dyn_cast_or_null<FloatAttr>(attribute(name)))
    return value.getValueAsDouble();
  auto integer = readInteger(attribute(name));
  return integer ? static_cast<double>(*integer) : absent;
}

StringRef Call::word(StringRef name) const {
  return readWord(attribute(name)).value_or("");
}

execution::Shape Call::integers(StringRef name) const {
  Attribute given = attribute(name);
  auto other = instead.find(name);
  if (other != instead.end())
    return other->second;
  execution::Shape shape;
  if (auto list = readIntegers(given))
    shape.assign(list->begin(), list->end());
  return shape;
}

llvm::SmallVector<double> Call::reals(StringRef name) const {
  llvm::SmallVector<double> numbers;
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute(name)))
    for (Attribute entry : list)
      if (auto number = dyn_cast<FloatAttr>(entry))
        numbers.push_back(number.getValueAsDouble());
  return numbers;
}

execution::FusedRelu Call::relu() const {
  return {flag("do_relu"), real("relu_limit", -1)};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const llvm::StringMap<KernelEntry> &kernels() {
  static const llvm::StringMap<KernelEntry> table = [] {
    KernelTable entries;
    addMathKernels(entries);
    addElementwiseKernels(entries);
    addShapeKernels(entries);
    addSequenceKernels(entries);
    addSelectionKernels(entries);
    llvm::StringMap<KernelEntry> map;
    for (const auto &[name, entry] : entries)
      map[name] = entry;
    return map;
  }();
  return table;
}

const KernelEntry *findKernel(StringRef opName) {
  auto found = kernels().find(opName);
  return found == kernels().end() ? nullptr : &found->second;
}

static bool isQuantized(const execution::TensorType &type) {
  return type.scale != 1 || type.zeroPoint != 0;
}

static Outcome checkScales(const Call &call, Scales scales) {
  bool quantized = false, same = true;
  for (const execution::TensorView &operand : call.present())
    quantized |= isQuantized(operand.type);
  for (const execution::TensorSpan &result : call.results) {
    quantized |= isQuantized(result.type);
    // Others are indices.
    for (const execution::TensorView &operand : call.present())
      if (operand.type.element == result.type.element)
        same &= operand.type.scale == result.type.scale &&
                operand.type.zeroPoint == result.type.zeroPoint;
  }
  if (quantized && scales == Scales::Refused)
    return KernelError{"there is no arithmetic for quantized tensors yet"};
  if (quantized && scales == Scales::Kept && !same)
    return KernelError{"operands and result have different scales"};
  return std::nullopt;
}

/// The same numbers in a byte each.
static execution::TensorType inBytes(execution::TensorType type) {
  if (type.element == ElementType::I4)
    type.element = ElementType::I8;
  else if (type.element == ElementType::U4)
    type.element = ElementType::U8;
  return type;
}

static void copyIntegers(const execution::TensorView &from,
                         const execution::TensorSpan &to) {
  store(llvm::ArrayRef<int64_t>(integersOf(from)), to);
}

Outcome moveWholeBytes(const Call &call, Kernel kernel) {
  const auto isHalf = [](const auto &tensor) {
    return execution::bitsOf(tensor.type.element) < 8;
  };
  if (llvm::none_of(call.present(), isHalf) &&
      llvm::none_of(call.results, isHalf))
    return kernel(call);
  Call wide = call;
  std::list<execution::Tensor> tensors;
  for (auto &operand : wide.operands)
    if (operand && isHalf(*operand)) {
      tensors.emplace_back(inBytes(operand->type));
      copyIntegers(*operand, tensors.back().span());
      operand = tensors.back().view();
    }
  for (execution::TensorSpan &result : wide.results)
    if (isHalf(result))
      result = tensors.emplace_back(inBytes(result.type)).span();
  if (Outcome error = kernel(wide))
    return error;
  for (auto [from, to] : llvm::zip_equal(wide.results, call.results))
    if (isHalf(to))
      copyIntegers({from.type, from.bytes}, to);
  return std::nullopt;
}

Outcome run(const Call &call, const execution::Task &task,
            const execution::TensorSpan &result) {
  if (!call.executor || !call.executor->compute(task, result))
    return execution::compute(task, result, call.threads);
  if (call.isByExecutor)
    *call.isByExecutor = true;
  return std::nullopt;
}

Outcome compute(const Call &given) {
  const KernelEntry *entry = findKernel(given.op->getName().getStringRef());
  llvm::StringSet<> asked;
  Call call = given;
  call.asked = &asked;
  if (call.results.empty() || (call.results.size() > 1 && !entry->isManyOut))
    return KernelError{"one result is expected"};
  if (Outcome error = checkScales(call, entry->scales))
    return error;
  Outcome error = entry->scales == Scales::Kept
                      ? moveWholeBytes(call, entry->kernel)
                      : entry->kernel(call);
  return error ? error : checkUnread(call, asked);
}

} // namespace tpu_mlir::interpreter

namespace tpu_mlir {

std::vector<std::string> runnableOps() {
  std::vector<std::string> names;
  for (StringRef name : interpreter::kernels().keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names;
}

} // namespace tpu_mlir
