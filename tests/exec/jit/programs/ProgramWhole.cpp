//===- ProgramWhole.cpp - Statements on whole memrefs ---------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

/// 0: identity, 1: transposed, 2: the last index alone.
std::string ProgramWriter::map(size_t rank, int variant) {
  std::string dims, results;
  for (size_t i = 0; i < rank; ++i) {
    dims += (i ? ", d" : "d") + std::to_string(i);
    results +=
        (i ? ", d" : "d") + std::to_string(variant == 1 ? rank - 1 - i : i);
  }
  if (variant == 2)
    results = "d" + std::to_string(rank - 1);
  return "affine_map<(" + dims + ") -> (" + results + ")>";
}

/// Writes all of it without reading.
void ProgramWriter::fillWith(int memref) {
  const Memref target = memrefs[memref];
  std::string value;
  if (!state.inductions.empty() && random.chance(50)) {
    std::string wide = toI64("index", random.pick(state.inductions).name);
    value = fromI64(target.element, wide);
  } else {
    value = constant(target.element);
  }
  line("linalg.fill ins(" + value + " : " + target.element + ") outs(" +
       target.name + " : " + target.type() + ")");
  wrote(memref);
}

bool ProgramWriter::fillStatement() {
  std::optional<int> target =
      find([&](int memref) { return writable(memref); });
  if (!target)
    return false;
  fillWith(*target);
  return true;
}

/// One op that makes `out` of `sources`, each read through the map of its
/// variant, and of its old content if that accumulates.
void ProgramWriter::elementwise(int out, const std::vector<int> &sources,
                                const std::vector<int> &variants,
                                bool accumulate) {
  const Memref target = memrefs[out];
  size_t rank = target.sizes.size();
  std::string maps, iterators, ins, inTypes, arguments;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Memref &source = memrefs[sources[i]];
    maps += map(rank, variants[i]) + ", ";
    ins += (i ? ", " : "") + source.name;
    inTypes += (i ? ", " : "") + source.type();
    arguments += "%e" + std::to_string(i) + ": " + source.element + ", ";
  }
  for (size_t i = 0; i < rank; ++i)
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
  line("linalg.generic {indexing_maps = [" + maps + map(rank, 0) +
       "], iterator_types = [" + iterators + "]} ins(" + ins + " : " + inTypes +
       ") outs(" + target.name + " : " + target.type() + ") {");
  line("^bb0(" + arguments + "%o: " + target.element + "):");
  indent += "  ";
  std::string value;
  auto take = [&](const std::string &name, const std::string &element) {
    std::string same = element == target.element
                           ? name
                           : fromI64(target.element, toI64(element, name));
    value = value.empty() ? same : combine(target.element, value, same);
  };
  for (size_t i = 0; i < sources.size(); ++i)
    take("%e" + std::to_string(i), memrefs[sources[i]].element);
  if (accumulate)
    take("%o", target.element);
  line("linalg.yield " + value + " : " + target.element);
  indent.resize(indent.size() - 2);
  line("}");
  for (int source : sources)
    read(source);
  wrote(out);
}

bool ProgramWriter::elementwiseStatement() {
  std::optional<int> out = find([&](int memref) {
    return writable(memref) && (!isUnread(memref) || random.chance(25));
  });
  if (!out)
    return false;
  const Memref target = memrefs[*out];
  size_t rank = target.sizes.size();
  std::vector<int> sources, variants;
  for (int i = random.below(2); i < 2; ++i) {
    int variant = random.chance(35) && rank == 2 ? 1 + random.below(2) : 0;
    Shape wanted = target.sizes;
    if (variant == 1)
      std::reverse(wanted.begin(), wanted.end());
    if (variant == 2)
      wanted = {target.sizes.back()};
    // The target itself only through the same view, element by element.
    auto fits = [&](int memref) {
      return readable(memref) && memrefs[memref].sizes == wanted &&
             (disjoint(memref, *out) || (memref == *out && variant == 0));
    };
    std::optional<int> source =
        find([&](int memref) { return fits(memref) && isUnread(memref); });
    if (!source || random.chance(40))
      source = find(fits);
    if (!source)
      continue;
    sources.push_back(*source);
    variants.push_back(variant);
  }
  if (sources.empty())
    return false;
  elementwise(*out, sources, variants,
              isInitialised(*out) && random.chance(30));
  for (int source : sources)
    if (source != *out && disjoint(source, *out) && random.chance(retires))
      retire(source);
  return true;
}

bool ProgramWriter::copyStatement() {
  std::optional<int> source =
      find([&](int memref) { return readable(memref); });
  if (!source)
    return false;
  std::optional<int> target = find([&](int memref) {
    return writable(memref) && sameShape(memref, *source) &&
           memrefs[memref].element == memrefs[*source].element &&
           disjoint(memref, *source);
  });
  if (!target)
    target = allocate(memrefs[*source].element, memrefs[*source].sizes);
  line("memref.copy " + memrefs[*source].name + ", " + memrefs[*target].name +
       " : " + memrefs[*source].type() + " to " + memrefs[*target].type());
  read(*source);
  wrote(*target);
  if (random.chance(retires))
    retire(*source);
  return true;
}

bool ProgramWriter::matmulStatement() {
  auto square = [&](int memref) {
    const Memref &candidate = memrefs[memref];
    return candidate.sizes == Shape{4, 4} && candidate.element != "i1" &&
           (isInteger(candidate.element) || isFloat(candidate.element)) &&
           readable(memref);
  };
  std::optional<int> out =
      find([&](int memref) { return square(memref) && writable(memref); });
  if (!out && (!isInteger(elements.front()) || random.chance(50)))
    return false;
  if (!out) {
    out = allocate(elements.front() == "i1" ? "i8" : elements.front(), {4, 4});
    fillWith(*out);
  }
  auto operand = [&](int memref) {
    return square(memref) && disjoint(memref, *out) &&
           memrefs[memref].element == memrefs[*out].element;
  };
  std::optional<int> left = find(operand), right = find(operand);
  // At times a fresh factor, that is made for this.
  if (!left || !right) {
    int made = allocate(memrefs[*out].element, {4, 4});
    fillWith(made);
    left = left ? *left : made;
    right = right ? *right : made;
  }
  line("linalg.matmul ins(" + names({*left, *right}) + " : " +
       types({*left, *right}) + ") outs(" + names({*out}) + " : " +
       types({*out}) + ")");
  read(*left);
  read(*right);
  wrote(*out);
  return true;
}

} // namespace tpu_mlir::jit
