//===- TpuAttrs.cpp - Registration, reading and writing of attributes -----===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tpu_mlir/Dialect/Tpu/IR/TpuEnums.cpp.inc"

namespace tpu_mlir::tpu {

std::optional<int64_t>
findCase(StringRef word, llvm::function_ref<StringRef(uint32_t)> nameOf) {
  SmallVector<int64_t, 2> alike;
  for (uint32_t number = 0; !nameOf(number).empty(); ++number) {
    if (nameOf(number) == word)
      return number;
    if (nameOf(number).equals_insensitive(word))
      alike.push_back(number);
  }
  return alike.size() == 1 ? std::optional(alike.front()) : std::nullopt;
}

/// Reads the word of `#tpu<mnemonic WORD>`, in any letters; null, without an
/// error, for one that a newer version may have.
template <typename EnumAttr> static Attribute parseEnum(AsmParser &parser) {
  using Enum = decltype(std::declval<EnumAttr>().getValue());
  std::string word;
  if (failed(parser.parseOptionalKeywordOrString(&word)))
    return {};
  const std::optional<int64_t> number = findCase(word, [](uint32_t number) {
    return stringifyEnum(static_cast<Enum>(number));
  });
  return number ? EnumAttr::get(parser.getContext(), static_cast<Enum>(*number))
                : Attribute();
}

} // namespace tpu_mlir::tpu

#define GET_ATTRDEF_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.cpp.inc"

namespace tpu_mlir::tpu {

void TpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.cpp.inc"
      >();
}

Attribute TpuDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  // Attributes do not complain of what they cannot read: a newer version may
  // have written it, and planning may do without. It is kept as text.
  (void)generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (attribute)
    return attribute;
  return keptAttribute(parser, getNamespace(), type);
}

