//===- Element.cpp - Convert elements to and from bytes -------------------===//
//
// Exact conversions of 4- to 32-bit integers and of f16, bf16 and f32, rounded
// to nearest even.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Element.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace tpu_mlir::execution {

namespace {

struct Facts {
  const char *name;
  int bits;
  bool isFloat, isSigned;
};

} // namespace

static const Facts &factsOf(ElementType type) {
  static const Facts kFacts[] = {
      {"f32", 32, true, true},    {"f16", 16, true, true},
      {"bf16", 16, true, true},   {"f8E4M3FN", 8, true, true},
      {"f8E5M2", 8, true, true},  {"i4", 4, false, true},
      {"ui4", 4, false, false},   {"i8", 8, false, true},
      {"ui8", 8, false, false},   {"i16", 16, false, true},
      {"ui16", 16, false, false}, {"i32", 32, false, true},
      {"ui32", 32, false, false},
  };
  return kFacts[static_cast<int>(type)];
}

const char *nameOf(ElementType type) { return factsOf(type).name; }
int bitsOf(ElementType type) { return factsOf(type).bits; }
bool isFloat(ElementType type) { return factsOf(type).isFloat; }

int64_t leastOf(ElementType type) {
  const Facts &facts = factsOf(type);
  return facts.isSigned ? -(int64_t(1) << (facts.bits - 1)) : 0;
}

int64_t largestOf(ElementType type) {
  const Facts &facts = factsOf(type);
  return (int64_t(1) << (facts.bits - (facts.isSigned ? 1 : 0))) - 1;
}

std::optional<int64_t> bytesOf(ElementType type, int64_t elements) {
  std::optional<int64_t> bits = checkedMul(elements, bitsOf(type));
  if (!bits || elements < 0)
    return std::nullopt;
  return ceilDiv(*bits, 8);
}

//===----------------------------------------------------------------------===//
// Floats of 16 bits
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Without branches, so that loops over it become vector instructions.
static inline float widenHalf(uint16_t bits) {
  // The fields of a half moved up are those of a float 2^112 times too small,
  // of subnormal halves, too.
  uint32_t fields = static_cast<uint32_t>(bits & 0x7fff) << 13;
  float scaled = bitsAs<float>(fields) * 0x1p112f;
  uint32_t finite = bitsAs<uint32_t>(scaled);
  uint32_t special = fields | 0x7f800000u;
  uint32_t magnitude = (bits & 0x7c00) == 0x7c00 ? special : finite;
  return bitsAs<float>(magnitude | static_cast<uint32_t>(bits & 0x8000) << 16);
}

static inline uint16_t narrowHalf(float value) {
  const uint32_t bits = bitsAs<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  // Adding half of what is cut off, and one more where the kept part is odd.
  // A carry moves into the exponent, as far as that of infinity.
  uint32_t normal =
      ((magnitude + 0xfffu + ((magnitude >> 13) & 1)) >> 13) - (112u << 10);
  // The last place of 0.5 is the step of subnormal halves: the addition rounds.
  uint32_t small = bitsAs<uint32_t>(bitsAs<float>(magnitude) + 0.5f) -
                   bitsAs<uint32_t>(0.5f);
  uint32_t quiet = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  uint32_t half = magnitude < 0x38800000u ? small : normal;
  half = magnitude >= 0x47800000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? quiet : half;
  return static_cast<uint16_t>(half | bits >> 31 << 15);
}

static inline float widenBfloat(uint16_t bits) {
  return bitsAs<float>(static_cast<uint32_t>(bits) << 16);
}

static inline uint16_t narrowBfloat(float value) {
  const uint32_t bits = bitsAs<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  uint32_t quiet = bits >> 16 | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet
                                                                  : rounded);
}

float halfToFloat(uint16_t bits) { return widenHalf(bits); }
float bfloatToFloat(uint16_t bits) { return widenBfloat(bits); }
uint16_t floatToHalf(float value) { return narrowHalf(value); }
uint16_t floatToBfloat(float value) { return narrowBfloat(value); }

