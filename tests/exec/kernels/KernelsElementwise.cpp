//===- KernelsElementwise.cpp - Element by element ------------------------===//

#include "tests/exec/kernels/KernelSupport.h"

namespace tpu_mlir::exec {

/// Sums that become the result in the end.
using Sums = std::vector<uint32_t>;

static void write(Kernel &kernel, const Sums &sums) {
  for (auto [value, sum] : llvm::zip_equal(kernel.result.values, sums))
    value = wrapped(sum, kernel.bits);
}

/// The operand's elements at the result's places, each times `factor`.
static void addSame(Kernel &kernel, Reader &operand, uint32_t factor,
                    Sums &sums) {
  for (const Run &run : runsOf(kernel.result.shape, kernel.result.box))
    for (int64_t i = 0; i < run.length; ++i)
      sums[run.position + i] += factor * operand.at(run.flat + i);
}

/// Elements from one place of the result to the next in each dimension, 0
/// where the operand is repeated. Shapes meet at their last dimensions; empty
/// when they do not fit.
static std::optional<llvm::SmallVector<int64_t, 6>>
broadcastStrides(const std::vector<int64_t> &result,
                 const std::vector<int64_t> &operand) {
  if (operand.size() > result.size())
    return std::nullopt;
  const size_t missing = result.size() - operand.size();
  const auto strides = stridesOf(operand);
  llvm::SmallVector<int64_t, 6> steps(result.size(), 0);
  for (size_t dim = 0; dim < operand.size(); ++dim) {
    if (operand[dim] == 1)
      continue;
    if (operand[dim] != result[dim + missing])
      return std::nullopt;
    steps[dim + missing] = strides[dim];
  }
  return steps;
}

static void addBroadcast(Kernel &kernel, Reader &operand,
                         llvm::ArrayRef<int64_t> steps, uint32_t factor,
                         Sums &sums) {
  forEachElement(kernel.result,
                 [&](int64_t position, int64_t, llvm::ArrayRef<int64_t> index) {
                   int64_t flat = 0;
                   for (auto [at, step] : llvm::zip_equal(index, steps))
                     flat += at * step;
                   sums[position] += factor * operand.at(flat);
                 });
}

/// Operands of the result's shape, operands that are repeated along some
/// dimensions, and parameters that are read whole.
void runElementwise(Kernel &kernel) {
  Sums sums(kernel.result.values.size(), saltOf(kernel.op));
  for (unsigned i = 0; i < kernel.operands.size(); ++i) {
    if (!kernel.has(i))
      continue;
    Reader &operand = kernel.operands[i];
    const uint32_t factor = odd(i + 1);
    if (operand.shape().dims == kernel.dims()) {
      addSame(kernel, operand, factor, sums);
    } else if (auto steps =
                   broadcastStrides(kernel.dims(), operand.shape().dims)) {
      addBroadcast(kernel, operand, *steps, factor, sums);
    } else {
      const uint32_t mixed = factor * mixedWhole(operand);
      for (uint32_t &sum : sums)
        sum += mixed;
    }
  }
  write(kernel, sums);
}

/// The same elements under another shape; operands after the first (shapes)
/// are not read.
void runView(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  if (!input.present() || input.elements() != kernel.result.shape.elements())
    return kernel.refuse("the operand has not as many elements");
  Sums sums(kernel.result.values.size(), 0);
  addSame(kernel, input, 1, sums);
  write(kernel, sums);
}

/// An element looked up in tables: any entry may be meant, so all are read.
void runTable(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  if (!input.present() || input.shape().dims != kernel.dims())
    return kernel.refuse("the operand has not the result's shape");
  Sums sums(kernel.result.values.size(), saltOf(kernel.op));
  addSame(kernel, input, 3, sums);
  for (unsigned i = 1; i < kernel.operands.size(); ++i) {
    if (!kernel.has(i))
      continue;
    Reader &table = kernel.operands[i];
    const uint32_t mixed = mixedWhole(table);
    for (uint32_t &sum : sums)
      sum += mixed + 2 * table.at(sum % table.elements());
  }
  write(kernel, sums);
}

/// An element with the parameters of its channel (dimension 1).
static void addChannels(Kernel &kernel, Reader &parameter, uint32_t factor,
                        Sums &sums) {
  const auto &dims = kernel.dims();
  const int64_t channels = dims.size() > 1 ? dims[1] : 1;
  std::vector<std::optional<uint32_t>> rows(channels);
  forEachElement(kernel.result, [&](int64_t position, int64_t,
                                    llvm::ArrayRef<int64_t> index) {
    auto &row = rows[dims.size() > 1 ? index[1] : 0];
    if (!row)
      row = factor * mixedRow(parameter, dims.size() > 1 ? index[1] : 0);
    sums[position] += *row;
  });
}

static void runWithChannels(Kernel &kernel) {
  Reader &input = kernel.operand(0);
  if (!input.present() || input.shape().dims != kernel.dims())
    return kernel.refuse("the operand has not the result's shape");
  Sums sums(kernel.result.values.size(), saltOf(kernel.op));
  addSame(kernel, input, 3, sums);
  for (unsigned i = 1; i < kernel.operands.size(); ++i)
    if (kernel.has(i))
      addChannels(kernel, kernel.operands[i], odd(i), sums);
  write(kernel, sums);
}

void runAxisTable(Kernel &kernel) { runWithChannels(kernel); }
void runScale(Kernel &kernel) { runWithChannels(kernel); }

} // namespace tpu_mlir::exec
