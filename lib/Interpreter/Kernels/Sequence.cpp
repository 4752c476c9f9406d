//===- Sequence.cpp - Attention, and rows in order ------------------------===//

#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Execution/Attention.h"
#include "tpu_mlir/Execution/Ordering.h"
#include "tpu_mlir/Execution/Recurrent.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static Outcome runAttention(const Call &call) {
  if (!hasOperands(call, 3))
    return missing();
  Attention how;
  how.batch = call.integer("batch", 1);
  how.queryHeads = call.integer("q_head", 1);
  how.keyHeads = call.integer("kv_head", how.queryHeads);
  how.depth = call.integer("dim", 1);
  how.queries = call.integer("mq", 1);
  how.keys = call.integer("mk", 1);
  how.scale = call.real("scale", 1);
  return attend(how, *call.operand(0), *call.operand(1), *call.operand(2),
                call.operand(3), call.result(), call.threads);
}

/// By chunks it has masks after these operands, which follow from the sizes.
static Outcome runDeltaRule(const Call &call) {
  if (!hasOperands(call, 6))
    return missing();
  DeltaRule how;
  how.keyHeads = call.integer("num_k_heads", 1);
  how.valueHeads = call.integer("num_v_heads", how.keyHeads);
  how.depth = call.integer("d", 1);
  how.scale = call.real("scale", 1);
  how.normalizes = call.flag("use_qk_l2norm");
  return deltaRule(how, *call.operand(0), *call.operand(1), *call.operand(2),
                   *call.operand(3), *call.operand(4), *call.operand(5),
                   call.result(), call.threads);
}

//===----------------------------------------------------------------------===//
// Rows in order
//===----------------------------------------------------------------------===//

/// Whether the order is asked for or not: the first of it are.
static Outcome runTopK(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (call.flag("replace_topk_indices"))
    return KernelError{"indices are replaced by others"};
  return sortRows(*call.operand(0), call.integer("axis", -1),
                  call.flag("largest", true), call.given(0), call.given(1));
}

static Outcome runSort(const Call &call) {
  if (!call.operand(0))
    return missing();
  return sortRows(*call.operand(0), call.integer("axis", -1),
                  call.flag("descending", true), call.given(0), call.given(1));
}

static Outcome runArg(const Call &call) {
  if (!call.operand(0))
    return missing();
  static const std::pair<llvm::StringLiteral, bool> kModes[] = {
      {"ArgMax", true}, {"ArgMin", false}};
  auto isLargest = call.oneOf("mode", kModes);
  if (!isLargest)
    return KernelError{"'mode' is neither ArgMax nor ArgMin"};
  return findExtreme(*call.operand(0), call.integer("axis", 0), *isLargest,
                     call.flag("select_last_index", true), call.given(1),
                     call.given(0));
}

static Outcome runCumSum(const Call &call) {
  if (!call.operand(0))
    return missing();
  return cumulativeSum(*call.operand(0), call.integer("axis", 0),
                       call.result());
}

//===----------------------------------------------------------------------===//
// Layers with a state
//===----------------------------------------------------------------------===//

static Outcome runWithState(const Call &call, Recurrent::Kind kind) {
  const bool isLstm = kind == Recurrent::Kind::Lstm;
  if (call.operand(6) && isLstm)
    return KernelError{"'cont' is not computed"};
  const Recurrent how{kind, call.integer("hidden_size", 1),
                      call.flag("bidirectional"), call.flag("batch_first"),
                      call.flag("linear_before_reset", true)};
  return runRecurrent(
      how,
      {call.operand(0), call.operand(1), call.operand(2), call.operand(3),
       call.operand(4), isLstm ? call.operand(5) : nullptr},
      {call.given(0), call.given(1), isLstm ? call.given(2) : nullptr});
}

static Outcome runLstm(const Call &call) {
  return runWithState(call, Recurrent::Kind::Lstm);
}

static Outcome runGru(const Call &call) {
  return runWithState(call, Recurrent::Kind::Gru);
}

void addSequenceKernels(KernelTable &table) {
  addBoth(table, "LSTM", {runLstm, Scales::Refused, true});
  addBoth(table, "GRU", {runGru, Scales::Refused, true});
  struct Named {
    const char *name;
    KernelEntry entry;
  };
  const Named kBoth[] = {{"FAttention", {runAttention}},
                         {"ChunkGatedDeltaRule", {runDeltaRule}},
                         {"RecurrentGatedDeltaRule", {runDeltaRule}},
                         {"TopK", {runTopK, Scales::Refused, true}},
                         {"Sort", {runSort, Scales::Refused, true}},
                         {"Arg", {runArg, Scales::Refused, true}},
                         {"CumSum", {runCumSum}}};
  for (const auto &[name, entry] : kBoth)
    addBoth(table, name, entry);
}

} // namespace tpu_mlir::interpreter
