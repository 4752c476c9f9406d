//===- OwnershipControl.cpp - Branches and loops that hand buffers on -----===//

#include "tests/exec/jit/programs/OwnershipWriter.h"

namespace tpu_mlir::jit {

//===----------------------------------------------------------------------===//
// In place, or a copy
//===----------------------------------------------------------------------===//

void OwnershipWriter::ifStatement() {
  Names sources = carried();
  std::string name = fresh("m"), flag = condition(),
              types = repeated(sources.size()).substr(2);
  line(name + ":" + std::to_string(sources.size()) + " = scf.if " + flag +
       " -> (" + types + ") {");
  for (bool isElse : {false, true}) {
    scoped([&] {
      statements(random.below(3));
      Names values = isElse == random.chance(80)
                         ? Names{copyOf(sources.front())}
                         : Names{given(sources.front())};
      if (sources.size() > 1)
        values.push_back(random.chance(60) ? alias(values.front())
                                           : given(sources.back()));
      statements(random.below(2));
      line("scf.yield " + list(values).substr(2) + " : " + types);
    });
    line(isElse ? "}" : "} else {");
  }
  show(name, sources.size());
}

void OwnershipWriter::switchStatement() {
  std::string source = any(), name = fresh("m");
  line(name + " = scf.index_switch %n -> " + kType);
  for (const char *head : {"case 0", "case 1", "default"}) {
    line(std::string(head) + " {");
    scoped([&] {
      statements(random.below(2));
      std::string value = given(source);
      line("scf.yield " + value + " : " + kType);
    });
    line("}");
  }
  visible.push_back(name);
}

void OwnershipWriter::diamondStatement() {
  Names sources = carried(), arguments;
  std::string flag = condition(), id = std::to_string(nextName++), head;
  for (size_t i = 0; i < sources.size(); ++i)
    arguments.push_back(fresh("m"));
  auto join = [&](const Names &values) {
    return "^j" + id + "(" + list(values).substr(2) + " : " +
           repeated(values.size()).substr(2) + ")";
  };
  bool isCritical = random.chance(30);
  line("cf.cond_br " + flag + ", ^t" + id + ", " +
       (isCritical ? join(sources) : "^e" + id));
  for (const char *side : {"t", "e"}) {
    if (isCritical && *side == 'e')
      continue;
    body += "^" + std::string(side) + id + ":\n";
    scoped(
        [&] {
          statements(random.below(3));
          Names values = handedOn(sources);
          line("cf.br " + join(values));
        },
        /*keepsBlocks=*/true);
  }
  body += "^j" + id + "(" +
          list(arguments, std::string(": ") + kType).substr(2) + "):\n";
  visible.insert(visible.end(), arguments.begin(), arguments.end());
}

void OwnershipWriter::executeStatement() {
  std::string source = any(), name = fresh("m");
  line(name + " = scf.execute_region -> " + kType + " {");
  bool outer = blocks;
  blocks = true;
  scoped(
      [&] {
        statements(1 + random.below(3));
        std::string value = given(source);
        line("scf.yield " + value + " : " + kType);
      },
      /*keepsBlocks=*/true);
  blocks = outer;
  line("}");
  visible.push_back(name);
}

void OwnershipWriter::plainIfStatement() {
  std::string flag = condition();
  line("scf.if " + flag + " {");
  scoped([&] { statements(1 + random.below(3)); });
  line("}");
}

//===----------------------------------------------------------------------===//
// Flags that go alone
//===----------------------------------------------------------------------===//

/// Under one more condition. The flag of what is left.
std::string OwnershipWriter::freedPartly(const std::string &source,
                                         const std::string &own) {
  std::string flag = condition(), both = fresh("q"), left = fresh("q");
  line(both + " = arith.andi " + own + ", " + flag + " : i1");
  line("scf.if " + both + " {");
  line("  memref.dealloc " + source + " : " + kType);
  line("}");
  line(left + " = arith.xori " + own + ", " + both + " : i1");
  return left;
}

/// Through a loop or a branch, which may free it.
std::string OwnershipWriter::goneRound(const std::string &source,
                                       const std::string &own) {
  std::string now = fresh("q"), inner = fresh("q");
  if (random.chance(50)) {
    std::string flag = condition();
    line(now + " = scf.if " + flag + " -> (i1) {");
    scoped([&] {
      std::string left = random.chance(30) ? freedPartly(source, own) : own;
      line("scf.yield " + left + " : i1");
    });
    line("} else {");
    line("  scf.yield " + own + " : i1");
    line("}");
    return now;
  }
  line(now + " = scf.for " + fresh("i") + " = %c0 to %n step %c1 iter_args(" +
       inner + " = " + own + ") -> (i1) {");
  scoped([&] {
    std::string left = random.chance(30) ? freedPartly(source, inner) : inner;
    line("scf.yield " + left + " : i1");
  });
  line("}");
  return now;
}

void OwnershipWriter::flagStatement() {
  if (runs > 16)
    return observeStatement();
  std::string source = allocate(), own = "%true";
  for (int steps = 1 + random.below(4); steps > 0; --steps)
    own = random.chance(50) ? freedPartly(source, own) : goneRound(source, own);
  line("scf.if " + own + " {");
  line("  memref.dealloc " + source + " : " + kType);
  line("}");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void OwnershipWriter::forStatement() {
  if (runs > 64)
    return observeStatement();
  Names initial = carried(), arguments;
  std::string name = fresh("m"), induction = fresh("i"), pairs;
  for (const std::string &from : initial) {
    arguments.push_back(fresh("m"));
    pairs += ", " + arguments.back() + " = " + from;
  }
  size_t count = initial.size();
  line(name + ":" + std::to_string(count) + " = scf.for " + induction +
       " = %c0 to %" + (random.chance(50) ? "n" : "c3") +
       " step %c1 iter_args(" + pairs.substr(2) + ") -> (" +
       repeated(count).substr(2) + ") {");
  runs *= 4;
  scoped([&] {
    std::string first = fresh("q");
    line(first + " = arith.cmpi eq, " + induction + ", %c" +
         std::to_string(random.below(3)) + " : index");
    conditions.push_back(first);
    visible.insert(visible.end(), arguments.begin(), arguments.end());
    statements(1 + random.below(4));
    Names next = handedOn(arguments);
    line("scf.yield " + list(next).substr(2) + " : " +
         repeated(count).substr(2));
  });
  runs /= 4;
  line("}");
  show(name, count);
}

void OwnershipWriter::whileStatement() {
  if (runs > 64)
    return observeStatement();
  Names initial = carried(), before, after, pairs;
  std::string name = fresh("m"), i = fresh("i"), j = fresh("i"),
              more = fresh("q"), next = fresh("i");
  for (const std::string &from : initial) {
    before.push_back(fresh("m"));
    after.push_back(fresh("m"));
    pairs.push_back(before.back() + " = " + from);
  }
  std::string types = "index" + repeated(initial.size());
  line(name + ":" + std::to_string(1 + initial.size()) + " = scf.while (" + i +
       " = %c0" + list(pairs) + ") : (" + types + ") -> (" + types + ") {");
  runs *= 4;
  scoped([&] {
    visible.insert(visible.end(), before.begin(), before.end());
    line(more + " = arith.cmpi slt, " + i + ", %n : index");
    statements(random.below(2));
    Names values = handedOn(before);
    line("scf.condition(" + more + ") " + i + list(values) + " : " + types);
  });
  line("} do {");
  line("^bb0(" + j + ": index" + list(after, std::string(": ") + kType) + "):");
  scoped([&] {
    visible.insert(visible.end(), after.begin(), after.end());
    statements(random.below(3));
    Names values = handedOn(after);
    line(next + " = arith.addi " + j + ", %c1 : index");
    line("scf.yield " + next + list(values) + " : " + types);
  });
  runs /= 4;
  line("}");
  for (size_t k = 1; k <= initial.size(); ++k)
    visible.push_back(name + "#" + std::to_string(k));
}

void OwnershipWriter::blockLoopStatement() {
  if (runs > 64)
    return observeStatement();
  Names initial = carried(), arguments;
  std::string id = std::to_string(nextName++), i = fresh("i"),
              more = fresh("q"), next = fresh("i");
  for (size_t k = 0; k < initial.size(); ++k)
    arguments.push_back(fresh("m"));
  std::string types = " : index" + repeated(initial.size());
  line("cf.br ^h" + id + "(%c0" + list(initial) + types + ")");
  body += "^h" + id + "(" + i + ": index" +
          list(arguments, std::string(": ") + kType) + "):\n";
  visible.insert(visible.end(), arguments.begin(), arguments.end());
  line(more + " = arith.cmpi slt, " + i + ", %n : index");
  line("cf.cond_br " + more + ", ^b" + id + ", ^x" + id);
  body += "^b" + id + ":\n";
  runs *= 4;
  scoped(
      [&] {
        statements(1 + random.below(3));
        line(next + " = arith.addi " + i + ", %c1 : index");
        Names values = handedOn(arguments);
        line("cf.br ^h" + id + "(" + next + list(values) + types + ")");
      },
      /*keepsBlocks=*/true);
  runs /= 4;
  body += "^x" + id + ":\n";
}

} // namespace tpu_mlir::jit
