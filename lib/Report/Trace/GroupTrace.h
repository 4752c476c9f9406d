//===- GroupTrace.h - Layer groups in a trace -----------------------------===//

#ifndef TPU_MLIR_LIB_REPORT_TRACE_GROUPTRACE_H
#define TPU_MLIR_LIB_REPORT_TRACE_GROUPTRACE_H

#include "lib/Report/Trace/TraceEvents.h"
#include "tpu_mlir/Report/NetTrace.h"

namespace tpu_mlir::report {

/// The groups of a module one after the other, a cycle as a microsecond: what
/// the engines do in each row, as the cost model has it.
class GroupTrace : TraceEvents {
public:
  GroupTrace(const TraceOptions &options, llvm::json::OStream &out,
             int64_t process)
      : TraceEvents(out, process), rowsLeft(options.maxRows) {}

  void add(const LocalReport &report);

private:
  void addGroup(const LocalGroupRow &group);
  int64_t addRows(const LocalGroupRow &group, size_t round, int64_t now);
  int64_t addRound(const LocalGroupRow &group, size_t round, int64_t now);
  void addWhole(const LocalGroupRow &group);
  void engines(int64_t now, const LocalRowCycles &cycles,
               const std::string &computation, const std::string &transfers,
               const Object &args);

  size_t rowsLeft;
  int64_t time = 0; ///< When the next group begins.
};

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_TRACE_GROUPTRACE_H
