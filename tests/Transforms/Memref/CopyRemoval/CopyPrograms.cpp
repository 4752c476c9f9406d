//===- CopyPrograms.cpp - Write random programs with copies ---------------===//
//
// Patterns in which a copy can, or must not, be removed.
//
//===----------------------------------------------------------------------===//

#include "CopyPrograms.h"

#include <algorithm>
#include <random>
#include <vector>

namespace tpu_mlir {

namespace {

constexpr const char *kPlain = "memref<4xi64>";
constexpr const char *kDynamic = "memref<?xi64>";

struct Buffer {
  std::string name;
  std::string type;
  /// Buffers of one root overlap.
  int root = 0;
  bool isArgument = false;
};

class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed * 2654435761u + 1) {}
  std::string body();

private:
  struct State {
    std::vector<Buffer> visible;
    /// Allocated in this scope and to be freed there.
    std::vector<Buffer> unfreed;
    int depth = 0;
  };

  int below(int bound) { return static_cast<int>(random() % bound); }
  bool chance(int percent) { return below(100) < percent; }
  std::string fresh(const char *prefix) {
    return prefix + std::to_string(next++);
  }
  void line(const std::string &text) { out += text + "\n"; }
  Buffer pick() { return state.visible[below(int(state.visible.size()))]; }

  Buffer allocate(bool own = true);
  void copy(const Buffer &from, const Buffer &to);
  void produce(const Buffer &to);
  void elementwise(const Buffer &from, const Buffer &to);
  void reversed(const Buffer &from, const Buffer &to);
  void store(const Buffer &to);
  void observe(const Buffer &from);
  void show(const Buffer &buffer) { state.visible.push_back(buffer); }
  void release(const Buffer &buffer);
  void disown(const Buffer &buffer);
  void hide(int root);
  void filler();

  void copyToFresh();
  void copyFromTemporary();
  void views();
  void branch();
  void loop();
  void branchResult();
  void carried();
  void call();
  void statement();
  void statements(int count);
  State enter();
  void leave(State outer);

  std::mt19937_64 random;
  std::string out;
  State state;
  int next = 0, roots = 0, budget = 0;
};

Buffer Writer::allocate(bool own) {
  Buffer buffer{fresh("%a"), chance(15) ? kDynamic : kPlain, roots++, false};
  std::string size = buffer.type == kDynamic ? "%c4" : "";
  std::string alignment = chance(20) ? " {alignment = 64 : i64}" : "";
  line(buffer.name + " = memref.alloc(" + size + ")" + alignment + " : " +
       buffer.type);
  if (own)
    state.unfreed.push_back(buffer);
  return buffer;
}

void Writer::copy(const Buffer &from, const Buffer &to) {
  std::string both = " ins(" + from.name + " : " + from.type + ") outs(" +
                     to.name + " : " + to.type + ")";
  switch (below(4)) {
  case 0:
    line("linalg.copy" + both);
    break;
  case 1:
    line("linalg.generic {indexing_maps = [#id, #id], iterator_types = "
         "[\"parallel\"]}" +
         both + " {\n^bb0(%x: i64, %y: i64):\n linalg.yield %x : i64\n}");
    break;
  default:
    line("memref.copy " + from.name + ", " + to.name + " : " + from.type +
         " to " + to.type);
  }
}

void Writer::elementwise(const Buffer &from, const Buffer &to) {
  line("linalg.generic {indexing_maps = [#id, #id], iterator_types = "
       "[\"parallel\"]} ins(" +
       from.name + " : " + from.type + ") outs(" + to.name + " : " + to.type +
       ") {\n^bb0(%x: i64, %y: i64):\n %z = arith.addi %x, %k" +
       std::to_string(below(4)) + " : i64\n linalg.yield %z : i64\n}");
}

/// Element i of the one becomes element 3 - i of the other, one by one.
void Writer::reversed(const Buffer &from, const Buffer &to) {
  std::string i = fresh("%i"), j = fresh("%j"), v = fresh("%v");
  line("scf.for " + i + " = %c0 to %c4 step %c1 {");
  line(j + " = arith.subi %c3, " + i + " : index");
  line(v + " = memref.load " + from.name + "[" + j + "] : " + from.type);
  line("memref.store " + v + ", " + to.name + "[" + i + "] : " + to.type);
  line("}");
}

/// Writes all of it.
void Writer::produce(const Buffer &to) {
  Buffer from = pick();
  int kind = below(3);
  if (kind == 0 && from.root != to.root)
    return elementwise(from, to);
  if (kind == 1 && from.root != to.root)
    return reversed(from, to);
  line("linalg.fill ins(%k" + std::to_string(below(4)) + " : i64) outs(" +
       to.name + " : " + to.type + ")");
}

void Writer::store(const Buffer &to) {
  line("memref.store %k" + std::to_string(below(4)) + ", " + to.name + "[%c" +
       std::to_string(below(4)) + "] : " + to.type);
}

