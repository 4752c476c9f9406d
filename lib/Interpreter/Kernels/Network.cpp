//===- Network.cpp - Ops of networks computed in parts --------------------===//

#include "lib/Interpreter/Kernels/Network.h"
#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Execution/Movement.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

void readBits(llvm::ArrayRef<uint8_t> bytes, TensorPart &part) {
  const size_t count =
      std::min(part.values.size(), bytes.size() * 8 / size_t(part.shape.bits));
  readElements(bytes.data(), part.shape.bits,
               llvm::MutableArrayRef(part.values).take_front(count));
}

std::vector<uint8_t> bytesOfBits(llvm::ArrayRef<int32_t> values, int bits) {
  std::vector<uint8_t> bytes(values.size() * bits / 8);
  writeElements(values, bits, bytes.data());
  return bytes;
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {

using Problem = std::optional<std::string>;

/// An op on parts: its operands cut to what the part of the result reads.
class PartCall {
public:
  PartCall(const KernelCall &from, unsigned threads, bool madeUpWeights,
           const target::ChipSpec *chip)
      : from(from), op(from.op),
        slices(dyn_cast<LocalSliceOpInterface>(from.op)),
        call{from.op, {}, {}, threads, madeUpWeights, chip} {}

  Problem run() {
    if (Problem problem = findResult())
      return problem;
    for (unsigned i = 0; i < from.operands.size(); ++i)
      if (Problem problem = addOperand(i))
        return problem;
    movePads();
    cutFactors();
    return compute();
  }

private:
  /// What a Load brought in another form: as it was.
  std::optional<execution::TensorType> loadedForm(unsigned index) const;
  Problem findResult();
  Problem addOperand(unsigned index);
  bool isCoefficient(unsigned index) const;
  Problem addCoefficient(unsigned index, const TensorPart &part);
  Problem addWhole(const TensorPart &part, execution::TensorType type);
  Problem cut(unsigned index, const TensorPart &part);
  Problem addFlat(unsigned index, const TensorPart &part);
  void addBytes(execution::TensorType type, std::vector<uint8_t> bytes);
  const DimRule *ruleOf(unsigned dim) const {
    return dim < rules.size() ? &rules[dim] : nullptr;
  }
  int64_t startOf(unsigned dim) const;
  void movePads();
  void cutFactors();
  Problem compute();
  Problem computeInside(llvm::ArrayRef<int64_t> before);

  const KernelCall &from;
  Operation *op;
  LocalSliceOpInterface slices;
  Call call;
  /// The part of the result in its own dimensions; nullopt when it is a row of
  /// elements that no dimension bounds.
  std::optional<llvm::SmallVector<Interval>> result;
  execution::TensorType resultType;
  /// Of operand 0, and what is read of it.
  llvm::SmallVector<DimRule> rules;
  llvm::SmallVector<Interval> needed;
  std::vector<std::vector<uint8_t>> storage;
};

} // namespace

static llvm::SmallVector<Interval> intervalsOf(const TensorBox &box) {
  llvm::SmallVector<Interval> intervals;
  for (auto [lo, size] : llvm::zip_equal(box.lo, box.size))
    intervals.push_back({lo, lo + size});
  return intervals;
}

/// The elements of a part, which is `box`, that are in `needed`.
static std::vector<int32_t> cutOut(const TensorPart &part, const TensorBox &box,
                                   llvm::ArrayRef<Interval> needed) {
  int64_t count = 1;
  for (const Interval &interval : needed)
    count *= interval.length();
  std::vector<int32_t> values;
  values.reserve(count);
  const int rank = static_cast<int>(needed.size());
  if (count == 0 || rank == 0)
    return count == 0 ? values : part.values;
  Shape strides(rank, 1), at(rank, 0);
  for (int dim = rank - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * box.size[dim + 1];
  for (;;) {
    int64_t first = 0;
    for (int dim = 0; dim < rank; ++dim)
      first += (needed[dim].begin - box.lo[dim] + at[dim]) * strides[dim];
    auto row = part.values.begin() + first;
    values.insert(values.end(), row, row + needed.back().length());
    int dim = rank - 2;
    while (dim >= 0 && ++at[dim] == needed[dim].length())
      at[dim--] = 0;
    if (dim < 0)
      return values;
  }
}

static std::string describe(Interval interval) {
  return "[" + std::to_string(interval.begin) + ", " +
         std::to_string(interval.end) + ")";
}

static std::string missesPart(unsigned index, size_t dim, Interval wanted,
                              Interval stored) {
  return "reads " + describe(wanted) + " of dimension " + std::to_string(dim) +
         " of operand " + std::to_string(index) + ", of which " +
         describe(stored) + " is there";
}

static std::string notThere(unsigned index) {
  return "operand " + std::to_string(index) +
         " is in an order of the chip's and not all there";
}

Problem PartCall::findResult() {
  auto type = kernelType(op->getResult(0).getType());
  if (!type)
    return "its result has no elements that kernels know";
  resultType = *type;
  if (auto box = tensorBoxOf(from.result->shape, from.result->box)) {
    result = intervalsOf(*box);
    for (auto [dim, part] : llvm::enumerate(*result))
      resultType.shape[dim] = part.length();
    return std::nullopt;
  }
  resultType.shape = {from.result->box.elements()};
  return std::nullopt;
}

void PartCall::addBytes(execution::TensorType type,
                        std::vector<uint8_t> bytes) {
  storage.push_back(std::move(bytes));
  call.operands.push_back(TensorView{std::move(type), storage.back()});
}

std::optional<execution::TensorType>
PartCall::loadedForm(unsigned index) const {
  auto load = op->getOperand(index).getDefiningOp<tpu::LoadOp>();
  if (!load)
    return std::nullopt;
  auto type = kernelType(load.getInput().getType());
  auto local = kernelType(load.getOutput().getType());
  if (!type || !local || type->shape == local->shape)
    return std::nullopt;
  return type;
}

Problem PartCall::addOperand(unsigned index) {
  const TensorPart *part = from.operands[index];
  if (!part) {
    call.operands.push_back(std::nullopt);
    return std::nullopt;
  }
  if (isCoefficient(index))
    return addCoefficient(index, *part);
  // Padded: which elements a part of it holds, only the chip knows.
  if (auto form = loadedForm(index);
      form && *form->elements() != part->shape.elements()) {
    return part->isWhole() ? addWhole(*part, std::move(*form))
                           : notThere(index);
  }
  return result ? cut(index, *part) : addFlat(index, *part);
}

static bool isConvolution(Operation *op) {
  return isa<tpu::Conv1DOp, tpu::Conv2DOp, tpu::Conv3DOp, tpu::DeconvOp,
             tpu::Deconv3DOp>(op);
}

/// Filters and biases have a row for each channel of the result.
bool PartCall::isCoefficient(unsigned index) const {
  auto type = kernelType(op->getOperand(index).getType());
  return index > 0 && result && result->size() > 1 && type &&
         isConvolution(op) &&
         channelsOf(type->shape) == from.result->shape.dims[1] &&
         type->elements() == from.operands[index]->shape.elements();
}

/// The rows of the channels that are computed, without what pads them.
Problem PartCall::addCoefficient(unsigned index, const TensorPart &part) {
  const Interval channels = (*result)[1];
  auto box = tensorBoxOf(part.shape, part.box);
  auto local = kernelType(op->getOperand(index).getType());
  execution::TensorType form = loadedForm(index).value_or(*local);
  const size_t dim = channelDim(local->shape);
  const int64_t all = local->shape[dim];
  if (!box || !local || channelsOf(form.shape) != all)
    return part.isWhole() && channels.length() == all ? addWhole(part, form)
                                                      : notThere(index);
  llvm::SmallVector<Interval> stored = intervalsOf(*box), wanted;
  for (int64_t size : local->shape)
    wanted.push_back({0, size});
  wanted[dim] = channels;
  for (auto [own, have] : llvm::zip_equal(wanted, stored))
    if (!have.contains(own))
      return missesPart(index, dim, wanted[dim], stored[dim]);
  // In elements of the local width, which may be bytes of wider ones.
  const int64_t row = *form.elements() / all *
                      std::max(bitsOf(form.element) / part.shape.bits, 1),
                padded = *local->elements() / all;
  const std::vector<int32_t> rows = cutOut(part, *box, wanted);
  std::vector<int32_t> values;
  for (int64_t i = 0; i < channels.length() && row <= padded; ++i)
    values.insert(values.end(), rows.begin() + i * padded,
                  rows.begin() + i * padded + row);
  form.shape[channelDim(form.shape)] = channels.length();
  addBytes(std::move(form), bytesOfBits(values, part.shape.bits));
  return std::nullopt;
}

/// The first elements, as many as `type` has.
Problem PartCall::addWhole(const TensorPart &part, execution::TensorType type) {
  std::vector<int32_t> values = part.values;
  values.resize(*type.elements());
  addBytes(std::move(type), bytesOfBits(values, part.shape.bits));
  return std::nullopt;
}

/// Where a part is no box in the tensor's own dimensions, an op that works
/// place by place still has its operands' elements in the same order.
Problem PartCall::addFlat(unsigned index, const TensorPart &part) {
  auto type = kernelType(op->getOperand(index).getType());
  if (!type || !(part.box == from.result->box) ||
      part.shape.whole != from.result->shape.whole ||
      !NetworkKernels(1, false, nullptr).isElementwise(op))
    return "it is cut across dimensions";
  type->shape = {part.box.elements()};
  addBytes(std::move(*type), bytesOfBits(part.values, part.shape.bits));
  return std::nullopt;
}

/// A Load may put dimensions of 1 in front of a weight's: without those of
/// `part`, where `local` has them and is `loaded` otherwise.
static void dropOnes(llvm::ArrayRef<int64_t> local,
                     llvm::ArrayRef<int64_t> loaded, Shape &part) {
  const size_t more = local.size() - std::min(local.size(), loaded.size());
  if (local.drop_front(more) == loaded &&
      llvm::all_of(local.take_front(more),
                   [](int64_t size) { return size == 1; }))
    part.erase(part.begin(), part.begin() + more);
}

Problem PartCall::cut(unsigned index, const TensorPart &part) {
  auto type = kernelType(op->getOperand(index).getType());
  auto box = tensorBoxOf(part.shape, part.box);
  if (!type || !box)
    return "operand " + std::to_string(index) + " is cut across dimensions";
  const execution::TensorType local = *type;
  const llvm::SmallVector<Interval> stored = intervalsOf(*box);
  llvm::SmallVector<Interval> wanted = stored;
  if (slices && slices.whyGlobal().empty()) {
    auto slice = slices.getOperandSlice(index, *result);
    if (failed(slice))
      return "what it reads of operand " + std::to_string(index) +
             " is not known";
    wanted.assign(slice->begin(), slice->end());
    if (index == 0) {
      rules = *slices.getOperandRules(0);
      needed = wanted;
    }
  } else if (!part.isWhole() || !from.result->isWhole()) {
    return "it cannot be computed in parts";
  }
  for (auto [dim, interval] : llvm::enumerate(wanted))
    if (!interval.empty() && !stored[dim].contains(interval))
      return missesPart(index, dim, interval, stored[dim]);
  for (auto [dim, interval] : llvm::enumerate(wanted))
    type->shape[dim] = interval.length();
  if (auto form = loadedForm(index)) {
    if (*type->elements() == *form->elements())
      type->shape = form->shape;
    else
      dropOnes(local.shape, form->shape, type->shape);
  }
  addBytes(
      std::move(*type),
      bytesOfBits(wanted == stored ? part.values : cutOut(part, *box, wanted),
                  part.shape.bits));
  return std::nullopt;
}

/// What the result's first element in this dimension is away from the first
/// that is read of operand 0: pads that are left.
int64_t PartCall::startOf(unsigned dim) const {
  const DimRule &rule = rules[dim];
  if (rule.resultDim < 0)
    return rule.before;
  const int64_t lo = (*result)[rule.resultDim].begin;
  return rule.kind == DimRule::Kind::Spread
             ? rule.before + lo - needed[dim].begin * rule.stride
             : rule.before - lo * rule.stride + needed[dim].begin;
}

/// Lists that count from the start of the operand count from that of its part.
void PartCall::movePads() {
  if (rules.empty())
    return;
  const size_t rank = rules.size();
  if (Shape pads = call.integers("pads"); pads.size() + 4 == 2 * rank) {
    for (size_t i = 0; i + 2 < rank; ++i)
      pads[i] = startOf(i + 2);
    call.instead["pads"] = pads;
  } else if (rank > 2 && rules[2].kind != DimRule::Kind::Whole) {
    Shape starts(2 * (rank - 2), 0);
    for (size_t i = 0; i + 2 < rank; ++i)
      starts[i] = startOf(i + 2);
    call.instead["pads"] = starts;
  }
  if (Shape pads = call.integers("paddings"); pads.size() == 2 * rank) {
    for (size_t i = 0; i < rank; ++i)
      pads[i] = startOf(i);
    call.instead["paddings"] = pads;
  }
  // With a channel of its own each group, as many as are read.
  const int64_t groups = call.integer("group", 1);
  if (groups > 1 && rank > 1 && groups == from.operands[0]->shape.dims[1])
    call.groups = needed[1].length();
  if (Shape offsets = call.integers("offset"); !offsets.empty())
    call.instead["offset"] = Shape(offsets.size(), 0);
}

/// Of lists of numbers for each channel of a convolution, or each column of a
/// product, those that are computed. Other ops have lists for each operand.
void PartCall::cutFactors() {
  if (!result || result->size() < 2)
    return;
  call.firstChannel = (*result)[1].begin;
  const bool isProduct = isa<tpu::MatMulOp>(op);
  if (!isProduct && !isConvolution(op))
    return;
  const size_t dim =
      !isProduct ? 1 : result->size() - (call.flag("output_transpose") ? 2 : 1);
  const Interval computed = (*result)[dim];
  for (llvm::StringRef name :
       {"multiplier", "rshift", "multipliers", "rshifts"})
    if (Shape all = call.integers(name);
        static_cast<int64_t>(all.size()) == from.result->shape.dims[dim])
      call.instead[name] =
          Shape(all.begin() + computed.begin, all.begin() + computed.end);
}

/// Ops that repeat elements begin at a whole one: computes a larger part, of
/// which the result begins at `before`.
Problem PartCall::computeInside(llvm::ArrayRef<int64_t> before) {
  execution::TensorType type = resultType;
  for (size_t dim = 0; dim < rules.size(); ++dim)
    if (rules[dim].kind == DimRule::Kind::Spread)
      type.shape[dim] = needed[dim].length() * rules[dim].stride;
  execution::Tensor larger(type), part(resultType);
  call.results = {larger.span()};
  if (Outcome error = interpreter::compute(call))
    return error->message;
  if (Outcome error =
          slice(larger.view(), before, Shape(before.size(), 1), part.span()))
    return error->message;
  readBits(part.view().bytes, *from.result);
  return std::nullopt;
}

Problem PartCall::compute() {
  if (result && op->getName().getStringRef() == "tpu.Upsample") {
    Shape before(rules.size(), 0);
    for (size_t dim = 0; dim < rules.size(); ++dim)
      if (rules[dim].kind == DimRule::Kind::Spread)
        before[dim] = startOf(dim);
    return computeInside(before);
  }
  execution::Tensor part(resultType);
  call.results = {part.span()};
  if (Outcome error = interpreter::compute(call))
    return error->message;
  readBits(part.view().bytes, *from.result);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// NetworkKernels
//===----------------------------------------------------------------------===//

bool NetworkKernels::has(llvm::StringRef opName) const {
  return findKernel(opName) != nullptr;
}

/// By what the op states that it reads, or because it is a view.
bool NetworkKernels::isElementwise(Operation *op) const {
  const llvm::StringRef name = op->getName().getStringRef();
  if (name == "tpu.Reshape" || name == "tpu.Squeeze" || name == "tpu.Unsqueeze")
    return true;
  auto slices = dyn_cast<LocalSliceOpInterface>(op);
  if (!slices || op->getNumOperands() == 0)
    return false;
  auto rules = slices.getOperandRules(0);
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(rules) || !result ||
      static_cast<int64_t>(rules->size()) != result.getRank())
    return false;
  for (auto [dim, rule] : llvm::enumerate(*rules))
    if (!rule.isSame() || rule.resultDim != static_cast<int>(dim))
      return false;
  return true;
}

Problem NetworkKernels::run(const KernelCall &call) const {
  return PartCall(call, threads, madeUpWeights, chip).run();
}

} // namespace tpu_mlir::interpreter
