//===- ProgramViews.cpp - Statements that make aliases --------------------===//

#include "tests/exec/jit/programs/ProgramWriter.h"

#include <algorithm>

namespace tpu_mlir::jit {

namespace {

std::string list(const Shape &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

} // namespace

/// A part, at times one that moves with a loop, at times of a smaller rank.
bool ProgramWriter::subviewStatement() {
  std::optional<int> source =
      find([&](int memref) { return memrefs[memref].sizes[0] > 1; });
  if (!source)
    return false;
  const Memref from = memrefs[*source];
  Shape strides = from.stridesOrDefault(), sizes, steps, newStrides;
  std::vector<std::string> offsets;
  std::optional<int64_t> offset = from.strides ? from.offset : 0;
  for (size_t i = 0; i < from.sizes.size(); ++i) {
    int64_t length = from.sizes[i];
    int64_t step = length >= 4 && random.chance(20) ? 2 : 1;
    int64_t most = (length + step - 1) / step;
    int64_t size = random.chance(40) ? most : 1 + random.below(most);
    int64_t room = length - (size - 1) * step;
    std::string start = random.chance(60) ? index(room) : "%c0";
    if (start[1] == 'c') {
      start = start.substr(2);
      if (offset)
        *offset += std::stoll(start) * strides[i];
    } else {
      offset = std::nullopt;
    }
    offsets.push_back(start);
    sizes.push_back(size);
    steps.push_back(step);
    newStrides.push_back(strides[i] * step);
  }
  Memref view;
  view.name = fresh("v");
  view.element = from.element;
  // Which dimension goes must be clear from the extents: upstream looks for the
  // strides without the steps otherwise, and crashes when it finds none.
  bool isClear =
      std::count(sizes.begin(), sizes.end(), 1) == 1 ||
      std::count(steps.begin(), steps.end(), 1) == int64_t(steps.size());
  bool reduce =
      sizes.size() > 1 && sizes[0] == 1 && random.chance(50) && isClear;
  view.sizes.assign(sizes.begin() + reduce, sizes.end());
  view.strides = Shape(newStrides.begin() + reduce, newStrides.end());
  view.offset = offset;
  view.parents = {*source};
  view.roots = from.roots;
  std::string starts;
  for (const std::string &start : offsets)
    starts += (starts.empty() ? "" : ", ") + start;
  line(view.name + " = memref.subview " + from.name + "[" + starts + "] " +
       list(sizes) + " " + list(steps) + " : " + from.type() + " to " +
       view.type());
  add(std::move(view), false);
  return true;
}

bool ProgramWriter::reshapeStatement() {
  std::optional<int> source = find([&](int memref) {
    const Memref &from = memrefs[memref];
    return isPlain(memref) && (from.sizes.size() == 2 || from.sizes[0] == 16 ||
                               from.sizes[0] == 8);
  });
  if (!source)
    return false;
  const Memref from = memrefs[*source];
  Memref view;
  view.name = fresh("v");
  view.element = from.element;
  view.parents = {*source};
  view.whole = true;
  view.roots = from.roots;
  std::string head = view.name + " = memref.";
  if (from.sizes.size() == 1) {
    view.sizes = {from.sizes[0] / 4, 4};
    head += "expand_shape " + from.name + " [[0, 1]] output_shape " +
            list(view.sizes) + " : " + from.type() + " into ";
  } else if (from.sizes.size() == 2 && random.chance(60)) {
    view.sizes = {from.elements()};
    head +=
        "collapse_shape " + from.name + " [[0, 1]] : " + from.type() + " into ";
  } else {
    view.sizes = {from.elements()};
    view.strides = Shape{1};
    head += "reinterpret_cast " + from.name +
            " to offset: [0], sizes: " + list(view.sizes) +
            ", strides: [1] : " + from.type() + " to ";
  }
  line(head + view.type());
  add(std::move(view), false);
  return true;
}

/// Forgets a size or an offset, or finds a size again.
bool ProgramWriter::castStatement() {
  std::optional<int> source = find([&](int) { return true; });
  if (!source)
    return false;
  const Memref from = memrefs[*source];
  Memref view = from;
  view.name = fresh("v");
  view.parents = {*source};
  view.whole = true;
  view.allocScope = -1;
  if (from.dynamic || random.chance(50)) {
    view.dynamic = !from.dynamic;
  } else {
    if (from.strides && !from.offset)
      return false;
    view.strides = from.stridesOrDefault();
    view.offset = std::nullopt;
  }
  line(view.name + " = memref.cast " + from.name + " : " + from.type() +
       " to " + view.type());
  add(std::move(view), false);
  return true;
}

bool ProgramWriter::transposeStatement() {
  std::optional<int> source = find([&](int memref) {
    return memrefs[memref].sizes.size() == 2 && !memrefs[memref].dynamic;
  });
  if (!source)
    return false;
  const Memref from = memrefs[*source];
  Shape strides = from.stridesOrDefault();
  Memref view = from;
  view.name = fresh("v");
  view.sizes = {from.sizes[1], from.sizes[0]};
  view.strides = Shape{strides[1], strides[0]};
  view.parents = {*source};
  view.whole = true;
  view.allocScope = -1;
  line(view.name + " = memref.transpose " + from.name +
       " (i, j) -> (j, i) : " + from.type() + " to " + view.type());
  add(std::move(view), false);
  return true;
}

/// One of two memrefs, as the data want.
bool ProgramWriter::selectStatement() {
  std::optional<int> left = find([&](int) { return true; });
  if (!left)
    return false;
  std::optional<int> right = find([&](int memref) {
    return memref != *left && memrefs[memref].type() == memrefs[*left].type();
  });
  if (!right)
    return false;
  std::string which = condition();
  Memref chosen = memrefs[*left];
  chosen.name = fresh("s");
  chosen.parents = {*left, *right};
  chosen.whole = false;
  chosen.allocScope = -1;
  chosen.roots.insert(memrefs[*right].roots.begin(),
                      memrefs[*right].roots.end());
  line(chosen.name + " = arith.select " + which + ", " + memrefs[*left].name +
       ", " + memrefs[*right].name + " : " + chosen.type());
  add(std::move(chosen), false);
  return true;
}

/// Functions that call functions in loops run for long.
static constexpr int64_t kMostCalls = 32;

bool ProgramWriter::callStatement() {
  if (helpers.empty() || (inHelper && !options.functions) || state.runs > 16)
    return false;
  const Helper &helper = random.pick(helpers);
  if (options.functions && state.runs * helper.calls > kMostCalls)
    return false;
  callsHere += state.runs * helper.calls;
  auto made = [&](const Memref &like) {
    int memref = allocate(like.element, like.sizes, /*mayBeDynamic=*/false);
    fillWith(memref);
    return memref;
  };
  std::optional<int> out = find([&](int memref) {
    return writable(memref) && memrefs[memref].type() == helper.out.type();
  });
  if (!out)
    out = made(helper.out);
  std::optional<int> in = find([&](int memref) {
    return readable(memref) && disjoint(memref, *out) &&
           memrefs[memref].type() == helper.in.type();
  });
  if (!in)
    in = made(helper.in);
  Memref result = helper.out;
  result.name = fresh("r");
  result.roots = memrefs[*in].roots;
  result.roots.insert(memrefs[*out].roots.begin(), memrefs[*out].roots.end());
  result.roots.insert(roots++);
  line((helper.returns ? result.name + " = " : "") + "func.call " +
       helper.name + "(" + names({*in, *out}) + ", %flag0, %flag1, %n) : (" +
       types({*in, *out}) + ", i1, i1, index) -> " +
       (helper.returns ? result.type() : "()"));
  if (helper.writesOut)
    initialise(*out);
  if (helper.returns)
    add(std::move(result), true);
  return true;
}

} // namespace tpu_mlir::jit
