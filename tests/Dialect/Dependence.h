//===- Dependence.h - Rules against elements, one by one --------*- C++ -*-===//
//
// A test says of every element of a result which elements of an operand it is
// computed from, in the words of the op's definition. The probe takes parts of
// the result, collects what their elements read, and compares the hull with
// what the op's rules say.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_DIALECT_DEPENDENCE_H
#define TPU_MLIR_TESTS_DIALECT_DEPENDENCE_H

#include "TestModules.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

#include <functional>
#include <string>
#include <vector>

namespace tpu_mlir::test {

/// Extents, or the place of an element.
using Index = std::vector<int64_t>;

/// The elements of an operand that the result element at `place` reads: a set
/// for each dimension of the operand, meaning their product. Places outside of
/// the operand (padding) may be in a set; they are dropped.
using Reads = std::function<std::vector<Index>(const Index &place)>;

/// How close a rule can come to what is read. Taps with gaps between them are
/// the reason for less than equality: a rule is one interval.
struct Tightness {
  /// The rule may exceed the hull by this many elements at each end.
  int64_t slack = 0;
  /// Equality holds for parts that are at least this long in every dimension
  /// that elements are spread over.
  int64_t exactFrom = 1;
  /// The operand is a parameter: its rules only have to be enough.
  bool isParameter = false;
};

/// 0, 1, ... size - 1.
Index all(int64_t size);

/// One op in a module of its own.
class ProbedOp {
public:
  /// `operands`: an extent list each, an empty one for `none`. `attributes` as
  /// in the text, without braces.
  ProbedOp(TestContext &context, const std::string &name,
           std::vector<Index> operands, Index result,
           const std::string &attributes, const std::string &element = "f32");

  /// Null after a failure of the running test.
  LocalSliceOpInterface op() const { return probed; }
  const std::string &text() const { return printed; }

  /// The op can be computed in parts, and `uncut` are the dimensions of its
  /// result that stay whole.
  void expectUncut(const std::vector<int> &uncut);

  /// For every interval of every dimension of the result that may be cut, with
  /// the other dimensions whole, at their start and at their end: the rules of
  /// `operand` agree with `reads`. Returns how many parts were compared.
  int64_t expectReads(unsigned operand, const Reads &reads,
                      Tightness tightness = {});

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LocalSliceOpInterface probed;
  std::string printed;
  std::vector<Index> operandShapes;
  Index resultShape;
};

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_DIALECT_DEPENDENCE_H