void TpuDialect::printAttribute(Attribute attribute,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

//===----------------------------------------------------------------------===//
// Fields, written as name = value
//===----------------------------------------------------------------------===//

namespace {

/// What a field holds; the alternatives are the kinds of value there are.
struct FieldValue {
  std::optional<int64_t> number;
  std::optional<bool> flag;
  std::optional<SmallVector<int64_t>> numbers;
};

enum class FieldKind { Number, Flag, Numbers };

struct Field {
  StringLiteral name;
  FieldKind kind;
  bool required;
};

/// Reads `<name = value, ...>` with the fields of a table in any order. Emits
/// nothing: whatever is odd makes parse() fail.
class FieldParser {
public:
  FieldParser(AsmParser &parser, ArrayRef<Field> table)
      : parser(parser), table(table), values(table.size()) {}

  /// Fails for a field that is unknown, repeated or malformed, and when one
  /// that is required is missing.
  LogicalResult parse() {
    if (failed(parser.parseOptionalLess()))
      return failure();
    do
      if (failed(parseField()))
        return failure();
    while (succeeded(parser.parseOptionalComma()));
    if (failed(parser.parseOptionalGreater()))
      return failure();
    for (auto [field, value] : llvm::zip_equal(table, values))
      if (field.required && !value)
        return failure();
    return success();
  }

  std::optional<FieldValue> &operator[](StringRef name) {
    return values[llvm::find_if(
                      table, [&](const Field &f) { return f.name == name; }) -
                  table.begin()];
  }
  int64_t number(StringRef name) { return *(*this)[name]->number; }
  /// Empty: the field is not there.
  ArrayRef<int64_t> numbers(StringRef name) {
    const auto &field = (*this)[name];
    return field ? ArrayRef<int64_t>(*field->numbers) : ArrayRef<int64_t>();
  }
  IntegerAttr optionalNumber(StringRef name) {
    if (!(*this)[name])
      return {};
    return Builder(parser.getContext()).getI64IntegerAttr(number(name));
  }

private:
  LogicalResult parseField() {
    std::string name;
    if (failed(parser.parseOptionalKeywordOrString(&name)) ||
        failed(parser.parseOptionalEqual()))
      return failure();
    const Field *field =
        llvm::find_if(table, [&](const Field &f) { return f.name == name; });
    if (field == table.end() || values[field - table.begin()])
      return failure();
    return parseValue(field->kind, values[field - table.begin()].emplace());
  }

  LogicalResult parseValue(FieldKind kind, FieldValue &value) {
    switch (kind) {
    case FieldKind::Number:
      return parseNumber(value.number.emplace());
    case FieldKind::Numbers:
      return parseNumbers(value.numbers.emplace());
    case FieldKind::Flag:
      break;
    }
    value.flag = succeeded(parser.parseOptionalKeyword("true"));
    return success(*value.flag ||
                   succeeded(parser.parseOptionalKeyword("false")));
  }

  LogicalResult parseNumber(int64_t &number) {
    APInt value;
    OptionalParseResult parsed = parser.parseOptionalInteger(value);
    if (!parsed.has_value() || failed(*parsed) || !value.isSignedIntN(64))
      return failure();
    number = value.getSExtValue();
    return success();
  }

  LogicalResult parseNumbers(SmallVectorImpl<int64_t> &numbers) {
    if (failed(parser.parseOptionalLSquare()))
      return failure();
    if (succeeded(parser.parseOptionalRSquare()))
      return success();
    do
      if (failed(parseNumber(numbers.emplace_back())))
        return failure();
    while (succeeded(parser.parseOptionalComma()));
    return parser.parseOptionalRSquare();
  }

  AsmParser &parser;
  ArrayRef<Field> table;
  SmallVector<std::optional<FieldValue>> values;
};

/// Writes fields in the order of the calls.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) {
    printer << '<';
  }
  ~FieldPrinter() { printer << '>'; }

  void number(StringRef name, int64_t value) { start(name) << value; }
  void flag(StringRef name, bool value) {
    start(name) << (value ? "true" : "false");
  }
  void numbers(StringRef name, ArrayRef<int64_t> values) {
    start(name) << '[';
    llvm::interleaveComma(values, printer);
    printer << ']';
  }

private:
  AsmPrinter &start(StringRef name) {
    if (!first)
      printer << ", ";
    first = false;
    return printer << name << " = ";
  }

  AsmPrinter &printer;
  bool first = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// LayerGroupAttr
//===----------------------------------------------------------------------===//

/// Of attributes without one, and what numbers mean.
static constexpr int64_t kNoGroupType = -1, kGroup3D = 1, kGroupSmallC = 2;

static constexpr Field kLayerGroupFields[] = {
    {"out_addr", FieldKind::Number, true},
    {"out_size", FieldKind::Number, true},
    {"buffer_addr", FieldKind::Number, true},
    {"buffer_size", FieldKind::Number, true},
    {"eu_align", FieldKind::Flag, true},
    {"can_merge", FieldKind::Flag, false},
    {"in_hslice_offset", FieldKind::Numbers, false},
    {"n_idx", FieldKind::Numbers, false},
    {"n_slice", FieldKind::Numbers, false},
    {"c_idx", FieldKind::Numbers, false},
    {"c_slice", FieldKind::Numbers, false},
    {"d_idx", FieldKind::Numbers, false},
    {"d_slice", FieldKind::Numbers, false},
    {"h_idx", FieldKind::Numbers, false},
    {"h_slice", FieldKind::Numbers, false},
    {"w_idx", FieldKind::Numbers, false},
    {"w_slice", FieldKind::Numbers, false},
    {"id", FieldKind::Number, true},
    {"stage", FieldKind::Number, true},
    {"slice_idx", FieldKind::Number, false},
    {"group_type", FieldKind::Number, false},
};

/// Bytes are not negative, and a section is a start and a length of which
/// neither is.
static bool makesSense(LayerGroupAttr info) {
  auto isNegative = [](int64_t value) { return value < 0; };
  auto areSections = [&](ArrayRef<int64_t> starts, ArrayRef<int64_t> lengths) {
    return starts.size() == lengths.size() &&
           llvm::none_of(starts, isNegative) &&
           llvm::none_of(lengths, isNegative);
  };
  return info.getOutAddr() >= 0 && info.getOutSize() >= 0 &&
         info.getBufferAddr() >= 0 && info.getBufferSize() >= 0 &&
         areSections(info.getNIdx(), info.getNSlice()) &&
         areSections(info.getCIdx(), info.getCSlice()) &&
         areSections(info.getDIdx(), info.getDSlice()) &&
         areSections(info.getHIdx(), info.getHSlice()) &&
         areSections(info.getWIdx(), info.getWSlice());
}

Attribute LayerGroupAttr::parse(AsmParser &parser, Type) {
  FieldParser f(parser, kLayerGroupFields);
  if (failed(f.parse()))
    return {};
  BoolAttr canMerge;
  if (f["can_merge"])
    canMerge = BoolAttr::get(parser.getContext(), *f["can_merge"]->flag);
  DenseI64ArrayAttr inHsliceOffset;
  if (f["in_hslice_offset"])
    inHsliceOffset = DenseI64ArrayAttr::get(parser.getContext(),
                                            f.numbers("in_hslice_offset"));
  auto info = LayerGroupAttr::get(
      parser.getContext(), f.number("out_addr"), f.number("out_size"),
      f.number("buffer_addr"), f.number("buffer_size"), *f["eu_align"]->flag,
      canMerge, inHsliceOffset, f.numbers("n_idx"), f.numbers("n_slice"),
      f.numbers("c_idx"), f.numbers("c_slice"), f.numbers("d_idx"),
      f.numbers("d_slice"), f.numbers("h_idx"), f.numbers("h_slice"),
      f.numbers("w_idx"), f.numbers("w_slice"), f.number("id"),
      f.number("stage"), f.optionalNumber("slice_idx"),
      f["group_type"] ? f.number("group_type") : kNoGroupType);
  return makesSense(info) ? info : Attribute();
}

void LayerGroupAttr::print(AsmPrinter &printer) const {
  FieldPrinter f(printer);
  f.number("out_addr", getOutAddr());
  f.number("out_size", getOutSize());
  f.number("buffer_addr", getBufferAddr());
  f.number("buffer_size", getBufferSize());
  f.flag("eu_align", getEuAlign());
  if (getCanMerge())
    f.flag("can_merge", getCanMerge().getValue());
  if (getInHsliceOffset())
    f.numbers("in_hslice_offset", getInHsliceOffset().asArrayRef());
  for (auto [dim, parts] : llvm::zip_equal(StringRef("ncdhw"), this->parts())) {
    const auto &[starts, lengths] = parts;
    if (starts.empty() && lengths.empty())
      continue;
    f.numbers(StringRef(&dim, 1).str() + "_idx", starts);
    f.numbers(StringRef(&dim, 1).str() + "_slice", lengths);
  }
  f.number("id", getId());
  f.number("stage", getStage());
  if (getSliceIdx())
    f.number("slice_idx", getSliceIdx().getInt());
  if (getGroupType() != kNoGroupType)
    f.number("group_type", getGroupType());
}

bool LayerGroupAttr::isComplete() const {
  return getGroupType() != kNoGroupType &&
         llvm::none_of(parts(), [](const Parts &parts) {
           return parts.first.empty() && parts.second.empty();
         });
}

LayerGroupAttr LayerGroupAttr::completed(ArrayRef<int64_t> shape,
                                         int64_t groupType) const {
  if (getGroupType() != kNoGroupType)
    groupType = getGroupType();
  // All of a tensor: of a shape n, c, h, w, where what is behind w is part of
  // it, or n, c, d, h, w.
  int64_t extents[] = {1, 1, 1, 1, 1};
  const bool hasDepth = groupType == kGroup3D && shape.size() >= 5;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    const size_t axis = dim < 2 || hasDepth ? dim : dim + 1;
    int64_t &whole = extents[std::min<size_t>(axis, 4)];
    whole = saturatedMul(whole, extent);
  }
  const int64_t none = 0;
  auto all = parts();
  for (auto [parts, extent] : llvm::zip_equal(all, extents))
    // Small channels lie in lanes as the chip has them.
    if (parts.first.empty() && parts.second.empty() &&
        groupType != kGroupSmallC)
      parts = {none, extent};
  return get(getContext(), getOutAddr(), getOutSize(), getBufferAddr(),
             getBufferSize(), getEuAlign(), getCanMerge(), getInHsliceOffset(),
             all[0].first, all[0].second, all[1].first, all[1].second,
             all[2].first, all[2].second, all[3].first, all[3].second,
             all[4].first, all[4].second, getId(), getStage(), getSliceIdx(),
             groupType);
}

