//===- PoolFlag.h - A pool in one line ---------------------------*- C++ -*-==//

#ifndef TPU_MLIR_PLANNING_POOLFLAG_H
#define TPU_MLIR_PLANNING_POOLFLAG_H

#include "tpu_mlir/Planning/Problem.h"

#include <string>
#include <string_view>
#include <variant>

namespace tpu_mlir::planning {

/// Reads "name=sram,base=0x20000000,size=2MiB,align=64,access=rw,cost=1". The
/// name is needed; without a size there is no limit. Numbers are as
/// parseBytes() reads them; access is "rw" or "ro".
/// reserved=0x0-0x400+0x8000-0x9000 gives ranges of offsets, half-open, that
/// nobody may use; target=c,accel names who can reach it. A base has to be a
/// multiple of the alignment. The string says what is wrong, with the field
/// quoted.
std::variant<Pool, std::string> parsePoolFlag(std::string_view text);

/// A line that parsePoolFlag() reads says what the alignment is, be it the one
/// that holds without a word.
bool givesAlignment(std::string_view text);

/// The same pool as one line, which parsePoolFlag() reads; fields that are as
/// without a word are left out.
std::string printPoolFlag(const Pool &pool);

/// What somebody wants to be in a certain pool, by name.
struct NamedPin {
  std::string buffer;
  std::string pool;
  /// From the pool's base; nullopt: anywhere in it.
  std::optional<int64_t> offsetBytes;
};

/// Reads "conv1=sram" or "conv1=sram@0x400"; the pool is what follows the last
/// '='. The string says what is wrong.
std::variant<NamedPin, std::string> parsePinFlag(std::string_view text);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_POOLFLAG_H
