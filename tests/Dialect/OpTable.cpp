//===- OpTable.cpp - Modules made from the interface of the dialects ------===//

#include "OpTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;

namespace tpu_mlir::test {

namespace {

constexpr char kTensor[] = "tensor<1x4x8x8xf32>";
constexpr char kLayerGroup[] =
    "#tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 64, buffer_size = 0, "
    "eu_align = true, can_merge = false, in_hslice_offset = [0], n_idx = [0], "
    "n_slice = [1], c_idx = [0], c_slice = [4], d_idx = [0], d_slice = [1], "
    "h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = "
    "1, slice_idx = 0, group_type = 0>";
constexpr char kCompress[] =
    "#tpu.do_compress<do_compress = false, do_decompress = true, bias0 = 127, "
    "bias1 = 0, is_signed = true, zero_guard = false>";

/// The enum after a mnemonic of the table.
StringRef enumOf(StringRef mnemonic) {
  return StringSwitch<StringRef>(mnemonic)
      .Case("active_mode", "ActiveMode")
      .Case("buffer_type", "BufferType")
      .Case("coord_mode", "ResizeCoordMode")
      .Case("core_pattern", "CorePattern")
      .Case("dev_pattern", "DevPattern")
      .Case("dq_mode", "DequantMode")
      .Case("image_out_format", "ImageOutFormat")
      .Case("lut_mode", "LutBF16Mode")
      .Case("mode", "ResizeMode")
      .Case("Pad_Mode", "PaddingMode")
      .Case("pool_mode", "PoolMode")
      .Case("rope_mode", "RopeMode")
      .Case("round_mode", "RoundMode")
      .Case("rq_mode", "RequantMode")
      .Case("run_mode", "RunMode")
      .Case("yuv2rgb_formula_mode", "Yuv2rgbFormula")
      .Default("");
}

std::string plainValue(StringRef type) {
  return StringSwitch<std::string>(type)
      .Case("64-bit signless integer attribute", "1 : i64")
      .Case("32-bit signless integer attribute", "1 : i32")
      .Case("32-bit signed integer attribute", "1 : si32")
      .Case("32-bit unsigned integer attribute", "1 : ui32")
      .Case("bool attribute", "true")
      .Case("64-bit float attribute", "5.000000e-01 : f64")
      .Case("32-bit float attribute", "5.000000e-01 : f32")
      .Case("64-bit integer array attribute", "[1, 1, 1, 1]")
      .Case("32-bit integer array attribute", "[1 : i32, 2 : i32]")
      .Case("64-bit float array attribute", "[1.000000e+00, 2.000000e+00]")
      .Case("string attribute", "\"word\"")
      .Case("Array of dictionary attributes", "[{a = 1 : i64}]")
      .Case("dictionary of named attribute values", "{a = 1 : i64}")
      .Case("AffineMap attribute", "affine_map<(d0, d1) -> (d1)>")
      .Case("Structure of layer group parameters", kLayerGroup)
      .Case("Structure of compress or decompress parameters", kCompress)
      .Default("");
}

class Table {
public:
  explicit Table(std::string dialect) : dialect(std::move(dialect)) {
    const char *data = std::getenv("TPU_MEMORY_DATA");
    if (!data)
      return;
    auto buffer = MemoryBuffer::getFile(std::string(data) + "/tpu_mlir_ops/" +
                                        this->dialect + ".json");
    if (!buffer)
      return;
    auto value = json::parse((*buffer)->getBuffer());
    EXPECT_TRUE(bool(value)) << toString(value.takeError());
    root = std::move(*value);
  }

  const json::Object &ops() const {
    static const json::Object none;
    auto *object = root.getAsObject();
    return object ? *object->getObject("ops") : none;
  }

  std::vector<OpForm> forms() const {
    std::vector<std::string> names;
    for (const auto &entry : ops())
      names.push_back(entry.first.str());
    llvm::sort(names);
    std::vector<OpForm> result;
    for (const std::string &name : names)
      addForms(name, *ops().getObject(name), result);
    return result;
  }

private:
  /// Every value that an attribute may have.
  std::vector<std::string> values(const json::Object &attribute) const {
    StringRef type = *attribute.getString("type");
    std::vector<std::string> all;
    if (auto mnemonic = attribute.getString("enum");
        mnemonic && !enumOf(*mnemonic).empty()) {
      const json::Array *cases =
          root.getAsObject()->getObject("enums")->getArray(enumOf(*mnemonic));
      for (const json::Value &one : *cases) {
        const StringRef name = *one.getAsObject()->getString("name");
        all.push_back(("#tpu<" + *mnemonic + " " + name + ">").str());
        for (const std::string &word : {name.str(), name.upper(), name.lower()})
          all.push_back('"' + word + '"');
        all.push_back(std::to_string(*one.getAsObject()->getInteger("value")) +
                      " : i64");
      }
    } else if (type.consume_front("string attribute whose value is ")) {
      SmallVector<StringRef> words;
      type.split(words, ", or ");
      for (StringRef word : words)
        all.push_back(("\"" + word + "\"").str());
    } else {
      all.push_back(plainValue(type));
    }
    EXPECT_FALSE(all.empty() || all.front().empty()) << type.str();
    return all;
  }

