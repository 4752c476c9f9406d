//===- AliasSets.cpp - Values that are the same bytes ---------------------===//

#include "lib/Analysis/Tensor/AliasSets.h"

#include "tpu_mlir/Support/Interval.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::detail {

int64_t AliasSets::add(int64_t sizeBytes, Operation *writer) {
  const int64_t value = sizes.size();
  sizes.push_back(sizeBytes);
  parent.push_back(value);
  offsetToParent.push_back(0);
  sets.emplace_back().contents.push_back({0, sizeBytes, value, writer});
  members.push_back({value});
  return value;
}

std::pair<int64_t, int64_t> AliasSets::find(int64_t value) {
  int64_t root = value, offset = 0;
  while (parent[root] != root) {
    offset += offsetToParent[root];
    root = parent[root];
  }
  // Path compression: every value on the way points at the root.
  int64_t rest = offset;
  while (parent[value] != root && value != root) {
    int64_t next = parent[value], step = offsetToParent[value];
    parent[value] = root;
    offsetToParent[value] = rest;
    rest -= step;
    value = next;
  }
  return {root, offset};
}

bool AliasSets::contentsFit(int64_t a, int64_t b, int64_t offset) {
  auto [rootA, offsetA] = find(a);
  auto [rootB, offsetB] = find(b);
  int64_t shift = offsetA + offset - offsetB;
  const SmallVectorImpl<Content> *few = &sets[rootA].contents;
  const SmallVectorImpl<Content> *many = &sets[rootB].contents;
  if (few->size() > many->size()) {
    std::swap(few, many);
    shift = -shift;
  }
  for (const Content &x : *few) {
    Interval bytesX{x.offsetBytes, x.offsetBytes + x.sizeBytes};
    const OpSchedule::Branches around = schedule.branchesAround(x.writer);
    for (const Content &y : *many) {
      Interval bytesY{y.offsetBytes + shift,
                      y.offsetBytes + shift + y.sizeBytes};
      if (bytesX.overlaps(bytesY) && !around.exclude(y.writer))
        return false;
    }
  }
  return true;
}

void AliasSets::join(int64_t a, int64_t b, int64_t offset) {
  auto [rootA, offsetA] = find(a);
  auto [rootB, offsetB] = find(b);
  if (rootA == rootB)
    return;
  int64_t shift = offsetA + offset - offsetB; // Of rootB, seen from rootA.
  if (sets[rootA].numValues < sets[rootB].numValues) {
    std::swap(rootA, rootB);
    shift = -shift;
  }
  Set &into = sets[rootA], &from = sets[rootB];
  for (Content content : from.contents) {
    content.offsetBytes += shift;
    into.contents.push_back(content);
  }
  into.numValues += from.numValues;
  into.isWeight |= from.isWeight;
  into.isNetworkInput |= from.isNetworkInput;
  from = Set();
  llvm::append_range(members[rootA], members[rootB]);
  members[rootB].clear();
  parent[rootB] = rootA;
  offsetToParent[rootB] = shift;
}

bool AliasSets::tryJoin(int64_t a, int64_t b, int64_t offset) {
  auto [rootA, offsetA] = find(a);
  auto [rootB, offsetB] = find(b);
  if (rootA == rootB)
    return offsetB - offsetA == offset;
  if (!contentsFit(a, b, offset))
    return false;
  join(a, b, offset);
  return true;
}

void AliasSets::dropContent(int64_t value, Operation *writer) {
  auto [root, offset] = find(value);
  llvm::erase_if(sets[root].contents, [&](const Content &c) {
    return c.valueId == value && (!writer || c.writer == writer);
  });
}

void AliasSets::addContent(int64_t value, Operation *writer) {
  auto [root, offset] = find(value);
  sets[root].contents.push_back({offset, sizes[value], value, writer});
}

} // namespace tpu_mlir::detail
