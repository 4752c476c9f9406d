//===- TraceEvents.h - The events that a trace is made of -----------------===//

#ifndef TPU_MLIR_LIB_REPORT_TRACE_TRACEEVENTS_H
#define TPU_MLIR_LIB_REPORT_TRACE_TRACEEVENTS_H

#include "tpu_mlir/Support/Interval.h"

#include "llvm/Support/JSON.h"

namespace tpu_mlir::report {

/// Writes events of one process after the other.
class TraceEvents {
public:
  /// `process` of them are there already.
  explicit TraceEvents(llvm::json::OStream &out, int64_t process = 0)
      : out(out), process(process) {}

  using Object = llvm::json::Object;

  void name(const char *what, int64_t tid, const std::string &name) {
    out.value(Object{{"ph", "M"},
                     {"name", what},
                     {"pid", process},
                     {"tid", tid},
                     {"args", Object{{"name", llvm::json::fixUTF8(name)}}}});
  }
  void slice(const std::string &name, int64_t tid, Interval time, Object args) {
    out.value(Object{{"ph", "X"},
                     {"name", llvm::json::fixUTF8(name.empty() ? "-" : name)},
                     {"pid", process},
                     {"tid", tid},
                     {"ts", time.begin},
                     {"dur", time.length()},
                     {"args", std::move(args)}});
  }
  void begin(const std::string &processName) {
    ++process;
    name("process_name", 0, processName);
    out.value(Object{{"ph", "M"},
                     {"name", "process_sort_index"},
                     {"pid", process},
                     {"tid", 0},
                     {"args", Object{{"sort_index", process}}}});
  }

  llvm::json::OStream &out;
  int64_t process;
};

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_TRACE_TRACEEVENTS_H
