//===- CutOps.cpp - A stretch of ops, part by part ------------------------===//

#include "lib/Transforms/Tpu/Section/CutOps.h"

#include "lib/Analysis/Local/Layers/CutOperand.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tpu_mlir::section {

using grouping::cutOperand;
using grouping::PartOf;
using grouping::whyWhole;

static std::string quoted(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "' (" +
         valueName(op->getResult(0)) + ")";
}

namespace {

class Planner {
public:
  explicit Planner(ArrayRef<Operation *> ops) : ops(ops) {}

  std::variant<Cut, std::string> run(int64_t dim) {
    Operation *last = ops.back();
    for (Operation *op : ops)
      if (std::string why = whyWhole(op); !why.empty())
        return why;
    auto type = dyn_cast<RankedTensorType>(last->getResult(0).getType());
    if (!type || dim >= type.getRank())
      return "'" + valueName(last->getResult(0)) + "' has no dimension " +
             std::to_string(dim);
    wanted[last] = dim;
    for (Operation *op : llvm::reverse(ops))
      if (std::string why = visit(op); !why.empty())
        return why;
    Cut cut;
    cut.length = type.getDimSize(dim);
    for (Operation *op : ops)
      cut.dims[op] = wanted[op];
    return cut;
  }

private:
  /// Whole tensors are there when the last op has run.
  std::string visit(Operation *op) {
    for (Operation *user : op->getResult(0).getUsers()) {
      Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
      if (!llvm::is_contained(ops, user) && reader->isBeforeInBlock(ops.back()))
        return quoted(reader) + ", which is no part of the stretch, reads '" +
               valueName(op->getResult(0)) + "' in between";
    }
    auto own = wanted.find(op);
    if (own == wanted.end())
      return "no layer of the stretch reads '" + valueName(op->getResult(0)) +
             "'";
    const SmallVector<bool> uncut =
        cast<LocalSliceOpInterface>(op).getUncutDims();
    const int64_t dim = own->second;
    if (size_t(dim) >= uncut.size() || uncut[dim])
      return quoted(op) + " cannot be cut along dimension " +
             std::to_string(dim);
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      const auto part = cutOperand(op, i, dim);
      if (const auto *why = std::get_if<std::string>(&part))
        return *why;
      Operation *made = op->getOperand(i).getDefiningOp();
      if (!made || !llvm::is_contained(ops, made))
        continue;
      const auto cut = std::get<PartOf>(part);
      if (!cut)
        return quoted(op) + " reads all of '" + valueName(op->getOperand(i)) +
               "'";
      if (wanted.try_emplace(made, *cut).first->second != *cut)
        return "'" + valueName(op->getOperand(i)) +
               "' would be cut in two ways";
    }
    return "";
  }

  const ArrayRef<Operation *> ops;
  llvm::DenseMap<Operation *, int64_t> wanted;
};

RankedTensorType withLength(Type type, int64_t dim, int64_t length) {
  auto tensor = cast<RankedTensorType>(withoutAddress(type));
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = length;
  return RankedTensorType::get(shape, tensor.getElementType(),
                               tensor.getEncoding());
}

/// Makes the parts in front of the last op of the stretch.
class Cutter {
public:
  Cutter(const Cut &cut, int64_t parts)
      : cut(cut), parts(parts), builder(cut.dims.back().first) {}

  void run() {
    for (Operation *op : llvm::make_first_range(cut.dims))
      for (Value operand : op->getOperands())
        if (isa<NoneType>(operand.getType()))
          none = operand;
    if (!none) {
      OperationState state(builder.getUnknownLoc(),
                           top::NoneOp::getOperationName());
      state.addTypes(builder.getNoneType());
      none = builder.create(state)->getResult(0);
    }
    int64_t begin = 0;
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t length =
          cut.length / parts + (part < cut.length % parts ? 1 : 0);
      addPart(part, {begin, begin + length});
      begin += length;
    }
    for (Operation *op : llvm::make_first_range(cut.dims))
      joinParts(op);
    for (const auto &entry : llvm::reverse(cut.dims))
      entry.first->erase();
  }

private:
  Location named(Value value, const std::string &end) {
    return NameLoc::get(builder.getStringAttr(valueName(value) + end));
  }

  void addPart(int64_t part, Interval range) {
    const std::string end = "_part" + std::to_string(part);
    llvm::DenseMap<std::pair<Value, int64_t>, Value> slices;
    IRMapping inside;
    for (auto [op, dim] : cut.dims) {
      IRMapping mapping = inside;
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        const auto own = std::get<PartOf>(cutOperand(op, unsigned(index), dim));
        if (!own || inside.contains(operand))
          continue;
        Value &slice = slices[{operand, *own}];
        if (!slice)
          slice = sliceOf(operand, *own, range, end);
        mapping.map(operand, slice);
      }
      Operation *copy = builder.clone(*op, mapping);
      Value whole = op->getResult(0);
      copy->setLoc(named(whole, end));
      copy->getResult(0).setType(
          withLength(whole.getType(), dim, range.length()));
      inside.map(whole, copy->getResult(0));
      pieces[whole].push_back(copy->getResult(0));
    }
  }

  Value sliceOf(Value whole, int64_t dim, Interval range,
                const std::string &end) {
    const auto type = cast<RankedTensorType>(whole.getType());
    SmallVector<int64_t> offset(type.getRank(), 0), steps(type.getRank(), 1);
    SmallVector<int64_t> ends(type.getShape());
    offset[dim] = range.begin;
    ends[dim] = range.end;
    OperationState state(named(whole, "_" + std::to_string(dim) + end),
                         tpu::SliceOp::getOperationName());
    state.addOperands({whole, none, none, none, none});
    state.addTypes(withLength(type, dim, range.length()));
    const auto add = [&](StringRef name, ArrayRef<int64_t> numbers) {
      state.addAttribute(name, builder.getI64ArrayAttr(numbers));
    };
    add("offset", offset);
    add("steps", steps);
    add("ends", ends);
    add("axes", {});
    add("hasparamConvert_axes", {});
    return builder.create(state)->getResult(0);
  }

  /// Only where somebody outside of the stretch reads it.
  void joinParts(Operation *op) {
    Value whole = op->getResult(0);
    const auto isOutside = [&](OpOperand &use) {
      return !cut.dims.contains(use.getOwner());
    };
    if (llvm::none_of(whole.getUses(), isOutside))
      return;
    const int64_t dim = cut.dims.find(op)->second;
    const auto type = cast<RankedTensorType>(withoutAddress(whole.getType()));
    const bool isRun = llvm::all_of(type.getShape().take_front(dim),
                                    [](int64_t size) { return size == 1; });
    OperationState state(op->getLoc(), tpu::ConcatOp::getOperationName());
    state.addOperands(pieces[whole]);
    state.addTypes(type);
    state.addAttribute("axis", builder.getI32IntegerAttr(int32_t(dim)));
    state.addAttribute("only_merge", builder.getBoolAttr(isRun));
    Operation *joined = builder.create(state);
    whole.replaceUsesWithIf(joined->getResult(0), isOutside);
  }

  const Cut &cut;
  const int64_t parts;
  OpBuilder builder;
  Value none;
  llvm::DenseMap<Value, SmallVector<Value>> pieces;
};

} // namespace

std::variant<Cut, std::string> planCut(ArrayRef<Operation *> ops, int64_t dim) {
  return Planner(ops).run(dim);
}

void applyCut(const Cut &cut, int64_t parts) { Cutter(cut, parts).run(); }

} // namespace tpu_mlir::section
