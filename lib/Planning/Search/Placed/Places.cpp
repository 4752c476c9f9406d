//===- Places.cpp - Where something may begin -----------------------------===//

#include "lib/Planning/Search/Placed/Places.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tpu_mlir::planning {

/// At least 0, also for negative values.
static int64_t residue(int64_t value, int64_t period) {
  const int64_t rest = value % period;
  return rest < 0 ? rest + period : rest;
}

bool Places::contains(int64_t offset) const {
  return std::binary_search(numbers.begin(), numbers.end(),
                            period == 0 ? offset : residue(offset, period));
}

std::optional<int64_t> Places::firstFrom(int64_t offset) const {
  const int64_t wanted = period == 0 ? offset : residue(offset, period);
  const auto found = std::lower_bound(numbers.begin(), numbers.end(), wanted);
  if (period == 0)
    return found == numbers.end() ? std::nullopt : std::optional(*found);
  if (numbers.empty())
    return std::nullopt;
  const int64_t more = found != numbers.end()
                           ? *found - wanted
                           : numbers.front() + (period - wanted);
  return checkedAdd(offset, more);
}

std::optional<int64_t> Places::last() const {
  return period != 0 || numbers.empty() ? std::nullopt
                                        : std::optional(numbers.back());
}

Places Places::moved(int64_t by) const {
  Places result = *this;
  for (int64_t &number : result.numbers)
    number = period == 0 ? number - by : residue(number - by, period);
  if (period != 0)
    std::sort(result.numbers.begin(), result.numbers.end());
  return result;
}

Places Places::filtered(const Places &a, const Places &b) {
  Places result(a.period, {});
  for (int64_t number : a.numbers)
    if (b.contains(number))
      result.numbers.push_back(number);
  return result;
}

Places Places::both(const Places &a, const Places &b) {
  if (a.isAll() || b.isAll())
    return a.isAll() ? b : a;
  if (a.period == 0 || (b.period != 0 && a.period % b.period == 0))
    return filtered(a, b);
  if (b.period == 0 || b.period % a.period == 0)
    return filtered(b, a);
  const int64_t times = b.period / std::gcd(a.period, b.period);
  const auto all = checkedMul(a.period, times);
  if (!all || times > int64_t(kMost))
    return none();
  Places wide(*all, {});
  for (int64_t i = 0; i < times; ++i)
    for (int64_t number : a.numbers)
      if (b.contains(number + i * a.period))
        wide.numbers.push_back(number + i * a.period);
  wide.thinOut();
  return wide;
}

Places Places::either(const Places &a, const Places &b) {
  if (a.isEmpty() || b.isEmpty())
    return a.isEmpty() ? b : a;
  Places result(a.period, {});
  std::set_union(a.numbers.begin(), a.numbers.end(), b.numbers.begin(),
                 b.numbers.end(), std::back_inserter(result.numbers));
  result.thinOut();
  return result;
}

void Places::clip(int64_t bytes, int64_t height) {
  if (period == 0) {
    const auto isOutside = [&](int64_t number) {
      return number < 0 || number > height - bytes;
    };
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), isOutside),
                  numbers.end());
    return;
  }
  const auto first = firstFrom(0);
  if (!first || *first > height - bytes)
    *this = none();
}

void Places::thinOut() {
  const size_t step = numbers.size() / kMost + 1;
  if (step == 1)
    return;
  size_t kept = 0;
  for (size_t i = 0; i < numbers.size(); i += step)
    numbers[kept++] = numbers[i];
  numbers.resize(kept);
}

} // namespace tpu_mlir::planning
