//===- PoolFlagTest.cpp - Pools in one line -------------------------------===//

#include "tpu_mlir/Planning/PoolFlag.h"

#include "gtest/gtest.h"

namespace tpu_mlir::planning {
namespace {

std::string errorOf(std::string_view text) {
  auto result = parsePoolFlag(text);
  const auto *error = std::get_if<std::string>(&result);
  return error ? *error : "";
}

TEST(PoolFlag, ReadsEveryField) {
  auto result = parsePoolFlag(
      "name=sram,base=0x20000000,size=2MiB,align=64,access=ro,cost=3,"
      "target=c,accel,reserved=1K-2K+0x0-0x100");
  ASSERT_TRUE(std::holds_alternative<Pool>(result));
  Pool expected;
  expected.name = "sram";
  expected.baseAddress = 0x20000000;
  expected.capacityBytes = 2 << 20;
  expected.alignment = 64;
  expected.access = PoolAccess::ReadOnly;
  expected.accessCost = 3;
  expected.reserved = {{0, 256}, {1024, 2048}};
  expected.targets = {"c", "accel"};
  EXPECT_EQ(std::get<Pool>(result), expected);
}

TEST(PoolFlag, PrintsWhatItReads) {
  for (const char *text :
       {"name=a", "name=a,base=0x10", "name=a,size=0", "name=a,size=1024",
        "name=a,base=0xabcdef,size=17,align=3,access=ro,cost=9",
        "name=a,reserved=0-64+128-256", "name=a,target=c",
        "name=a,cost=1,reserved=0-64,target=c,accel"}) {
    auto result = parsePoolFlag(text);
    ASSERT_TRUE(std::holds_alternative<Pool>(result)) << text;
    EXPECT_EQ(printPoolFlag(std::get<Pool>(result)), text);
  }
}

TEST(PoolFlag, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf(""), "unknown field ''; fields: name, base, size, align, "
                         "access, cost, reserved, target");
  EXPECT_EQ(errorOf("size=1"), "a pool needs a name: 'name=sram,...'");
  EXPECT_EQ(errorOf("name="), "a pool needs a name");
  EXPECT_EQ(errorOf("name=a,size=-1"), "'size' is no number that can be: '-1'");
  EXPECT_EQ(errorOf("name=a,size=9000000000GiB"),
            "'size' is no number that can be: '9000000000GiB'");
  EXPECT_EQ(errorOf("name=a,align=0"), "'align' is no number that can be: '0'");
  EXPECT_EQ(errorOf("name=a,name=b"), "field 'name' is there twice");
  EXPECT_EQ(errorOf("name=a,access=x"), "access is 'rw' or 'ro', not 'x'");
  EXPECT_EQ(errorOf("name=a,speed=1"),
            "unknown field 'speed'; fields: name, base, size, align, access, "
            "cost, reserved, target");
  for (const char *targets : {"", ",", "c,", ",c", "c,,d"})
    EXPECT_EQ(errorOf(std::string("name=a,target=") + targets),
              "'target' has to be names such as c,accel")
        << targets;
  for (const char *ranges : {"", "1", "4-4", "8-4", "0-1+", "0-x"})
    EXPECT_EQ(
        errorOf(std::string("name=a,reserved=") + ranges),
        "'reserved' has to be ranges such as 0x0-0x400+0x8000-0x9000, not "
        "'" +
            std::string(ranges) + "'");
  EXPECT_EQ(errorOf("name=a,base=0x7fffffffffffffff,size=1"),
            "pool 'a' ends beyond 63 bits");
  EXPECT_EQ(errorOf("name=a,align=64,base=0x120"),
            "base 288 is no multiple of the alignment, 64");
}

TEST(PoolFlag, Pins) {
  auto pinOf = [](const char *text) {
    auto result = parsePinFlag(text);
    const auto *pin = std::get_if<NamedPin>(&result);
    return pin ? pin->buffer + " in " + pin->pool + " at " +
                     (pin->offsetBytes ? std::to_string(*pin->offsetBytes)
                                       : "any")
               : std::get<std::string>(result);
  };
  EXPECT_EQ(pinOf("conv=sram"), "conv in sram at any");
  EXPECT_EQ(pinOf("conv=sram@0x10"), "conv in sram at 16");
  EXPECT_EQ(pinOf("a=b@c=sram@1K"), "a=b@c in sram at 1024");
  for (const char *text : {"", "conv", "conv=", "=sram", "conv=sram@",
                           "conv=sram@here", "conv=@4"})
    EXPECT_EQ(pinOf(text),
              "'" + std::string(text) +
                  "' is no pin; write 'tensor=pool' or 'tensor=pool@offset'");
}

} // namespace
} // namespace tpu_mlir::planning
