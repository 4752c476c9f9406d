//===- Passes.cpp - What passes of training keep --------------------------===//

#include "lib/Planning/Strategies/Woven/Passes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

class Finder {
public:
  Finder(const std::vector<Item> &items, std::vector<size_t> &ids)
      : items(items), ids(ids) {}

  std::optional<Passes> run() {
    for (size_t id : ids)
      if (items[id].lifespans.size() != 1)
        return std::nullopt;
    nest();
    sortOut();
    if (!follow())
      return std::nullopt;
    return std::move(passes);
  }

private:
  Interval lifeOf(size_t id) const { return items[id].lifespans.front(); }

  /// Each item goes into the narrowest life that it lies within and that has
  /// nothing inside yet.
  void nest() {
    const auto keyOf = [&](size_t id) {
      return std::make_tuple(lifeOf(id).begin, -lifeOf(id).end,
                             -items[id].sizeBytes, id);
    };
    std::sort(ids.begin(), ids.end(),
              [&](size_t a, size_t b) { return keyOf(a) < keyOf(b); });
    std::multimap<int64_t, size_t> passOfEnd;
    for (size_t id : ids) {
      const int64_t end = lifeOf(id).end;
      const auto around = passOfEnd.lower_bound(end);
      size_t pass = nested.size();
      if (around == passOfEnd.end()) {
        nested.emplace_back();
      } else {
        pass = around->second;
        passOfEnd.erase(around);
      }
      nested[pass].push_back(id);
      passOfEnd.emplace(end, pass);
    }
  }

  /// Those of one shape, and what is left.
  void sortOut() {
    std::map<std::vector<int64_t>, std::vector<size_t>> passesOfShape;
    for (size_t pass = 0; pass < nested.size(); ++pass) {
      std::vector<int64_t> shape;
      for (size_t id : nested[pass])
        shape.push_back(items[id].sizeBytes);
      passesOfShape[std::move(shape)].push_back(pass);
    }
    double most = 0;
    std::vector<size_t> chosen;
    for (const auto &[shape, list] : passesOfShape) {
      double bytes = 0;
      for (int64_t size : shape)
        bytes += double(size) * double(list.size());
      if (bytes > most) {
        most = bytes;
        chosen = list;
      }
    }
    size_t next = 0;
    for (size_t pass = 0; pass < nested.size(); ++pass)
      if (next < chosen.size() && chosen[next] == pass) {
        ++next;
        passes.list.push_back(std::move(nested[pass]));
      } else {
        passes.rest.insert(passes.rest.end(), nested[pass].begin(),
                           nested[pass].end());
      }
  }

  /// The level of each pass is over when it begins `distance` passes on.
  bool isFree(size_t level, size_t distance) const {
    for (size_t pass = 0; pass + distance < passes.list.size(); ++pass)
      if (lifeOf(passes.list[pass][level]).end >
          lifeOf(passes.list[pass + distance][level]).begin)
        return false;
    return true;
  }

  bool follow() {
    const size_t count = passes.list.size();
    if (count < kFewestPasses)
      return false;
    const size_t levels = passes.list.front().size();
    size_t &inFlight = passes.inFlight;
    for (inFlight = 1; !isFree(levels - 1, inFlight); ++inFlight)
      if (2 * inFlight + 2 > count)
        return false;
    for (size_t level = 0; level < levels; ++level) {
      passes.isLong.push_back(!isFree(level, inFlight));
      if (passes.isLong.back() && !isFree(level, inFlight + 1))
        return false;
    }
    return true;
  }

  static constexpr size_t kFewestPasses = 4;

  const std::vector<Item> &items;
  std::vector<size_t> &ids;
  std::vector<Pass> nested;
  Passes passes;
};

} // namespace

std::optional<Passes> passesOf(const std::vector<Item> &items,
                               std::vector<size_t> ids) {
  return Finder(items, ids).run();
}

} // namespace tpu_mlir::planning
