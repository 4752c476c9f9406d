//===- ProgramControl.cpp - Statements with regions -----------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

std::string ProgramWriter::names(const std::vector<int> &list) const {
  std::string text;
  for (int memref : list)
    text += (text.empty() ? "" : ", ") + memrefs[memref].name;
  return text;
}

std::string ProgramWriter::types(const std::vector<int> &list) const {
  std::string text;
  for (int memref : list)
    text += (text.empty() ? "" : ", ") + memrefs[memref].type();
  return text;
}

/// Its type is one that an allocation can have.
bool ProgramWriter::isPlain(int memref) const {
  return !memrefs[memref].strides && !memrefs[memref].dynamic;
}

std::optional<int> ProgramWriter::findLike() {
  return find([&](int memref) { return isPlain(memref); });
}

/// Something of the type of `like` to give out of this region: an old one, or
/// one that is allocated here.
int ProgramWriter::yielded(int like) {
  auto ownedHere = [&](int memref) {
    return std::any_of(state.unfreed.begin(), state.unfreed.end(),
                       [&](int own) { return !disjoint(own, memref); });
  };
  std::optional<int> old = find([&](int memref) {
    return memrefs[memref].type() == memrefs[like].type() &&
           (!program.freesAll || !ownedHere(memref));
  });
  if (old && (program.freesAll || random.chance(60)))
    return *old;
  if (program.freesAll)
    return like;
  Memref wanted = memrefs[like];
  return allocate(wanted.element, wanted.sizes, /*mayBeDynamic=*/false);
}

/// Ends a region or block, all but its terminator.
void ProgramWriter::end(std::optional<int> like, Ends &ends) {
  if (like) {
    int source = yielded(*like);
    escape(source);
    ends.sources.push_back(source);
    ends.ready = ends.ready && isInitialised(source);
  }
  endScope();
  ends.initialised.push_back(state.initialised);
}

/// What is known after regions or blocks of which one has run; adds what they
/// give out, if they do, as a memref of that name.
void ProgramWriter::join(const std::string &name, int like, const Ends &ends) {
  std::set<int> common = ends.initialised.front();
  for (const std::set<int> &other : ends.initialised) {
    std::set<int> both;
    std::set_intersection(common.begin(), common.end(), other.begin(),
                          other.end(), std::inserter(both, both.end()));
    common = std::move(both);
  }
  state.initialised = std::move(common);
  if (ends.sources.empty())
    return;
  Memref result = memrefs[like];
  result.name = name;
  result.roots.clear();
  result.parents.clear();
  result.whole = false;
  result.allocScope = -1;
  for (int source : ends.sources)
    result.roots.insert(memrefs[source].roots.begin(),
                        memrefs[source].roots.end());
  add(std::move(result), ends.ready);
}

/// An op of which one region runs.
bool ProgramWriter::branches(const std::string &head,
                             const std::vector<std::string> &regions,
                             bool mayYield) {
  std::optional<int> like =
      mayYield && random.chance(yields) ? findLike() : std::nullopt;
  std::string result = fresh("r");
  std::string opening = like ? result + " = " + head : head;
  if (like)
    opening += " -> (" + memrefs[*like].type() + ")";
  // scf.index_switch takes no parentheses.
  if (like && regions.front() != "")
    opening = result + " = " + head + " -> " + memrefs[*like].type();
  Ends ends;
  for (size_t i = 0; i < regions.size(); ++i) {
    if (regions.front() != "" && i == 0)
      line(opening);
    line((i == 0 && regions[i].empty() ? opening : regions[i]) + " {");
    State outer = enter();
    statements(1 + random.below(3));
    end(like, ends);
    std::string passed;
    if (like)
      passed = " " + names({ends.sources.back()}) + " : " +
               types({ends.sources.back()});
    line("scf.yield" + passed);
    leave(outer, false);
    if (i + 1 == regions.size() || regions.front() != "")
      line("}");
  }
  if (regions.size() == 1)
    ends.initialised.push_back(state.initialised);
  join(result, like.value_or(-1), ends);
  return true;
}

bool ProgramWriter::ifStatement() {
  if (state.depth > 3)
    return false;
  std::string head = "scf.if " + condition();
  if (random.chance(35))
    return branches(head, {""}, false);
  return branches(head, {"", "} else"}, true);
}

