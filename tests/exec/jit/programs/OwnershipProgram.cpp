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
      {&W::globalStatement, 3, false, false, "global"},
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
        (kind.statement == &W::reallocStatement && !options.reallocs))
      continue;
    --count;
    --budget;
    ++program.statements[kind.name];
    (this->*kind.statement)();
  }
}

//===----------------------------------------------------------------------===//
// Straight code
//===----------------------------------------------------------------------===//

void OwnershipWriter::stackStatement() {
  std::string name = fresh("s");
  line(name + " = memref.alloca() : " + kType);
  line("linalg.fill ins(%k1 : i64) outs(" + name + " : " + kType + ")");
  // A helper might return it.
  if (!inHelper)
    visible.push_back(name);
}

void OwnershipWriter::globalStatement() {
  std::string name = fresh("g");
  line(name + " = memref.get_global @g" + std::to_string(number) + " : " +
       kType);
  visible.push_back(name);
}

void OwnershipWriter::updateStatement() {
  std::string old = fresh("l"), now = fresh("z"), target = any(), at = place();
  line(old + " = memref.load " + target + at + " : " + kType);
  line(now + " = arith.addi " + old + ", %k" + std::to_string(random.below(3)) +
       " : i64");
  line("memref.store " + now + ", " + target + at + " : " + kType);
}

void OwnershipWriter::observeStatement() {
  std::string value = fresh("l"), old = fresh("l"), product = fresh("z"),
              sum = fresh("z");
  line(value + " = memref.load " + any() + place() + " : " + kType);
  line(old + " = memref.load %hash[%c0] : " + kType);
  line(product + " = arith.muli " + old + ", %k31 : i64");
  line(sum + " = arith.addi " + product + ", " + value + " : i64");
  line("memref.store " + sum + ", %hash[%c0] : " + kType);
}

void OwnershipWriter::selectStatement() {
  std::string left = any(), right = given(any()), name = fresh("m");
  line(name + " = arith.select " + condition() + ", " + left + ", " + right +
       " : " + kType);
  visible.push_back(name);
}

void OwnershipWriter::callStatement() {
  // Helpers have loops of their own.
  if (helpers.empty() || runs > 16)
    return allocStatement();
  std::string name = fresh("m");
  std::string helper = helpers[random.below(static_cast<int>(helpers.size()))];
  std::string with = random.chance(30) ? allocate() : any();
  std::string flag = condition();
  std::string type =
      std::string("(") + kType + ", " + kType + ", i1, i1, index) -> " + kType;
  std::string call = "func.call ";
  if (random.chance(20)) {
    std::string constant = fresh("f");
    line(constant + " = func.constant " + helper + " : " + type);
    helper = constant;
    call = "func.call_indirect ";
  }
  line(name + " = " + call + helper + "(" + with + ", %hash, " + flag +
       ", %flag1, %n) : " + type);
  visible.push_back(name);
}

static const std::string kArguments =
    std::string(kType) + ", " + kType + ", " + kType + ", i1, i1, index";

void OwnershipWriter::callFurtherStatement() {
  if (runs > 16 || (recursive.empty() && twofold.empty()))
    return updateStatement();
  std::string with = random.chance(30) ? allocate() : any();
  // Arguments of a function are taken to be different memory.
  std::string other = random.chance(50) ? allocate() : copyOf(with);
  std::string operands = "(" + with + ", " + other + ", %hash, " + condition() +
                         ", %flag1, %n) : (" + kArguments + ") -> ";
  if (twofold.empty() || (!recursive.empty() && random.chance(50)))
    return line("func.call " + recursive + operands + "()");
  std::string name = fresh("m");
  line(name + ":2 = func.call " + twofold + operands + "(" + kType + ", " +
       kType + ")");
  visible.push_back(name + "#0");
  visible.push_back(name + "#1");
}

/// What this function owns alone is freed, here or by another function.
void OwnershipWriter::sinkStatement() {
  std::string name = copyOf(any());
  std::string loaded = fresh("l");
  line(loaded + " = memref.load " + name + place() + " : " + kType);
  line("memref.store " + loaded + ", %hash[%c1] : " + kType);
  if (random.chance(30)) {
    // Under the old name or the one that it gets.
    std::string same = fresh("m");
    line(same + " = func.call @same" + std::to_string(number) + "(" + name +
         ") : (" + kType + ") -> " + kType);
    if (random.chance(50))
      name = same;
  }
  switch (random.below(3)) {
  case 0:
    return line("memref.dealloc " + name + " : " + kType);
  case 1:
    // Not on every path.
    line("scf.if " + condition() + " {");
    line("  memref.dealloc " + name + " : " + kType);
    return line("}");
  default:
    return line("func.call @sink" + std::to_string(number) + "(" + name +
                ", %flag0) : (" + kType + ", i1) -> ()");
  }
}

