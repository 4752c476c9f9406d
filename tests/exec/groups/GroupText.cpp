//===- GroupText.cpp - Layer groups written by hand -----------------------===//

#include "tests/exec/groups/GroupText.h"

#include <sstream>

namespace tpu_mlir::exec {

/// "h_idx = [0, 5], h_slice = [7, 7]" for each dimension.
static std::string lists(const std::string &parts) {
  std::map<char, std::pair<std::string, std::string>> found;
  std::istringstream dims(parts);
  for (std::string dim; std::getline(dims, dim, ';');) {
    std::istringstream entries(dim);
    std::string name, entry, idx, slice;
    entries >> name;
    while (entries >> entry) {
      const size_t colon = entry.find(':');
      idx += (idx.empty() ? "" : ", ") + entry.substr(0, colon);
      slice += (slice.empty() ? "" : ", ") + entry.substr(colon + 1);
    }
    found[name[0]] = {idx, slice};
  }
  std::string result;
  for (char dim : {'n', 'c', 'd', 'h', 'w'}) {
    auto [idx, slice] = found.count(dim)
                            ? found[dim]
                            : std::pair<std::string, std::string>{"0", "1"};
    result += std::string(", ") + dim + "_idx = [" + idx + "], " + dim +
              "_slice = [" + slice + "]";
  }
  return result;
}

static std::string attributes(const Info &info, const std::string &more) {
  const auto number = [](int64_t value) { return std::to_string(value); };
  return " {ginfo = #tpu.lg<out_addr = " + number(info.address) +
         ", out_size = " + number(info.bytes) +
         ", buffer_addr = " + number(info.scratchAddress) +
         ", buffer_size = " + number(info.scratchBytes) +
         ", eu_align = " + (info.euAlign ? "true" : "false") +
         lists(info.parts) + ", id = " + number(info.id) +
         ", stage = " + number(info.stage) + ", group_type = 0>" +
         (more.empty() ? "" : ", " + more) + "}";
}

static std::string joined(const std::vector<std::string> &list) {
  std::string result;
  for (const std::string &entry : list)
    result += (result.empty() ? "" : ", ") + entry;
  return result;
}

void GroupText::argument(const std::string &name, const std::string &type) {
  types[name] = "tensor<" + type + ">";
  arguments += (arguments.empty() ? "" : ", ") + name + ": " + types[name];
}

void GroupText::load(const std::string &name, const std::string &from,
                     const Info &info, const std::string &more,
                     const std::string &type) {
  types[name] = type.empty() ? types[from] : "tensor<" + type + ">";
  body += name + " = \"tpu.Load\"(" + from + ")" + attributes(info, more) +
          " : (" + types[from] + ") -> " + types[name] + "\n";
}

void GroupText::compute(const std::string &name, const std::string &op,
                        const std::vector<std::string> &operands,
                        const std::string &type, const Info &info,
                        const std::string &more) {
  types["%none"] = "none";
  types[name] = "tensor<" + type + ">";
  std::vector<std::string> operandTypes;
  for (const std::string &operand : operands)
    operandTypes.push_back(types[operand]);
  body += name + " = \"" + op + "\"(" + joined(operands) + ")" +
          attributes(info, more) + " : (" + joined(operandTypes) + ") -> " +
          types[name] + "\n";
}

void GroupText::store(const std::string &name, const std::string &operand,
                      const Info &info) {
  types[name] = types[operand];
  body += name + " = \"tpu.Store\"(" + operand + ", %none)" +
          attributes(info, "") + " : (" + types[operand] + ", none) -> " +
          types[name] + "\n";
}

void GroupText::group(const std::vector<std::string> &results,
                      const std::vector<std::string> &stored,
                      const std::string &flow, const std::string &more) {
  std::vector<std::string> resultTypes;
  for (size_t i = 0; i < stored.size(); ++i) {
    types[results[i]] = types[stored[i]];
    resultTypes.push_back(types[stored[i]]);
  }
  const std::string list = joined(resultTypes);
  text += joined(results) + " = \"tpu.Group\"() ({\n" + body +
          "\"tpu.Yield\"(" + joined(stored) + ") : (" + list +
          ") -> ()\n}) {flow = [" + flow + "]" +
          (more.empty() ? "" : ", " + more) + "} : () -> (" + list + ")\n";
  body.clear();
}

std::string GroupText::module() const {
  return "func.func @f(" + arguments +
         ") {\n%none = \"top.None\"() : () -> none\n" + text + "return\n}\n";
}

std::string convPool() {
  GroupText text;
  text.argument("%x", "1x6x12x8xi8");
  text.argument("%f", "5x6x3x3xi8");
  text.argument("%b", "1x5x1x1xi32");
  text.load("%0", "%x", {0, 0, 128, 128, "c 0:6; h 0:7 5:7; w 0:8"});
  text.load("%1", "%f", {1, 0, 0, 112, "c 0:5; w 0:56", false}, "",
            "1x5x1x56xi8");
  text.load("%2", "%b", {2, 0, 112, 8, "c 0:5", false});
  text.compute("%3", "tpu.Conv2D", {"%0", "%1", "%2"}, "1x5x12x8xi8",
               {3, 1, 256, 96, "c 0:5; h 0:6 6:6; w 0:8"},
               "kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1]");
  text.compute("%4", "tpu.Pool2D", {"%3"}, "1x5x6x4xi8",
               {4, 1, 352, 32, "c 0:5; h 0:3 3:3; w 0:4"},
               "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]");
  text.store("%5", "%4", {5, 2, 352, 32, "c 0:5; h 0:3 3:3; w 0:4"});
  text.group({"%y"}, {"%5"}, "-1, 3, 5, -2, 4, 0, 1, 2", "hsecs = 2 : i64");
  return text.module();
}

std::string addition(int64_t address, bool readAgain,
                     const std::string &typeOfB, const std::string &op) {
  const std::string parts = "c 0:4; h 0:4; w 0:4";
  GroupText text;
  text.argument("%a", "1x4x4x4xi8");
  text.argument("%b", typeOfB);
  text.load("%0", "%a", {0, 0, 0, 16, parts});
  text.load("%1", "%b",
            {1, 0, 16, 16, typeOfB == "1x4x4x4xi8" ? parts : "c 0:4"});
  text.compute("%2", op, {"%0", "%1"}, "1x4x4x4xi8",
               {2, 1, address, 16, parts});
  text.compute("%3", "tpu.Mul", {readAgain ? "%0" : "%2", "%2"}, "1x4x4x4xi8",
               {3, 1, 64, 16, parts});
  text.store("%4", "%3", {4, 2, 64, 16, parts});
  text.group({"%y"}, {"%4"}, "-1, 0, 1, -2, 2, -3, 3, -4, 4");
  return text.module();
}

std::string manyCuts(bool convolves) {
  const std::string parts = "n 0:1 1:1; c 0:4 4:2; h 0:3 3:2; w 0:2 2:2";
  GroupText text;
  text.argument("%x", "2x6x5x4xi16");
  text.argument("%f", "1x6x1x1xi16");
  text.argument("%z", "1x6x1x4xi16");
  text.load("%0", "%x", {0, 0, 0, 16, parts});
  text.load("%1", "%f", {1, 0, 16, 2, "c 0:4 4:2", false});
  text.load("%2", "%z", {2, 0, 32, 16, "c 0:4 4:2; w 0:2 2:2"});
  text.compute("%3", convolves ? "tpu.Conv2D" : "tpu.PRelu", {"%0", "%1"},
               "2x6x5x4xi16", {3, 1, 48, 16, parts},
               convolves ? "kernel_shape = [1, 1], strides = [1, 1], pads = "
                           "[0, 0, 0, 0], group = 6 : i64"
                         : "");
  text.compute("%4", "tpu.Add", {"%3", "%2"}, "2x6x5x4xi16",
               {4, 1, 64, 16, parts});
  text.store("%5", "%4", {5, 2, 64, 16, parts});
  text.group({"%y"}, {"%5"}, "-1, 3, 5, -2, 4, -3, 0, 1, 2",
             "nsecs = 2 : i64, csecs = 2 : i64, hsecs = 2 : i64, wsecs = 2 : "
             "i64");
  return text.module();
}

std::string referenceExample() {
  GroupText text;
  text.argument("%x", "1x64x32x32xf16");
  text.argument("%w", "1x64x1x576xf16");
  text.argument("%b", "1x64x1x1xf32");
  text.load("%0", "%x", {0, 0, 16384, 1088, "c 0:64; h 0:17 15:17; w 0:32"});
  text.load("%1", "%w", {1, 0, 0, 1152, "c 0:64; w 0:576", false});
  text.load("%2", "%b", {2, 0, 65536, 4, "c 0:64", false});
  text.compute("%3", "tpu.Conv2D", {"%0", "%1", "%2"}, "1x64x32x32xf16",
               {3, 1, 32768, 1024, "c 0:64; h 0:16 16:16; w 0:32"},
               "kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1]");
  text.compute("%4", "tpu.Pool2D", {"%3"}, "1x64x16x16xf16",
               {4, 1, 49152, 256, "c 0:64; h 0:8 8:8; w 0:16"},
               "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]");
  text.store("%5", "%4", {5, 2, 49152, 256, "c 0:64; h 0:8 8:8; w 0:16"});
  text.group({"%y"}, {"%5"}, "-1, 3, 5, -2, 4, 0, 1, 2", "hsecs = 2 : i64");
  return text.module();
}

} // namespace tpu_mlir::exec
