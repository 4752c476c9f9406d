//===- Thresholds.cpp - How large numbers of a tensor get -----------------===//

#include "tpu_mlir/Quantization/Thresholds.h"

#include "tpu_mlir/Support/Names.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tpu_mlir::quantization {

static constexpr Named<ThresholdMethod> kMethods[] = {
    {ThresholdMethod::Kl, "kl"},
    {ThresholdMethod::Max, "max"},
    {ThresholdMethod::Mse, "mse"},
    {ThresholdMethod::Percentile, "percentile9999"}};

std::optional<ThresholdMethod> thresholdMethodOf(std::string_view name) {
  return valueIn(kMethods, name);
}

std::string thresholdMethods() {
  std::string names;
  for (const auto &method : kMethods)
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

void NumberStatistics::extend(llvm::ArrayRef<float> numbers) {
  for (float number : numbers) {
    if (!std::isfinite(number))
      continue;
    least = isEmpty ? number : std::min<double>(least, number);
    most = isEmpty ? number : std::max<double>(most, number);
    isEmpty = false;
  }
}

double NumberStatistics::binWidth() const {
  return std::max(std::abs(least), std::abs(most)) / (kBins - 1);
}

/// By going to the fixed point of what a threshold costs on both of its sides.
static double mseThreshold(llvm::ArrayRef<float> numbers) {
  constexpr int kBits = 8, kSteps = 20;
  double sum = 0;
  int64_t nonZero = 0;
  bool hasNegative = false;
  for (float number : numbers) {
    if (!std::isfinite(number))
      continue;
    sum += std::abs(number);
    nonZero += number != 0;
    hasNegative |= number < 0;
  }
  if (nonZero == 0)
    return 0;
  const double inside = 3. * (hasNegative ? 1 : 4) * std::pow(4., kBits);
  double threshold = sum / nonZero;
  for (int step = 0; step < kSteps; ++step) {
    double beyond = 0;
    int64_t numBeyond = 0, numInside = 0;
    for (float number : numbers) {
      const double size = std::abs(number);
      if (!std::isfinite(number))
        continue;
      if (size > threshold) {
        beyond += size;
        ++numBeyond;
      } else {
        ++numInside;
      }
    }
    const double next = beyond / (numInside / inside + numBeyond);
    if (std::abs(next - threshold) < 1e-6)
      break;
    threshold = next;
  }
  return threshold;
}

void NumberStatistics::count(llvm::ArrayRef<float> numbers,
                             ThresholdMethod method) {
  const double width = binWidth();
  ++samples;
  if (method == ThresholdMethod::Mse)
    mseSum += mseThreshold(numbers);
  if (width <= 0)
    return;
  // Zero is exact with every threshold: those behind a relu say nothing about
  // steps, and would hide what larger ones lose.
  const bool skipsZeros = method == ThresholdMethod::Kl;
  for (float number : numbers) {
    if (!std::isfinite(number) || (skipsZeros && number == 0))
      continue;
    const auto bin = static_cast<int64_t>(std::abs(number) / width);
    ++bins[std::min<int64_t>(bin, kBins - 1)];
    ++counted;
  }
}

/// What the first `count` bins lose when they become 128 steps.
static double divergence(llvm::ArrayRef<int64_t> bins, int count) {
  constexpr int kSteps = 128;
  const int64_t all = std::accumulate(bins.begin(), bins.end(), int64_t(0));
  const int64_t inside =
      std::accumulate(bins.begin(), bins.begin() + count, int64_t(0));
  if (inside == 0)
    return INFINITY;
  const int each = count / kSteps;
  double sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    llvm::ArrayRef<int64_t> own = bins.slice(step * each, each);
    const double mass = static_cast<double>(
        std::accumulate(own.begin(), own.end(), int64_t(0)));
    const int64_t filled = own.size() - std::count(own.begin(), own.end(), 0);
    for (int i = 0; i < each; ++i) {
      const bool isLast = step * each + i == count - 1;
      const double p =
          static_cast<double>(own[i] + (isLast ? all - inside : 0)) / all;
      const double q = own[i] ? mass / filled / inside : 0;
      sum += p * (std::log10(p + 1e-30) - std::log10(q + 1e-30));
    }
  }
  return sum;
}

double NumberStatistics::klThreshold() const {
  constexpr int kFirst = 128;
  int best = kBins;
  double least = INFINITY;
  for (int count = kFirst; count <= kBins; count += kFirst) {
    const double loss = divergence(bins, count);
    if (loss < least) {
      least = loss;
      best = count;
    }
  }
  return best * binWidth();
}

double NumberStatistics::percentile(double share) const {
  const double wanted = share * static_cast<double>(counted);
  double seen = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    const auto own = static_cast<double>(bins[bin]);
    if (own > 0 && seen + own >= wanted)
      return (bin + (wanted - seen) / own) * binWidth();
    seen += own;
  }
  return kBins * binWidth();
}

ValueRange NumberStatistics::range(ThresholdMethod method, double share) const {
  const double largest = std::max(std::abs(least), std::abs(most));
  double threshold = largest;
  if (counted > 0 && method == ThresholdMethod::Kl)
    threshold = klThreshold();
  if (counted > 0 && method == ThresholdMethod::Percentile)
    threshold = percentile(share);
  if (samples > 0 && method == ThresholdMethod::Mse)
    threshold = mseSum / static_cast<double>(samples);
  return {std::min(threshold, largest), least, most};
}

} // namespace tpu_mlir::quantization
