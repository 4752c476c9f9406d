//===- OwnershipProgram.cpp - Programs in which buffers change hands ------===//

#include "tests/exec/jit/programs/OwnershipWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

std::string OwnershipWriter::condition() {
  if (random.chance(60))
    return conditions[random.below(static_cast<int>(conditions.size()))];
  std::string loaded = fresh("l"), bit = fresh("q");
  line(loaded + " = memref.load " + any() + place() + " : " + kType);
  line(bit + " = arith.trunci " + loaded + " : i64 to i1");
  return bit;
}

std::string OwnershipWriter::allocate() {
  std::string name = fresh("a");
  line(name + " = memref.alloc() : " + kType);
  line("linalg.fill ins(%k" + std::to_string(random.below(3)) +
       " : i64) outs(" + name + " : " + kType + ")");
  return name;
}

std::string OwnershipWriter::copyOf(const std::string &source) {
  std::string name = fresh("a");
  line(name + " = memref.alloc() : " + kType);
  line("memref.copy " + source + ", " + name + " : " + kType + " to " + kType);
  return name;
}

std::string OwnershipWriter::given(const std::string &source) {
  switch (random.below(8)) {
  case 0:
    return allocate();
  case 1:
    return any();
  case 2:
  case 3:
  case 4:
    return source;
  default:
    return copyOf(source);
  }
}

std::string OwnershipWriter::alias(const std::string &source) {
  std::string name = fresh("m"), wide = fresh("w"), flag = condition();
  switch (random.below(6)) {
  case 0:
    line(wide + " = memref.cast " + source + " : " + kType +
         " to memref<?xi64>");
    line(name + " = memref.cast " + wide + " : memref<?xi64> to " + kType);
    return name;
  case 1:
    line(name + " = arith.select " + flag + ", " + source + ", " + source +
         " : " + kType);
    return name;
  case 2:
    line(name + " = scf.if " + flag + " -> (" + kType + ") {");
    line("  scf.yield " + source + " : " + kType);
    line("} else {");
    line("  scf.yield " + source + " : " + kType);
    line("}");
    return name;
  default:
    return source;
  }
}

OwnershipWriter::Names OwnershipWriter::carried() {
  Names result = {random.chance(20) ? allocate() : any()};
  if (random.chance(50))
    result.push_back(random.chance(40)   ? alias(result.front())
                     : random.chance(20) ? allocate()
                                         : any());
  return result;
}

OwnershipWriter::Names OwnershipWriter::handedOn(const Names &from) {
  Names result;
  for (const std::string &name : from)
    result.push_back(!result.empty() && random.chance(30)
                         ? alias(result.front())
                         : given(name));
  return result;
}

/// The results of an op. What is written through one name of a buffer is read
/// through the other.
void OwnershipWriter::show(const std::string &name, size_t count) {
  for (size_t i = 0; i < count; ++i)
    visible.push_back(name + "#" + std::to_string(i));
  if (count < 2)
    return;
  std::string loaded = fresh("l");
  line("memref.store %k31, " + name + "#0[%c1] : " + kType);
  line(loaded + " = memref.load " + name + "#1[%c1] : " + kType);
  line("memref.store " + loaded + ", %hash[%c3] : " + kType);
}

std::string list(const std::vector<std::string> &names,
                 const std::string &behind) {
  std::string text;
  for (const std::string &name : names)
    text += ", " + name + behind;
  return text;
}

std::string repeated(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += std::string(", ") + kType;
  return text;
}

void OwnershipWriter::scoped(const std::function<void()> &inner,
                             bool keepsBlocks) {
  Names outerVisible = visible, outerConditions = conditions;
  bool outerBlocks = blocks;
  blocks = blocks && keepsBlocks;
  ++depth;
  indent += "  ";
  inner();
  indent.resize(indent.size() - 2);
  --depth;
  blocks = outerBlocks;
  visible = outerVisible;
  conditions = outerConditions;
}

