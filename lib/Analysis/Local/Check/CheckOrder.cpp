//===- CheckOrder.cpp - I6, I9, I10: when ops run, and what is stored -----===//

#include "lib/Analysis/Local/Check/Checks.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

static std::string when(const LocalGroup &group, const Member &member) {
  return llvm::formatv("stage {0}, row {1}", member.stage, member.row);
}

/// `operand` of section 0 is there when `reader` of section 0 starts. The
/// other sections are as far apart, and what is held was there before.
static void checkEdge(const LocalGroup &group, const Member &operand,
                      const Member &reader, Violations &violations) {
  auto fail = [&](Invariant invariant, const Twine &why) {
    violations.push_back(
        {invariant,
         reader.op,
         (describe(reader) + " runs in " + when(group, reader) + ", " +
          describe(operand) + ", which it reads, in " + when(group, operand) +
          ": " + why)
             .str(),
         {{operand.op, describe(operand) + " comes from here"}}});
  };
  const int64_t readTime = group.time(reader), madeTime = group.time(operand);
  if (reader.stage < operand.stage)
    return fail(Invariant::Flow, "stages have to grow from operand to reader");
  if (readTime < madeTime)
    return fail(Invariant::Order, "that is later");
  if (readTime > madeTime)
    return;
  if (reader.engine() != operand.engine())
    return fail(Invariant::Order,
                "the two engines run side by side within a row");
  if (reader.position < operand.position)
    fail(Invariant::Order, "it comes later in that row");
}

void checkOrder(const LocalGroup &group, Violations &violations) {
  for (const Member &member : group.members)
    for (int reader : member.readers)
      checkEdge(group, member, group.members[reader], violations);
}

void checkStores(const LocalGroup &group, Violations &violations) {
  tpu::GroupOp op = group.op;
  auto fail = [&](Operation *at, const Twine &message) {
    violations.push_back({Invariant::Stores, at, message.str(), {}});
  };
  Block &body = op.getRegion().front();
  auto yield =
      body.empty() ? tpu::YieldOp() : dyn_cast<tpu::YieldOp>(body.back());
  if (!yield || yield->getNumOperands() != op->getNumResults())
    return fail(op, llvm::formatv("the group has {0} results, but yields {1}",
                                  op->getNumResults(),
                                  yield ? yield->getNumOperands() : 0)
                        .str());
  for (auto [value, result] :
       llvm::zip(yield->getOperands(), op->getResults())) {
    auto store = value.getDefiningOp<tpu::StoreOp>();
    if (!isa<TensorType>(value.getType()))
      continue;
    if (!store || store->getBlock() != &body)
      fail(yield, "the group yields '" + valueName(value) +
                      "', which no store of the group makes");
    else if (withoutAddress(value.getType()) !=
             withoutAddress(result.getType()))
      fail(store,
           llvm::formatv("the store of '{0}' makes a {1}, the group's "
                         "result is a {2}",
                         valueName(value), value.getType(), result.getType())
               .str());
  }
  for (const Member &member : group.members) {
    if (member.kind != Member::Kind::Store)
      continue;
    const int64_t numYields =
        llvm::count(yield->getOperands(), member.op->getResult(0));
    if (numYields != 1)
      fail(member.op, llvm::formatv("{0} is yielded {1} times: need 1",
                                    describe(member), numYields)
                          .str());
  }
}

} // namespace tpu_mlir::local
