//===- MapData.cpp - What the script of a map reads -----------------------===//
//
// A line a tensor, numbers to the base 36, so that 100,000 of them are no
// more than a photograph:
//
//     what  begin  length  offset  size  shared+name
//
// `what` is region * 16 + kind, + 8 inside other storage; `begin` counts from
// the line before; `shared` is one digit: so many letters of the name are those
// of the line before.
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Map/Map.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tpu_mlir::report {

namespace {

/// Points at which the sum of what has no line of its own is told.
constexpr int64_t kRestPoints = 2048;

std::string base36(int64_t value) {
  std::string digits;
  for (uint64_t rest = uint64_t(std::max<int64_t>(value, 0));
       rest || digits.empty(); rest /= 36)
    digits += "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
  std::reverse(digits.begin(), digits.end());
  return digits;
}

int kindNumber(const TensorRow &tensor) {
  constexpr const char *kKinds[] = {"activation", "weight", "input", "output",
                                    "scratch"};
  for (int i = 0; i < 5; ++i)
    if (tensor.kind == kKinds[i])
      return i;
  return 0;
}

/// ASCII letters that two names begin with, at most 35.
size_t sharedLetters(const std::string &a, const std::string &b) {
  size_t count = 0;
  while (count < 35 && count < a.size() && count < b.size() &&
         a[count] == b[count] && (unsigned char)a[count] < 0x80)
    ++count;
  return count;
}

class DataWriter {
public:
  DataWriter(const MemoryReport &report, const std::vector<PanelPlace> &places)
      : report(report), places(places) {
    for (const TensorRow &tensor : report.tensors)
      if (const auto region = regionOf(report, tensor))
        entries.push_back({&tensor, *region, stepsOf(tensor)});
    // The largest first; what is counted elsewhere, and weights, last.
    std::stable_sort(
        entries.begin(), entries.end(),
        [](const auto &a, const auto &b) { return key(a) < key(b); });
  }

  std::string run(size_t maxBytes) {
    size_t kept = entries.size();
    std::string text = write(kept);
    const double fixed = text.size() > maxBytes ? double(write(0).size()) : 0;
    while (text.size() > maxBytes && kept > 0) {
      // A little less than what would do if all lines were as long.
      const double share = std::max(0., double(maxBytes) - fixed) /
                           std::max(1., double(text.size()) - fixed);
      kept = size_t(std::min(double(kept - 1), .97 * double(kept) * share));
      text = write(kept);
    }
    return text;
  }

private:
  struct Entry {
    const TensorRow *tensor;
    size_t region;
    Interval steps;
  };

  /// Those inside other storage live as long as they are in use.
  Interval stepsOf(const TensorRow &tensor) const {
    const Interval steps = isRoot(tensor) ? tensor.held : tensor.life;
    return isWeight(tensor) || steps.empty() ? Interval{0, report.numSteps}
                                             : steps;
  }
  static std::tuple<bool, bool, int64_t> key(const Entry &entry) {
    return {isWeight(*entry.tensor), !isRoot(*entry.tensor),
            -entry.tensor->bytes.length()};
  }

  std::string write(size_t kept) const;
  llvm::json::Array lines(size_t kept) const;
  llvm::json::Array rest(size_t kept) const;
  llvm::json::Array regions() const;
  void addSteps(llvm::json::Object &all) const;
  int64_t restStride() const {
    return std::max<int64_t>(1, ceilDiv(report.numSteps, kRestPoints));
  }

  const MemoryReport &report;
  const std::vector<PanelPlace> &places;
  std::vector<Entry> entries;
};

} // namespace

llvm::json::Array DataWriter::lines(size_t kept) const {
  std::vector<const Entry *> order;
  for (size_t i = 0; i < kept; ++i)
    order.push_back(&entries[i]);
  std::stable_sort(
      order.begin(), order.end(), [](const Entry *a, const Entry *b) {
        return std::tuple(a->steps.begin, a->region, a->tensor->bytes.begin) <
               std::tuple(b->steps.begin, b->region, b->tensor->bytes.begin);
      });
  llvm::json::Array result;
  result.reserve(order.size());
  std::string last;
  int64_t begin = 0;
  for (const Entry *entry : order) {
    const TensorRow &tensor = *entry->tensor;
    const std::string name = llvm::json::fixUTF8(tensor.name);
    const size_t shared = sharedLetters(last, name);
    const int64_t what = int64_t(entry->region) * 16 + kindNumber(tensor) +
                         (isRoot(tensor) ? 0 : 8);
    result.push_back(base36(what) + " " + base36(entry->steps.begin - begin) +
                     " " + base36(entry->steps.length()) + " " +
                     base36(saturatedSub(tensor.bytes.begin,
                                         report.regions[entry->region].base)) +
                     " " + base36(tensor.bytes.length()) + " " +
                     base36(int64_t(shared)) + name.substr(shared));
    begin = entry->steps.begin;
    last = name;
  }
  return result;
}

/// Per region the largest sum in each stretch of steps, and how many there are.
llvm::json::Array DataWriter::rest(size_t kept) const {
  const int64_t stride = restStride();
  std::vector<std::map<int64_t, int64_t>> changes(report.regions.size());
  std::vector<int64_t> counts(report.regions.size(), 0);
  for (size_t i = kept; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    ++counts[entry.region];
    if (!isRoot(*entry.tensor) || isWeight(*entry.tensor))
      continue;
    changes[entry.region][entry.steps.begin] += entry.tensor->bytes.length();
    changes[entry.region][entry.steps.end] -= entry.tensor->bytes.length();
  }
  llvm::json::Array result;
  for (size_t region = 0; region < changes.size(); ++region) {
    llvm::json::Array sums;
    int64_t sum = 0;
    auto next = changes[region].begin();
    for (int64_t from = 0; counts[region] && from < report.numSteps;
         from += stride) {
      int64_t most = sum;
      for (; next != changes[region].end() && next->first < from + stride;
           ++next) {
        sum += next->second;
        most = std::max(most, sum);
      }
      sums.push_back(most);
    }
    result.push_back(llvm::json::Object{{"count", counts[region]},
                                        {"sums", std::move(sums)}});
  }
  return result;
}

llvm::json::Array DataWriter::regions() const {
  llvm::json::Array result;
  for (size_t i = 0; i < report.regions.size(); ++i) {
    const RegionRow &region = report.regions[i];
    const Frame &frame = places[i].frame;
    result.push_back(llvm::json::Object{
        {"name", llvm::json::fixUTF8(region.name)},
        {"base", std::to_string(region.base)},
        {"used", region.usedBytes},
        {"peak", region.peakStep},
        {"top", places[i].topBytes},
        {"frame",
         llvm::json::Array{frame.left, frame.top, frame.width, frame.height}}});
  }
  return result;
}

void DataWriter::addSteps(llvm::json::Object &all) const {
  std::map<std::string, int64_t> numbers;
  llvm::json::Array names, ops, groups;
  for (size_t step = 0; step < report.steps.size(); ++step) {
    const StepRow &row = report.steps[step];
    const auto [entry, isNew] =
        numbers.try_emplace(row.op, int64_t(numbers.size()));
    if (isNew)
      names.push_back(llvm::json::fixUTF8(row.op));
    ops.push_back(entry->second);
    if (row.group) {
      groups.push_back(int64_t(step));
      groups.push_back(*row.group);
    }
  }
  all["opNames"] = std::move(names);
  all["ops"] = std::move(ops);
  all["groups"] = std::move(groups);
}

std::string DataWriter::write(size_t kept) const {
  llvm::json::Object all{{"steps", report.numSteps},
                         {"regions", regions()},
                         {"stride", restStride()},
                         {"rest", rest(kept)},
                         {"tensors", lines(kept)}};
  const RegionRow *main = mainRegion(report);
  all["main"] = main ? int64_t(main - report.regions.data()) : 0;
  addSteps(all);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(all));
  // Only strings have it, and no string may end the element that it is in.
  std::string safe;
  safe.reserve(text.size());
  for (char c : text)
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string mapData(const MemoryReport &report,
                    const std::vector<PanelPlace> &places, size_t maxBytes) {
  return DataWriter(report, places).run(maxBytes);
}

const RegionRow *mainRegion(const MemoryReport &report) {
  std::set<std::string> busy;
  for (const TensorRow &tensor : report.tensors)
    if (tensor.kind == "activation" || tensor.kind == "scratch")
      busy.insert(tensor.region);
  const auto rankOf = [&](const RegionRow &region) {
    return std::pair(busy.count(region.name), region.usedBytes);
  };
  const RegionRow *found = nullptr;
  for (const RegionRow &region : report.regions)
    if (!region.peakSet.empty() && (!found || rankOf(region) > rankOf(*found)))
      found = &region;
  return found;
}

} // namespace tpu_mlir::report