void OwnershipWriter::reallocStatement() {
  std::string old = fresh("a"), now = fresh("a"), loaded = fresh("l");
  std::string dynamic = "memref<?xi64>";
  line(old + " = memref.alloc(%c4) : " + dynamic);
  line("linalg.fill ins(%k2 : i64) outs(" + old + " : " + dynamic + ")");
  line(now + " = memref.realloc " + old + "(%c" +
       std::to_string(1 + random.below(6)) + ") : " + dynamic + " to " +
       dynamic);
  line(loaded + " = memref.load " + now + "[%c0] : " + dynamic);
  line("memref.store " + loaded + ", %hash[%c2] : " + kType);
  if (random.chance(50))
    line("memref.dealloc " + now + " : " + dynamic);
}

/// Lent on one side, with a flag beside it by which the other one is freed.
std::string OwnershipWriter::lendBeside(const std::string &source,
                                        const std::string &flag) {
  std::string name = fresh("m");
  std::string types = std::string(kType) + ", i1";
  line(name + ":2 = scf.if " + flag + " -> (" + types + ") {");
  line("  scf.yield " + source + ", %false : " + types);
  line("} else {");
  scoped([&] {
    std::string other = allocate();
    line("scf.yield " + other + ", %true : " + types);
  });
  line("}");
  line("scf.if " + name + "#1 {");
  line("  memref.dealloc " + name + "#0 : " + kType);
  line("}");
  return name;
}

/// Freed on one path, handed on on another.
void OwnershipWriter::handOverStatement() {
  if (runs > 16)
    return observeStatement();
  std::string source = allocate(), name = fresh("m"), flag = condition();
  if (random.chance(60))
    lendBeside(source, flag);
  if (random.chance(30)) {
    std::string inner = fresh("m"), induction = fresh("i");
    line("scf.parallel (" + induction + ") = (%c0) to (%c2) step (%c1) {");
    line("  " + inner + " = arith.select " + flag + ", " + source + ", " +
         source + " : " + kType);
    line("  scf.reduce");
    line("}");
  }
  line(name + " = scf.if " + flag + " -> (" + kType + ") {");
  line("  memref.dealloc " + source + " : " + kType);
  scoped([&] { line("scf.yield " + allocate() + " : " + kType); });
  line("} else {");
  scoped([&] {
    std::string same = source;
    if (random.chance(30)) {
      same = fresh("m");
      line(same + " = arith.select " + flag + ", " + source + ", " + source +
           " : " + kType);
    }
    line("scf.yield " + same + " : " + kType);
  });
  line("}");
  // Now it is this one's, and maybe nobody frees it.
  if (random.chance(50))
    visible.push_back(name);
  else
    line("memref.dealloc " + name + " : " + kType);
}

/// A name of what is free already goes round, and nobody looks.
void OwnershipWriter::danglingStatement() {
  std::string name = fresh("m"), flag = condition();
  line(name + " = scf.if " + flag + " -> (" + kType + ") {");
  scoped([&] {
    std::string source = allocate(), same = fresh("m");
    line(same + " = arith.select " + flag + ", " + source + ", " + source +
         " : " + kType);
    line("memref.dealloc " + source + " : " + kType);
    line("scf.yield " + same + " : " + kType);
  });
  line("} else {");
  scoped([&] { line("scf.yield " + allocate() + " : " + kType); });
  line("}");
}

/// Each iteration has a buffer of its own, or reads one from outside.
void OwnershipWriter::parallelStatement() {
  if (runs > 16)
    return observeStatement();
  std::string source = any(), induction = fresh("i"), flag = condition();
  bool isForall = random.chance(50);
  line(isForall
           ? "scf.forall (" + induction + ") in (3) {"
           : "scf.parallel (" + induction + ") = (%c0) to (%c3) step (%c1) {");
  scoped([&] {
    std::string own = copyOf(source), name = fresh("m"), loaded = fresh("l");
    if (random.chance(50)) {
      line(name + " = arith.select " + flag + ", " + own + ", " + source +
           " : " + kType);
    } else {
      line(name + " = scf.if " + flag + " -> (" + kType + ") {");
      line("  scf.yield " + own + " : " + kType);
      line("} else {");
      line("  scf.yield " + source + " : " + kType);
      line("}");
    }
    line(loaded + " = memref.load " + name + place() + " : " + kType);
    line("memref.store " + loaded + ", " + own + place() + " : " + kType);
    if (random.chance(30))
      line("memref.dealloc " + own + " : " + kType);
    if (!isForall)
      line("scf.reduce");
  });
  line("}");
}

void OwnershipWriter::swapStatement() {
  std::string left = any(), right = any(), a = fresh("l"), b = fresh("l");
  line(a + " = memref.load " + left + "[%c0] : " + kType);
  line(b + " = memref.load " + right + "[%c0] : " + kType);
  line("memref.store " + a + ", " + right + "[%c0] : " + kType);
  line("memref.store " + b + ", " + left + "[%c0] : " + kType);
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
