//===- CheckedHeap.cpp - The allocator of executed programs ---------------===//

#include "tests/exec/jit/harness/CheckedHeap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tpu_mlir::jit {

namespace {

constexpr uint64_t kRedZoneBytes = 64;
constexpr uint64_t kPageBytes = 4096;

bool allEqual(const char *begin, const char *end, uint8_t byte) {
  return std::all_of(begin, end,
                     [=](char c) { return static_cast<uint8_t>(c) == byte; });
}

/// The lowest address from there that is a multiple of `alignment` and not of
/// its double.
char *oddMultiple(char *address, uint64_t alignment) {
  auto value = reinterpret_cast<uintptr_t>(address);
  uint64_t twice = 2 * alignment;
  uint64_t rest = value % twice;
  value += rest <= alignment ? alignment - rest : twice + alignment - rest;
  return reinterpret_cast<char *>(value);
}

} // namespace

std::string HeapStats::describe() const {
  auto item = [](const char *name, int64_t value) {
    return std::string(name) + "=" + std::to_string(value) + " ";
  };
  return item("allocations", allocations) + item("frees", frees) +
         item("requestedBytes", requestedBytes) +
         item("peakLiveBytes", peakLiveBytes) +
         item("leakedBlocks", leakedBlocks) + item("leakedBytes", leakedBytes) +
         item("doubleFrees", doubleFrees) + item("foreignFrees", foreignFrees) +
         item("redZoneWrites", redZoneWrites) +
         item("writesAfterFree", writesAfterFree);
}

CheckedHeap::~CheckedHeap() {
  for (auto &[address, block] : blocks) {
    if (block.mapped)
      munmap(block.mapping, block.mappingBytes);
    else
      std::free(block.mapping);
  }
}

void CheckedHeap::announce(uint64_t alignment, uint64_t slackBytes) {
  nextAlignment = std::max(alignment, kDefaultAlignment);
  nextSlackBytes = slackBytes;
}

void *CheckedHeap::allocate(uint64_t sizeBytes, uint64_t alignment) {
  alignment = std::max(alignment, nextAlignment);
  sizeBytes -= std::min(sizeBytes, nextSlackBytes);
  nextAlignment = kDefaultAlignment;
  nextSlackBytes = 0;
  return create(sizeBytes, alignment, /*foreign=*/false);
}

void *CheckedHeap::allocateForeign(uint64_t sizeBytes, uint64_t alignment) {
  return create(sizeBytes, alignment, /*foreign=*/true);
}

/// Fills in mapping and start.
bool CheckedHeap::map(Block &block, uint64_t alignment) const {
  uint64_t inner = block.sizeBytes + 2 * alignment + 2 * kRedZoneBytes;
  if (!options.guardPages) {
    block.mappingBytes = inner;
    block.mapping = static_cast<char *>(std::malloc(inner));
    if (!block.mapping)
      return false;
    std::memset(block.mapping, options.poison, inner);
    block.start = oddMultiple(block.mapping + kRedZoneBytes, alignment);
    return true;
  }
  inner = (inner + kPageBytes - 1) / kPageBytes * kPageBytes;
  block.mapped = true;
  block.mappingBytes = inner + 2 * kPageBytes;
  void *raw = mmap(nullptr, block.mappingBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    return false;
  block.mapping = static_cast<char *>(raw);
  char *data = block.mapping + kPageBytes;
  if (mprotect(data, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(raw, block.mappingBytes);
    return false;
  }
  std::memset(data, options.poison, inner);
  // As near to the end as can be.
  uint64_t offset = (inner - block.sizeBytes) / alignment * alignment;
  block.start = data + offset;
  return true;
}

void *CheckedHeap::create(uint64_t sizeBytes, uint64_t alignment,
                          bool foreign) {
  Block block;
  block.sizeBytes = sizeBytes;
  block.foreign = foreign;
  block.number = static_cast<int64_t>(blocks.size());
  if (block.number >= options.limitBlocks ||
      sizeBytes > static_cast<uint64_t>(options.limitBytes - heldBytes) ||
      !map(block, alignment))
    return nullptr;
  heldBytes += static_cast<int64_t>(sizeBytes);
  if (!foreign) {
    ++stats.allocations;
    stats.requestedBytes += static_cast<int64_t>(sizeBytes);
    liveBytes += static_cast<int64_t>(sizeBytes);
    stats.peakLiveBytes = std::max(stats.peakLiveBytes, liveBytes);
  }
  char *start = block.start;
  blocks.emplace(block.mapping, block);
  return start;
}

const CheckedHeap::Block *CheckedHeap::find(const void *address) const {
  const char *byte = static_cast<const char *>(address);
  auto next = blocks.upper_bound(byte);
  if (next == blocks.begin())
    return nullptr;
  const Block &block = std::prev(next)->second;
  return byte < block.mapping + block.mappingBytes ? &block : nullptr;
}

void CheckedHeap::release(void *pointer) {
  if (!pointer)
    return;
  Block *block = const_cast<Block *>(find(pointer));
  if (!block || block->foreign || block->start != pointer) {
    ++stats.foreignFrees;
    return;
  }
  if (block->freed) {
    ++stats.doubleFrees;
    return;
  }
  ++stats.frees;
  liveBytes -= static_cast<int64_t>(block->sizeBytes);
  if (!redZonesIntact(*block))
    ++stats.redZoneWrites;
  block->freed = true;
  if (block->mapped)
    mprotect(block->mapping, block->mappingBytes, PROT_NONE);
  else
    std::memset(block->mapping, options.freedPoison, block->mappingBytes);
}

bool CheckedHeap::redZonesIntact(const Block &block) const {
  const char *begin = block.mapping;
  const char *end = begin + block.mappingBytes;
  if (block.mapped) {
    begin += kPageBytes;
    end -= kPageBytes;
  }
  return allEqual(begin, block.start, options.poison) &&
         allEqual(block.start + block.sizeBytes, end, options.poison);
}

CheckedHeap::Place CheckedHeap::locate(const void *address,
                                       uint64_t sizeBytes) const {
  const Block *block = find(address);
  if (!block)
    return Place::Unknown;
  const char *byte = static_cast<const char *>(address);
  if (byte < block->start || byte + sizeBytes > block->start + block->sizeBytes)
    return Place::RedZone;
  return block->freed ? Place::Freed : Place::Live;
}

std::string CheckedHeap::describe(const void *address) const {
  const Block *block = find(address);
  if (!block)
    return "an address outside of every block";
  int64_t offset = static_cast<const char *>(address) - block->start;
  return "byte " + std::to_string(offset) + " of " +
         (block->freed ? "freed " : "") +
         (block->foreign ? "argument block #" : "block #") +
         std::to_string(block->number) + " of " +
         std::to_string(block->sizeBytes) + " bytes";
}

HeapStats CheckedHeap::finish(const std::vector<const void *> &owned) const {
  HeapStats result = stats;
  for (const auto &[address, block] : blocks) {
    if (block.freed) {
      if (!block.mapped &&
          !allEqual(block.mapping, block.mapping + block.mappingBytes,
                    options.freedPoison))
        ++result.writesAfterFree;
      continue;
    }
    if (!redZonesIntact(block))
      ++result.redZoneWrites;
    bool given =
        std::find(owned.begin(), owned.end(), block.start) != owned.end();
    if (block.foreign || given)
      continue;
    ++result.leakedBlocks;
    result.leakedBytes += static_cast<int64_t>(block.sizeBytes);
  }
  return result;
}

} // namespace tpu_mlir::jit
