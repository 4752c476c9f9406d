//===- OrderProgram.cpp - Programs whose ops may change places ------------===//
//
// The writer keeps the names that are there and where the storage of each may
// lie; an op never reads what it writes by another name.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

namespace {

constexpr const char *kNarrow = "memref<4xi32>";
constexpr const char *kWide = "memref<16x4xi32>";

/// A memref, and the memories that it may be in. All arguments and globals of
/// one shape count as one.
struct Name {
  std::string text;
  std::string type;
  std::set<int> roots;

  std::string typed() const { return text + " : " + type; }
  bool mayMeet(const Name &o) const {
    return text != o.text &&
           std::any_of(roots.begin(), roots.end(),
                       [&](int root) { return o.roots.count(root) > 0; });
  }
};

class OrderWriter {
public:
  OrderWriter(uint64_t seed, int number)
      : random(seed * 0x9E6C63D0676A9A99ull + 3),
        number(std::to_string(number)) {
    random.next();
  }
  RandomProgram write();

private:
  using Statement = void (OrderWriter::*)();

  std::string fresh(const char *prefix) {
    return std::string("%") + prefix + std::to_string(nextName++);
  }
  void line(const std::string &text) { body += "  " + text + "\n"; }
  Name allocate(const char *type);
  const Name &narrow() { return random.pick(narrows); }
  const Name &wide() { return random.pick(wides); }
  const Name *apartFrom(const std::vector<Name> &names, const Name &name);
  std::string typesOf(const Name &a, const Name &b) const {
    return "(" + a.text + ", " + b.text + " : " + a.type + ", " + b.type + ")";
  }
  void addInto(const Name &to, const Name &from);
  void sumInto(const Name &to, const Name &from);
  void forget(int root);

  void spread();
  void spreadByLoops();
  void sum();
  void combine();
  void update();
  void copy();
  void row();
  void cast();
  void select();
  void yield();
  void swap();
  void loadNumber();
  void storeNumber();
  void branch();
  void call();
  void wait();
  void freeOne();
  void useGlobal();

  Random random;
  std::string number, body;
  int nextName = 0, nextRoot = 2;
  std::vector<Name> narrows, wides;
  std::vector<std::string> values;
  /// By root, what was allocated there.
  std::map<int, Name> allocated;
};

} // namespace

/// Sometimes of a size that nobody knows, which no pass merges.
Name OrderWriter::allocate(const char *type) {
  Name name{fresh("m"), type, {nextRoot}};
  if (type == kNarrow && random.chance(10)) {
    const Name any{fresh("d"), "memref<?xi32>", {nextRoot}};
    line(any.text + " = memref.alloc(%c4) : " + any.type);
    line(name.text + " = memref.cast " + any.typed() + " to " + type);
    allocated[nextRoot++] = any;
    return name;
  }
  line(name.text + " = memref.alloc() : " + type);
  allocated[nextRoot++] = name;
  return name;
}

const Name *OrderWriter::apartFrom(const std::vector<Name> &names,
                                   const Name &name) {
  for (int attempt = 0; attempt < 4; ++attempt)
    if (const Name &other = random.pick(names);
        other.text != name.text && !other.mayMeet(name))
      return &other;
  return nullptr;
}

void OrderWriter::addInto(const Name &to, const Name &from) {
  static const std::vector<std::string> kOps = {"add", "mul", "max", "sub"};
  line("linalg." + random.pick(kOps) + " ins" + typesOf(to, from) + " outs(" +
       to.typed() + ")");
}

void OrderWriter::sumInto(const Name &to, const Name &from) {
  line("linalg.reduce { arith.addi } ins(" + from.typed() + ") outs(" +
       to.typed() + ") dimensions = [0]");
}

