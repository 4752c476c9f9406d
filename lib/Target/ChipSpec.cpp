//===- ChipSpec.cpp - What a chip's memory looks like ---------------------===//

#include "tpu_mlir/Target/ChipSpec.h"

#include "lib/Target/EmbeddedChips.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace tpu_mlir::target {
namespace {

/// Far beyond any chip: the product of two of these, or of one and one of the
/// next, stays far below 2^63.
constexpr int64_t kMostOfAKind = int64_t(1) << 16;
/// Of bytes, and of what happens in a cycle.
constexpr int64_t kMostInBytes = int64_t(1) << 40;

/// Reads numbers within what makes sense.
class NumberReader {
public:
  explicit NumberReader(JsonFields &fields) : fields(fields) {}

  /// A field that has to be there, from 1 to `most`.
  int64_t positive(const char *key, int64_t most) {
    const std::optional<int64_t> value = fields.integer(key);
    return value ? within(key, *value, 1, most) : fields.requiredInteger(key);
  }

  /// A field that may be missing, from `least` to `most` where it is there.
  int64_t optionalCount(const char *key, int64_t least, int64_t most,
                        int64_t otherwise) {
    const std::optional<int64_t> value = fields.integer(key);
    return value ? within(key, *value, least, most) : otherwise;
  }

  int64_t rate(const char *key, int64_t otherwise) {
    return optionalCount(key, 1, kMostInBytes, otherwise);
  }
  int64_t cycles(const char *key, int64_t otherwise) {
    return optionalCount(key, 0, kMostInBytes, otherwise);
  }

private:
  /// The value, or after an error the nearest one that what follows can count
  /// with.
  int64_t within(const char *key, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
      fields.fail(fields.at(key),
                  "'" + std::string(key) + "' is " + std::to_string(value) +
                      (value < least
                           ? ", expected at least " + std::to_string(least)
                           : ", expected at most " + std::to_string(most)));
    return std::clamp(value, least, most);
  }

  JsonFields &fields;
};

/// Reads the fields, then asks whether such a chip can exist. Every message
/// names the field to change.
class ChipReader {
public:
  explicit ChipReader(const JsonValue &value) : fields(value, "") {}

  std::variant<ChipSpec, ChipError> run() {
    readLocalMemory();
    readThroughput();
    readForms();
    readBases();
    readPools();
    if (!fields.failed())
      checkRegions();
    if (auto error = fields.finish())
      return ChipError{error->message + " (line " +
                       std::to_string(error->line) + ")"};
    return std::move(chip);
  }

private:
  /// The cost model of a chip that says nothing: as many 8-bit multiply-adds a
  /// cycle as the lanes' execution units have bytes.
  void readThroughput() {
    chip.icParallelBytes =
        numbers.optionalCount("icParallelBytes", 1, kMostOfAKind, 1);
    readRequantisation();
    readFloats();
    chip.localInPlace = fields.boolean("localInPlace").value_or(true);
    chip.kernelsInOrder = fields.boolean("kernelsInOrder").value_or(false);
    chip.macsPerCycle8 =
        numbers.rate("macsPerCycle8", chip.lanes * chip.euBytes);
    chip.macsPerCycle16 =
        numbers.rate("macsPerCycle16", (chip.macsPerCycle8 + 1) / 2);
    chip.macsPerCycle32 =
        numbers.rate("macsPerCycle32", (chip.macsPerCycle16 + 1) / 2);
    chip.dmaBytesPerCycle = numbers.rate("dmaBytesPerCycle", 16);
    chip.sharedDmaBytesPerCycle = numbers.rate(
        "sharedDmaBytesPerCycle", chip.dmaBytesPerCycle * chip.cores);
    chip.l2BytesPerCycle =
        numbers.rate("l2BytesPerCycle", chip.dmaBytesPerCycle);
    chip.barrierCycles = numbers.cycles("barrierCycles", 0);
    chip.dmaSetupCycles = numbers.cycles("dmaSetupCycles", 100);
    chip.computeSetupCycles = numbers.cycles("computeSetupCycles", 20);
  }

  /// Other sizes mean no form that is known.
  void readRequantisation() {
    chip.requantBytes = fields.integer("requantBytes").value_or(0);
    if (chip.requantBytes != 0 && chip.requantBytes != 5 &&
        chip.requantBytes != 8 && chip.requantBytes != 12)
      fields.fail(fields.at("requantBytes"),
                  "'requantBytes' is " + std::to_string(chip.requantBytes) +
                      ", expected 0, 5, 8 or 12");
  }