  struct Written {
    std::string name;
    std::vector<std::string> values;
    bool isOptional;
  };

  static std::string dictionary(const std::vector<Written> &attributes,
                                bool withOptional, size_t varied = ~size_t(0),
                                size_t value = 0) {
    std::vector<std::string> entries;
    for (auto [index, one] : enumerate(attributes))
      if (withOptional || !one.isOptional)
        entries.push_back(one.name + " = " +
                          one.values[index == varied ? value : 0]);
    return entries.empty() ? "" : " {" + join(entries, ", ") + "}";
  }

  /// As many as the table says; of a variadic list `variadic`.
  static size_t count(const json::Array *list, size_t variadic, bool optional) {
    size_t number = 0;
    for (const json::Value &one : *list) {
      StringRef kind = *one.getAsObject()->getString("count");
      number += kind == "variadic"   ? variadic
                : kind == "optional" ? optional
                                     : 1;
    }
    return number;
  }

  std::string module(const std::string &name, const json::Object &op,
                     const std::string &attributes, bool withOptional) const {
    // The pieces of a concatenation have to add up: there is one.
    size_t variadic = name == "Concat" ? 1 : 2;
    size_t operands = count(op.getArray("operands"), variadic, withOptional);
    // Two results of a group would be one stored value at two places.
    size_t results =
        count(op.getArray("results"), name == "Group" ? 1 : 2, withOptional);
    size_t regions = op.getInteger("regions").value_or(0);
    bool isNone = name == "None";
    auto list = [](size_t number, StringRef text) {
      return join(std::vector<std::string>(number, text.str()), ", ");
    };
    // A group stores what it yields; other regions may pass things on.
    size_t yielded = name == "Yield" ? 1 : results;
    std::string value = name == "Group" ? "%s" : "%a";
    std::string yield = "\"" + dialect + ".Yield\"(" + list(yielded, value) +
                        ") : (" + list(yielded, kTensor) + ") -> () }";
    if (name == "Group")
      yield = std::string("%l = \"tpu.Load\"(%a) : (") + kTensor + ") -> " +
              kTensor + "\n    %s = \"tpu.Store\"(%l) : (" + kTensor + ") -> " +
              kTensor + "\n    " + yield;
    yield = "{ " + yield;
    std::string body = "    ";
    if (results)
      body += "%r:" + std::to_string(results) + " = ";
    body += "\"" + dialect + "." + name + "\"(" +
            list(operands, name == "Input" ? "%arg0" : "%a") + ")";
    if (regions)
      body += " (" + list(regions, yield) + ")";
    body += attributes + " : (" + list(operands, kTensor) + ") -> (" +
            list(results, isNone ? "none" : kTensor) + ") loc(\"x\")";
    std::string module =
        "module attributes {module.chip = \"bm1684x\", module.mode = \"F32\", "
        "module.state = \"" +
        std::string(dialect == "top" ? "TOP_F32" : "TPU_LOWERED") +
        "\"} {\n  func.func @main(%arg0: " + kTensor + ") -> " + kTensor +
        " {\n    %a = \"top.Input\"(%arg0) : (" + kTensor + ") -> " + kTensor +
        " loc(\"a\")\n";
    if (name == "Yield")
      return module + "    %c = \"" + dialect + ".If\"(%a) (" + yield + ", " +
             yield + ") : (" + kTensor + ") -> " + kTensor + " loc(\"y\")\n" +
             "    return %c : " + kTensor + "\n  }\n}\n";
    return module + body + "\n    return %" +
           (results && !isNone ? "r#0" : "a") + " : " + kTensor + "\n  }\n}\n";
  }

  void addForms(const std::string &name, const json::Object &op,
                std::vector<OpForm> &forms) const {
    std::vector<Written> attributes;
    for (const json::Value &value : *op.getArray("attributes")) {
      const json::Object &one = *value.getAsObject();
      attributes.push_back({one.getString("name")->str(), values(one),
                            one.getBoolean("optional").value_or(false) ||
                                one.get("default") != nullptr});
    }
    auto add = [&](const std::string &what, const std::string &written,
                   bool withOptional) {
      forms.push_back({dialect + "." + name, what,
                       module(name, op, written, withOptional)});
    };
    add("all attributes", dictionary(attributes, true), true);
    add("no optional attributes", dictionary(attributes, false), false);
    for (auto [index, one] : enumerate(attributes))
      for (size_t value = 1; value < one.values.size(); ++value)
        add(one.name + " = " + one.values[value],
            dictionary(attributes, true, index, value), true);
  }

  std::string dialect;
  json::Value root = nullptr;
};

} // namespace

std::vector<OpForm> opForms(const std::string &dialect) {
  return Table(dialect).forms();
}

size_t numTableOps(const std::string &dialect) {
  return Table(dialect).ops().size();
}

} // namespace tpu_mlir::test