bool ProgramWriter::switchStatement() {
  if (state.depth > 3)
    return false;
  std::string which =
      state.inductions.empty() ? "%n" : random.pick(state.inductions).name;
  return branches("scf.index_switch " + which, {"case 0", "case 1", "default"},
                  true);
}

/// Another loop keeps the program short.
bool ProgramWriter::mayLoop(int64_t bound) const {
  // Functions that call each other are called often enough.
  int64_t most = !inHelper ? 128 : options.functions ? 4 : 16;
  return state.depth <= 3 && state.runs * bound <= most;
}

/// Memrefs to carry round a loop.
std::vector<int> ProgramWriter::carried() {
  std::vector<int> list;
  if (!random.chance(yields))
    return list;
  for (int i = 1 + random.below(2); i > 0; --i) {
    std::optional<int> initial = find([&](int memref) {
      return isPlain(memref) && readable(memref) &&
             (list.empty() ||
              memrefs[memref].type() == memrefs[list.front()].type());
    });
    if (initial)
      list.push_back(*initial);
  }
  return list;
}

/// Where what is carried may lie: in what enters, and in what iterations
/// allocate.
std::set<int> ProgramWriter::carriedRoots(const std::vector<int> &initial) {
  std::set<int> result;
  for (int memref : initial)
    result.insert(memrefs[memref].roots.begin(), memrefs[memref].roots.end());
  if (!initial.empty() && !program.freesAll)
    result.insert(roots++);
  return result;
}

/// The memrefs as the loop's body knows them.
std::vector<int> ProgramWriter::enterCarried(const std::vector<int> &initial,
                                             const std::set<int> &roots) {
  std::vector<int> arguments;
  for (int memref : initial) {
    Memref argument = memrefs[memref];
    argument.name = fresh("m");
    argument.roots = roots;
    argument.parents.clear();
    argument.whole = false;
    argument.allocScope = -1;
    arguments.push_back(add(std::move(argument), true));
  }
  return arguments;
}

/// What goes into the next iteration, initialised.
std::vector<int> ProgramWriter::yieldCarried(const std::vector<int> &arguments,
                                             const std::set<int> &roots) {
  std::vector<int> list;
  for (int argument : arguments) {
    bool own = !program.freesAll && random.chance(50);
    std::optional<int> next = find([&](int memref) {
      if (memrefs[memref].type() != memrefs[argument].type() ||
          !readable(memref))
        return false;
      bool mine = std::find(state.unfreed.begin(), state.unfreed.end(),
                            memref) != state.unfreed.end();
      return own ? mine
                 : std::includes(roots.begin(), roots.end(),
                                 memrefs[memref].roots.begin(),
                                 memrefs[memref].roots.end());
    });
    if (!next && own) {
      Memref like = memrefs[argument];
      next = allocate(like.element, like.sizes, /*mayBeDynamic=*/false);
      fillWith(*next);
    }
    list.push_back(next.value_or(argument));
  }
  for (int memref : list)
    escape(memref);
  return list;
}

void ProgramWriter::addResults(const std::string &name,
                               const std::vector<int> &like,
                               const std::set<int> &roots) {
  for (size_t i = 0; i < like.size(); ++i) {
    Memref result = memrefs[like[i]];
    result.name = name + "#" + std::to_string(i);
    result.roots = roots;
    result.parents.clear();
    result.whole = false;
    result.allocScope = -1;
    add(std::move(result), true);
  }
}

void ProgramWriter::enterLoop(const std::string &induction, int64_t bound,
                              const State &outer) {
  state.inductions.push_back({induction, bound});
  state.loop = induction;
  state.runs *= bound;
  state.beforeLoop.clear();
  state.beforeLoop.insert(outer.visible.begin(), outer.visible.end());
}