//===----------------------------------------------------------------------===//
// Floats of 8 bits
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::F8E4M3 ? llvm::APFloat::Float8E4M3FN()
                                     : llvm::APFloat::Float8E5M2();
}

static float toFloat(llvm::APFloat value) {
  bool isExact = true;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &isExact);
  return value.convertToFloat();
}

float largestFloat8(ElementType type) {
  const auto largest = [](ElementType of) {
    return toFloat(llvm::APFloat::getLargest(semanticsOf(of)));
  };
  static const float kFine = largest(ElementType::F8E4M3),
                     kWide = largest(ElementType::F8E5M2);
  return type == ElementType::F8E4M3 ? kFine : kWide;
}

/// The numbers of all bytes.
static const std::array<float, 256> &float8Numbers(ElementType type) {
  const auto all = [](ElementType of) {
    std::array<float, 256> numbers;
    for (unsigned byte = 0; byte < 256; ++byte)
      numbers[byte] =
          toFloat(llvm::APFloat(semanticsOf(of), llvm::APInt(8, byte)));
    return numbers;
  };
  static const auto kFine = all(ElementType::F8E4M3),
                    kWide = all(ElementType::F8E5M2);
  return type == ElementType::F8E4M3 ? kFine : kWide;
}

static uint8_t narrowFloat8(ElementType type, float value) {
  const float largest = largestFloat8(type);
  llvm::APFloat narrow(
      std::isnan(value) ? value : std::clamp(value, -largest, largest));
  bool isExact = true;
  narrow.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven,
                 &isExact);
  return static_cast<uint8_t>(narrow.bitcastToAPInt().getZExtValue());
}

//===----------------------------------------------------------------------===//
// Runs of elements
//===----------------------------------------------------------------------===//

/// Calls `each(index, element)` for elements that are stored as `Stored`.
template <typename Stored, typename Each>
static void forEachRead(const uint8_t *bytes, int64_t first, int64_t count,
                        Each each) {
  const uint8_t *from = bytes + first * static_cast<int64_t>(sizeof(Stored));
  for (int64_t i = 0; i < count; ++i) {
    Stored element;
    std::memcpy(&element, from + i * sizeof(Stored), sizeof(Stored));
    each(i, element);
  }
}

/// Stores what `make(index)` returns.
template <typename Stored, typename Make>
static void forEachWrite(uint8_t *bytes, int64_t first, int64_t count,
                         Make make) {
  uint8_t *to = bytes + first * static_cast<int64_t>(sizeof(Stored));
  for (int64_t i = 0; i < count; ++i) {
    Stored element = make(i);
    std::memcpy(to + i * sizeof(Stored), &element, sizeof(Stored));
  }
}

template <typename Each>
static void forEachNibble(const uint8_t *bytes, int64_t first, int64_t count,
                          bool isSigned, Each each) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = first + i;
    int nibble = bytes[at / 2] >> (at % 2 * 4) & 15;
    each(i, isSigned && nibble > 7 ? nibble - 16 : nibble);
  }
}

template <typename Make>
static void writeNibbles(uint8_t *bytes, int64_t first, int64_t count,
                         Make make) {
  for (int64_t i = 0; i < count; i += 2) {
    int low = static_cast<int>(make(i)) & 15;
    int high = i + 1 < count ? static_cast<int>(make(i + 1)) & 15 : 0;
    bytes[(first + i) / 2] = static_cast<uint8_t>(low | high << 4);
  }
}

template <typename Each>
static void forEachInteger(ElementType type, const uint8_t *bytes,
                           int64_t first, int64_t count, Each each) {
  switch (type) {
  case ElementType::I4:
  case ElementType::U4:
    return forEachNibble(bytes, first, count, type == ElementType::I4, each);
  case ElementType::I8:
    return forEachRead<int8_t>(bytes, first, count, each);
  case ElementType::U8:
    return forEachRead<uint8_t>(bytes, first, count, each);
  case ElementType::I16:
    return forEachRead<int16_t>(bytes, first, count, each);
  case ElementType::U16:
    return forEachRead<uint16_t>(bytes, first, count, each);
  case ElementType::I32:
    return forEachRead<int32_t>(bytes, first, count, each);
  default:
    return forEachRead<uint32_t>(bytes, first, count, each);
  }
}

