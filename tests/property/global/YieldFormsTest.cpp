//===- YieldFormsTest.cpp - Whatever a region may yield -------------------===//
//
// A loop with two states and an If with two results, whose bodies yield every
// pair of forms: made inside, from outside, a weight, an input, each argument,
// and views of all of these, whole and in part. What a loop yields replaces
// its states all at once, so each pair has a meaning and planner, verifier and
// oracle have to find it right.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/Oracle.h"
#include "tests/property/global/PassRunner.h"
#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Dialect/Register.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

/// What a body may yield. `T` is the type of all values, `%in` is made of %q.
/// In a loop %it, %co, %p and %q are its arguments, for an If they are outside.
struct Form {
  const char *name;
  const char *op; ///< Its line, with V for the value's name; may be empty.
  const char *value;
};

const Form kForms[] = {
    {"made inside", "", "%in"},
    {"state p", "", "%p"},
    {"state q", "", "%q"},
    {"counter", "", "%it"},
    {"condition", "", "%co"},
    {"outside", "", "%a"},
    {"input", "", "%x"},
    {"weight", "", "%w"},
    {"view of inside", "V = \"tpu.Identity\"(%in) : (T) -> T", ""},
    {"view of p", "V = \"tpu.Identity\"(%p) : (T) -> T", ""},
    {"view of q", "V = \"tpu.Reshape\"(%q) : (T) -> T", ""},
    {"view of the counter", "V = \"tpu.Identity\"(%it) : (T) -> T", ""},
    {"view of the condition", "V = \"tpu.Identity\"(%co) : (T) -> T", ""},
    {"view of outside", "V = \"tpu.Reshape\"(%a) : (T) -> T", ""},
    {"view of an input", "V = \"tpu.Identity\"(%x) : (T) -> T", ""},
    {"view of a weight", "V = \"tpu.Identity\"(%w) : (T) -> T", ""},
    {"view of a part of q",
     "V = \"tpu.Slice\"(%qq, %none, %none, %none, %none) {axes = [], offset = "
     "[4, 0], steps = [1, 1], ends = [8, 32]} : (D, none, none, none, none) -> "
     "T",
     ""},
    {"through an If", R"(V = "tpu.If"(%co) ({
         "tpu.Yield"(%q) : (T) -> ()
       }, {
         %e = "tpu.Identity"(%p) : (T) -> T
         "tpu.Yield"(%e) : (T) -> ()
       }) : (T) -> T)",
     ""},
};
void replaceAll(std::string &text, const std::string &from,
                const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

std::string yieldsOf(const std::vector<const Form *> &forms,
                     const std::string &first) {
  std::string ops, values = first, types = first.empty() ? "" : "T";
  int next = 0;
  for (const Form *form : forms) {
    const std::string name = "%v" + std::to_string(next++);
    std::string op = form->op;
    replaceAll(op, "V =", name + " =");
    ops += op + "\n";
    values += (values.empty() ? "" : ", ") + (op.empty() ? form->value : name);
    types += types.empty() ? "T" : ", T";
  }
  return ops + "\"tpu.Yield\"(" + values + ") : (" + types + ") -> ()\n";
}

constexpr const char *kMade = R"(
      %in = "tpu.Active"(%q) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
      %qq = "tpu.Active"(%q) {mode = #tpu<active_mode ABSVAL>} : (T) -> D
)";

std::string moduleOf(const std::string &op) {
  std::string text = R"(module @net {
  func.func @main(%x: T) -> (T, T) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> T
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    OP
    %y = "tpu.Active"(%r#0) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %z = "tpu.Add"(%r#1, %a) : (T, T) -> T
    return %y, %z : T, T
  }
})";
  replaceAll(text, "OP", op);
  for (const char *before : {"(", " "})
    for (const char *after : {")", ",", " ", "\n"}) {
      replaceAll(text, std::string(before) + "T" + after,
                 std::string(before) + "tensor<4x32xi8>" + after);
      replaceAll(text, std::string(before) + "D" + after,
                 std::string(before) + "tensor<8x32xi8>" + after);
    }
  return text;
}

std::string loopOf(const Form &condition, const Form &p, const Form &q) {
  // The condition goes through the same forms.
  std::string yields = yieldsOf({&condition, &p, &q}, "");
  return moduleOf(R"(%r:2 = "tpu.Loop"(%b, %a, %a, %b) ({
    ^bb0(%it: T, %co: T, %p: T, %q: T):)" +
                  std::string(kMade) + yields +
                  "}) : (T, T, T, T) -> (T, T)\n");
}

std::string ifOf(const Form &p, const Form &q) {
  std::string other = R"(
      %o = "tpu.Active"(%q) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
      "tpu.Yield"(%o, %o) : (T, T) -> ()
)";
  return moduleOf(R"(
    %p = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %q = "tpu.Active"(%p) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %it = "tpu.Active"(%q) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %co = "tpu.Active"(%it) {mode = #tpu<active_mode ABSVAL>} : (T) -> T
    %r:2 = "tpu.If"(%b) ({)" +
                  std::string(kMade) + yieldsOf({&p, &q}, "") + "}, {" + other +
                  "}) : (T) -> (T, T)\n");
}

class YieldFormsTest : public ::testing::TestWithParam<std::string> {
protected:
  YieldFormsTest() : context(registry()) { context.disableMultithreading(); }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  void expectRight(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    const target::ChipSpec &chip = *target::findChip(GetParam());
    Choice choice;
    choice.chip = chip.name;
    const Outcome planned = assignAddresses(*module, choice);
    ASSERT_TRUE(planned.succeeded) << planned.errors << text;
    EXPECT_EQ(verifyAddresses(*module, choice).errors, "");
    OracleOptions options;
    options.alignment = chip.neuronAlignment;
    EXPECT_EQ(findFault(*module, chip, options), "");
  }
  MLIRContext context;
};

TEST_P(YieldFormsTest, LoopsOfAllPairsAreRight) {
  const Form &condition = kForms[4];
  for (const Form &p : kForms)
    for (const Form &q : kForms) {
      SCOPED_TRACE(std::string(p.name) + "; " + q.name);
      expectRight(loopOf(condition, p, q));
    }
}

TEST_P(YieldFormsTest, ConditionsOfAllFormsAreRight) {
  for (const Form &condition : kForms) {
    SCOPED_TRACE(condition.name);
    expectRight(loopOf(condition, kForms[2], kForms[1]));
  }
}

TEST_P(YieldFormsTest, BranchesOfAllPairsAreRight) {
  for (const Form &p : kForms)
    for (const Form &q : kForms) {
      SCOPED_TRACE(std::string(p.name) + "; " + q.name);
      expectRight(ifOf(p, q));
    }
}

/// One of each memory map; one that stores four images side by side.
INSTANTIATE_TEST_SUITE_P(Chips, YieldFormsTest,
                         ::testing::Values("bm1684", "bm1684x", "bm1690",
                                           "cv181x", "cv186x"),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace tpu_mlir::test