bool ProgramWriter::forStatement() {
  bool dynamic = random.chance(20);
  int64_t bound = dynamic ? 8 : 1 + random.below(4);
  if (!mayLoop(bound))
    return false;
  std::vector<int> initial = carried();
  std::set<int> roots = carriedRoots(initial);
  std::string induction = fresh("i"), result = fresh("r");
  State outer = enter();
  enterLoop(induction, bound, outer);
  std::vector<int> arguments = enterCarried(initial, roots);
  std::string pairs;
  for (size_t i = 0; i < initial.size(); ++i)
    pairs += (i ? ", " : "") + memrefs[arguments[i]].name + " = " +
             memrefs[initial[i]].name;
  std::string head = "scf.for " + induction + " = %c0 to " +
                     (dynamic ? "%n" : "%c" + std::to_string(bound)) +
                     " step " + (random.chance(15) ? "%c2" : "%c1");
  if (!initial.empty())
    head = result + ":" + std::to_string(initial.size()) + " = " + head +
           " iter_args(" + pairs + ") -> (" + types(initial) + ")";
  indent.resize(indent.size() - 2);
  line(head + " {");
  indent += "  ";
  if (random.chance(30))
    startScope();
  statements(2 + random.below(4));
  std::vector<int> next = yieldCarried(arguments, roots);
  endScope();
  if (!next.empty())
    line("scf.yield " + names(next) + " : " + types(next));
  leave(outer, !dynamic);
  line("}");
  retireSome(retires);
  addResults(result, initial, roots);
  return true;
}

bool ProgramWriter::whileStatement() {
  int64_t bound = 1 + random.below(3);
  if (!mayLoop(bound + 1))
    return false;
  std::vector<int> initial = carried();
  std::set<int> roots = carriedRoots(initial);
  std::string before = fresh("i"), after = fresh("i"), result = fresh("r");
  std::string comma = initial.empty() ? "" : ", ";
  std::string all = "index" + comma + types(initial);
  State outer = enter();
  // The condition is computed once more than the body runs.
  state.inductions.push_back({before, bound + 1});
  state.runs *= bound + 1;
  std::vector<int> arguments = enterCarried(initial, roots);
  std::string pairs = before + " = %c0";
  for (size_t i = 0; i < initial.size(); ++i)
    pairs +=
        ", " + memrefs[arguments[i]].name + " = " + memrefs[initial[i]].name;
  indent.resize(indent.size() - 2);
  line(result + ":" + std::to_string(1 + initial.size()) + " = scf.while (" +
       pairs + ") : (" + all + ") -> (" + all + ") {");
  indent += "  ";
  statements(random.below(3));
  endScope();
  std::string more = fresh("q");
  line(more + " = arith.cmpi slt, " + before + ", %c" + std::to_string(bound) +
       " : index");
  line("scf.condition(" + more + ") " + before + comma + names(arguments) +
       " : " + all);
  leave(outer, true);
  line("} do {");
  State between = enter();
  state.inductions.push_back({after, bound});
  state.runs *= bound;
  std::vector<int> inner = enterCarried(initial, roots);
  std::string parameters = after + ": index";
  for (int memref : inner)
    parameters += ", " + memrefs[memref].name + ": " + memrefs[memref].type();
  line("^bb0(" + parameters + "):");
  statements(1 + random.below(3));
  std::vector<int> next = yieldCarried(inner, roots);
  endScope();
  std::string sum = fresh("i");
  line(sum + " = arith.addi " + after + ", %c1 : index");
  line("scf.yield " + sum + comma + names(next) + " : " + all);
  leave(between, true);
  line("}");
  retireSome(retires);
  // The first result is the counter.
  size_t first = memrefs.size();
  addResults(result, initial, roots);
  for (size_t i = 0; i < initial.size(); ++i)
    memrefs[first + i].name = result + "#" + std::to_string(i + 1);
  return true;
}

bool ProgramWriter::affineStatement() {
  int64_t bound = 2 + random.below(3);
  if (!mayLoop(bound))
    return false;
  std::string induction = fresh("i");
  line("affine.for " + induction + " = 0 to " + std::to_string(bound) + " {");
  State outer = enter();
  enterLoop(induction, bound, outer);
  statements(1 + random.below(2));
  auto place = [&](int memref) {
    std::string text = "[";
    for (size_t i = 0; i < memrefs[memref].sizes.size(); ++i) {
      bool moves = memrefs[memref].sizes[i] >= bound && random.chance(70);
      text += (i ? ", " : "") + (moves ? induction : "0");
    }
    return text + "]";
  };
  std::optional<int> to = find([&](int memref) {
    return writable(memref) && readable(memref) && isPlain(memref);
  });
  std::optional<int> from =
      find([&](int memref) { return readable(memref) && isPlain(memref); });
  if (to && from) {
    const Memref target = memrefs[*to], source = memrefs[*from];
    std::string loaded = fresh("l"), old = fresh("l"), where = place(*to);
    line(loaded + " = affine.load " + source.name + place(*from) + " : " +
         source.type());
    line(old + " = affine.load " + target.name + where + " : " + target.type());
    std::string value =
        source.element == target.element
            ? loaded
            : fromI64(target.element, toI64(source.element, loaded));
    line("affine.store " + combine(target.element, value, old) + ", " +
         target.name + where + " : " + target.type());
    wrote(*to);
  }
  endScope();
  leave(outer, true);
  line("}");
  retireSome(retires);
  return true;
}

