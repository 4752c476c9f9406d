//===- Oracle.cpp - How far two correct results may differ ----------------===//
//
// Bounds on the rounding errors of each family of kernels.
//
//===----------------------------------------------------------------------===//

#include "tests/OneDnn/Oracle.h"

#include "tpu_mlir/Support/TextTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <list>

namespace tpu_mlir::test {

using namespace execution;

/// oneDNN reads it when it is first used: the same instructions, and numbers,
/// on each machine that has these, tiles (AMX) of virtual machines left out.
[[maybe_unused]] static const int kInstructions =
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 0);

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

const Family &familyOf(const Task &task) {
  static const Family kConvolution = {"convolution", Measure::Terms, 2e-6},
                      kDeconvolution = {"deconvolution", Measure::Terms, 2e-6},
                      kMatrices = {"matrices", Measure::Terms, 2e-6},
                      kAverages = {"averages", Measure::Terms, 2e-6},
                      kReductions = {"reductions", Measure::Terms, 2e-6},
                      kScale = {"scale", Measure::Terms, 2e-6},
                      kLinear = {"linear interpolation", Measure::Terms, 2e-6},
                      kSoftmax = {"softmax", Measure::Largest, 1e-5},
                      kNorms = {"norms", Measure::Terms, 2e-6},
                      kFunctions = {"functions", Measure::Largest, 1e-5},
                      kArithmetic = {"arithmetic", Measure::Exact, 0},
                      kChoices = {"largest and smallest", Measure::Exact, 0},
                      kMovement = {"movement", Measure::Exact, 0};
  if (auto *one = std::get_if<ConvolutionTask>(&task))
    return one->isTransposed ? kDeconvolution : kConvolution;
  if (std::holds_alternative<MatMulTask>(task))
    return kMatrices;
  if (auto *one = std::get_if<PoolingTask>(&task))
    return one->how.kind == Pooling::Kind::Average ? kAverages : kChoices;
  if (auto *one = std::get_if<ReductionTask>(&task))
    return one->kind == Reduction::Max || one->kind == Reduction::Min
               ? kChoices
               : kReductions;
  if (std::holds_alternative<ScaleTask>(task))
    return kScale;
  if (std::holds_alternative<SoftmaxTask>(task))
    return kSoftmax;
  if (std::holds_alternative<LayerNormTask>(task) ||
      std::holds_alternative<GroupNormTask>(task))
    return kNorms;
  if (std::holds_alternative<FunctionTask>(task))
    return kFunctions;
  if (auto *one = std::get_if<ConstantTask>(&task))
    return one->isReversed && one->op == Binary::Div ? kFunctions : kArithmetic;
  if (auto *one = std::get_if<InterpolationTask>(&task))
    return one->how.mode == Interpolation::Mode::Linear ? kLinear : kMovement;
  if (std::holds_alternative<PermuteTask>(task) ||
      std::holds_alternative<ConcatTask>(task) ||
      std::holds_alternative<UpsampleTask>(task))
    return kMovement;
  return kArithmetic;
}

//===----------------------------------------------------------------------===//
// Measures
//===----------------------------------------------------------------------===//

namespace {

/// The task of absolute values, without what happens last.
struct Absolute {
  std::list<Tensor> tensors;

  TensorView of(const TensorView &view) {
    std::vector<float> values = floatsOf(view);
    for (float &value : values)
      value = std::fabs(value);
    tensors.emplace_back(view.type);
    store(llvm::ArrayRef<float>(values), tensors.back().span());
    return tensors.back().view();
  }
  OptionalView of(const OptionalView &view) {
    return view ? OptionalView(of(*view)) : std::nullopt;
  }
  Task operator()(ConvolutionTask task) {
    task.how.relu = {};
    task.input = of(task.input), task.filter = of(task.filter);
    task.bias = of(task.bias);
    return task;
  }
  Task operator()(MatMulTask task) {
    task.how.relu = {};
    task.left = of(task.left), task.right = of(task.right);
    task.bias = of(task.bias);
    return task;
  }
  Task operator()(PoolingTask task) {
    task.how.relu = {};
    task.input = of(task.input);
    return task;
  }
  Task operator()(ScaleTask task) {
    task.relu = {};
    task.input = of(task.input), task.factor = of(task.factor);
    task.bias = of(task.bias);
    return task;
  }
  Task operator()(ReductionTask task) {
    task.input = of(task.input);
    return task;
  }
  Task operator()(InterpolationTask task) {
    task.input = of(task.input);
    return task;
  }
  template <typename Other> Task operator()(const Other &task) { return task; }
};

} // namespace

static double errorOf(float own, float other, double size) {
  if (own == other || (std::isnan(own) && std::isnan(other)))
    return 0;
  const double error = std::fabs(double(own) - double(other)) / size;
  return std::isfinite(error) ? error : INFINITY;
}

