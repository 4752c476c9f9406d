//===- ProgramBlocks.cpp - Control flow made of blocks --------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

namespace tpu_mlir::jit {

namespace {

std::string parameters(const std::string &names) {
  return names.empty() ? "" : "(" + names + ")";
}

} // namespace

bool ProgramWriter::diamondStatement() {
  if (!state.blocks || state.depth > 3)
    return false;
  std::string label = std::to_string(nextName++);
  std::string which = condition();
  std::optional<int> like = random.chance(yields) ? findLike() : std::nullopt;
  std::string result = fresh("r");
  line("cf.cond_br " + which + ", ^then" + label + ", ^else" + label);
  Ends ends;
  for (const char *side : {"^then", "^else"}) {
    line(side + label + ":");
    State outer = enter(/*keepBlocks=*/true);
    statements(1 + random.below(3));
    end(like, ends);
    std::string passed;
    if (like)
      passed =
          names({ends.sources.back()}) + " : " + types({ends.sources.back()});
    line("cf.br ^join" + label + parameters(passed));
    leave(outer, false);
  }
  line("^join" + label +
       parameters(like ? result + ": " + memrefs[*like].type() : "") + ":");
  join(result, like.value_or(-1), ends);
  return true;
}

/// A loop tested at its top, at times with a way out of its middle.
bool ProgramWriter::blockLoopStatement() {
  int64_t bound = 1 + random.below(4);
  if (!state.blocks || !mayLoop(bound))
    return false;
  std::string label = std::to_string(nextName++), counter = fresh("i");
  std::vector<int> initial = carried();
  std::set<int> roots = carriedRoots(initial);
  std::string comma = initial.empty() ? "" : ", ";
  std::string all = " : index" + comma + types(initial);
  line("cf.br ^head" + label + "(%c0" + comma + names(initial) + all + ")");
  // Arguments of the head are visible after the loop.
  std::vector<int> arguments = enterCarried(initial, roots);
  std::string declared = counter + ": index";
  for (int memref : arguments)
    declared += ", " + memrefs[memref].name + ": " + memrefs[memref].type();
  line("^head" + label + "(" + declared + "):");
  State outer = enter(/*keepBlocks=*/true);
  enterLoop(counter, bound, outer);
  for (int memref : arguments)
    state.beforeLoop.erase(memref);
  std::string more = fresh("q");
  line(more + " = arith.cmpi slt, " + counter + ", %c" + std::to_string(bound) +
       " : index");
  line("cf.cond_br " + more + ", ^body" + label + ", ^exit" + label);
  line("^body" + label + ":");
  statements(2 + random.below(3));
  std::set<int> atExit = state.initialised;
  // Not where the way out would leave something unfreed.
  bool early = !program.freesAll && random.chance(30);
  if (early) {
    line("cf.cond_br " + condition() + ", ^exit" + label + ", ^rest" + label);
    line("^rest" + label + ":");
    statements(1 + random.below(2));
  }
  std::vector<int> next = yieldCarried(arguments, roots);
  endScope();
  std::string sum = fresh("i");
  line(sum + " = arith.addi " + counter + ", %c1 : index");
  line("cf.br ^head" + label + "(" + sum + comma + names(next) + all + ")");
  if (!early)
    atExit = state.initialised;
  leave(outer, false);
  state.initialised = std::move(atExit);
  line("^exit" + label + ":");
  retireSome(retires);
  return true;
}

/// A loop that is entered at two places.
bool ProgramWriter::irreducibleStatement() {
  int64_t bound = 1 + random.below(3);
  if (!state.blocks || !mayLoop(bound))
    return false;
  std::string label = std::to_string(nextName++);
  std::string first = fresh("i"), second = fresh("i");
  line("cf.cond_br " + condition() + ", ^left" + label +
       "(%c0 : index), ^right" + label + "(%c0 : index)");
  line("^left" + label + "(" + first + ": index):");
  State outer = enter(/*keepBlocks=*/true);
  state.inductions.push_back({first, bound});
  state.runs *= bound;
  statements(1 + random.below(2));
  endScope();
  line("cf.br ^right" + label + "(" + first + " : index)");
  leave(outer, false);
  line("^right" + label + "(" + second + ": index):");
  outer = enter(/*keepBlocks=*/true);
  enterLoop(second, bound, outer);
  statements(1 + random.below(2));
  endScope();
  std::string sum = fresh("i"), more = fresh("q");
  line(sum + " = arith.addi " + second + ", %c1 : index");
  line(more + " = arith.cmpi slt, " + sum + ", %c" + std::to_string(bound) +
       " : index");
  line("cf.cond_br " + more + ", ^left" + label + "(" + sum +
       " : index), ^out" + label);
  // The right side has run on every way here.
  leave(outer, true);
  line("^out" + label + ":");
  retireSome(retires);
  return true;
}

} // namespace tpu_mlir::jit
