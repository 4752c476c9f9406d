//===- ProgramData.cpp - Statements on single elements, and their types ---===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

bool isFloat(const std::string &element) {
  return element == "f32" || element == "f64";
}

bool isInteger(const std::string &element) {
  return element[0] == 'i' && element != "index";
}

static int width(const std::string &element) {
  return element == "index" ? 64 : std::stoi(element.substr(1));
}

std::string ProgramWriter::randomElement() {
  return random.chance(50) ? elements.front() : random.pick(elements);
}

Shape ProgramWriter::randomShape() {
  std::optional<int> like = find([](int) { return true; });
  return like && random.chance(40) ? memrefs[*like].sizes : random.pick(shapes);
}

int ProgramWriter::allocate(std::string element, Shape sizes,
                            bool mayBeDynamic) {
  Memref memref;
  memref.name = fresh("a");
  memref.element = std::move(element);
  memref.sizes = std::move(sizes);
  memref.roots = {roots++};
  memref.allocScope = state.scope;
  memref.dynamic = mayBeDynamic && options.dynamic && memref.sizes[0] <= 16 &&
                   random.chance(8);
  std::string size =
      memref.dynamic ? "%c" + std::to_string(memref.sizes[0]) : "";
  std::string alignment = random.chance(15) ? " {alignment = 64 : i64}" : "";
  line(memref.name + " = memref.alloc(" + size + ")" + alignment + " : " +
       memref.type());
  int id = add(std::move(memref), false);
  state.unfreed.push_back(id);
  return id;
}

bool ProgramWriter::allocStatement() {
  bool like = random.chance(50) && !state.visible.empty();
  int allocation = like ? allocate(memrefs[random.pick(state.visible)].element,
                                   randomShape())
                        : allocate(randomElement(), randomShape());
  if (random.chance(50))
    fillWith(allocation);
  return true;
}

/// Bytes, and another memref in them.
bool ProgramWriter::bytesStatement() {
  int bytes = allocate("i8", {64}, false);
  if (random.chance(50))
    fillWith(bytes);
  static const std::vector<std::string> kElements = {"i16", "i32", "i64"};
  std::string element = random.pick(kElements);
  int64_t count = 64 * 8 / width(element);
  int64_t part = random.chance(50) ? count : 4;
  int64_t offset = part == count ? 0 : 16;
  Memref view;
  view.name = fresh("b");
  view.element = element;
  view.sizes = {part};
  view.parents = {bytes};
  view.whole = part == count;
  view.roots = memrefs[bytes].roots;
  line(view.name + " = memref.view " + memrefs[bytes].name + "[%c" +
       std::to_string(offset) + "][] : " + memrefs[bytes].type() + " to " +
       view.type());
  add(std::move(view), false);
  return true;
}

std::string ProgramWriter::constant(const std::string &element) {
  std::string name = fresh("k");
  std::string digit = std::to_string(1 + random.below(7));
  if (element == "complex<f32>")
    line(name + " = complex.constant [" + digit +
         ".0 : f32, 2.0 : f32] : " + element);
  else if (element == "vector<4xf32>")
    line(name + " = arith.constant dense<[1.0, " + digit +
         ".0, 3.0, 4.0]> : " + element);
  else if (element == "i1")
    line(name + " = arith.constant " + (random.chance(50) ? "true" : "false"));
  else if (element[0] == 'f')
    line(name + " = arith.constant " + digit + ".0 : " + element);
  else
    line(name + " = arith.constant " + digit + " : " + element);
  return name;
}

