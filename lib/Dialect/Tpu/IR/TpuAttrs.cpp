//===- TpuAttrs.cpp - Registration, reading and writing of attributes -----===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tpu_mlir/Dialect/Tpu/IR/TpuEnums.cpp.inc"

namespace tpu_mlir::tpu {

/// Reads the word of `#tpu<mnemonic WORD>`; one error names what may be there.
template <typename EnumAttr> static Attribute parseEnum(AsmParser &parser) {
  using Enum = decltype(std::declval<EnumAttr>().getValue());
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return {};
  if (std::optional<Enum> value = symbolizeEnum<Enum>(word))
    return EnumAttr::get(parser.getContext(), *value);
  InFlightDiagnostic error = parser.emitError(loc)
                             << "'" << word << "' is not a "
                             << EnumAttr::getMnemonic() << ", expected";
  // Cases are numbered from 0 without gaps.
  for (uint32_t i = 0; !stringifyEnum(Enum(i)).empty(); ++i)
    error << (i ? ", " : " ") << stringifyEnum(Enum(i));
  return {};
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
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (result.has_value())
    return attribute;
  // An attribute of a newer version is kept as text.
  return OpaqueAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); },
      StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
      type ? type : NoneType::get(getContext()));
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

/// Reads `<name = value, ...>` with the fields of a table in any order.
class FieldParser {
public:
  FieldParser(AsmParser &parser, StringRef attribute, ArrayRef<Field> table)
      : parser(parser), attribute(attribute), table(table),
        values(table.size()) {}

  /// One error for the first field that is unknown, repeated or malformed, or
  /// for the first in the table that is required and missing.
  ParseResult parse() {
    SMLoc start = parser.getCurrentLocation();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                       [&] { return parseField(); }))
      return failure();
    for (auto [field, value] : llvm::zip_equal(table, values))
      if (field.required && !value)
        return parser.emitError(start)
               << attribute << " has no field '" << field.name << "'";
    return success();
  }

  std::optional<FieldValue> &operator[](StringRef name) {
    return values[llvm::find_if(
                      table, [&](const Field &f) { return f.name == name; }) -
                  table.begin()];
  }
  int64_t number(StringRef name) { return *(*this)[name]->number; }
  ArrayRef<int64_t> numbers(StringRef name) { return *(*this)[name]->numbers; }
  IntegerAttr optionalNumber(StringRef name) {
    if (!(*this)[name])
      return {};
    return Builder(parser.getContext()).getI64IntegerAttr(number(name));
  }

private:
  ParseResult parseField() {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    const Field *field =
        llvm::find_if(table, [&](const Field &f) { return f.name == name; });
    if (field == table.end())
      return parser.emitError(loc)
             << attribute << " has no field called '" << name << "'";
    std::optional<FieldValue> &value = values[field - table.begin()];
    if (value)
      return parser.emitError(loc)
             << attribute << " has field '" << name << "' twice";
    value.emplace();
    return parseValue(field->kind, *value);
  }

  ParseResult parseValue(FieldKind kind, FieldValue &value) {
    switch (kind) {
    case FieldKind::Number:
      return parser.parseInteger(value.number.emplace());
    case FieldKind::Numbers:
      value.numbers.emplace();
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(value.numbers->emplace_back());
      });
    case FieldKind::Flag:
      break;
    }
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    if (word != "true" && word != "false")
      return parser.emitError(loc, "expected 'true' or 'false'");
    value.flag = word == "true";
    return success();
  }

  AsmParser &parser;
  StringRef attribute;
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

static constexpr Field kLayerGroupFields[] = {
    {"out_addr", FieldKind::Number, true},
    {"out_size", FieldKind::Number, true},
    {"buffer_addr", FieldKind::Number, true},
    {"buffer_size", FieldKind::Number, true},
    {"eu_align", FieldKind::Flag, true},
    {"can_merge", FieldKind::Flag, false},
    {"in_hslice_offset", FieldKind::Numbers, false},
    {"n_idx", FieldKind::Numbers, true},
    {"n_slice", FieldKind::Numbers, true},
    {"c_idx", FieldKind::Numbers, true},
    {"c_slice", FieldKind::Numbers, true},
    {"d_idx", FieldKind::Numbers, true},
    {"d_slice", FieldKind::Numbers, true},
    {"h_idx", FieldKind::Numbers, true},
    {"h_slice", FieldKind::Numbers, true},
    {"w_idx", FieldKind::Numbers, true},
    {"w_slice", FieldKind::Numbers, true},
    {"id", FieldKind::Number, true},
    {"stage", FieldKind::Number, true},
    {"slice_idx", FieldKind::Number, false},
    {"group_type", FieldKind::Number, true},
};

