//===- Memory.h - Where the bytes of tensors are ----------------*- C++ -*-===//
//
// One interface, two memories. In the one every tensor has bytes of its own, so
// nothing can be overwritten. In the other tensors are where a plan puts them:
// it knows for every byte which write it is from, and says so when a tensor is
// read and some of its bytes are from another one.
//
//   address  4096              8192          10240
//            [ write 3, from 0 )[ write 7, from 512 )
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_MEMORY_H
#define TPU_MLIR_EXECUTION_MEMORY_H

#include "tpu_mlir/Support/Interval.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::execution {

/// A tensor, numbered by whoever runs the network, from 0.
using TensorId = int64_t;

/// One time that a tensor was written.
struct Write {
  TensorId tensor = 0;
  int64_t step = 0; ///< Of the op that wrote it.
};

/// A byte that is not what its reader takes it for.
struct ForeignByte {
  int64_t offset = 0;          ///< From the start of the tensor that is read.
  int64_t address = 0;         ///< 0 in a memory without addresses.
  std::optional<Write> holder; ///< Who wrote it; nullopt: nobody has.
};

/// A part of a tensor that lies inside another one.
struct Part {
  TensorId of = 0;
  int64_t offset = 0; ///< In bytes, inside `of`.
  int64_t length = 0;
};

class Memory {
public:
  virtual ~Memory() = default;

  /// The bytes of a tensor as they are now, valid until the next write. In
  /// `foreign`, if there is one, the first byte that is from another tensor or
  /// an earlier write, or that nobody wrote; those that nobody wrote read as
  /// 0xCD. O(log n + bytes looked at).
  virtual llvm::ArrayRef<uint8_t> read(TensorId tensor,
                                       std::optional<ForeignByte> &foreign) = 0;
  /// Makes `bytes`, as many as the tensor has, its content.
  virtual void write(TensorId tensor, llvm::ArrayRef<uint8_t> bytes,
                     int64_t step) = 0;
  /// Nobody reads the tensor any more.
  virtual void release(TensorId tensor) = 0;
};

/// Every tensor has bytes of its own.
class ValueMemory : public Memory {
public:
  llvm::ArrayRef<uint8_t> read(TensorId tensor,
                               std::optional<ForeignByte> &foreign) override;
  void write(TensorId tensor, llvm::ArrayRef<uint8_t> bytes,
             int64_t step) override;
  void release(TensorId tensor) override { contents.erase(tensor); }

private:
  llvm::DenseMap<TensorId, std::vector<uint8_t>> contents;
};

/// Tensors are at addresses. Memory that is not touched costs nothing.
class ArenaMemory : public Memory {
public:
  /// Memory for `used`, the bytes of all tensors that there will be, in any
  /// order. nullopt when there is not enough of it. O(n log n).
  static std::optional<ArenaMemory> create(std::vector<Interval> used);

  /// Says where a tensor is, before anything else is done with it. False: not
  /// inside the memory.
  bool place(TensorId tensor, Interval bytes);
  bool isPlaced(TensorId tensor) const { return places.count(tensor) != 0; }
  Interval placeOf(TensorId tensor) const { return places.lookup(tensor); }

  llvm::ArrayRef<uint8_t> read(TensorId tensor,
                               std::optional<ForeignByte> &foreign) override;
  void write(TensorId tensor, llvm::ArrayRef<uint8_t> bytes,
             int64_t step) override;
  /// The tensor is what `parts` are, one after the other: nothing is written.
  /// False, and nothing is done, unless the parts fill it and each lies where
  /// the tensor has it.
  bool adopt(TensorId tensor, llvm::ArrayRef<Part> parts);
  void release(TensorId tensor) override { contents.erase(tensor); }

  /// Bytes, and the tensor that was written there.
  struct Written {
    Interval bytes;
    TensorId tensor = 0;
  };
  /// What the bytes of a tensor have to be from, in order of addresses; empty
  /// for one that was never written.
  std::vector<Written> contentOf(TensorId tensor) const;

private:
  /// Bytes of one write, from its byte `offset` on.
  struct Piece {
    int64_t write = 0, offset = 0, length = 0;
  };
  struct Segment {
    int64_t end, write, offset;
  };
  struct FreeBytes {
    void operator()(uint8_t *bytes) const { std::free(bytes); }
  };
  struct Block {
    Interval bytes;
    std::unique_ptr<uint8_t, FreeBytes> data;
  };

  const Block *blockOf(Interval bytes) const;
  void cutAt(int64_t address);
  void checkPiece(int64_t address, const Piece &piece, int64_t start,
                  uint8_t *data, std::optional<ForeignByte> &foreign);
  void report(int64_t address, int64_t start, std::optional<int64_t> holder,
              std::optional<ForeignByte> &foreign) const;

  std::vector<Block> blocks; ///< By address.
  std::vector<Write> writes;
  std::map<int64_t, Segment> segments; ///< By first address.
  llvm::DenseMap<TensorId, Interval> places;
  llvm::DenseMap<TensorId, std::vector<Piece>> contents;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_MEMORY_H