LayerGroupAttr LayerGroupAttr::withAddresses(int64_t outAddr,
                                             int64_t bufferAddr) const {
  return get(getContext(), outAddr, getOutSize(), bufferAddr, getBufferSize(),
             getEuAlign(), getCanMerge(), getInHsliceOffset(), getNIdx(),
             getNSlice(), getCIdx(), getCSlice(), getDIdx(), getDSlice(),
             getHIdx(), getHSlice(), getWIdx(), getWSlice(), getId(),
             getStage(), getSliceIdx(), getGroupType());
}

//===----------------------------------------------------------------------===//
// DDRInterleaveAttr
//===----------------------------------------------------------------------===//

static constexpr Field kDDRInterleaveFields[] = {
    {"interleave_dim", FieldKind::Number, true},
    {"region_id", FieldKind::Number, true},
    {"offset", FieldKind::Numbers, true},
    {"address", FieldKind::Number, false},
};

Attribute DDRInterleaveAttr::parse(AsmParser &parser, Type) {
  FieldParser f(parser, kDDRInterleaveFields);
  if (failed(f.parse()))
    return {};
  return DDRInterleaveAttr::get(parser.getContext(), f.number("interleave_dim"),
                                f.number("region_id"), f.numbers("offset"),
                                f.optionalNumber("address"));
}

void DDRInterleaveAttr::print(AsmPrinter &printer) const {
  FieldPrinter f(printer);
  f.number("interleave_dim", getInterleaveDim());
  f.number("region_id", getRegionId());
  f.numbers("offset", getOffset());
  if (getAddress())
    f.number("address", getAddress().getInt());
}

std::optional<int64_t> DDRInterleaveAttr::getEncodedAddress() const {
  return getAddress() ? std::optional(getAddress().getInt()) : std::nullopt;
}

Attribute
DDRInterleaveAttr::withEncodedAddress(std::optional<int64_t> address) const {
  IntegerAttr integer;
  if (address)
    integer = Builder(getContext()).getI64IntegerAttr(*address);
  return get(getContext(), getInterleaveDim(), getRegionId(), getOffset(),
             integer);
}

} // namespace tpu_mlir::tpu