void Writer::observe(const Buffer &from) {
  line("func.call @observe_" +
       std::string(from.type == kDynamic ? "dynamic" : "plain") + "(" +
       from.name + ", %hash) : (" + from.type + ", memref<i64>) -> ()");
}

void Writer::hide(int root) {
  auto isIt = [&](const Buffer &other) { return other.root == root; };
  auto &list = state.visible;
  list.erase(std::remove_if(list.begin(), list.end(), isIt), list.end());
}

void Writer::disown(const Buffer &buffer) {
  auto isIt = [&](const Buffer &other) { return other.name == buffer.name; };
  auto &list = state.unfreed;
  list.erase(std::remove_if(list.begin(), list.end(), isIt), list.end());
}

void Writer::release(const Buffer &buffer) {
  line("memref.dealloc " + buffer.name + " : " + buffer.type);
  disown(buffer);
  hide(buffer.root);
}

/// Something between two steps of a pattern.
void Writer::filler() {
  if (chance(60))
    return;
  Buffer buffer = pick();
  switch (below(4)) {
  case 0:
    return store(buffer);
  case 1:
    if (buffer.type == kPlain || buffer.type == kDynamic)
      return observe(buffer);
    return store(buffer);
  case 2:
    return produce(buffer);
  default:
    line("scf.if %flag {");
    store(buffer);
    line("}");
  }
}

void Writer::copyToFresh() {
  Buffer from = pick(), to = allocate();
  filler();
  copy(from, to);
  show(to);
  filler();
  filler();
  auto isIt = [&](const Buffer &other) { return other.name == from.name; };
  if (chance(60) &&
      std::any_of(state.unfreed.begin(), state.unfreed.end(), isIt) &&
      state.visible.size() > 2)
    release(from);
  else if (chance(30))
    release(to);
}

void Writer::copyFromTemporary() {
  Buffer to = pick();
  Buffer temporary = allocate();
  filler();
  produce(temporary);
  filler();
  if (chance(20))
    store(temporary);
  copy(temporary, to);
  if (chance(30))
    show(temporary);
  filler();
  if (chance(80))
    release(temporary);
  else if (chance(50))
    show(temporary);
}

/// Two views of eight elements, which may overlap.
void Writer::views() {
  Buffer all{fresh("%a"), "memref<8xi64>", roots++, false};
  line(all.name + " = memref.alloc() : memref<8xi64>");
  line("linalg.fill ins(%k1 : i64) outs(" + all.name + " : memref<8xi64>)");
  state.unfreed.push_back(all);
  for (int offset : {below(3), 2 + below(3)}) {
    std::string text = std::to_string(offset);
    Buffer view{fresh("%s"),
                offset ? "memref<4xi64, strided<[1], offset: " + text + ">>"
                       : "memref<4xi64, strided<[1]>>",
                all.root, false};
    line(view.name + " = memref.subview " + all.name + "[" + text +
         "] [4] [1] : memref<8xi64> to " + view.type);
    show(view);
  }
}

Writer::State Writer::enter() {
  State outer = state;
  state.unfreed.clear();
  ++state.depth;
  return outer;
}

/// What was allocated in the scope is freed.
void Writer::leave(State outer) {
  while (!state.unfreed.empty())
    release(state.unfreed[below(int(state.unfreed.size()))]);
  state = std::move(outer);
}

void Writer::branch() {
  for (const char *head : {"scf.if %flag {", "} else {"}) {
    line(head);
    State outer = enter();
    statements(1 + below(3));
    leave(std::move(outer));
  }
  line("}");
}

void Writer::loop() {
  line("scf.for " + fresh("%i") + " = %c0 to %c3 step %c1 {");
  State outer = enter();
  statements(1 + below(4));
  leave(std::move(outer));
  line("}");
}

void Writer::branchResult() {
  Buffer result{fresh("%r"), kPlain, roots++, false};
  std::string text = result.name + " = scf.if %flag -> (memref<4xi64>) {";
  for (int side = 0; side < 2; ++side) {
    line(side ? "} else {" : text);
    State outer = enter();
    Buffer given = allocate();
    while (given.type != kPlain)
      given = allocate();
    Buffer from = pick();
    filler();
    copy(from, given);
    if (chance(30))
      produce(given);
    disown(given);
    statements(below(2));
    std::string end = "scf.yield " + given.name + " : " + std::string(kPlain);
    leave(std::move(outer));
    line(end);
  }
  line("}");
  state.unfreed.push_back(result);
  show(result);
}