/// (|x| + mean of |x|) / sqrt(variance + eps) * |gamma| + |beta|, for rows of
/// `length` elements; `place`: of an element its coefficient's.
template <typename Norm, typename Place>
static std::vector<float> sizesOfNorm(const Norm &task, int64_t length,
                                      const Place &place) {
  const auto numbers = [](const OptionalView &view, float absent) {
    return view ? floatsOf(*view) : std::vector<float>{absent};
  };
  const auto at = [](const std::vector<float> &all, int64_t index) {
    return std::fabs(double(all[all.size() == 1 ? 0 : index]));
  };
  const std::vector<float> gamma = numbers(task.gamma, 1),
                           beta = numbers(task.beta, 0);
  std::vector<float> sizes = floatsOf(task.input);
  for (size_t row = 0; row < sizes.size(); row += length) {
    double sum = 0, absolute = 0, squares = 0;
    for (int64_t i = 0; i < length; ++i) {
      sum += sizes[row + i];
      absolute += std::fabs(sizes[row + i]);
    }
    for (int64_t i = 0; i < length; ++i)
      squares += std::pow(sizes[row + i] - sum / length, 2);
    const double deviation = std::sqrt(squares / length + task.eps);
    for (size_t i = row; i < row + length; ++i)
      sizes[i] = static_cast<float>((std::fabs(sizes[i]) + absolute / length) /
                                        deviation * at(gamma, place(i)) +
                                    at(beta, place(i)));
  }
  return sizes;
}

/// What the differences are divided by, for each element.
static std::vector<float> sizesOf(const Task &task, const TensorView &own) {
  const Measure measure = familyOf(task).measure;
  if (auto *norm = std::get_if<LayerNormTask>(&task)) {
    const int64_t rank = norm->input.rank(),
                  length = countOf(norm->input.type.shape,
                                   *wholeAxis(norm->axis, rank), rank);
    return sizesOfNorm(*norm, length,
                       [=](int64_t element) { return element % length; });
  }
  if (auto *norm = std::get_if<GroupNormTask>(&task)) {
    const auto &shape = norm->input.type.shape;
    const int64_t channels = shape[1], run = countOf(shape, 2, shape.size());
    return sizesOfNorm(
        *norm, channels / norm->groups * run,
        [=](int64_t element) { return element / run % channels; });
  }
  std::vector<float> sizes(own.elements(), 0);
  if (measure == Measure::Terms) {
    Absolute absolute;
    const Task terms = std::visit(absolute, task);
    Tensor bound(own.type);
    if (!OneDnnExecutor().compute(terms, bound.span()))
      compute(terms, bound.span(), 1);
    return floatsOf(bound.view());
  }
  const auto include = [&](const TensorView &view) {
    for (float value : floatsOf(view))
      if (std::isfinite(value))
        sizes[0] = std::max(sizes[0], std::fabs(value));
  };
  if (measure == Measure::Largest)
    include(own);
  if (auto *function = std::get_if<FunctionTask>(&task))
    include(function->input);
  std::fill(sizes.begin(), sizes.end(), sizes[0]);
  return sizes;
}

double errorOf(const Task &task, const TensorView &own,
               const TensorView &other) {
  const std::vector<float> a = floatsOf(own), b = floatsOf(other),
                           sizes = sizesOf(task, own);
  double error = 0;
  for (size_t i = 0; i < a.size(); ++i)
    error = std::max(error, errorOf(a[i], b[i], sizes[i]));
  return error;
}

//===----------------------------------------------------------------------===//
// Oracle
//===----------------------------------------------------------------------===//

bool Oracle::compute(const Task &task, const TensorSpan &result) {
  if (execution::compute(task, result, 1))
    return false;
  Tensor other(result.type);
  if (!oneDnn.compute(task, other.span()))
    return false;
  const Family &family = familyOf(task);
  Errors &errors = all[family.name];
  families[family.name] = &family;
  ++errors.tasks;
  const double error = errorOf(task, {result.type, result.bytes}, other.view());
  if (error > errors.largest) {
    errors.largest = error;
    errors.where = describe(result.type.shape);
  }
  return true;
}

int64_t Oracle::tasks() const {
  int64_t count = 0;
  for (const auto &entry : all)
    count += entry.second.tasks;
  return count;
}

void Oracle::expectWithinTolerance() const {
  for (const auto &[name, errors] : all)
    EXPECT_LE(errors.largest, families.at(name)->tolerance)
        << name << ", " << errors.where;
}

std::string Oracle::table() const {
  using Align = TextTable::Align;
  TextTable table({TextTable::Column("family"),
                   TextTable::Column("tasks", Align::Right),
                   TextTable::Column("largest error", Align::Right),
                   TextTable::Column("tolerance", Align::Right),
                   TextTable::Column("result")});
  for (const auto &[name, errors] : all)
    table.addRow({name, std::to_string(errors.tasks),
                  llvm::formatv("{0:e2}", errors.largest).str(),
                  llvm::formatv("{0:e0}", families.at(name)->tolerance).str(),
                  errors.where});
  return table.render();
}

} // namespace tpu_mlir::test