Attribute LayerGroupAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  FieldParser f(parser, "#tpu.lg", kLayerGroupFields);
  if (f.parse())
    return {};
  BoolAttr canMerge;
  if (f["can_merge"])
    canMerge = BoolAttr::get(parser.getContext(), *f["can_merge"]->flag);
  DenseI64ArrayAttr inHsliceOffset;
  if (f["in_hslice_offset"])
    inHsliceOffset = DenseI64ArrayAttr::get(parser.getContext(),
                                            f.numbers("in_hslice_offset"));
  return parser.getChecked<LayerGroupAttr>(
      loc, parser.getContext(), f.number("out_addr"), f.number("out_size"),
      f.number("buffer_addr"), f.number("buffer_size"), *f["eu_align"]->flag,
      canMerge, inHsliceOffset, f.numbers("n_idx"), f.numbers("n_slice"),
      f.numbers("c_idx"), f.numbers("c_slice"), f.numbers("d_idx"),
      f.numbers("d_slice"), f.numbers("h_idx"), f.numbers("h_slice"),
      f.numbers("w_idx"), f.numbers("w_slice"), f.number("id"),
      f.number("stage"), f.optionalNumber("slice_idx"), f.number("group_type"));
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
  f.numbers("n_idx", getNIdx());
  f.numbers("n_slice", getNSlice());
  f.numbers("c_idx", getCIdx());
  f.numbers("c_slice", getCSlice());
  f.numbers("d_idx", getDIdx());
  f.numbers("d_slice", getDSlice());
  f.numbers("h_idx", getHIdx());
  f.numbers("h_slice", getHSlice());
  f.numbers("w_idx", getWIdx());
  f.numbers("w_slice", getWSlice());
  f.number("id", getId());
  f.number("stage", getStage());
  if (getSliceIdx())
    f.number("slice_idx", getSliceIdx().getInt());
  f.number("group_type", getGroupType());
}

/// A section is a start and a length, and neither is negative.
static LogicalResult
verifySections(function_ref<InFlightDiagnostic()> emitError, char dim,
               ArrayRef<int64_t> starts, ArrayRef<int64_t> lengths) {
  if (starts.size() != lengths.size())
    return emitError() << "#tpu.lg has " << starts.size() << " values in '"
                       << dim << "_idx', but " << lengths.size() << " in '"
                       << dim << "_slice'";
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(starts, negative) || llvm::any_of(lengths, negative))
    return emitError() << "#tpu.lg has a negative value in '" << dim
                       << "_idx' or '" << dim << "_slice'";
  return success();
}

LogicalResult LayerGroupAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t outAddr,
    int64_t outSize, int64_t bufferAddr, int64_t bufferSize, bool, BoolAttr,
    DenseI64ArrayAttr, ArrayRef<int64_t> nIdx, ArrayRef<int64_t> nSlice,
    ArrayRef<int64_t> cIdx, ArrayRef<int64_t> cSlice, ArrayRef<int64_t> dIdx,
    ArrayRef<int64_t> dSlice, ArrayRef<int64_t> hIdx, ArrayRef<int64_t> hSlice,
    ArrayRef<int64_t> wIdx, ArrayRef<int64_t> wSlice, int64_t, int64_t,
    IntegerAttr, int64_t) {
  std::pair<StringRef, int64_t> bytes[] = {{"out_addr", outAddr},
                                           {"out_size", outSize},
                                           {"buffer_addr", bufferAddr},
                                           {"buffer_size", bufferSize}};
  for (auto [name, value] : bytes)
    if (value < 0)
      return emitError() << "#tpu.lg field '" << name
                         << "' must not be negative, but is " << value;
  if (failed(verifySections(emitError, 'n', nIdx, nSlice)) ||
      failed(verifySections(emitError, 'c', cIdx, cSlice)) ||
      failed(verifySections(emitError, 'd', dIdx, dSlice)) ||
      failed(verifySections(emitError, 'h', hIdx, hSlice)) ||
      failed(verifySections(emitError, 'w', wIdx, wSlice)))
    return failure();
  return success();
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
  SMLoc loc = parser.getCurrentLocation();
  FieldParser f(parser, "#tpu.ddr_interleave", kDDRInterleaveFields);
  if (f.parse())
    return {};
  return parser.getChecked<DDRInterleaveAttr>(
      loc, parser.getContext(), f.number("interleave_dim"),
      f.number("region_id"), f.numbers("offset"), f.optionalNumber("address"));
}

void DDRInterleaveAttr::print(AsmPrinter &printer) const {
  FieldPrinter f(printer);
  f.number("interleave_dim", getInterleaveDim());
  f.number("region_id", getRegionId());
  f.numbers("offset", getOffset());
  if (getAddress())
    f.number("address", getAddress().getInt());
}

LogicalResult
DDRInterleaveAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          int64_t interleaveDim, int64_t,
                          ArrayRef<int64_t> offset, IntegerAttr address) {
  if (interleaveDim < 0)
    return emitError() << "#tpu.ddr_interleave field 'interleave_dim' must not "
                          "be negative, "
                          "but is "
                       << interleaveDim;
  if (llvm::any_of(offset, [](int64_t value) { return value < 0; }))
    return emitError()
           << "#tpu.ddr_interleave has a negative value in 'offset'";
  if (address && address.getInt() < 0)
    return emitError() << "#tpu.ddr_interleave field 'address' must not be "
                          "negative, but is "
                       << address.getInt();
  return success();
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