/// Any element as 64 bits that depend on all of its own.
std::string ProgramWriter::toI64(const std::string &element,
                                 const std::string &value) {
  if (element == "i64")
    return value;
  std::string name = fresh("x");
  if (element == "index") {
    line(name + " = arith.index_cast " + value + " : index to i64");
  } else if (isInteger(element)) {
    line(name + " = arith.extui " + value + " : " + element + " to i64");
  } else if (element[0] == 'f') {
    std::string bits = "i" + std::to_string(width(element));
    line(name + " = arith.bitcast " + value + " : " + element + " to " + bits);
    return toI64(bits, name);
  } else if (element == "vector<4xf32>") {
    std::string sum = fresh("x");
    line(name + " = vector.bitcast " + value +
         " : vector<4xf32> to vector<4xi32>");
    line(sum + " = vector.reduction <add>, " + name +
         " : vector<4xi32> into i32");
    return toI64("i32", sum);
  } else {
    std::string imaginary = fresh("x");
    line(name + " = complex.re " + value + " : complex<f32>");
    line(imaginary + " = complex.im " + value + " : complex<f32>");
    std::string left = toI64("f32", name), right = toI64("f32", imaginary);
    return combine("i64", left, right);
  }
  return name;
}

std::string ProgramWriter::fromI64(const std::string &element,
                                   const std::string &value) {
  if (element == "i64")
    return value;
  std::string name = fresh("y");
  if (element == "index") {
    line(name + " = arith.index_cast " + value + " : i64 to index");
  } else if (isInteger(element)) {
    line(name + " = arith.trunci " + value + " : i64 to " + element);
  } else if (element == "f16") {
    std::string bits = fromI64("i16", value);
    line(name + " = arith.bitcast " + bits + " : i16 to f16");
  } else if (isFloat(element)) {
    // Small whole numbers, so that sums are exact.
    std::string mask = fresh("k"), small = fresh("y");
    line(mask + " = arith.constant 1023 : i64");
    line(small + " = arith.andi " + value + ", " + mask + " : i64");
    line(name + " = arith.uitofp " + small + " : i64 to " + element);
  } else {
    std::string part = fromI64("f32", value);
    if (element == "vector<4xf32>")
      line(name + " = vector.broadcast " + part + " : f32 to " + element);
    else
      line(name + " = complex.create " + part + ", " + part + " : " + element);
  }
  return name;
}

/// A function of both operands that keeps what they differ in.
std::string ProgramWriter::combine(const std::string &element,
                                   const std::string &left,
                                   const std::string &right) {
  std::string name = fresh("z");
  if (element == "i1") {
    line(name + " = arith.xori " + left + ", " + right + " : i1");
    return name;
  }
  bool real = isFloat(element) || element == "vector<4xf32>";
  if ((real && random.chance(50)) || element == "complex<f32>") {
    std::string op = real ? "arith.addf " : "complex.add ";
    line(name + " = " + op + left + ", " + right + " : " + element);
    return name;
  }
  if (real || element == "f16") {
    std::string sum =
        combine("i64", toI64(element, left), toI64(element, right));
    return fromI64(element, sum);
  }
  static const std::vector<std::string> kOps = {"addi", "subi", "xori"};
  if (random.chance(70)) {
    line(name + " = arith." + random.pick(kOps) + " " + left + ", " + right +
         " : " + element);
    return name;
  }
  std::string factor = fresh("k"), product = fresh("z");
  line(factor + " = arith.constant 5 : " + element);
  line(product + " = arith.muli " + left + ", " + factor + " : " + element);
  line(name + " = arith.addi " + product + ", " + right + " : " + element);
  return name;
}

/// An index in [0, bound).
std::string ProgramWriter::index(int64_t bound) {
  std::vector<std::string> fitting;
  for (const Induction &induction : state.inductions)
    if (induction.bound <= bound)
      fitting.push_back(induction.name);
  if (!fitting.empty() && random.chance(60))
    return random.pick(fitting);
  return "%c" + std::to_string(random.below(
                    static_cast<int>(std::min<int64_t>(bound, 16))));
}

std::string ProgramWriter::indices(int memref) {
  std::string text = "[";
  Shape sizes = memrefs[memref].sizes;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + index(sizes[i]);
  return text + "]";
}