void OwnershipWriter::statements(int count) {
  struct Kind {
    Statement statement;
    int weight;
    bool nests;
    bool needsBlocks;
    const char *name;
  };
  using W = OwnershipWriter;
  static const std::vector<Kind> kKinds = {
      {&W::allocStatement, 10, false, false, "alloc"},
      {&W::copyStatement, 8, false, false, "copy"},
      {&W::stackStatement, 2, false, false, "stack"},
      {&W::globalStatement, 6, false, false, "global"},
      {&W::updateStatement, 16, false, false, "update"},
      {&W::observeStatement, 16, false, false, "observe"},
      {&W::ifStatement, 16, true, false, "if"},
      {&W::switchStatement, 4, true, false, "switch"},
      {&W::selectStatement, 8, false, false, "select"},
      {&W::diamondStatement, 16, true, true, "diamond"},
      {&W::executeStatement, 8, true, false, "execute"},
      {&W::callStatement, 14, false, false, "call"},
      {&W::callFurtherStatement, 5, false, false, "callFurther"},
      {&W::sinkStatement, 4, false, false, "sink"},
      {&W::reallocStatement, 2, false, false, "realloc"},
      {&W::handOverStatement, 5, false, false, "handOver"},
      {&W::danglingStatement, 2, false, false, "dangling"},
      {&W::flagStatement, 4, false, false, "flag"},
      {&W::parallelStatement, 5, false, false, "parallel"},
      {&W::plainIfStatement, 5, true, false, "plainIf"},
      {&W::forStatement, 14, true, false, "for"},
      {&W::whileStatement, 6, true, false, "while"},
      {&W::blockLoopStatement, 14, true, true, "blockLoop"},
      {&W::swapStatement, 4, false, false, "swap"},
      {&W::partStatement, 3, false, false, "part"},
      {&W::keepStatement, 2, false, false, "keep"},
  };
  int total = 0;
  for (const Kind &kind : kKinds)
    total += kind.weight;
  while (count > 0 && budget > 0) {
    int draw = random.below(total);
    size_t index = 0;
    while (draw >= kKinds[index].weight)
      draw -= kKinds[index++].weight;
    const Kind &kind = kKinds[index];
    if ((kind.nests && depth > 3) || (kind.needsBlocks && !blocks) ||
        (kind.statement == &W::reallocStatement && !options.reallocs) ||
        (kind.statement == &W::keepStatement && !keeps))
      continue;
    --count;
    --budget;
    ++program.statements[kind.name];
    (this->*kind.statement)();
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Nothing more is done at the depth that `%n` says. The call of what comes
/// further in, which gets the buffers in either order.
std::string OwnershipWriter::goOn(const std::string &name) {
  line("%done = arith.cmpi eq, %n, %c0 : index");
  line("cf.cond_br %done, ^done, ^more");
  body += "^done:\n";
  line("return");
  body += "^more:\n";
  line("%less = arith.subi %n, %c1 : index");
  return "func.call " + name +
         (random.chance(50) ? "(%in1, %in0" : "(%in0, %in1") +
         ", %hash, %flag1, %flag0, %less) : (" + kArguments + ") -> ()";
}

/// One that has no results may call itself.
std::string OwnershipWriter::function(const std::string &head, int count,
                                      int results,
                                      const std::string &calledAgain) {
  body.clear();
  indent = "  ";
  conditions = {"%flag0", "%flag1"};
  // Globals keep what an earlier run has left there.
  if (!inHelper) {
    globalStatement();
    line("linalg.fill ins(%k2 : i64) outs(" + visible.back() + " : " + kType +
         ")");
  }
  blocks = true;
  depth = 0;
  budget = count;
  std::string call = calledAgain.empty() ? "" : goOn(calledAgain);
  const bool isFirst = random.chance(50);
  if (!call.empty() && isFirst)
    line(call);
  while (budget > 0)
    statements(1 + random.below(4));
  if (!call.empty() && !isFirst)
    line(call);
  std::string constants = "  %true = arith.constant true\n"
                          "  %false = arith.constant false\n";
  for (int i = 0; i < 7; ++i)
    constants += "  %c" + std::to_string(i) + " = arith.constant " +
                 std::to_string(i) + " : index\n";
  for (int i : {0, 1, 2, 31})
    constants += "  %k" + std::to_string(i) + " = arith.constant " +
                 std::to_string(i) + " : i64\n";
  Names returned;
  while (static_cast<int>(returned.size()) < results)
    returned.push_back(any());
  std::string types = results > 0 ? repeated(results).substr(2) : "";
  std::string result = results > 0 ? " -> (" + types + ")" : "";
  line(results > 0 ? "return " + list(returned).substr(2) + " : " + types
                   : "return");
  return "func.func " + head + result + " {\n" + constants + body + "}\n";
}

void OwnershipWriter::writeHelpers() {
  std::string id = std::to_string(number);
  program.text +=
      "memref.global \"private\" @g" + id + " : " + kType + " = dense<3>\n";
  program.text += "func.func private @sink" + id + "(%m: " + kType +
                  ", %c: i1) {\n"
                  "  scf.if %c {\n    memref.dealloc %m : " +
                  kType + "\n  } else {\n    memref.dealloc %m : " + kType +
                  "\n  }\n  return\n}\n";
  const std::string table = "memref<1xmemref<4xi64>>";
  program.text += "memref.global \"private\" @table" + id + " : " + table +
                  " = uninitialized\n";
  program.text += "func.func private @keep" + id + "(%m: " + kType +
                  ") {\n  %c0 = arith.constant 0 : index\n"
                  "  %t = memref.get_global @table" +
                  id + " : " + table +
                  "\n  memref.store %m, %t[%c0] : " + table + "\n  return\n}\n";
  program.text += "func.func private @same" + id + "(%m: " + kType + ") -> " +
                  kType + " {\n  return %m : " + kType + "\n}\n";
  inHelper = true;
  int count = random.below(4);
  for (int i = 0; i < count; ++i) {
    std::string name = "@h" + id + "_" + std::to_string(i);
    visible = {"%in0"};
    runs = 16;
    program.text +=
        function("private " + name + "(%in0: " + kType + ", %hash: " + kType +
                     ", %flag0: i1, %flag1: i1, %n: index)",
                 2 + random.below(6), /*results=*/1);
    helpers.push_back(name);
  }
  writeFurtherHelpers();
  inHelper = false;
}

void OwnershipWriter::writeFurtherHelpers() {
  auto write = [&](const std::string &name, int results, int64_t loops) {
    visible = {"%in0", "%in1"};
    runs = loops;
    program.text += function(
        "private " + name + "(%in0: " + kType + ", %in1: " + kType +
            ", %hash: " + kType + ", %flag0: i1, %flag1: i1, %n: index)",
        2 + random.below(6), results, results == 0 ? name : "");
    return name;
  };
  if (random.chance(40))
    twofold = write("@two" + std::to_string(number), 2, 32);
  // Its loops run once more at each depth.
  if (random.chance(40))
    recursive = write("@again" + std::to_string(number), 0, 64);
}

RandomProgram OwnershipWriter::write() {
  program.function = "p" + std::to_string(number);
  keeps = options.keeps && random.chance(30);
  writeHelpers();
  visible = {"%in0", "%in1"};
  runs = 1;
  program.text +=
      function("@" + program.function + "(%in0: " + kType + ", %in1: " + kType +
                   ", %hash: " + kType + ", %flag0: i1, %flag1: i1, %n: index)",
               8 + random.below(16), /*results=*/0);
  return std::move(program);
}

RandomProgram makeOwnershipProgram(uint64_t seed, int number,
                                   const OwnershipOptions &options) {
  return OwnershipWriter(seed, number, options).write();
}

} // namespace tpu_mlir::jit
