#include "tpu_mlir/Planning/PoolFlag.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace tpu_mlir::planning {
namespace {

/// "12", "0x10", and with a unit "2MiB".
std::optional<int64_t> parseBytes(llvm::StringRef text) {
  int64_t unit = 1;
  for (auto [suffix, bytes] :
       {std::pair<llvm::StringRef, int64_t>("KiB", 1 << 10),
        {"MiB", 1 << 20},
        {"GiB", 1 << 30}})
    if (text.consume_back(suffix))
      unit = bytes;
  int64_t value = 0;
  if (text.getAsInteger(0, value) || value < 0)
    return std::nullopt;
  return checkedMul(value, unit);
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
           "'; fields: name, base, size, align, access, cost";
  return "";
}

} // namespace

std::variant<Pool, std::string> parsePoolFlag(std::string_view text) {
  Pool pool;
  llvm::StringSet<> seen;
  for (llvm::StringRef field : llvm::split(llvm::StringRef(text), ',')) {
    auto [key, value] = field.trim().split('=');
    if (!seen.insert(key).second)
      return "field '" + key.str() + "' is there twice";
    if (std::string error = readField(key, value, pool); !error.empty())
      return error;
  }
  if (pool.name.empty())
    return std::string("a pool needs a name: 'name=sram,...'");
  if (pool.capacityBytes && !checkedAdd(pool.baseAddress, *pool.capacityBytes))
    return "pool '" + pool.name + "' ends beyond 63 bits";
  return pool;
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
  return text;
}

} // namespace tpu_mlir::planning