/// A name of type i1.
std::string ProgramWriter::condition() {
  if (random.chance(30))
    return random.chance(50) ? "%flag0" : "%flag1";
  std::string name = fresh("q");
  if (!state.inductions.empty() && random.chance(50)) {
    const Induction &induction = random.pick(state.inductions);
    line(name + " = arith.cmpi eq, " + induction.name + ", %c" +
         std::to_string(random.below(3)) + " : index");
    return name;
  }
  std::optional<int> source = find([&](int memref) {
    return readable(memref) && isInteger(memrefs[memref].element);
  });
  if (!source)
    return "%flag0";
  const std::string element = memrefs[*source].element;
  std::string loaded = fresh("l");
  line(loaded + " = memref.load " + memrefs[*source].name + indices(*source) +
       " : " + memrefs[*source].type());
  if (element == "i1")
    return loaded;
  std::string bit = fresh("l");
  line(bit + " = arith.trunci " + loaded + " : " + element + " to i1");
  return bit;
}

/// Loads an element and stores it, or what it makes with another, elsewhere.
bool ProgramWriter::elementStatement() {
  std::optional<int> source =
      find([&](int memref) { return readable(memref); });
  std::optional<int> target =
      find([&](int memref) { return writable(memref) && readable(memref); });
  if (!source || !target)
    return false;
  const Memref from = memrefs[*source], to = memrefs[*target];
  std::string loaded = fresh("l"), old = fresh("l");
  line(loaded + " = memref.load " + from.name + indices(*source) + " : " +
       from.type());
  std::string value = loaded;
  if (from.element != to.element)
    value = fromI64(to.element, toI64(from.element, loaded));
  std::string place = indices(*target);
  line(old + " = memref.load " + to.name + place + " : " + to.type());
  value = combine(to.element, value, old);
  line("memref.store " + value + ", " + to.name + place + " : " + to.type());
  wrote(*target);
  return true;
}

/// Adds all elements, with their places, to what the caller sees.
void ProgramWriter::observe(int memref) {
  read(memref);
  const Memref source = memrefs[memref];
  size_t rank = source.sizes.size();
  std::string dims, iterators;
  for (size_t i = 0; i < rank; ++i) {
    dims += (i ? ", d" : "d") + std::to_string(i);
    iterators += i ? ", \"reduction\"" : "\"reduction\"";
  }
  line("linalg.generic {indexing_maps = [" + map(rank, 0) + ", affine_map<(" +
       dims + ") -> ()>], iterator_types = [" + iterators + "]} ins(" +
       source.name + " : " + source.type() + ") outs(%hash : memref<i64>) {");
  line("^bb0(%e0: " + source.element + ", %o: i64):");
  indent += "  ";
  std::string wide = toI64(source.element, "%e0");
  std::string factor = fresh("k"), product = fresh("z"), sum = fresh("z");
  line(factor + " = arith.constant 31 : i64");
  line(product + " = arith.muli %o, " + factor + " : i64");
  line(sum + " = arith.addi " + product + ", " + wide + " : i64");
  line("linalg.yield " + sum + " : i64");
  indent.resize(indent.size() - 2);
  line("}");
}

bool ProgramWriter::observeStatement() {
  std::optional<int> source =
      find([&](int memref) { return readable(memref); });
  if (!source || inHelper || state.parallel)
    return false;
  observe(*source);
  if (random.chance(2 * retires))
    retire(*source);
  return true;
}

bool ProgramWriter::deallocStatement() {
  if (!options.deallocs || state.unfreed.empty())
    return false;
  int dead = random.pick(state.unfreed);
  // Neither it nor what may be it is used from here on.
  line("memref.dealloc " + memrefs[dead].name + " : " + memrefs[dead].type());
  retire(dead);
  escape(dead);
  return true;
}

/// Fills something older than the loop in its first iteration alone.
bool ProgramWriter::firstIterationStatement() {
  if (state.loop.empty())
    return false;
  std::optional<int> target = find([&](int memref) {
    return writable(memref) && !readable(memref) &&
           state.beforeLoop.count(memref);
  });
  if (!target)
    return false;
  std::string first = fresh("q");
  line(first + " = arith.cmpi eq, " + state.loop + ", %c0 : index");
  line("scf.if " + first + " {");
  indent += "  ";
  fillWith(*target);
  indent.resize(indent.size() - 2);
  line("}");
  return true;
}

} // namespace tpu_mlir::jit