  void readFloats() {
    chip.hasFloat8 = fields.boolean("float8").value_or(false);
    chip.halfFloat = chip.requantBytes == 5 ? HalfFloat::BF16 : HalfFloat::F16;
    if (auto half = fields.string("halfFloat"))
      chip.halfFloat = chosen<HalfFloat>(
          "halfFloat", *half,
          {{"f16", HalfFloat::F16}, {"bf16", HalfFloat::BF16}});
    if (auto pairs = fields.string("scalePairs"))
      chip.scalePairs = chosen<ScalePairs>("scalePairs", *pairs,
                                           {{"none", ScalePairs::None},
                                            {"4-bit", ScalePairs::FourBit},
                                            {"all", ScalePairs::All}});
  }

  void readLocalMemory() {
    chip.name = fields.requiredString("name");
    if (chip.name.empty())
      fields.fail(fields.at("name"), "'name' is empty");
    chip.formerNames = strings("formerNames", "names such as 'bm1686'");
    chip.lanes = numbers.positive("lanes", kMostOfAKind);
    chip.euBytes = numbers.positive("euBytes", kMostOfAKind);
    // Units hold whole elements, of which the widest have 4 bytes.
    if (!fields.failed() && chip.euBytes > 2 && chip.euBytes % 4 != 0)
      return fields.fail(fields.at("euBytes"),
                         "'euBytes' is " + std::to_string(chip.euBytes) +
                             ", expected 1, 2 or a multiple of 4");
    chip.laneBytes = numbers.positive("laneBytes", kMostInBytes);
    chip.banks = numbers.positive("banks", kMostOfAKind);
    chip.cores = numbers.positive("cores", kMostOfAKind);
    if (!fields.failed() && chip.laneBytes % chip.banks != 0)
      fields.fail(fields.at("banks"),
                  "'banks' does not divide 'laneBytes': " +
                      std::to_string(chip.laneBytes) + " bytes in " +
                      std::to_string(chip.banks) + " banks");
  }

  template <typename T>
  T named(std::string_view key,
          std::initializer_list<std::pair<const char *, T>> names) {
    return chosen(key, fields.requiredString(key), names);
  }

  template <typename T>
  T chosen(std::string_view key, const std::string &text,
           std::initializer_list<std::pair<const char *, T>> names) {
    if (fields.failed())
      return T();
    std::string expected;
    for (const auto &[name, value] : names) {
      if (text == name)
        return value;
      expected += std::string(expected.empty() ? "'" : ", '") + name + "'";
    }
    fields.fail(fields.at(key), "'" + std::string(key) + "' is '" + text +
                                    "', expected one of " + expected);
    return T();
  }

  void readForms() {
    chip.addressForm = named<AddressForm>(
        "addressForm", {{"linear", AddressForm::Linear},
                        {"tagged", AddressForm::Tagged},
                        {"base-register", AddressForm::BaseRegister}});
    chip.batchLayout = named<BatchLayout>(
        "batchLayout", {{"1N", BatchLayout::OneN}, {"4N", BatchLayout::FourN}});
    chip.weightAlignment = numbers.positive("weightAlignment", kMostInBytes);
    chip.neuronAlignment = numbers.positive("neuronAlignment", kMostInBytes);
    chip.supportsIoReloc = fields.boolean("supportsIoReloc").value_or(false);
  }

  void readBases() {
    chip.weightBase = fields.requiredAddress("weightBase");
    chip.neuronBase = fields.address("neuronBase");
    chip.ioAloneBase = fields.address("ioAloneBase");
    chip.privateBase = fields.address("privateBase");
    chip.windowBytes = fields.address("windowBytes");
    chip.l2Base = fields.address("l2Base").value_or(0);
    chip.l2Bytes = fields.address("l2Bytes").value_or(0);
    if (const JsonValue *bases = fields.array("ioBases"))
      for (const JsonValue &element : bases->elements)
        chip.ioBases.push_back(
            fields.addressOf(element, "ioBases").value_or(0));
  }

  std::vector<std::string> strings(const std::string &key,
                                   const std::string &example) {
    std::vector<std::string> texts;
    const JsonValue *list = fields.array(key);
    if (!list)
      return texts;
    for (const JsonValue &element : list->elements) {
      if (element.kind != JsonValue::Kind::String)
        fields.fail(element, "'" + key + "' has " +
                                 std::string(element.kindName()) +
                                 ", expected " + example);
      texts.push_back(element.string);
    }
    return texts;
  }

  /// What the lines say is read where pools are known.
  void readPools() {
    chip.pools = strings(
        "pools", "strings such as 'name=sram,base=0x20000000,size=2MiB'");
  }

