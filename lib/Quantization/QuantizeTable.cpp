//===- QuantizeTable.cpp - Which layers stay floats -----------------------===//

#include "tpu_mlir/Quantization/QuantizeTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;

namespace tpu_mlir::quantization {

static constexpr char kBlanks[] = " \t\r";

std::variant<std::vector<QuantizeEntry>, TableError>
parseQuantizeTable(std::string_view given) {
  std::vector<QuantizeEntry> entries;
  llvm::StringMap<std::string> modes;
  StringRef text = given;
  for (int64_t number = 1; !text.empty(); ++number) {
    auto [first, rest] = text.split('\n');
    text = rest;
    StringRef line = first.trim(kBlanks);
    if (line.empty() || line.starts_with("#"))
      continue;
    const size_t blank = line.find_last_of(kBlanks);
    if (blank == StringRef::npos)
      return TableError{number, ("'" + line +
                                 "' is no entry: a name and a mode are "
                                 "needed, with blanks between")
                                    .str()};
    QuantizeEntry entry{line.take_front(blank).rtrim(kBlanks).str(),
                        line.drop_front(blank + 1).upper(), number};
    auto [known, isNew] = modes.try_emplace(entry.name, entry.mode);
    if (!isNew && known->second != entry.mode)
      return TableError{number, "'" + entry.name + "' has the mode " +
                                    known->second + " already"};
    entries.push_back(std::move(entry));
  }
  return entries;
}

} // namespace tpu_mlir::quantization