/// Stores the integers that `make(index)` returns, which are in range.
template <typename Make>
static void writeEachInteger(ElementType type, uint8_t *bytes, int64_t first,
                             int64_t count, Make make) {
  switch (bitsOf(type)) {
  case 4:
    return writeNibbles(bytes, first, count, make);
  case 8:
    return forEachWrite<uint8_t>(bytes, first, count, make);
  case 16:
    return forEachWrite<uint16_t>(bytes, first, count, make);
  default:
    return forEachWrite<uint32_t>(bytes, first, count, make);
  }
}

void readFloats(ElementType type, const uint8_t *bytes, int64_t first,
                int64_t count, float *to) {
  switch (type) {
  case ElementType::F32:
    if (count > 0)
      std::memcpy(to, bytes + 4 * first, 4 * count);
    return;
  case ElementType::F16:
    return forEachRead<uint16_t>(
        bytes, first, count,
        [&](int64_t i, uint16_t half) { to[i] = widenHalf(half); });
  case ElementType::BF16:
    return forEachRead<uint16_t>(
        bytes, first, count,
        [&](int64_t i, uint16_t bits) { to[i] = widenBfloat(bits); });
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return forEachRead<uint8_t>(
        bytes, first, count,
        [to, &numbers = float8Numbers(type)](int64_t i, uint8_t byte) {
          to[i] = numbers[byte];
        });
  default:
    return forEachInteger(
        type, bytes, first, count,
        [&](int64_t i, auto element) { to[i] = static_cast<float>(element); });
  }
}

void writeFloats(ElementType type, uint8_t *bytes, int64_t first, int64_t count,
                 const float *from) {
  switch (type) {
  case ElementType::F32:
    if (count > 0)
      std::memcpy(bytes + 4 * first, from, 4 * count);
    return;
  case ElementType::F16:
    return forEachWrite<uint16_t>(
        bytes, first, count, [&](int64_t i) { return narrowHalf(from[i]); });
  case ElementType::BF16:
    return forEachWrite<uint16_t>(
        bytes, first, count, [&](int64_t i) { return narrowBfloat(from[i]); });
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return forEachWrite<uint8_t>(bytes, first, count, [&](int64_t i) {
      return narrowFloat8(type, from[i]);
    });
  default: {
    const double least = static_cast<double>(leastOf(type));
    const double largest = static_cast<double>(largestOf(type));
    return writeEachInteger(type, bytes, first, count, [=](int64_t i) {
      double value = std::isnan(from[i]) ? 0.0 : std::round(double(from[i]));
      return static_cast<int64_t>(std::clamp(value, least, largest));
    });
  }
  }
}

/// To nearest, ties to even; saturated at 2^62, beyond every element type.
static int64_t toInteger(float value) {
  if (std::isnan(value))
    return 0;
  return static_cast<int64_t>(
      std::clamp(std::nearbyint(double(value)), -0x1p62, 0x1p62));
}

void readIntegers(ElementType type, const uint8_t *bytes, int64_t first,
                  int64_t count, int64_t *to) {
  if (!isFloat(type))
    return forEachInteger(type, bytes, first, count,
                          [&](int64_t i, auto element) {
                            to[i] = static_cast<int64_t>(element);
                          });
  for (int64_t i = 0; i < count; ++i) {
    float value;
    readFloats(type, bytes, first + i, 1, &value);
    to[i] = toInteger(value);
  }
}

void writeIntegers(ElementType type, uint8_t *bytes, int64_t first,
                   int64_t count, const int64_t *from) {
  if (!isFloat(type))
    return writeEachInteger(
        type, bytes, first, count,
        [&, least = leastOf(type), largest = largestOf(type)](int64_t i) {
          return std::clamp(from[i], least, largest);
        });
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(from[i]);
    writeFloats(type, bytes, first + i, 1, &value);
  }
}

} // namespace tpu_mlir::execution
