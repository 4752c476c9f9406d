//===- Data.cpp - Arguments and results of programs -----------------------===//

#include "tests/exec/jit/harness/JitHarness.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

/// SplitMix64, after Steele, Lea and Flood (2014).
uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void appendNumber(Type type, unsigned value, std::vector<uint8_t> &bytes) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    appendNumber(complex.getElementType(), value, bytes);
    appendNumber(complex.getElementType(), value ^ 1, bytes);
    return;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      appendNumber(vector.getElementType(), (value + i) % 8, bytes);
    return;
  }
  llvm::APInt bits(64, value);
  if (auto real = dyn_cast<FloatType>(type)) {
    llvm::APFloat number(static_cast<double>(value));
    bool lossy;
    number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    bits = number.bitcastToAPInt();
  } else if (type.isInteger(1)) {
    bits = llvm::APInt(64, value & 1);
  }
  const uint64_t *words = bits.getRawData();
  const auto *raw = reinterpret_cast<const uint8_t *>(words);
  bytes.insert(bytes.end(), raw, raw + *elementBytes(type));
}

std::string hex(llvm::ArrayRef<uint8_t> bytes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "0x";
  for (uint8_t byte : llvm::reverse(bytes))
    out << llvm::format("%02x", byte);
  return text;
}

std::string difference(size_t output, const Data &left, const Data &right) {
  size_t at = 0;
  while (left.bytes[at] == right.bytes[at])
    ++at;
  Type element = left.type;
  if (auto memref = dyn_cast<MemRefType>(element))
    element = memref.getElementType();
  size_t size = *elementBytes(element);
  size_t start = at / size * size;
  auto part = [&](const Data &data) {
    return hex(llvm::ArrayRef(data.bytes).slice(start, size));
  };
  std::string type;
  llvm::raw_string_ostream(type) << left.type;
  return "output " + std::to_string(output) + " (" + type + ") element " +
         std::to_string(at / size) + ": " + part(left) + " against " +
         part(right);
}

} // namespace

std::optional<int64_t> elementBytes(Type element) {
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    std::optional<int64_t> part = elementBytes(complex.getElementType());
    return part ? std::optional<int64_t>(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(element)) {
    std::optional<int64_t> part = elementBytes(vector.getElementType());
    if (!part || vector.isScalable() ||
        vector.getElementType().getIntOrFloatBitWidth() < 8)
      return std::nullopt;
    return llvm::PowerOf2Ceil(*part * vector.getNumElements());
  }
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  return llvm::PowerOf2Ceil((element.getIntOrFloatBitWidth() + 7) / 8);
}

std::optional<Data> makeData(Type type, uint64_t seed, int64_t dynamicSize) {
  Data data;
  data.type = type;
  int64_t elements = 1;
  Type element = type;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.getLayout().isIdentity())
      return std::nullopt;
    element = memref.getElementType();
    for (int64_t size : memref.getShape()) {
      data.shape.push_back(ShapedType::isDynamic(size) ? dynamicSize : size);
      elements *= data.shape.back();
    }
  }
  if (!elementBytes(element))
    return std::nullopt;
  data.bytes.reserve(elements * *elementBytes(element));
  for (int64_t i = 0; i < elements; ++i)
    appendNumber(element, nextRandom(seed) % 8, data.bytes);
  return data;
}

std::optional<std::string> firstDifference(const std::vector<Data> &left,
                                           const std::vector<Data> &right) {
  if (left.size() != right.size())
    return std::string("the number of outputs differs");
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].shape != right[i].shape ||
        left[i].bytes.size() != right[i].bytes.size())
      return "the sizes of output " + std::to_string(i) + " differ";
    if (left[i].bytes != right[i].bytes)
      return difference(i, left[i], right[i]);
  }
  return std::nullopt;
}

} // namespace tpu_mlir::jit
