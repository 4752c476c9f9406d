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
      "name=sram,base=0x20000000,size=2MiB,align=64,access=ro,cost=3");
  ASSERT_TRUE(std::holds_alternative<Pool>(result));
  Pool expected;
  expected.name = "sram";
  expected.baseAddress = 0x20000000;
  expected.capacityBytes = 2 << 20;
  expected.alignment = 64;
  expected.access = PoolAccess::ReadOnly;
  expected.accessCost = 3;
  EXPECT_EQ(std::get<Pool>(result), expected);
}

TEST(PoolFlag, PrintsWhatItReads) {
  for (const char *text :
       {"name=a", "name=a,base=0x10", "name=a,size=0", "name=a,size=1024",
        "name=a,base=0xabcdef,size=17,align=3,access=ro,cost=9"}) {
    auto result = parsePoolFlag(text);
    ASSERT_TRUE(std::holds_alternative<Pool>(result)) << text;
    EXPECT_EQ(printPoolFlag(std::get<Pool>(result)), text);
  }
}

TEST(PoolFlag, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf(""), "unknown field ''; fields: name, base, size, align, "
                         "access, cost");
  EXPECT_EQ(errorOf("size=1"), "a pool needs a name: 'name=sram,...'");
  EXPECT_EQ(errorOf("name="), "a pool needs a name");
  EXPECT_EQ(errorOf("name=a,size=-1"),
            "'size' is no number that can be: '-1'");
  EXPECT_EQ(errorOf("name=a,size=9000000000GiB"),
            "'size' is no number that can be: '9000000000GiB'");
  EXPECT_EQ(errorOf("name=a,align=0"), "'align' is no number that can be: '0'");
  EXPECT_EQ(errorOf("name=a,name=b"), "field 'name' is there twice");
  EXPECT_EQ(errorOf("name=a,access=x"), "access is 'rw' or 'ro', not 'x'");
  EXPECT_EQ(errorOf("name=a,speed=1"),
            "unknown field 'speed'; fields: name, base, size, align, access, "
            "cost");
  EXPECT_EQ(errorOf("name=a,base=0x7fffffffffffffff,size=1"),
            "pool 'a' ends beyond 63 bits");
}

} // namespace
} // namespace tpu_mlir::planning
