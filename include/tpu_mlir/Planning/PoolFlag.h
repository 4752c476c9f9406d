//===- PoolFlag.h - A pool in one line ---------------------------*- C++ -*-==//

#ifndef TPU_MLIR_PLANNING_POOLFLAG_H
#define TPU_MLIR_PLANNING_POOLFLAG_H

#include "tpu_mlir/Planning/Problem.h"

#include <string>
#include <string_view>
#include <variant>

namespace tpu_mlir::planning {

/// Reads "name=sram,base=0x20000000,size=2MiB,align=64,access=rw,cost=1". The
/// name is needed; without a size there is no limit. Numbers are decimal or
/// hexadecimal, sizes may end in KiB, MiB or GiB; access is "rw" or "ro". The
/// string says what is wrong, with the field quoted.
std::variant<Pool, std::string> parsePoolFlag(std::string_view text);

/// The same pool as one line, which parsePoolFlag() reads; fields that are as
/// without a word are left out. Reserved ranges have no field.
std::string printPoolFlag(const Pool &pool);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_POOLFLAG_H
