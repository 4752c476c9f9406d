//===- KernelsNorm.cpp - Normalisation and reduction ----------------------===//
//
// Each element of a normalised set depends on all of the set; so does each of
// these results.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/kernels/KernelSupport.h"

#include <unordered_map>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tpu_mlir::exec {

namespace {

/// The sets of a tensor that agree in all but some dimensions.
class Sets {
public:
  Sets(Reader &input, std::vector<int64_t> dims, ArrayRef<bool> isMixed)
      : input(input), dims(std::move(dims)),
        isMixed(isMixed.begin(), isMixed.end()),
        strides(stridesOf(this->dims)) {}

  /// All of the set of the element at `flat`, mixed. O(set) once for each.
  uint32_t mixed(int64_t flat) {
    const int64_t first = firstOf(flat);
    auto [found, isNew] = sums.try_emplace(first, 0);
    if (isNew)
      found->second = mixAll(first);
    return found->second;
  }
  /// The element's number within its set.
  int64_t placeOf(int64_t flat) const {
    int64_t place = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (isMixed[dim])
        place = place * dims[dim] + flat / strides[dim] % dims[dim];
    return place;
  }

private:
  int64_t firstOf(int64_t flat) const {
    for (size_t dim = 0; dim < dims.size(); ++dim)
      if (isMixed[dim])
        flat -= flat / strides[dim] % dims[dim] * strides[dim];
    return flat;
  }
  uint32_t mixAll(int64_t first) {
    SmallVector<int64_t, 6> at(dims.size(), 0);
    uint32_t sum = 0;
    for (int64_t place = 0;; ++place) {
      int64_t flat = first;
      for (size_t dim = 0; dim < dims.size(); ++dim)
        flat += at[dim] * strides[dim];
      sum += odd(place) * input.at(flat);
      int64_t dim = static_cast<int64_t>(dims.size()) - 1;
      while (dim >= 0 && (!isMixed[dim] || ++at[dim] == dims[dim]))
        at[dim--] = 0;
      if (dim < 0)
        return sum;
    }
  }

  Reader &input;
  std::vector<int64_t> dims;
  SmallVector<bool, 6> isMixed;
  SmallVector<int64_t, 6> strides;
  std::unordered_map<int64_t, uint32_t> sums;
};

} // namespace

/// result = 2 * x + mix(set of x) + extra(flat): an odd multiple of each
/// element of the set, its own included.
template <typename Fn>
static void normalize(Kernel &kernel, std::vector<int64_t> dims,
                      ArrayRef<bool> isMixed, Fn extra) {
  Reader &input = kernel.operand(0);
  Sets sets(input, std::move(dims), isMixed);
  for (const Run &run : runsOf(kernel.result.shape, kernel.result.box))
    for (int64_t i = 0; i < run.length; ++i) {
      const int64_t flat = run.flat + i;
      kernel.result.values[run.position + i] =
          wrapped(saltOf(kernel.op) + 2 * input.at(flat) + sets.mixed(flat) +
                      extra(sets, flat),
                  kernel.bits);
    }
}

static bool sameShape(Kernel &kernel) {
  if (kernel.has(0) && kernel.operand(0).shape().dims == kernel.dims())
    return true;
  kernel.refuse("the operand has not the result's shape");
  return false;
}

void runSoftmax(Kernel &kernel) {
  const int64_t axis = kernel.axis("axis", -1, kernel.rank());
  if (axis < 0 || axis >= kernel.rank())
    return kernel.refuse("axis out of range");
  if (!sameShape(kernel))
    return;
  SmallVector<bool, 6> isMixed(kernel.rank(), false);
  isMixed[axis] = true;
  uint32_t tables = 0; // Read anywhere.
  for (unsigned i = 1; i < kernel.operands.size(); ++i)
    if (kernel.has(i))
      tables += odd(i) * mixedWhole(kernel.operands[i]);
  normalize(kernel, kernel.dims(), isMixed,
            [&](Sets &, int64_t) { return tables; });
}

