//===- Oracle.h - Kernels against oneDNN, task by task ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ONEDNN_ORACLE_H
#define TPU_MLIR_TESTS_ONEDNN_ORACLE_H

#include "tpu_mlir/OneDnn/OneDnn.h"

#include <map>
#include <string>

namespace tpu_mlir::test {

/// What the difference of two elements is divided by.
enum class Measure {
  /// What the task would be of the absolute values of all that it reads: for a
  /// sum, the size that it could have. Rounding errors of a sum of n terms, in
  /// any order, are at most about n * 2^-24 of that, whatever cancels. Of a
  /// norm, with |x| and the mean of |x| added up instead of subtracted.
  Terms,
  /// The largest absolute value of the result, and of what a function reads.
  Largest,
  /// Nothing: elements are equal.
  Exact,
};

/// Tasks of one kind, with one tolerance.
struct Family {
  const char *name;
  Measure measure;
  double tolerance;
};
const Family &familyOf(const execution::Task &task);

/// The largest difference of two results of the task, as its family measures
/// it; infinity where only one of two elements is a number.
double errorOf(const execution::Task &task, const execution::TensorView &own,
               const execution::TensorView &other);

/// What was seen of a family.
struct Errors {
  int64_t tasks = 0;
  double largest = 0; ///< As the measure says.
  std::string where;  ///< The shape of the result that has it.
};

/// Computes tasks with kernels, as if it were not there, and what oneDNN
/// computes of the same bytes with that, too. Nothing adds up from one task to
/// the next.
class Oracle : public execution::Executor {
public:
  bool compute(const execution::Task &task,
               const execution::TensorSpan &result) override;

  /// By the name of the family.
  const std::map<std::string, Errors> &errors() const { return all; }
  int64_t tasks() const;
  /// Expects that no family is beyond its tolerance.
  void expectWithinTolerance() const;
  /// Family, tolerance, tasks, largest error.
  std::string table() const;

private:
  OneDnnExecutor oneDnn;
  std::map<std::string, Errors> all;
  std::map<std::string, const Family *> families;
};

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_ONEDNN_ORACLE_H
