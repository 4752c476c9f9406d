//===- PoolFlag.cpp - Parse a pool in one line ----------------------------===//
//
// `name=sram,base=0x2000,size=2MiB,cost=1`: each key once, errors with what
// was expected.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/PoolFlag.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// "0x0-0x400+8192-16KiB": half-open ranges, in any order.
bool readRanges(llvm::StringRef text, std::vector<Interval> &ranges) {
  for (llvm::StringRef range : llvm::split(text, '+')) {
    auto [first, last] = range.split('-');
    const auto begin = parseBytes(first), end = parseBytes(last);
    if (!begin || !end || *begin >= *end)
      return false;
    ranges.push_back({*begin, *end});
  }
  std::sort(ranges.begin(), ranges.end());
  return true;
}

/// What is wrong with the field, or nothing.
std::string readField(llvm::StringRef key, llvm::StringRef text, Pool &pool) {
  if (key == "name") {
    pool.name = text.str();
    return text.empty() ? "a pool needs a name" : "";
  }
  if (key == "access") {
    if (text != "rw" && text != "ro")
      return "access is 'rw' or 'ro', not '" + text.str() + "'";
    pool.access = text == "ro" ? PoolAccess::ReadOnly : PoolAccess::ReadWrite;
    return "";
  }
  if (key == "target") {
    for (llvm::StringRef target : llvm::split(text, ','))
      pool.targets.push_back(target.trim().str());
    return llvm::is_contained(pool.targets, "")
               ? "'target' has to be names such as c,accel"
               : "";
  }
  if (key == "reserved")
    return readRanges(text, pool.reserved)
               ? ""
               : "'reserved' has to be ranges such as 0x0-0x400+0x8000-0x9000, "
                 "not '" +
                     text.str() + "'";
  std::optional<int64_t> number = parseBytes(text);
  if (key == "base" && number)
    pool.baseAddress = *number;
  else if (key == "size" && number)
    pool.capacityBytes = *number;
  else if (key == "align" && number && *number > 0)
    pool.alignment = *number;
  else if (key == "cost" && number)
    pool.accessCost = *number;
  else if (key == "base" || key == "size" || key == "align" || key == "cost")
    return "'" + key.str() + "' is no number that can be: '" + text.str() + "'";
  else
    return "unknown field '" + key.str() +
           "'; fields: name, base, size, align, access, cost, reserved, target";
  return "";
}

} // namespace

/// Fields at commas; what has no '=' goes on with the value before: of
/// "target=c,accel,cost=1" the first field is "target=c,accel".
static std::vector<std::string> splitFields(llvm::StringRef text) {
  std::vector<std::string> fields;
  for (llvm::StringRef piece : llvm::split(text, ',')) {
    if (!piece.contains('=') && !fields.empty() &&
        llvm::StringRef(fields.back()).starts_with("target="))
      fields.back() += "," + piece.str();
    else
      fields.push_back(piece.trim().str());
  }
  return fields;
}

std::variant<Pool, std::string> parsePoolFlag(std::string_view text) {
  Pool pool;
  llvm::StringSet<> seen;
  for (llvm::StringRef field : splitFields(text)) {
    auto [key, value] = field.split('=');
    if (!seen.insert(key).second)
      return "field '" + key.str() + "' is there twice";
    if (std::string error = readField(key, value, pool); !error.empty())
      return error;
  }
  if (pool.name.empty())
    return std::string("a pool needs a name: 'name=sram,...'");
  if (pool.baseAddress % pool.alignment != 0)
    return "base " + std::to_string(pool.baseAddress) +
           " is no multiple of the alignment, " +
           std::to_string(pool.alignment);
  if (pool.capacityBytes && !checkedAdd(pool.baseAddress, *pool.capacityBytes))
    return "pool '" + pool.name + "' ends beyond 63 bits";
  return pool;
}

bool givesAlignment(std::string_view text) {
  return llvm::any_of(splitFields(text), [](llvm::StringRef field) {
    return field.split('=').first == "align";
  });
}

std::string printPoolFlag(const Pool &pool) {
  std::string text = "name=" + pool.name;
  const Pool plain;
  auto add = [&](const char *key, int64_t value) {
    text += std::string(",") + key + "=" + std::to_string(value);
  };
  if (pool.baseAddress != plain.baseAddress)
    text += ",base=0x" + llvm::utohexstr(uint64_t(pool.baseAddress), true);
  if (pool.capacityBytes)
    add("size", *pool.capacityBytes);
  if (pool.alignment != plain.alignment)
    add("align", pool.alignment);
  if (pool.access == PoolAccess::ReadOnly)
    text += ",access=ro";
  if (pool.accessCost != plain.accessCost)
    add("cost", pool.accessCost);
  const char *between = ",reserved=";
  for (const Interval &range : pool.reserved) {
    text +=
        between + std::to_string(range.begin) + "-" + std::to_string(range.end);
    between = "+";
  }
  between = ",target=";
  for (const std::string &target : pool.targets) {
    text += between + target;
    between = ",";
  }
  return text;
}

std::variant<NamedPin, std::string> parsePinFlag(std::string_view text) {
  auto [buffer, place] = llvm::StringRef(text).rsplit('=');
  auto [pool, offset] = place.split('@');
  NamedPin pin{buffer.trim().str(), pool.trim().str(), parseBytes(offset)};
  if (pin.buffer.empty() || pin.pool.empty() ||
      place.contains('@') != pin.offsetBytes.has_value())
    return "'" + std::string(text) +
           "' is no pin; write 'tensor=pool' or 'tensor=pool@offset'";
  return pin;
}

} // namespace tpu_mlir::planning