/// A buffer that each iteration of a loop replaces by another.
void Writer::carried() {
  Buffer from = pick(), start{fresh("%a"), kPlain, roots++, false};
  line(start.name + " = memref.alloc() : memref<4xi64>");
  copy(from, start);
  filler();
  Buffer result{fresh("%r"), kPlain, roots++, false};
  Buffer each{fresh("%b"), kPlain, roots++, false};
  line(result.name + " = scf.for " + fresh("%i") +
       " = %c0 to %c3 step %c1 iter_args(" + each.name + " = " + start.name +
       ") -> (memref<4xi64>) {");
  State outer = enter();
  show(each);
  filler();
  Buffer after{fresh("%a"), kPlain, roots++, false};
  line(after.name + " = memref.alloc() : memref<4xi64>");
  if (chance(60))
    copy(each, after);
  else
    produce(after);
  show(after);
  statements(below(2));
  if (chance(50))
    store(after);
  line("memref.dealloc " + each.name + " : memref<4xi64>");
  hide(each.root);
  statements(below(2));
  leave(std::move(outer));
  line("scf.yield " + after.name + " : memref<4xi64>");
  line("}");
  state.unfreed.push_back(result);
  show(result);
}

void Writer::call() {
  auto cast = [&](const Buffer &buffer) {
    if (buffer.type == kDynamic || buffer.type == kPlain)
      return buffer;
    Buffer copyOf = allocate(false);
    state.unfreed.push_back(copyOf);
    copy(buffer, copyOf);
    show(copyOf);
    return copyOf;
  };
  Buffer first = cast(pick()), second = cast(pick());
  std::string name = chance(50) ? "@through_temporary" : "@reverse";
  auto as = [&](const Buffer &buffer) {
    std::string any = fresh("%t");
    line(any + " = memref.cast " + buffer.name + " : " + buffer.type +
         " to memref<?xi64, strided<[1], offset: ?>>");
    return any;
  };
  std::string left = as(first), right = as(second);
  line("func.call " + name + "(" + left + ", " + right +
       ") : (memref<?xi64, strided<[1], offset: ?>>, memref<?xi64, "
       "strided<[1], offset: ?>>) -> ()");
}

void Writer::statement() {
  int kind = below(100);
  if (kind < 25)
    return copyToFresh();
  if (kind < 50)
    return copyFromTemporary();
  if (kind < 60) {
    Buffer from = pick(), to = pick();
    // Between views that overlap it has no meaning.
    return from.root == to.root ? store(to) : copy(from, to);
  }
  if (kind < 65)
    return produce(pick());
  if (kind < 70)
    return store(pick());
  if (kind < 75)
    return call();
  if (kind < 80)
    return views();
  if (state.depth > 2)
    return store(pick());
  if (kind < 85)
    return branch();
  if (kind < 90)
    return loop();
  kind < 95 ? branchResult() : carried();
}

void Writer::statements(int count) {
  for (int i = 0; i < count && budget > 0; ++i, --budget)
    statement();
}

std::string Writer::body() {
  budget = 25;
  show({"%in", kPlain, roots++, true});
  show({"%out", kPlain, roots++, true});
  statements(6 + below(10));
  leave({});
  return out;
}

} // namespace

std::string makeCopyProgram(uint64_t seed, int number) {
  std::string text = "func.func @p" + std::to_string(number) +
                     "(%in: memref<4xi64>, %out: memref<4xi64>, "
                     "%hash: memref<i64>, %flag: i1) {\n";
  for (int i = 0; i <= 4; ++i)
    text += "%c" + std::to_string(i) + " = arith.constant " +
            std::to_string(i) + " : index\n%k" + std::to_string(i) +
            " = arith.constant " + std::to_string(7 + 3 * i) + " : i64\n";
  return text + Writer(seed).body() + "return\n}\n";
}

static std::string observer(const std::string &name, const std::string &type) {
  return "func.func private @observe_" + name + "(%b: " + type +
         R"(, %hash: memref<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %k = arith.constant 31 : i64
  scf.for %i = %c0 to %c4 step %c1 {
    %old = memref.load %hash[] : memref<i64>
    %v = memref.load %b[%i] : )" +
         type + R"(
    %p = arith.muli %old, %k : i64
    %s = arith.addi %p, %v : i64
    memref.store %s, %hash[] : memref<i64>
  }
  return
}
)";
}

std::string copyProgramHelpers() {
  std::string any = "memref<?xi64, strided<[1], offset: ?>>";
  std::string head = "#id = affine_map<(d0) -> (d0)>\n";
  std::string loop = R"(
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %j = arith.subi %c3, %i : index
    %v = memref.load %a[%j] : )" +
                     any + "\n";
  return head + observer("plain", kPlain) + observer("dynamic", kDynamic) +
         "func.func private @reverse(%a: " + any + ", %b: " + any + ") {" +
         loop + "    memref.store %v, %b[%i] : " + any +
         "\n  }\n  return\n}\n" +
         "func.func private @through_temporary(%a: " + any + ", %b: " + any +
         ") {\n  %t = memref.alloc() : memref<4xi64>" + loop +
         "    memref.store %v, %t[%i] : memref<4xi64>\n  }\n  memref.copy %t, "
         "%b : memref<4xi64> to " +
         any + "\n  memref.dealloc %t : memref<4xi64>\n  return\n}\n";
}

} // namespace tpu_mlir