bool ProgramWriter::executeStatement() {
  if (state.depth > 3)
    return false;
  std::optional<int> like = random.chance(yields) ? findLike() : std::nullopt;
  std::string result = fresh("r");
  line((like ? result + " = " : "") + "scf.execute_region" +
       (like ? " -> " + memrefs[*like].type() : "") + " {");
  State outer = enter();
  state.blocks = options.unstructured;
  statements(2 + random.below(3));
  Ends ends;
  end(like, ends);
  line("scf.yield" +
       (like ? " " + names(ends.sources) + " : " + types(ends.sources) : ""));
  leave(outer, true);
  line("}");
  join(result, like.value_or(-1), ends);
  return true;
}

/// The part of a memref that is one thread's own, by its first index.
int ProgramWriter::sliceOf(const Memref &whole, const std::string &thread,
                           bool isReadable) {
  Memref slice = whole;
  slice.name = fresh("t");
  slice.sizes[0] = 1;
  slice.dynamic = false;
  slice.strides = whole.stridesOrDefault();
  slice.offset = std::nullopt;
  slice.parents.clear();
  slice.whole = false;
  slice.allocScope = -1;
  std::string starts = thread, sizes = "1", steps = "1";
  for (size_t i = 1; i < slice.sizes.size(); ++i) {
    starts += ", 0";
    sizes += ", " + std::to_string(slice.sizes[i]);
    steps += ", 1";
  }
  line(slice.name + " = memref.subview " + whole.name + "[" + starts + "] [" +
       sizes + "] [" + steps + "] : " + whole.type() + " to " + slice.type());
  return add(slice, isReadable);
}

/// Threads that each write their own slice of one or two buffers.
bool ProgramWriter::parallelStatement() {
  if (!options.parallel || state.depth > 2)
    return false;
  std::optional<int> sliced = find([&](int memref) {
    return writable(memref) && memrefs[memref].sizes[0] >= 2 &&
           memrefs[memref].sizes[0] <= 8;
  });
  if (!sliced || !mayLoop(memrefs[*sliced].sizes[0]))
    return false;
  const Memref whole = memrefs[*sliced];
  bool wasReadable = readable(*sliced);
  std::string induction = fresh("i"), count = std::to_string(whole.sizes[0]);
  bool forall = random.chance(60);
  line(forall ? "scf.forall (" + induction + ") in (" + count + ") {"
              : "scf.parallel (" + induction + ") = (%c0) to (%c" + count +
                    ") step (%c1) {");
  State outer = enter();
  state.parallel = true;
  std::vector<int> others;
  for (int memref : state.visible)
    if (disjoint(memref, *sliced)) {
      others.push_back(memref);
      state.readOnly.insert(memref);
    }
  state.visible = others;
  state.inductions.push_back({induction, whole.sizes[0]});
  state.runs *= whole.sizes[0];
  int mine = sliceOf(whole, induction, wasReadable);
  const Memref slice = memrefs[mine];
  statements(2 + random.below(3));
  int local = allocate(slice.element, slice.sizes);
  fillWith(local);
  statements(1 + random.below(2));
  if (std::find(state.visible.begin(), state.visible.end(), local) !=
      state.visible.end()) {
    line("memref.copy " + names({local}) + ", " + slice.name + " : " +
         types({local}) + " to " + slice.type());
    wrote(mine);
  } else {
    fillWith(mine);
  }
  endScope();
  if (!forall)
    line("scf.reduce");
  leave(outer, false);
  line("}");
  wrote(*sliced);
  return true;
}

} // namespace tpu_mlir::jit
