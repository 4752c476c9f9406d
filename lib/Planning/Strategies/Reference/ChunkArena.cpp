//===- ChunkArena.cpp - A malloc that may still move things ---------------===//

#include "lib/Planning/Strategies/Reference/ChunkArena.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kNewest = std::numeric_limits<int64_t>::max();
/// After so many ticks a chunk is as cold as it gets.
constexpr int64_t kColdAge = 10;

} // namespace

std::optional<size_t> ChunkArena::alloc(int64_t size) {
  ++tick;
  if (freeBySize.empty()) {
    if (!checkedAdd(total, size))
      return std::nullopt;
    return append(size);
  }
  const size_t id =
      choice == Choice::CostModel ? chooseByScore(size) : chooseBySize(size);
  unindex(id);
  if (chunks[id].sizeBytes > size) {
    splitOff(id, size);
  } else {
    const auto extended = checkedAdd(total, size - chunks[id].sizeBytes);
    if (!extended)
      return std::nullopt;
    total = *extended;
    chunks[id].sizeBytes = size;
  }
  chunks[id].isFree = false;
  return id;
}

size_t ChunkArena::append(int64_t size) {
  const size_t id = chunks.size();
  Chunk chunk;
  chunk.sizeBytes = size;
  chunk.previous = last;
  (last == kNone ? first : chunks[last].next) = id;
  last = id;
  chunks.push_back(chunk);
  total += size;
  return id;
}

/// A chunk that is large enough has a size score above 0 and any other one
/// below: the best fit, or else the least misfit.
size_t ChunkArena::chooseBySize(int64_t need) const {
  auto it = freeBySize.lower_bound({need, kNewest, 0});
  if (it == freeBySize.end())
    it = freeBySize.lower_bound({freeBySize.rbegin()->sizeBytes, kNewest, 0});
  return it->chunk;
}

/// Cold chunks differ by size only, and a chunk that is not cold was released
/// within the last few ticks. So these few, and the best by size among all, are
/// the only ones that can have the highest score: if the best by size is hot,
/// no cold one can beat it.
size_t ChunkArena::chooseByScore(int64_t need) const {
  size_t best = kNone;
  double bestScore = 0;
  auto offer = [&](size_t id) {
    const double score = scoreOf(chunks[id], need);
    if (best != kNone && score <= bestScore)
      return;
    best = id;
    bestScore = score;
  };
  for (auto it = freeByTick.rbegin();
       it != freeByTick.rend() && tick - it->first < kColdAge; ++it)
    offer(it->second);
  offer(chooseBySize(need));
  return best;
}

double ChunkArena::scoreOf(const Chunk &chunk, int64_t need) const {
  const double size = double(chunk.sizeBytes), wanted = double(need);
  const double misfit =
      size > wanted ? (size - wanted) / size : (wanted - size) / wanted;
  const int64_t age = std::min(tick - chunk.releasedAt, kColdAge);
  const double heat = 1.0 - double(age) / double(kColdAge);
  return (chunk.sizeBytes >= need ? 1.0 : 0.0) - misfit + heat;
}

/// The part above `need` becomes a free chunk of the same age.
void ChunkArena::splitOff(size_t id, int64_t need) {
  const size_t rest = chunks.size();
  chunks.push_back(chunks[id]);
  chunks[rest].sizeBytes -= need;
  chunks[rest].previous = id;
  (chunks[rest].next == kNone ? last : chunks[chunks[rest].next].previous) =
      rest;
  chunks[id].next = rest;
  chunks[id].sizeBytes = need;
  index(rest);
}

void ChunkArena::release(size_t id) {
  ++tick;
  chunks[id].isFree = true;
  const size_t next = chunks[id].next, previous = chunks[id].previous;
  if (next != kNone && chunks[next].isFree) {
    unindex(next);
    absorbNext(id);
  }
  if (previous != kNone && chunks[previous].isFree) {
    unindex(previous);
    absorbNext(previous);
    id = previous;
  }
  chunks[id].releasedAt = tick;
  index(id);
}

void ChunkArena::absorbNext(size_t id) {
  const size_t gone = chunks[id].next;
  chunks[gone].mergedInto = id;
  chunks[gone].mergedAt = chunks[id].sizeBytes;
  merged.push_back(gone);
  chunks[id].sizeBytes += chunks[gone].sizeBytes;
  chunks[id].next = chunks[gone].next;
  (chunks[id].next == kNone ? last : chunks[chunks[id].next].previous) = id;
}

std::vector<int64_t> ChunkArena::offsets() const {
  std::vector<int64_t> result(chunks.size(), 0);
  int64_t at = 0;
  for (size_t id = first; id != kNone; id = chunks[id].next) {
    result[id] = at;
    at += chunks[id].sizeBytes;
  }
  // What a chunk was merged into is still there, or was merged later.
  for (auto it = merged.rbegin(); it != merged.rend(); ++it)
    result[*it] = result[chunks[*it].mergedInto] + chunks[*it].mergedAt;
  return result;
}

void ChunkArena::index(size_t id) {
  freeBySize.insert({chunks[id].sizeBytes, chunks[id].releasedAt, id});
  freeByTick.emplace(chunks[id].releasedAt, id);
}

void ChunkArena::unindex(size_t id) {
  freeBySize.erase({chunks[id].sizeBytes, chunks[id].releasedAt, id});
  freeByTick.erase(chunks[id].releasedAt);
}

} // namespace tpu_mlir::planning