  /// One without the other means nothing.
  void checkL2() {
    const bool hasBase = fields.address("l2Base").has_value();
    if (chip.l2Bytes > 0 && !hasBase)
      fields.fail(fields.at("l2Bytes"), "'l2Bytes' is " +
                                            std::to_string(chip.l2Bytes) +
                                            ", but 'l2Base' is missing");
    for (const char *name : {"l2Base", "l2BytesPerCycle"})
      if (chip.l2Bytes == 0 && fields.address(name))
        fields.fail(fields.at(name), "'" + std::string(name) +
                                         "' means nothing while 'l2Bytes' is "
                                         "missing or 0");
    if (!checkedAdd(chip.l2Base, chip.l2Bytes))
      fields.fail(fields.at("l2Bytes"), "'l2Bytes' ends above 63 bits");
    if (chip.l2Bytes > 0 && chip.neuronAlignment > 0 &&
        chip.l2Base % chip.neuronAlignment != 0)
      fields.fail(fields.at("l2Base"),
                  "'l2Base' is " + std::to_string(chip.l2Base) +
                      ", no multiple of 'neuronAlignment' (" +
                      std::to_string(chip.neuronAlignment) + ")");
  }

  void checkRegions() {
    if (chip.windowBytes == 0)
      fields.fail(fields.at("windowBytes"),
                  "'windowBytes' is 0, expected at least 1");
    checkL2();
    const bool isLinear = chip.addressForm == AddressForm::Linear;
    if (!isLinear && !chip.neuronBase)
      fields.fail("'neuronBase' is missing; only the address form 'linear' "
                  "can do without");
    if (chip.privateBase && chip.addressForm != AddressForm::BaseRegister)
      fields.fail(fields.at("privateBase"),
                  "'privateBase' belongs to the address form "
                  "'base-register' only");
    if (!chip.privateBase && chip.addressForm == AddressForm::BaseRegister)
      fields.fail("'privateBase' is missing; the address form "
                  "'base-register' needs it");
    if (!fields.failed())
      checkWindows();
  }

  /// Two regions in one window could grow into each other.
  void checkWindows() {
    std::map<int64_t, const char *> ownerOfWindow;
    addWindow("weightBase", chip.weightBase, ownerOfWindow);
    if (chip.neuronBase)
      addWindow("neuronBase", *chip.neuronBase, ownerOfWindow);
    if (chip.ioAloneBase)
      addWindow("ioAloneBase", *chip.ioAloneBase, ownerOfWindow);
    if (chip.privateBase)
      addWindow("privateBase", *chip.privateBase, ownerOfWindow);
    for (int64_t base : chip.ioBases)
      addWindow("ioBases", base, ownerOfWindow);
  }
  void addWindow(const char *key, int64_t base,
                 std::map<int64_t, const char *> &ownerOfWindow) {
    const int64_t window = base / chip.windowBytes.value_or(1);
    const auto [it, isNew] = ownerOfWindow.emplace(window, key);
    if (!isNew)
      fields.fail(fields.at(key), "'" + std::string(key) + "' and '" +
                                      it->second +
                                      "' lie in the same address window");
    const auto end = checkedAdd(base, chip.windowBytes.value_or(0));
    if (!end)
      fields.fail(fields.at(key), "'" + std::string(key) +
                                      "' has a window that ends above 63 bits");
  }

  JsonFields fields;
  NumberReader numbers{fields};
  ChipSpec chip;
};

/// Parsed once; the files of the build are covered by a test, so one that does
/// not parse is not here rather than half here.
const std::vector<ChipSpec> &embeddedChips() {
  static const std::vector<ChipSpec> chips = [] {
    std::vector<ChipSpec> parsed;
    for (const EmbeddedChip *chip = embeddedChipsBegin();
         chip != embeddedChipsEnd(); ++chip) {
      auto result = parseChipJson(chip->text);
      if (auto *spec = std::get_if<ChipSpec>(&result))
        parsed.push_back(std::move(*spec));
    }
    std::sort(
        parsed.begin(), parsed.end(),
        [](const ChipSpec &a, const ChipSpec &b) { return a.name < b.name; });
    return parsed;
  }();
  return chips;
}

} // namespace

std::variant<ChipSpec, ChipError> parseChipJson(std::string_view text) {
  auto parsed = parseJson(text);
  if (const auto *error = std::get_if<JsonError>(&parsed))
    return ChipError{error->message + " (line " + std::to_string(error->line) +
                     ", column " + std::to_string(error->column) + ")"};
  return ChipReader(std::get<JsonValue>(parsed)).run();
}

const ChipSpec *findChip(std::string_view name) {
  const auto isName = [=](llvm::StringRef known) {
    return known.equals_insensitive(name);
  };
  for (const ChipSpec &chip : embeddedChips())
    if (isName(chip.name) || llvm::any_of(chip.formerNames, isName))
      return &chip;
  return nullptr;
}

std::vector<const ChipSpec *> allChips() {
  std::vector<const ChipSpec *> chips;
  for (const ChipSpec &chip : embeddedChips())
    chips.push_back(&chip);
  return chips;
}

std::string chipNames() {
  std::string names;
  for (const ChipSpec &chip : embeddedChips())
    names += (names.empty() ? "" : ", ") + chip.name;
  return names;
}

} // namespace tpu_mlir::target