/// All dimensions from `axis` on, with parameters for each place in the set.
static void normalizeFrom(Kernel &kernel, int64_t axis) {
  if (axis < 0 || axis >= kernel.rank())
    return kernel.refuse("axis out of range");
  if (!sameShape(kernel))
    return;
  SmallVector<bool, 6> isMixed(kernel.rank(), false);
  std::fill(isMixed.begin() + axis, isMixed.end(), true);
  normalize(kernel, kernel.dims(), isMixed, [&](Sets &sets, int64_t flat) {
    uint32_t sum = 0;
    for (unsigned i = 1; i < kernel.operands.size(); ++i)
      if (kernel.has(i))
        sum += odd(i) * kernel.operands[i].at(sets.placeOf(flat) %
                                              kernel.operands[i].elements());
    return sum;
  });
}

void runLayerNorm(Kernel &kernel) {
  normalizeFrom(kernel, kernel.axis("axis", -1, kernel.rank()));
}
void runRmsNorm(Kernel &kernel) { normalizeFrom(kernel, kernel.rank() - 1); }

/// Group norm, instance norm (one group a channel) and pixel norm (all
/// channels of one place), with parameters for each channel.
void runChannelNorm(Kernel &kernel) {
  if (!sameShape(kernel))
    return;
  const llvm::StringRef name = kernel.op->getName().getStringRef();
  const auto &dims = kernel.dims();
  if (dims.size() < 2)
    return kernel.refuse("rank");
  const int64_t channels = dims[1];
  int64_t places = 1;
  for (size_t dim = 2; dim < dims.size(); ++dim)
    places *= dims[dim];
  const int64_t groups = name == "tpu.InstanceNorm" ? channels
                         : name == "tpu.GroupNorm"
                             ? kernel.number("num_groups", 1)
                             : 1;
  if (groups < 1 || channels % groups != 0)
    return kernel.refuse("groups");
  const bool isPixel = name == "tpu.PixelNorm";
  normalize(kernel, {dims[0], groups, channels / groups, places},
            {false, false, true, !isPixel}, [&](Sets &, int64_t flat) {
              const int64_t channel = flat / places % channels;
              uint32_t sum = 0;
              for (unsigned i = 1; i < kernel.operands.size(); ++i)
                if (kernel.has(i))
                  sum += odd(i) * kernel.operands[i].at(
                                      channel % kernel.operands[i].elements());
              return sum;
            });
}

void runReduce(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  if (!input.present())
    return kernel.refuse("no operand");
  const auto &dims = input.shape().dims;
  const int64_t rank = static_cast<int64_t>(dims.size());
  SmallVector<bool, 6> isMixed(rank, false);
  for (int64_t axis : kernel.numbers("axes")) {
    if (axis < -rank || axis >= rank)
      return kernel.refuse("axis out of range");
    isMixed[axis < 0 ? axis + rank : axis] = true;
  }
  std::vector<int64_t> kept; // The result's shape, up to dimensions of 1.
  for (int64_t dim = 0; dim < rank; ++dim)
    kept.push_back(isMixed[dim] ? 1 : dims[dim]);
  int64_t elements = 1;
  for (int64_t size : kept)
    elements *= size;
  if (elements != kernel.result.shape.elements())
    return kernel.refuse("the result's shape");

  const auto strides = stridesOf(dims);
  Sets sets(input, dims, isMixed);
  for (const Run &run : runsOf(kernel.result.shape, kernel.result.box))
    for (int64_t i = 0; i < run.length; ++i) {
      int64_t first = 0;
      for (auto [at, stride] :
           llvm::zip_equal(indexIn(kept, run.flat + i), strides))
        first += at * stride;
      kernel.result.values[run.position + i] =
          wrapped(saltOf(kernel.op) + sets.mixed(first), kernel.bits);
    }
}

} // namespace tpu_mlir::exec
