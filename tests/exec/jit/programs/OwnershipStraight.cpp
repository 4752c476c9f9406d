//===- OwnershipStraight.cpp - Statements without regions of their own ----===//

#include "tests/exec/jit/programs/OwnershipWriter.h"

namespace tpu_mlir::jit {

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

/// A part of a buffer or of another one, from which the whole is found again,
/// or the layout that it is known to have.
void OwnershipWriter::partStatement() {
  static const std::string kOpen = "memref<?xi64, strided<[?], offset: ?>>";
  static const std::string kPart = "memref<2xi64, strided<[2], offset: 1>>";
  const auto partOf = [&](const std::string &whole) {
    const std::string part = fresh("v"), open = fresh("v");
    line(part + " = memref.subview " + whole + "[1] [2] [2] : " + kType +
         " to " + kPart);
    line(open + " = memref.cast " + part + " : " + kPart + " to " + kOpen);
    return open;
  };
  const std::string source = any(), name = fresh("m"), first = partOf(source);
  line(name + " = scf.if " + condition() + " -> (" + kOpen + ") {");
  line("  scf.yield " + first + " : " + kOpen);
  line("} else {");
  scoped([&] {
    const std::string second = partOf(given(source));
    line("scf.yield " + second + " : " + kOpen);
  });
  line("}");
  if (random.chance(50)) {
    visible.push_back(fresh("w"));
    line(visible.back() + " = memref.reinterpret_cast " + name +
         " to offset: [0], sizes: [4], strides: [1] : " + kOpen + " to " +
         kType);
    return;
  }
  const std::string known = fresh("v"), loaded = fresh("l");
  line(known + " = memref.cast " + name + " : " + kOpen + " to " + kPart);
  line(loaded + " = memref.load " + known + "[%c1] : " + kPart);
  line("memref.store " + loaded + ", %hash[%c3] : " + kType);
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
  // Now it is this one's, and maybe nothing frees it.
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

/// A function stores it in a table, and it is used by that name, too.
void OwnershipWriter::keepStatement() {
  const std::string id = std::to_string(number), table = fresh("t"),
                    again = fresh("m"), loaded = fresh("l");
  const std::string type = "memref<1xmemref<4xi64>>";
  std::string kept = copyOf(any());
  if (random.chance(30)) {
    const std::string same = fresh("m");
    line(same + " = func.call @same" + id + "(" + kept + ") : (" + kType +
         ") -> " + kType);
    kept = same;
  }
  line("func.call @keep" + id + "(" + kept + ") : (" + kType + ") -> ()");
  allocStatement();
  line(table + " = memref.get_global @table" + id + " : " + type);
  line(again + " = memref.load " + table + "[%c0] : " + type);
  line("memref.store %k31, " + again + place() + " : " + kType);
  line(loaded + " = memref.load " + (random.chance(50) ? again : kept) +
       place() + " : " + kType);
  line("memref.store " + loaded + ", %hash[%c1] : " + kType);
}

void OwnershipWriter::swapStatement() {
  std::string left = any(), right = any(), a = fresh("l"), b = fresh("l");
  line(a + " = memref.load " + left + "[%c0] : " + kType);
  line(b + " = memref.load " + right + "[%c0] : " + kType);
  line("memref.store " + a + ", " + right + "[%c0] : " + kType);
  line("memref.store " + b + ", " + left + "[%c0] : " + kType);
}

} // namespace tpu_mlir::jit
