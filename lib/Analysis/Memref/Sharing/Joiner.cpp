//===- Joiner.cpp - Buffers of a scope that get the same bytes ------------===//

#include "lib/Analysis/Memref/Sharing/Joiner.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::sharing {

/// Above it members are not compared one by one.
static constexpr size_t kManyMembers = 32;

Storages oneEach(const SharingFacts &facts, Lives lives) {
  Storages result;
  for (const TickBuffer &source : facts.buffers) {
    Buffer buffer;
    memref::AllocOp alloc = source.alloc;
    buffer.name = valueName(alloc.getResult());
    buffer.sizeBytes = source.sizeBytes;
    buffer.alignment = source.alignment;
    buffer.lifespans = lives == Lives::Exact
                           ? source.life
                           : std::vector<Interval>{source.hull};
    result.of.push_back(result.buffers.size());
    result.buffers.push_back(std::move(buffer));
  }
  return result;
}

Joiner::Joiner(const SharingFacts &facts)
    : facts(facts), result(oneEach(facts, Lives::Exact)),
      into(facts.buffers.size()), members(into.size()), heirOf(into.size()),
      isHeir(into.size()) {
  std::iota(into.begin(), into.end(), 0);
  for (size_t id = 0; id < members.size(); ++id)
    members[id] = {int64_t(id)};
}

void Joiner::joinNeverAccessed() {
  std::optional<int64_t> first;
  for (size_t id = 0; id < into.size(); ++id) {
    if (!facts.buffers[id].isNeverAccessed())
      continue;
    if (first)
      store(*first, id);
    else
      first = id;
  }
}

void Joiner::join(const std::vector<SharingPair> &pairs) {
  for (const SharingPair &pair : pairs) {
    bool inPlace = !pair.at.empty();
    if (inPlace && (heirOf[pair.first] || isHeir[pair.second]))
      continue;
    if (!unite(root(pair.first), root(pair.second), pair))
      continue;
    if (inPlace) {
      heirOf[pair.first] = pair;
      isHeir[pair.second] = true;
    }
  }
}

Storages Joiner::storages() {
  Storages kept;
  std::vector<int64_t> place(into.size(), -1);
  for (size_t id = 0; id < into.size(); ++id)
    if (root(id) == int64_t(id)) {
      place[id] = kept.buffers.size();
      kept.buffers.push_back(result.buffers[id]);
    }
  for (size_t id = 0; id < into.size(); ++id)
    kept.of.push_back(place[root(id)]);
  return kept;
}

std::vector<std::vector<int64_t>> Joiner::groups() const {
  std::vector<std::vector<int64_t>> result;
  for (const std::vector<int64_t> &group : members) {
    if (group.size() < 2)
      continue;
    result.push_back(group);
    llvm::sort(result.back());
    llvm::stable_sort(result.back(), [&](int64_t a, int64_t b) {
      return facts.buffers[a].sizeBytes > facts.buffers[b].sizeBytes;
    });
  }
  return result;
}

int64_t Joiner::root(int64_t id) {
  while (into[id] != id)
    id = into[id] = into[into[id]];
  return id;
}

bool Joiner::mayShare(int64_t a, int64_t b, const SharingPair &pair) const {
  const TickBuffer &first = facts.buffers[a], &second = facts.buffers[b];
  if (!anyOverlap(first.life, second.life))
    return true;
  for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    if (pair.first == from && pair.second == to && !pair.at.empty())
      return intersect(first.life, second.life) ==
             std::vector<Interval>{pair.at};
    if (heirOf[from] && heirOf[from]->second == to)
      return true;
  }
  return insideMutuallyExclusiveRegions(first.alloc, second.alloc);
}

bool Joiner::unite(int64_t a, int64_t b, const SharingPair &pair) {
  if (a == b)
    return false;
  Buffer &first = result.buffers[a], &second = result.buffers[b];
  if (pair.at.empty() || intersect(first.lifespans, second.lifespans) !=
                             std::vector<Interval>{pair.at}) {
    if (members[a].size() + members[b].size() > kManyMembers)
      return false;
    for (int64_t x : members[a])
      for (int64_t y : members[b])
        if (!mayShare(x, y, pair))
          return false;
  }
  store(a, b);
  return true;
}

/// Puts storage `b` into `a`.
void Joiner::store(int64_t a, int64_t b) {
  Buffer &first = result.buffers[a], &second = result.buffers[b];
  first.sizeBytes = std::max(first.sizeBytes, second.sizeBytes);
  first.alignment = std::max(first.alignment, second.alignment);
  first.lifespans.insert(first.lifespans.end(), second.lifespans.begin(),
                         second.lifespans.end());
  first.lifespans = normalize(std::move(first.lifespans));
  members[a].insert(members[a].end(), members[b].begin(), members[b].end());
  members[b].clear();
  into[b] = a;
}

} // namespace tpu_mlir::sharing
