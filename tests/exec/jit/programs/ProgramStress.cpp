//===- ProgramStress.cpp - What liveness gets wrong -----------------------===//
//
// A buffer that is carried round a loop, used at one place of its body, and
// another that is used at another place alone. Who looks at the order of the
// text, at the innermost loop, at structured loops or at names alone takes them
// for buffers that never meet.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

namespace tpu_mlir::jit {

void ProgramWriter::forLoop(int64_t bound, const Body &inner) {
  std::string induction = fresh("i");
  bool affine = random.chance(20);
  line(affine ? "affine.for " + induction + " = 0 to " + std::to_string(bound) +
                    " {"
              : "scf.for " + induction + " = %c0 to %c" +
                    std::to_string(bound) + " step %c1 {");
  State outer = enter();
  state.visible = outer.visible;
  enterLoop(induction, bound, outer);
  inner();
  endScope();
  leave(outer, true);
  line("}");
}

void ProgramWriter::whileLoop(int64_t bound, const Body &inner) {
  std::string before = fresh("i"), after = fresh("i"), more = fresh("q"),
              sum = fresh("i");
  line(fresh("r") + " = scf.while (" + before + " = %c0) : (index) -> index {");
  State outer = enter();
  state.visible = outer.visible;
  // The body may be either region.
  bool early = random.chance(50);
  auto bodyHere = [&](const std::string &induction) {
    state.inductions.push_back({induction, bound + 1});
    state.runs *= bound + 1;
    inner();
    endScope();
  };
  if (early)
    bodyHere(before);
  line(more + " = arith.cmpi slt, " + before + ", %c" + std::to_string(bound) +
       " : index");
  line("scf.condition(" + more + ") " + before + " : index");
  leave(outer, true);
  line("} do {");
  line("^bb0(" + after + ": index):");
  outer = enter();
  state.visible = outer.visible;
  if (!early)
    bodyHere(after);
  line(sum + " = arith.addi " + after + ", %c1 : index");
  line("scf.yield " + sum + " : index");
  leave(outer, true);
  line("}");
}

void ProgramWriter::blockLoop(int64_t bound, const Body &inner) {
  std::string label = std::to_string(nextName++), counter = fresh("i"),
              more = fresh("q"), sum = fresh("i");
  // Tested at its end.
  line("cf.br ^again" + label + "(%c0 : index)");
  line("^again" + label + "(" + counter + ": index):");
  State outer = enter(/*keepBlocks=*/true);
  state.visible = outer.visible;
  enterLoop(counter, bound, outer);
  inner();
  endScope();
  line(sum + " = arith.addi " + counter + ", %c1 : index");
  line(more + " = arith.cmpi slt, " + sum + ", %c" + std::to_string(bound) +
       " : index");
  line("cf.cond_br " + more + ", ^again" + label + "(" + sum +
       " : index), ^after" + label);
  leave(outer, true);
  line("^after" + label + ":");
}

void ProgramWriter::inExecuteRegion(const Body &inner) {
  line("scf.execute_region {");
  State outer = enter();
  state.visible = outer.visible;
  state.blocks = options.unstructured;
  inner();
  endScope();
  line("scf.yield");
  leave(outer, true);
  line("}");
}

/// Runs `inner` two or three times.
void ProgramWriter::looped(const Body &inner) {
  int64_t bound = 2 + random.below(2);
  if (state.blocks && random.chance(60))
    return blockLoop(bound, inner);
  if (options.unstructured && random.chance(25))
    return inExecuteRegion([&] { blockLoop(bound, inner); });
  if (random.chance(25))
    return whileLoop(bound, inner);
  forLoop(bound, inner);
}

/// Runs `inner` at least once, within something or nothing.
void ProgramWriter::wrapped(const Body &inner) {
  if (random.chance(60))
    return looped(inner);
  if (random.chance(30))
    return inExecuteRegion(inner);
  inner();
}

/// Another name for a buffer, or for one of two.
int ProgramWriter::alias(int memref, int other) {
  Memref made = memrefs[memref];
  if (random.chance(45))
    return memref;
  made.name = fresh("s");
  made.parents = {memref, other};
  made.allocScope = -1;
  made.roots.insert(memrefs[other].roots.begin(), memrefs[other].roots.end());
  std::string first = memrefs[memref].name, second = memrefs[other].name;
  if (random.chance(50)) {
    line(made.name + " = arith.select " + condition() + ", " + first + ", " +
         second + " : " + made.type());
    return add(std::move(made), false);
  }
  line(made.name + " = scf.if " + condition() + " -> (" + made.type() + ") {");
  line("  scf.yield " + first + " : " + made.type());
  line("} else {");
  line("  scf.yield " + second + " : " + made.type());
  line("}");
  return add(std::move(made), false);
}

/// Reads it, and perhaps changes it.
void ProgramWriter::use(int memref) {
  if (random.chance(40))
    return observe(memref);
  for (const Helper &helper : helpers)
    if (memrefs[memref].type() == helper.out.type() && random.chance(60)) {
      int in = allocate(helper.in.element, helper.in.sizes, false);
      fillWith(in);
      bool swapped = helper.in.type() == helper.out.type() && random.chance(50);
      std::vector<int> passed =
          swapped ? std::vector<int>{memref, in} : std::vector<int>{in, memref};
      line((helper.returns ? fresh("r") + " = " : "") + "func.call " +
           helper.name + "(" + names(passed) + ", %flag0, %flag1, %n) : (" +
           types(passed) + ", i1, i1, index) -> " +
           (helper.returns ? helper.out.type() : "()"));
      wrote(swapped ? in : memref);
      return;
    }
  std::optional<int> source = find([&](int candidate) {
    return readable(candidate) && sameShape(candidate, memref) &&
           disjoint(candidate, memref);
  });
  elementwise(memref, {source.value_or(memref)}, {0}, /*accumulate=*/true);
  if (random.chance(40))
    observe(memref);
}

/// Writes all of it, and reads that.
void ProgramWriter::useFresh(int memref) {
  fillWith(memref);
  if (random.chance(40))
    elementwise(memref, {memref}, {0}, /*accumulate=*/random.chance(50));
  observe(memref);
}

bool ProgramWriter::stressStatement() {
  if (inHelper || state.parallel || !mayLoop(27) || state.depth > 1)
    return false;
  std::string element = randomElement();
  Shape shape = randomShape();
  int carried = allocate(element, shape, /*mayBeDynamic=*/false);
  int other = allocate(element, shape, /*mayBeDynamic=*/false);
  int brief = allocate(element, random.chance(70) ? shape : randomShape(),
                       /*mayBeDynamic=*/false);
  fillWith(other);
  if (random.chance(70))
    fillWith(carried);
  looped([&] {
    if (!readable(carried) && !firstIterationStatement())
      fillWith(carried);
    if (!readable(carried))
      fillWith(carried);
    bool first = random.chance(70);
    auto early = [&] { use(alias(carried, other)); };
    auto late = [&] { useFresh(brief); };
    wrapped(first ? Body(early) : Body(late));
    statements(random.below(2));
    wrapped(first ? Body(late) : Body(early));
  });
  for (int memref : {carried, other, brief})
    if (random.chance(75))
      retire(memref);
  return true;
}

} // namespace tpu_mlir::jit
