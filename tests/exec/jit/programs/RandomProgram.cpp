//===- RandomProgram.cpp - Random memref programs -------------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

uint64_t Random::next() {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Shape Memref::stridesOrDefault() const {
  if (strides)
    return *strides;
  Shape result(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    result[i - 1] = result[i] * sizes[i];
  return result;
}

int64_t Memref::elements() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::string Memref::type() const {
  std::string text = "memref<";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i == 0 && dynamic ? "?" : std::to_string(sizes[i])) + "x";
  text += element;
  if (strides) {
    text += ", strided<[";
    for (size_t i = 0; i < strides->size(); ++i)
      text += (i ? ", " : "") + std::to_string((*strides)[i]);
    text += "]";
    if (!offset || *offset)
      text += ", offset: " + (offset ? std::to_string(*offset) : "?");
    text += ">";
  }
  return text + ">";
}

ProgramWriter::ProgramWriter(uint64_t seed, int number,
                             const ProgramOptions &options)
    : random(seed * 0x2545F4914F6CDD1Dull + 1), number(number),
      options(options) {
  random.next();
  // A program prefers some kinds of statements, types and shapes.
  for (const Kind &kind : kinds())
    weights.push_back(random.chance(25)   ? kind.weight * 3
                      : random.chance(25) ? kind.weight / 3
                                          : kind.weight);
  if (options.functions)
    for (size_t i = 0; i < weights.size(); ++i)
      if (std::string(kinds()[i].name) == "call")
        weights[i] = 60;
  static const std::vector<std::string> kElements = {
      "i32",          "i32",   "i32", "i32", "f32",   "f32",
      "f32",          "i64",   "i64", "i8",  "i8",    "f64",
      "f64",          "index", "i16", "i1",  "index", "vector<4xf32>",
      "complex<f32>", "f16",   "i12"};
  static const std::vector<Shape> kShapes = {{16},   {16},   {4, 4}, {4, 4},
                                             {2, 8}, {8},    {4},    {2, 2, 4},
                                             {3},    {5, 3}, {32},   {2, 4}};
  for (int i = 0; i < 3; ++i)
    elements.push_back(random.pick(kElements));
  for (int i = 0; i < 3; ++i)
    shapes.push_back(random.pick(kShapes));
  // With one type for nearly all more can be done.
  if (dense) {
    elements[1] = elements[0];
    shapes[1] = shapes[2] = shapes[0];
  }
  yields = random.pick(std::vector<int>{0, 15, 40});
  retires = random.pick(std::vector<int>{10, 25, 50});
  program.freesAll = options.deallocs && random.chance(25);
}

const std::vector<ProgramWriter::Kind> &ProgramWriter::kinds() {
  using W = ProgramWriter;
  static const std::vector<Kind> kKinds = {
      {"alloc", 18, 8, false, &W::allocStatement},
      {"bytes", 2, 1, false, &W::bytesStatement},
      {"fill", 9, 9, false, &W::fillStatement},
      {"elementwise", 30, 60, false, &W::elementwiseStatement},
      {"copy", 12, 12, false, &W::copyStatement},
      {"element", 8, 10, false, &W::elementStatement},
      {"matmul", 4, 3, false, &W::matmulStatement},
      {"observe", 10, 10, false, &W::observeStatement},
      {"dealloc", 5, 5, false, &W::deallocStatement},
      {"firstIteration", 40, 30, false, &W::firstIterationStatement},
      {"subview", 5, 3, false, &W::subviewStatement},
      {"reshape", 4, 2, false, &W::reshapeStatement},
      {"cast", 4, 2, false, &W::castStatement},
      {"transpose", 3, 2, false, &W::transposeStatement},
      {"select", 8, 8, false, &W::selectStatement},
      {"call", 10, 10, false, &W::callStatement},
      {"if", 10, 10, true, &W::ifStatement},
      {"switch", 4, 2, true, &W::switchStatement},
      {"for", 16, 24, true, &W::forStatement},
      {"while", 5, 5, true, &W::whileStatement},
      {"affine", 5, 3, true, &W::affineStatement},
      {"execute", 5, 3, true, &W::executeStatement},
      {"parallel", 7, 5, true, &W::parallelStatement},
      {"diamond", 10, 12, true, &W::diamondStatement},
      {"blockLoop", 14, 24, true, &W::blockLoopStatement},
      {"stress", 4, 8, true, &W::stressStatement},
      {"irreducible", 5, 5, true, &W::irreducibleStatement},
  };
  return kKinds;
}

std::string ProgramWriter::fresh(const char *prefix) {
  return std::string("%") + prefix + std::to_string(nextName++);
}

int ProgramWriter::add(Memref memref, bool initialised) {
  int id = static_cast<int>(memrefs.size());
  memrefs.push_back(std::move(memref));
  state.visible.push_back(id);
  if (initialised)
    state.initialised.insert(id);
  // What may be memory that is not to be written is not to be written.
  for (int other : state.readOnly)
    if (!disjoint(other, id)) {
      state.readOnly.insert(id);
      break;
    }
  return id;
}

bool ProgramWriter::isInitialised(int memref) const {
  if (state.initialised.count(memref))
    return true;
  const std::vector<int> &parents = memrefs[memref].parents;
  return !parents.empty() &&
         std::all_of(parents.begin(), parents.end(),
                     [&](int parent) { return isInitialised(parent); });
}

void ProgramWriter::initialise(int memref) {
  state.initialised.insert(memref);
  if (memrefs[memref].whole)
    initialise(memrefs[memref].parents.front());
}

bool ProgramWriter::disjoint(int left, int right) const {
  for (int root : memrefs[left].roots)
    if (memrefs[right].roots.count(root))
      return false;
  return true;
}

bool ProgramWriter::sameShape(int left, int right) const {
  return memrefs[left].sizes == memrefs[right].sizes;
}

std::optional<int> ProgramWriter::find(const std::function<bool(int)> &wanted) {
  std::vector<int> found;
  for (int memref : state.visible)
    if (wanted(memref))
      found.push_back(memref);
  if (found.empty())
    return std::nullopt;
  // The younger ones are used more: values flow through the program.
  int last = static_cast<int>(found.size()) - 1;
  return found[random.chance(50) ? last - random.below(std::min(last + 1, 3))
                                 : random.below(last + 1)];
}

ProgramWriter::State ProgramWriter::enter(bool keepBlocks) {
  State outer = state;
  state.scope = ++scopes;
  state.depth = outer.depth + 1;
  state.blocks = keepBlocks && outer.blocks;
  state.loop.clear();
  state.unfreed.clear();
  // A scope has its own favourites: neighbouring loops use other buffers.
  int keep = random.pick(std::vector<int>{40, 60, 80, 100});
  state.visible.clear();
  for (int memref : outer.visible)
    if (random.chance(keep))
      state.visible.push_back(memref);
  indent += "  ";
  return outer;
}

void ProgramWriter::leave(const State &outer, bool keepInitialised) {
  std::set<int> initialised = std::move(state.initialised);
  std::set<int> unread = std::move(state.unread);
  state = outer;
  state.unread.insert(unread.begin(), unread.end());
  if (keepInitialised)
    state.initialised = std::move(initialised);
  indent.resize(indent.size() - 2);
}

/// What is yielded or returned is not freed here.
void ProgramWriter::escape(int memref) {
  auto inRoots = [&](int other) { return !disjoint(memref, other); };
  state.unfreed.erase(
      std::remove_if(state.unfreed.begin(), state.unfreed.end(), inRoots),
      state.unfreed.end());
}

/// It is not used from here on in this scope.
void ProgramWriter::retire(int memref) {
  auto gone = [&](int other) { return !disjoint(memref, other); };
  state.visible.erase(
      std::remove_if(state.visible.begin(), state.visible.end(), gone),
      state.visible.end());
}

/// After a loop, some of what it used is used up.
void ProgramWriter::retireSome(int percent) {
  std::vector<int> candidates(state.visible);
  for (int memref : candidates)
    if (memrefs[memref].allocScope == state.scope && random.chance(percent))
      retire(memref);
}

/// Buffers that wait for their first use.
void ProgramWriter::startScope() {
  for (int i = random.below(4); i > 0; --i)
    allocate(randomElement(), randomShape());
}

void ProgramWriter::wrote(int memref) {
  initialise(memref);
  state.unread.insert(memrefs[memref].roots.begin(),
                      memrefs[memref].roots.end());
}

void ProgramWriter::read(int memref) {
  for (int root : memrefs[memref].roots)
    state.unread.erase(root);
}

bool ProgramWriter::isUnread(int memref) const {
  for (int root : memrefs[memref].roots)
    if (state.unread.count(root))
      return true;
  return false;
}

/// What was computed here is seen, and what was allocated here freed.
void ProgramWriter::endScope() {
  std::vector<int> last(state.visible);
  for (int memref : last) {
    if (isUnread(memref) && memrefs[memref].allocScope == state.scope &&
        readable(memref) && !inHelper && !state.parallel && random.chance(80))
      observe(memref);
  }
  if (!program.freesAll)
    return;
  for (int memref : state.unfreed)
    line("memref.dealloc " + memrefs[memref].name + " : " +
         memrefs[memref].type());
  state.unfreed.clear();
}

void ProgramWriter::statements(int count) {
  for (int i = 0; i < count && budget > 0; ++i)
    statement();
}

void ProgramWriter::statement() {
  const std::vector<Kind> &all = kinds();
  // Deep inside, there is less and less nesting.
  std::vector<int> here(weights);
  int total = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].nests)
      here[i] /= std::vector<int>{1, 2, 4, 8, 16}[std::min(state.depth, 4)];
    total += here[i];
  }
  // A kind that is not possible here gives way to another.
  for (int attempt = 0; attempt < 20; ++attempt) {
    int draw = random.below(total);
    size_t kind = 0;
    while (draw >= here[kind])
      draw -= here[kind++];
    if (!(this->*all[kind].statement)())
      continue;
    --budget;
    ++program.statements[all[kind].name];
    return;
  }
}

