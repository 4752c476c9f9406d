//===- PlanCache.h - What was planned before --------------------*- C++ -*-===//
//
// Networks repeat their blocks, and teams deploy the same network again and
// again. A cache keeps answers by the whole question: no names, all numbers
// that an answer depends on, and which planner was asked. Whoever takes an
// answer out checks it as if a stranger had made it.
//
// Apart from the other headers of this room: few need it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_PLANCACHE_H
#define TPU_MLIR_PLANNING_PLANCACHE_H

#include "tpu_mlir/Planning/Strategy.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tpu_mlir::planning {

/// Numbers and words one after the other, as a key or a value of a cache:
/// equal texts come of equal lists alone.
class CacheWriter {
public:
  /// Small ones take a byte.
  CacheWriter &number(int64_t value);
  CacheWriter &numbers(const std::vector<int64_t> &values);
  CacheWriter &word(std::string_view text);
  std::string take() { return std::move(bytes); }

private:
  std::string bytes;
};

/// Reads what a CacheWriter wrote. Text of anybody else may be anything: what
/// is read then is 0 or empty, and isWhole() is false.
class CacheReader {
public:
  explicit CacheReader(std::string_view bytes) : rest(bytes) {}
  int64_t number();
  /// A number from `low` to `high`.
  int64_t number(int64_t low, int64_t high);
  bool flag() { return number(0, 1) != 0; }
  /// How many of something follow, of `least` bytes or more each.
  size_t count(size_t least = 1);
  std::vector<int64_t> numbers();
  std::string word();
  /// All was read, and nothing else was there.
  bool isWhole() const { return isRight && rest.empty(); }
  bool isBroken() const { return !isRight; }

private:
  std::string_view rest;
  bool isRight = true;
};

/// Values by keys, for as long as it lives; with a folder for other programs,
/// too, at the same time or later. A file that cannot be read, is cut short,
/// was written over or has another question's answer is as if it were not
/// there; what is strange about it is a remark. Not for several threads at
/// once.
class PlanCache {
public:
  /// The name of a file; 128 bits of hash by default. Two keys with the same
  /// name take turns.
  using FileName = std::function<std::string(std::string_view key)>;

  PlanCache() = default;
  /// `folder` is made with the first answer; empty: in memory alone.
  explicit PlanCache(std::string folder, FileName fileName = nullptr);

  /// The value that was added for exactly this key.
  std::optional<std::string> find(std::string_view key);
  void add(std::string_view key, std::string value);
  /// The value of `key` turned out to be none.
  void reject(std::string_view key);

  /// What went wrong with files since the last call, in words.
  std::vector<std::string> takeRemarks();
  int64_t numFound() const { return found; }
  int64_t numMissed() const { return missed; }

private:
  std::string pathOf(std::string_view key) const;
  std::optional<std::string> read(std::string_view key);
  void remark(std::string text);

  std::string folder;
  FileName fileName;
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::string> remarks;
  int64_t found = 0, missed = 0;
};

/// Which planner this is: other sources of it, another text. Part of each key.
std::string_view plannerFingerprint();

/// What a plan depends on: sizes, lives, aliases, pins, pools and options, but
/// no name, no place in a file and no base address.
std::string cacheKey(const Problem &problem, const SolveOptions &options);

/// solve(), or its answer to the same question. An answer out of `cache` is
/// validated and not used when it breaks a rule; only plans are kept, and none
/// that was found when the time was over or somebody had asked to stop.
SolveResult solveCached(const Problem &problem, const SolveOptions &options,
                        PlanCache &cache);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PLANCACHE_H
