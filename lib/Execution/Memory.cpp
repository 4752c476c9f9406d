//===- Memory.cpp - Value memory and arena memory -------------------------===//
//
// The arena keeps an owner and a generation for each run of bytes, by which it
// names whoever overwrote a tensor.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tpu_mlir::execution {

/// What bytes that nobody wrote read as: no number that looks right.
static constexpr int kPoison = 0xCD;

//===----------------------------------------------------------------------===//
// ValueMemory
//===----------------------------------------------------------------------===//

llvm::ArrayRef<uint8_t> ValueMemory::read(TensorId tensor,
                                          std::optional<ForeignByte> &foreign) {
  foreign.reset();
  auto found = contents.find(tensor);
  if (found != contents.end())
    return found->second;
  foreign = ForeignByte();
  return {};
}

void ValueMemory::write(TensorId tensor, llvm::ArrayRef<uint8_t> bytes,
                        int64_t) {
  contents[tensor].assign(bytes.begin(), bytes.end());
}

//===----------------------------------------------------------------------===//
// ArenaMemory
//===----------------------------------------------------------------------===//

/// Blocks closer than this become one.
static constexpr int64_t kNear = 1 << 20;

std::optional<ArenaMemory> ArenaMemory::create(std::vector<Interval> used) {
  ArenaMemory memory;
  std::vector<Interval> spaces;
  for (const Interval &next : normalize(std::move(used)))
    if (!spaces.empty() && next.begin - spaces.back().end < kNear)
      spaces.back().end = next.end;
    else
      spaces.push_back(next);
  for (const Interval &space : spaces) {
    // What is not touched stays the system's page of zeros.
    auto *data = static_cast<uint8_t *>(std::calloc(space.length(), 1));
    if (!data)
      return std::nullopt;
    memory.blocks.push_back({space, {}});
    memory.blocks.back().data.reset(data);
  }
  return memory;
}

const ArenaMemory::Block *ArenaMemory::blockOf(Interval bytes) const {
  auto after = std::upper_bound(blocks.begin(), blocks.end(), bytes.begin,
                                [](int64_t address, const Block &block) {
                                  return address < block.bytes.begin;
                                });
  if (after == blocks.begin() || !std::prev(after)->bytes.contains(bytes))
    return nullptr;
  return &*std::prev(after);
}

bool ArenaMemory::place(TensorId tensor, Interval bytes) {
  if (!bytes.empty() && !blockOf(bytes))
    return false;
  places[tensor] = bytes;
  return true;
}

/// A segment begins at `address`, if any holds it.
void ArenaMemory::cutAt(int64_t address) {
  auto after = segments.upper_bound(address);
  if (after == segments.begin())
    return;
  auto &[begin, segment] = *std::prev(after);
  if (begin == address || segment.end <= address)
    return;
  Segment right = segment;
  right.offset += address - begin;
  segment.end = address;
  segments[address] = right;
}

void ArenaMemory::write(TensorId tensor, llvm::ArrayRef<uint8_t> bytes,
                        int64_t step) {
  const Interval place = placeOf(tensor);
  const int64_t number = static_cast<int64_t>(writes.size());
  writes.push_back({tensor, step});
  contents[tensor] = {{number, 0, place.length()}};
  if (place.empty())
    return;
  cutAt(place.begin);
  cutAt(place.end);
  segments.erase(segments.lower_bound(place.begin),
                 segments.lower_bound(place.end));
  segments[place.begin] = {place.end, number, 0};
  const Block *block = blockOf(place);
  std::memcpy(block->data.get() + (place.begin - block->bytes.begin),
              bytes.data(), place.length());
}

void ArenaMemory::report(int64_t address, int64_t start,
                         std::optional<int64_t> holder,
                         std::optional<ForeignByte> &foreign) const {
  if (foreign)
    return;
  foreign = ForeignByte{address - start, address, std::nullopt};
  if (holder)
    foreign->holder = writes[*holder];
}

/// Looks at [address, address + piece.length), which has to be `piece`; `data`
/// is the byte at `address`.
void ArenaMemory::checkPiece(int64_t address, const Piece &piece, int64_t start,
                             uint8_t *data,
                             std::optional<ForeignByte> &foreign) {
  const int64_t end = address + piece.length;
  const int64_t first = address;
  auto next = segments.upper_bound(address);
  if (next != segments.begin() && std::prev(next)->second.end > address)
    --next;
  while (address < end) {
    if (next == segments.end() || next->first > address) {
      const int64_t gapEnd =
          next == segments.end() ? end : std::min(end, next->first);
      report(address, start, std::nullopt, foreign);
      std::memset(data + (address - first), kPoison, gapEnd - address);
      address = gapEnd;
      continue;
    }
    const Segment &segment = next->second;
    const int64_t offset = segment.offset + (address - next->first);
    if (segment.write != piece.write ||
        offset != piece.offset + (address - first))
      report(address, start, segment.write, foreign);
    address = std::min(end, segment.end);
    ++next;
  }
}

llvm::ArrayRef<uint8_t> ArenaMemory::read(TensorId tensor,
                                          std::optional<ForeignByte> &foreign) {
  foreign.reset();
  const Interval place = placeOf(tensor);
  if (place.empty())
    return {};
  const Block *block = blockOf(place);
  uint8_t *data = block->data.get() + (place.begin - block->bytes.begin);
  auto found = contents.find(tensor);
  // Of what was never written no byte is right, whoever wrote it.
  const std::vector<Piece> never = {{-1, 0, place.length()}};
  int64_t address = place.begin;
  for (const Piece &piece : found == contents.end() ? never : found->second) {
    checkPiece(address, piece, place.begin, data + (address - place.begin),
               foreign);
    address += piece.length;
  }
  return {data, static_cast<size_t>(place.length())};
}

bool ArenaMemory::adopt(TensorId tensor, llvm::ArrayRef<Part> parts) {
  const Interval place = placeOf(tensor);
  std::vector<Piece> pieces;
  int64_t address = place.begin;
  for (const Part &part : parts) {
    auto found = contents.find(part.of);
    const Interval whole = placeOf(part.of);
    if (found == contents.end() || part.offset < 0 ||
        part.length > whole.length() - part.offset ||
        (part.length > 0 && whole.begin + part.offset != address))
      return false;
    int64_t begin = -part.offset;
    for (const Piece &piece : found->second) {
      const int64_t from = std::max<int64_t>(begin, 0);
      const int64_t to = std::min(begin + piece.length, part.length);
      if (from < to)
        pieces.push_back(
            {piece.write, piece.offset + (from - begin), to - from});
      begin += piece.length;
    }
    address += part.length;
  }
  if (address != place.end)
    return false;
  contents[tensor] = std::move(pieces);
  return true;
}

std::vector<ArenaMemory::Written>
ArenaMemory::contentOf(TensorId tensor) const {
  std::vector<Written> content;
  auto found = contents.find(tensor);
  if (found == contents.end())
    return content;
  int64_t address = placeOf(tensor).begin;
  for (const Piece &piece : found->second) {
    content.push_back(
        {{address, address + piece.length}, writes[piece.write].tensor});
    address += piece.length;
  }
  return content;
}

} // namespace tpu_mlir::execution