/// Drops all names that may lie there.
void OrderWriter::forget(int root) {
  const auto isThere = [&](const Name &name) { return name.roots.count(root); };
  narrows.erase(std::remove_if(narrows.begin(), narrows.end(), isThere),
                narrows.end());
  wides.erase(std::remove_if(wides.begin(), wides.end(), isThere), wides.end());
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void OrderWriter::spread() {
  const Name from = narrow(), to = allocate(kWide);
  line("linalg.broadcast ins(" + from.typed() + ") outs(" + to.typed() +
       ") dimensions = [0]");
  wides.push_back(to);
}

void OrderWriter::spreadByLoops() {
  const Name from = narrow(), to = allocate(kWide);
  line("scf.for %i = %c0 to %c16 step %c1 {");
  line("  scf.for %j = %c0 to %c4 step %c1 {");
  line("    %e = memref.load " + from.text + "[%j] : " + from.type);
  line("    %k = arith.index_cast %i : index to i32");
  line("    %s = arith.addi %e, %k : i32");
  line("    memref.store %s, " + to.text + "[%i, %j] : " + to.type);
  line("  }");
  line("}");
  wides.push_back(to);
}

void OrderWriter::sum() {
  const Name from = wide(), start = narrow(), to = allocate(kNarrow);
  line("memref.copy " + start.text + ", " + to.text + " : " + start.type +
       " to " + to.type);
  sumInto(to, from);
  narrows.push_back(to);
  const int root = *from.roots.begin();
  if (from.roots.size() == 1 && root > 1 && random.chance(60))
    forget(root);
}

void OrderWriter::combine() {
  const Name a = wide(), b = wide(), to = allocate(kWide);
  line("linalg.add ins" + typesOf(a, b) + " outs(" + to.typed() + ")");
  wides.push_back(to);
}

void OrderWriter::update() {
  const std::vector<Name> &names = random.chance(70) ? narrows : wides;
  const Name to = random.pick(names);
  if (const Name *from = apartFrom(names, to))
    addInto(to, *from);
}

void OrderWriter::copy() {
  const Name to = narrow();
  if (const Name *from = apartFrom(narrows, to))
    line("memref.copy " + from->text + ", " + to.text + " : " + from->type +
         " to " + to.type);
}

void OrderWriter::row() {
  const Name &of = wide();
  const int place = random.below(16);
  Name name{fresh("v"),
            "memref<4xi32, strided<[1], offset: " + std::to_string(place * 4) +
                ">>",
            of.roots};
  if (place == 0)
    name.type = "memref<4xi32, strided<[1]>>";
  line(name.text + " = memref.subview " + of.text + "[" +
       std::to_string(place) + ", 0] [1, 4] [1, 1] : " + of.type + " to " +
       name.type);
  narrows.push_back(name);
}

void OrderWriter::cast() {
  const Name of = narrow();
  if (of.type != kNarrow)
    return;
  const Name name{fresh("v"), "memref<4xi32, strided<[1], offset: ?>>",
                  of.roots};
  line(name.text + " = memref.cast " + of.typed() + " to " + name.type);
  narrows.push_back(name);
}

void OrderWriter::select() {
  std::vector<Name> &names = random.chance(70) ? narrows : wides;
  const Name a = random.pick(names), b = random.pick(names);
  if (a.type != b.type)
    return;
  Name name{fresh("v"), a.type, a.roots};
  name.roots.insert(b.roots.begin(), b.roots.end());
  line(name.text + " = arith.select %flag, " + a.text + ", " + b.text + " : " +
       a.type);
  names.push_back(name);
}

void OrderWriter::yield() {
  const Name a = narrow(), b = narrow();
  if (a.type != b.type)
    return;
  Name name{fresh("v"), a.type, a.roots};
  name.roots.insert(b.roots.begin(), b.roots.end());
  line(name.text + " = scf.if %flag -> (" + a.type + ") {");
  addInto(a, a);
  line("  scf.yield " + a.typed());
  line("} else {");
  line("  scf.yield " + b.typed());
  line("}");
  narrows.push_back(name);
}

/// Two names change places in a loop.
void OrderWriter::swap() {
  const Name a = narrow();
  const Name *found = apartFrom(narrows, a);
  if (!found || found->type != a.type)
    return;
  const Name b = *found;
  const std::string loop = fresh("l"), type = a.type;
  line(loop + ":2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = " + a.text +
       ", %q = " + b.text + ") -> (" + type + ", " + type + ") {");
  addInto({"%p", type, {}}, {"%q", type, {}});
  line("  scf.yield %q, %p : " + type + ", " + type);
  line("}");
  for (const char *which : {"#0", "#1"}) {
    Name name{loop + which, type, a.roots};
    name.roots.insert(b.roots.begin(), b.roots.end());
    narrows.push_back(name);
  }
}

void OrderWriter::loadNumber() {
  const Name from = narrow();
  const std::string value = fresh("e"), sum = fresh("e");
  line(value + " = memref.load " + from.text + "[%c" +
       std::to_string(random.below(4)) + "] : " + from.type);
  line(sum + " = arith.addi " + value + ", " + random.pick(values) + " : i32");
  values.push_back(sum);
}

void OrderWriter::storeNumber() {
  const Name to = narrow();
  line("memref.store " + random.pick(values) + ", " + to.text + "[%c" +
       std::to_string(random.below(4)) + "] : " + to.type);
}

void OrderWriter::branch() {
  const Name to = narrow();
  const Name *from = apartFrom(narrows, to);
  if (!from)
    return;
  line("scf.if %flag {");
  addInto(to, *from);
  line("}");
}

void OrderWriter::call() {
  const Name given = narrow();
  if (given.type == kNarrow)
    line("func.call @h" + number + "(" + given.text + ") : (" + kNarrow +
         ") -> ()");
}

/// Until a number in memory is large.
void OrderWriter::wait() {
  const Name name = narrow();
  const std::string access = name.text + "[%c0] : " + name.type;
  line("scf.while : () -> () {");
  line("  %e = memref.load " + access);
  line("  %s = arith.shrui %e, %one : i32");
  line("  memref.store %s, " + access);
  line("  %more = arith.cmpi ugt, %s, %one : i32");
  line("  scf.condition(%more)");
  line("} do {");
  line("  scf.yield");
  line("}");
}

void OrderWriter::freeOne() {
  if (allocated.empty() || narrows.size() < 6)
    return;
  auto one = allocated.begin();
  std::advance(one, random.below(static_cast<int>(allocated.size())));
  line("memref.dealloc " + one->second.typed());
  forget(one->first);
  allocated.erase(one);
}

void OrderWriter::useGlobal() {
  const Name name{fresh("g"), kNarrow, {0}};
  line(name.text + " = memref.get_global @s" + number + " : " + kNarrow);
  narrows.push_back(name);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

RandomProgram OrderWriter::write() {
  using W = OrderWriter;
  static const std::vector<std::pair<int, Statement>> kStatements = {
      {24, &W::spread},     {8, &W::spreadByLoops}, {26, &W::sum},
      {10, &W::combine},    {12, &W::update},       {6, &W::copy},
      {6, &W::row},         {3, &W::cast},          {4, &W::select},
      {3, &W::yield},       {3, &W::swap},          {6, &W::loadNumber},
      {6, &W::storeNumber}, {4, &W::branch},        {1, &W::call},
      {1, &W::wait},        {5, &W::freeOne},       {2, &W::useGlobal}};
  std::vector<Statement> weighted;
  for (auto [weight, statement] : kStatements)
    weighted.insert(weighted.end(), weight, statement);

  // What is in the global does not come from the last run.
  line("%state = memref.get_global @s" + number + " : " + kNarrow);
  line("memref.copy %x, %state : " + std::string(kNarrow) + " to " + kNarrow);
  values = {"%one"};
  narrows = {{"%x", kNarrow, {0}}, {"%y", kNarrow, {0}}};
  wides = {{"%z", kWide, {1}}};
  for (int i = 0; i < 3; ++i)
    spread();
  const int count = 12 + random.below(20);
  for (int i = 0; i < count; ++i)
    (this->*random.pick(weighted))();
  // Everything that is left is seen.
  for (const Name &name : narrows)
    if (!name.roots.count(0))
      addInto({"%y", kNarrow, {}}, name);
  for (const Name &name : wides)
    if (!name.roots.count(1))
      sumInto({"%y", kNarrow, {}}, name);

  RandomProgram program;
  program.function = "f" + number;
  const std::string arguments = "(%x: memref<4xi32>, %y: memref<4xi32>, "
                                "%z: memref<16x4xi32>, %flag: i1) {\n";
  std::string constants;
  for (int value : {0, 1, 2, 3, 4, 16})
    constants += "  %c" + std::to_string(value) + " = arith.constant " +
                 std::to_string(value) + " : index\n";
  program.text =
      "memref.global \"private\" @s" + number +
      " : memref<4xi32> = dense<0>\n"
      "func.func private @h" +
      number +
      "(%m: memref<4xi32>) {\n  linalg.add ins(%m, %m : memref<4xi32>, "
      "memref<4xi32>) outs(%m : memref<4xi32>)\n  return\n}\n"
      "func.func @g" +
      number + arguments + constants + "  %one = arith.constant 1 : i32\n" +
      body + "  return\n}\nfunc.func @f" + number + arguments + "  call @g" +
      number + (random.chance(30) ? "(%x, %x" : "(%x, %y") +
      ", %z, %flag) : (memref<4xi32>, memref<4xi32>, memref<16x4xi32>, i1) -> "
      "()\n  return\n}\n";
  return program;
}

RandomProgram makeOrderProgram(uint64_t seed, int number) {
  return OrderWriter(seed, number).write();
}

} // namespace tpu_mlir::jit
