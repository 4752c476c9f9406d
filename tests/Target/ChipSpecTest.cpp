//===- ChipSpecTest.cpp - What a chip's memory looks like -----------------===//

#include "tpu_mlir/Target/ChipSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/ADT/StringRef.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

using namespace tpu_mlir::target;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The chip files as the build sees them.
std::set<std::string> chipFiles() {
  std::set<std::string> names;
  for (const auto &entry :
       std::filesystem::directory_iterator("tpu_mlir/chips"))
    if (entry.path().extension() == ".json")
      names.insert(entry.path().stem());
  return names;
}

std::string textOf(const std::string &chip) {
  std::ifstream file("tpu_mlir/chips/" + chip + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The message for bm1684x with one piece of its text replaced.
std::string errorAfter(const std::string &from, const std::string &to,
                       const std::string &chip = "bm1684x") {
  std::string text = textOf(chip);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto result = parseChipJson(text);
  const auto *error = std::get_if<ChipError>(&result);
  return error ? error->message : "";
}

TEST(ChipSpec, EveryFileIsAChipOfItsName) {
  std::set<std::string> chips;
  for (const ChipSpec *chip : allChips())
    chips.insert(chip->name);
  EXPECT_EQ(chips, chipFiles());
  EXPECT_GE(chips.size(), 15u);
}

TEST(ChipSpec, EveryChipIsSane) {
  for (const ChipSpec *chip : allChips()) {
    SCOPED_TRACE(chip->name);
    EXPECT_EQ(chip->bankBytes() * chip->banks, chip->laneBytes);
    EXPECT_EQ(chip->lanes & (chip->lanes - 1), 0);
    EXPECT_EQ(chip->laneBytes % chip->euBytes, 0);
    EXPECT_EQ(chip->neuronBase.has_value(),
              chip->addressForm != AddressForm::Linear);
    EXPECT_EQ(chip->windowBytes.has_value(),
              chip->addressForm != AddressForm::Linear);
    EXPECT_EQ(chip->privateBase.has_value(),
              chip->addressForm == AddressForm::BaseRegister);
    EXPECT_EQ(chip->weightBase % chip->weightAlignment, 0);
    EXPECT_EQ(chip->neuronBase.value_or(0) % chip->neuronAlignment, 0);
  }
}

TEST(ChipSpec, FormerNamesFindTheChip) {
  for (auto [former, now] :
       {std::pair("bm1686", "bm1688"), std::pair("sg2260", "bm1690"),
        std::pair("mars3", "cv184x")}) {
    const ChipSpec *chip = findChip(former);
    ASSERT_NE(chip, nullptr) << former;
    EXPECT_EQ(chip->name, now);
  }
  std::set<std::string> names; // In any letters, as they are found in any.
  for (const ChipSpec *chip : allChips()) {
    EXPECT_EQ(llvm::StringRef(chip->name).lower(), chip->name);
    EXPECT_TRUE(names.insert(chip->name).second) << chip->name;
    for (const std::string &former : chip->formerNames)
      EXPECT_TRUE(names.insert(former).second) << former;
  }
  EXPECT_THAT(errorAfter("\"lanes\"", "\"formerNames\": [3], \"lanes\""),
              HasSubstr("'formerNames' has an integer, expected names"));
}

TEST(ChipSpec, NamesAreFoundInAnyLetters) {
  for (const ChipSpec *chip : allChips()) {
    EXPECT_EQ(findChip(llvm::StringRef(chip->name).upper()), chip);
    for (const std::string &former : chip->formerNames)
      EXPECT_EQ(findChip(llvm::StringRef(former).upper()), chip);
  }
  EXPECT_EQ(findChip("Bm1684X"), findChip("bm1684x"));
  EXPECT_EQ(findChip("BM"), nullptr);
  EXPECT_EQ(findChip(""), nullptr);
}

TEST(ChipSpec, KnownFigures) {
  const ChipSpec *x = findChip("bm1684x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->weightBase, 4294967296);
  EXPECT_EQ(x->bankBytes(), 16 * 1024);
  EXPECT_EQ(x->l2Bytes, 0x1FB000);
  EXPECT_TRUE(x->supportsIoReloc);

  EXPECT_EQ(findChip("bm1684")->weightBase, 4379901952);
  EXPECT_EQ(findChip("bm1684")->batchLayout, BatchLayout::FourN);

  const ChipSpec *bm1688 = findChip("bm1688");
  EXPECT_EQ(bm1688->weightBase, 618475290624);
  EXPECT_EQ(bm1688->neuronBase, 687194767360);
  ASSERT_EQ(bm1688->ioBases.size(), 5u);
  EXPECT_EQ(bm1688->ioBases[0], 755914244096);
  EXPECT_EQ(bm1688->windowBytes, int64_t(1) << 36);
  EXPECT_EQ(bm1688->cores, 2);
  EXPECT_EQ(bm1688->usedCores, 1);
  EXPECT_EQ(bm1688->sharedDmaBytesPerCycle, 33);
  EXPECT_EQ(bm1688->dmaSetupCycles, 314);
  EXPECT_EQ(bm1688->barrierCycles, 300);
  // What a file does not say.
  EXPECT_EQ(findChip("bm1690")->sharedDmaBytesPerCycle, 8 * 64);
  EXPECT_EQ(findChip("bm1690")->l2BytesPerCycle, 115);
  // Nothing else is said of the others.
  EXPECT_EQ(findChip("sg2262")->l2BytesPerCycle,
            findChip("sg2262")->dmaBytesPerCycle);
  EXPECT_EQ(x->barrierCycles, 0);
  EXPECT_EQ(findChip("cv186x")->cores, 1);

  EXPECT_EQ(findChip("bm1690")->l2Bytes, 128 << 20);
  EXPECT_EQ(findChip("bm1690e")->ioAloneBase, std::nullopt);
  EXPECT_EQ(findChip("bm1684x2")->ioBases.size(), 4u);

  const ChipSpec *cv = findChip("cv181x");
  EXPECT_EQ(cv->weightBase, int64_t(1) << 40);
  EXPECT_EQ(cv->neuronBase, 0);
  EXPECT_EQ(cv->privateBase, int64_t(2) << 40);
  EXPECT_EQ(cv->weightAlignment, 16);
}

TEST(ChipSpec, NamesAreListed) {
  EXPECT_THAT(chipNames(), HasSubstr("bm1684, bm1684x, bm1684x2"));
}

TEST(ChipSpec, ErrorsNameTheField) {
  EXPECT_THAT(errorAfter("\"lanes\": 64,", ""),
              HasSubstr("'lanes' is missing"));
  EXPECT_THAT(errorAfter("\"lanes\": 64", "\"lanes\": \"64\""),
              HasSubstr("'lanes' is a string, expected an integer (line 3)"));
  EXPECT_THAT(errorAfter("\"lanes\": 64", "\"lanes\": 0"),
              HasSubstr("'lanes' is 0, expected at least 1"));
  EXPECT_THAT(errorAfter("\"lanes\": 64", "\"lanes\": 64.0"),
              HasSubstr("'lanes' is a number with a fraction"));
  EXPECT_THAT(errorAfter("\"cores\"", "\"coers\""),
              HasSubstr("unknown field 'coers'"));
  EXPECT_THAT(
      errorAfter("\"cores\"", "\"sharedDmaBytesPerCycle\": 0, \"cores\""),
      HasSubstr("'sharedDmaBytesPerCycle' is 0, expected at least 1"));
  EXPECT_THAT(errorAfter("\"cores\"", "\"l2BytesPerCycle\": 0, \"cores\""),
              HasSubstr("'l2BytesPerCycle' is 0, expected at least 1"));
  EXPECT_THAT(errorAfter("\"cores\"", "\"barrierCycles\": -1, \"cores\""),
              HasSubstr("'barrierCycles' is -1, expected at least 0"));
  EXPECT_THAT(errorAfter("\"banks\": 16", "\"banks\": 7"),
              HasSubstr("'banks' does not divide 'laneBytes'"));
  EXPECT_THAT(errorAfter("\"euBytes\": 64", "\"euBytes\": 17"),
              HasSubstr("'euBytes' is 17, expected 1, 2 or a multiple of 4"));
  EXPECT_THAT(errorAfter("linear", "flat"),
              HasSubstr("'addressForm' is 'flat', expected one of 'linear'"));
  EXPECT_THAT(errorAfter("\"1N\"", "\"2N\""), HasSubstr("'batchLayout'"));
  EXPECT_THAT(errorAfter("\"0x100000000\"", "\"-4\""),
              HasSubstr("'weightBase' is no address"));
  EXPECT_THAT(errorAfter("\"0x100000000\"", "\"0x8000000000000000\""),
              HasSubstr("'weightBase' is no address"));
  EXPECT_THAT(errorAfter("true", "1"),
              HasSubstr("'supportsIoReloc' is an integer"));
  EXPECT_THAT(
      errorAfter("\"l2Bytes\": 2076672", "\"l2Bytes\": 9223372036854775807"),
      HasSubstr("'l2Bytes' ends above 63 bits"));
  EXPECT_THAT(
      errorAfter("\"l2Base\": \"0x10000000\"", "\"l2Base\": \"0x10000400\""),
      HasSubstr("'l2Base' is 268436480, no multiple of "
                "'neuronAlignment' (4096)"));
}

/// bm1684x with this number, which may or may not be there already, changed.
std::string errorWith(const std::string &key, int64_t value) {
  const std::string text = textOf("bm1684x"), quoted = "\"" + key + "\"";
  const std::string entry = quoted + ": " + std::to_string(value) + ",";
  const size_t at = text.find(quoted);
  if (at == std::string::npos)
    return errorAfter("\"lanes\"", entry + " \"lanes\"");
  return errorAfter(text.substr(at, text.find(',', at) + 1 - at), entry);
}

TEST(ChipSpec, NumbersAreWithinWhatMakesSense) {
  constexpr int64_t kCount = 1 << 16, kBytes = int64_t(1) << 40,
                    kHuge = int64_t(1) << 62;
  const std::tuple<const char *, int64_t, int64_t> ranges[] = {
      {"lanes", 1, kCount},
      {"euBytes", 1, kCount},
      {"laneBytes", 1, kBytes},
      {"banks", 1, kCount},
      {"cores", 1, kCount},
      {"icParallelBytes", 1, kCount},
      {"macsPerCycle8", 1, kBytes},
      {"macsPerCycle16", 1, kBytes},
      {"macsPerCycle32", 1, kBytes},
      {"dmaBytesPerCycle", 1, kBytes},
      {"sharedDmaBytesPerCycle", 1, kBytes},
      {"l2BytesPerCycle", 1, kBytes},
      {"barrierCycles", 0, kBytes},
      {"dmaSetupCycles", 0, kBytes},
      {"computeSetupCycles", 0, kBytes},
      {"weightAlignment", 1, kBytes},
      {"neuronAlignment", 1, kBytes}};
  for (auto [key, least, most] : ranges) {
    SCOPED_TRACE(key);
    const std::string named = "'" + std::string(key) + "' is ";
    EXPECT_THAT(errorWith(key, least - 1),
                HasSubstr(named + std::to_string(least - 1) +
                          ", expected at least " + std::to_string(least)));
    for (int64_t value : {most + 1, kHuge})
      EXPECT_THAT(errorWith(key, value),
                  HasSubstr(named + std::to_string(value) +
                            ", expected at most " + std::to_string(most)));
    EXPECT_THAT(errorWith(key, most), Not(HasSubstr("expected at")));
  }
  for (int64_t value : {int64_t(0), int64_t(5), int64_t(8), int64_t(12)})
    EXPECT_EQ(errorWith("requantBytes", value), "");
  for (int64_t value : {int64_t(-1), int64_t(7), kHuge})
    EXPECT_THAT(errorWith("requantBytes", value),
                HasSubstr("'requantBytes' is " + std::to_string(value) +
                          ", expected 0, 5, 8 or 12"));
}

TEST(ChipSpec, SecondLevelMemoryIsAllOrNothing) {
  EXPECT_THAT(errorAfter("\"l2Base\": \"0x10000000\",", ""),
              HasSubstr("'l2Bytes' is 2076672, but 'l2Base' is missing"));
  for (const char *instead : {"\"l2Bytes\": 0", "\"l2Bytes\": \"0x0\""})
    EXPECT_THAT(errorAfter("\"l2Bytes\": 2076672", instead),
                HasSubstr("'l2Base' means nothing while 'l2Bytes' is missing "
                          "or 0"));
  EXPECT_THAT(errorAfter("\"laneBytes\"",
                         "\"l2BytesPerCycle\": 9, "
                         "\"laneBytes\"",
                         "cv181x"),
              HasSubstr("'l2BytesPerCycle' means nothing while 'l2Bytes'"));
}

TEST(ChipSpec, FloatsBesideIntegers) {
  for (const char *name : {"cv181x", "cv184x", "sgtpuv8"})
    EXPECT_EQ(findChip(name)->halfFloat, HalfFloat::BF16) << name;
  for (const char *name : {"bm1684x", "bm1688", "bm1690"})
    EXPECT_EQ(findChip(name)->halfFloat, HalfFloat::F16) << name;
  EXPECT_TRUE(findChip("bm1690")->hasFloat8);
  EXPECT_FALSE(findChip("bm1688")->hasFloat8);
  EXPECT_THAT(
      errorAfter("\"halfFloat\": \"bf16\"", "\"halfFloat\": \"f32\"", "cv184x"),
      HasSubstr("'halfFloat' is 'f32', expected one of 'f16', 'bf16'"));
  EXPECT_EQ(findChip("bm1684x")->scalePairs, ScalePairs::None);
  EXPECT_EQ(findChip("cv184x")->scalePairs, ScalePairs::FourBit);
  EXPECT_EQ(findChip("sg2380")->scalePairs, ScalePairs::All);
  EXPECT_THAT(errorAfter("4-bit", "5-bit", "cv184x"),
              HasSubstr("'scalePairs' is '5-bit', expected one of 'none'"));
}

TEST(ChipSpec, ImpossibleAddressForms) {
  EXPECT_THAT(errorAfter("linear", "tagged"),
              HasSubstr("'neuronBase' is missing"));
  EXPECT_THAT(errorAfter("base-register", "tagged", "cv181x"),
              HasSubstr("'privateBase' belongs to"));
  EXPECT_THAT(errorAfter("\"privateBase\": \"0x20000000000\",", "", "cv181x"),
              HasSubstr("'privateBase' is missing"));
  EXPECT_THAT(errorAfter("\"neuronBase\": \"0xa000000000\"",
                         "\"neuronBase\": \"0x9100000000\"", "bm1688"),
              HasSubstr("'neuronBase' and 'weightBase' lie in the same"));
  EXPECT_THAT(errorAfter("\"windowBytes\": \"0x1000000000\"",
                         "\"windowBytes\": 0", "bm1688"),
              HasSubstr("'windowBytes' is 0"));
}

TEST(ChipSpec, BrokenTexts) {
  for (const char *text :
       {"", "  \n", "{", "[]", "3", "{\"name\": }", "{\"name\": NaN}",
        "{\"name\": \"a\"} x", "{\"a\": 1, \"a\": 2}", "\xff"}) {
    SCOPED_TRACE(text);
    const auto result = parseChipJson(text);
    ASSERT_TRUE(std::holds_alternative<ChipError>(result));
    EXPECT_THAT(std::get<ChipError>(result).message, HasSubstr("line"));
  }
}

} // namespace