void ProgramWriter::writeArguments(std::vector<std::string> &arguments) {
  for (int i = 0; i < 2; ++i) {
    Memref memref;
    memref.name = "%in" + std::to_string(i);
    memref.element = elements[i];
    memref.sizes = shapes[i];
    memref.roots = {roots++};
    arguments.push_back(memref.name + ": " + memref.type());
    add(std::move(memref), true);
  }
  for (const char *rest :
       {"%hash: memref<i64>", "%flag0: i1", "%flag1: i1", "%n: index"})
    arguments.push_back(rest);
}

/// The return statement; gives the result types with their arrow.
std::string ProgramWriter::writeReturn() {
  std::vector<int> results;
  int count = random.below(3);
  for (int i = 0; i < count; ++i) {
    std::optional<int> result = find([&](int memref) {
      return readable(memref) && memrefs[memref].roots.size() == 1 &&
             (memrefs[memref].allocScope >= 0 || random.chance(20)) &&
             std::find(results.begin(), results.end(), memref) == results.end();
    });
    if (result) {
      escape(*result);
      results.push_back(*result);
    }
  }
  endScope();
  if (results.empty()) {
    line("return");
    return "";
  }
  line("return " + names(results) + " : " + types(results));
  return " -> (" + types(results) + ")";
}

void ProgramWriter::writeMain() {
  state = {};
  state.blocks = options.unstructured && random.chance(50);
  body.clear();
  budget = options.statements / 2 + random.below(options.statements);
  std::vector<std::string> arguments;
  writeArguments(arguments);
  startScope();
  startScope();
  for (int stress = random.below(3); budget > 0; --stress) {
    statements(2 + random.below(6));
    if (stress > 0 && stressStatement())
      ++program.statements["stress"];
  }
  std::string results = writeReturn();
  std::string head;
  for (const std::string &argument : arguments)
    head += (head.empty() ? "" : ", ") + argument;
  std::string constants;
  for (int i = 0; i <= 16; ++i)
    constants += "  %c" + std::to_string(i) + " = arith.constant " +
                 std::to_string(i) + " : index\n";
  program.text += "func.func @" + program.function + "(" + head + ")" +
                  results + " {\n" + constants + body + "}\n";
}

void ProgramWriter::writeHelper() {
  state = {};
  body.clear();
  inHelper = true;
  Helper helper;
  helper.name =
      "@h" + std::to_string(number) + "_" + std::to_string(helpers.size());
  helper.returns = !program.freesAll && random.chance(30);
  auto argument = [&](const char *name) {
    Memref memref;
    memref.name = name;
    memref.element = elements.front();
    memref.sizes = shapes.front();
    memref.roots = {roots++};
    return memref;
  };
  helper.in = argument("%in");
  helper.out = argument("%out");
  int in = add(helper.in, true), out = add(helper.out, false);
  state.readOnly.insert(in);
  budget = options.functions ? 5 + random.below(10) : 4 + random.below(4);
  callsHere = 1;
  if (options.functions)
    startScope();
  statements(budget);
  std::string result;
  if (helper.returns) {
    int memref = yielded(out);
    if (!readable(memref))
      fillWith(memref);
    escape(memref);
    endScope();
    line("return " + memrefs[memref].name + " : " + helper.out.type());
    result = " -> " + helper.out.type();
  } else {
    endScope();
    line("return");
  }
  helper.writesOut = isInitialised(out);
  helper.calls = callsHere;
  std::string constants;
  for (int i = 0; i <= 16; ++i)
    constants += "  %c" + std::to_string(i) + " = arith.constant " +
                 std::to_string(i) + " : index\n";
  program.text += "func.func private " + helper.name +
                  "(%in: " + helper.in.type() + ", %out: " + helper.out.type() +
                  ", %flag0: i1, %flag1: i1, %n: index)" + result + " {\n" +
                  constants + body + "}\n";
  helpers.push_back(std::move(helper));
  inHelper = false;
}

RandomProgram ProgramWriter::write() {
  program.function = "p" + std::to_string(number);
  for (int i = 0; i < options.functions; ++i)
    writeHelper();
  if (options.functions == 0 && options.calls && random.chance(25))
    writeHelper();
  writeMain();
  return std::move(program);
}

RandomProgram makeRandomProgram(uint64_t seed, int number,
                                const ProgramOptions &options) {
  return ProgramWriter(seed, number, options).write();
}

} // namespace tpu_mlir::jit
