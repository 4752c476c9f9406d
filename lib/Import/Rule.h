//===- Rule.h - How a node becomes layers -----------------------*- C++ -*-===//
//
// A rule is a function of a node that sees its operands, asks for layers and
// gives results. Shapes are computed by the rules from those of the operands
// and from numbers that are known: a file's own claims are only compared. What
// a rule cannot do it says by refuse(), which ends it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_RULE_H
#define TPU_MLIR_LIB_IMPORT_RULE_H

#include "lib/Import/Graph.h"
#include "lib/Import/TopModule.h"
#include "tpu_mlir/Import/Weight.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <functional>
#include <set>

namespace tpu_mlir::importer {

/// What is known of a name of the graph.
struct Known {
  DataType type = DataType::Other;
  Shape shape;
  std::shared_ptr<const Constant> constant; ///< Null: it is computed.
  std::optional<Value> value;               ///< Once a layer needs it.
  bool isBroken = false;        ///< The node that computes it was refused.
  std::set<std::string> inputs; ///< Of the network, that it follows from.
};

/// Ends a rule; caught where it was called, and nowhere else.
struct Refusal {
  std::string why;
  std::set<std::string> wanted; ///< Inputs that had to be known.
};

/// Of a layer whose numbers are integers of the model.
inline const LayerAttribute kWholeNumbers("whole_numbers", true);

/// Makes a weight a value; its shape is as ONNX has it.
using Weights = std::function<Value(Weight)>;

/// A node while its rule runs. Operands and results count from 0.
class NodeContext {
public:
  NodeContext(const Node &node, std::map<std::string, Known> &values,
              TopModule &module, const Weights &weights)
      : node(node), values(values), module(module), weights(weights) {}

  const Node &node;

  // Operands. Asking for one that is not there is a refusal.
  unsigned count() const { return node.inputs.size(); }
  bool has(unsigned index) const;
  const Shape &shape(unsigned index = 0) const { return known(index).shape; }
  int64_t rank(unsigned index = 0) const { return shape(index).size(); }
  DataType type(unsigned index = 0) const { return known(index).type; }
  Value in(unsigned index = 0);
  /// `none` where it is not there.
  Value optional(unsigned index);
  bool isConstant(unsigned index) const;
  /// Its numbers; a refusal when they are not known.
  const Constant &constant(unsigned index) const;
  Shape wholes(unsigned index) const;
  /// The `count` numbers of an operand, a copy of which is to be changed; a
  /// refusal where it has another number of them, or where that is too large.
  std::vector<float> floats(unsigned index, int64_t count) const;
  double number(unsigned index) const;
  /// An operand of one element, or null.
  const Constant *scalar(unsigned index) const;

  // Attributes; `absent` where there is none.
  bool hasAttribute(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t absent = 0) const;
  bool flag(llvm::StringRef name) const { return integer(name) != 0; }
  double real(llvm::StringRef name, double absent = 0) const;
  std::string text(llvm::StringRef name, llvm::StringRef absent = "") const;
  /// The text, of which there are only these; the first where there is none.
  std::string word(llvm::StringRef name,
                   llvm::ArrayRef<llvm::StringRef> known) const;
  Shape integers(llvm::StringRef name) const;
  /// A list that was an attribute and became operand `index`; nullopt: neither.
  std::optional<Shape> list(llvm::StringRef name, unsigned index) const;
  /// A refusal when it is neither.
  Shape neededList(llvm::StringRef name, unsigned index) const;
  /// The axis counted from the front; a refusal when there is no such one.
  int64_t axis(int64_t axis, int64_t rank) const;
  Shape axes(Shape axes, int64_t rank) const;
  /// A place among `size` counted from the front; a refusal when there is no
  /// such one.
  int64_t place(int64_t index, int64_t size) const;
  /// Attribute 'perm', backwards where there is none: the dimension of the
  /// first operand that each one of the result is. A refusal when it does not
  /// name each dimension once, counted from the front.
  Shape order() const;

  // Results.
  bool wants(unsigned index) const;
  unsigned resultCount() const { return node.outputs.size(); }
  void give(unsigned index, const Value &value, DataType type);
  void give(const Value &value) { give(0, value, type(0)); }
  void give(unsigned index, Constant constant);

  // Layers.
  Value layer(llvm::StringRef op, const std::vector<Value> &operands,
              const Shape &shape, const LayerAttributes &attributes = {});
  std::vector<Value> layers(llvm::StringRef op,
                            const std::vector<Value> &operands,
                            const std::vector<std::optional<Shape>> &shapes,
                            const LayerAttributes &attributes = {});
  /// A refusal where a weight of that shape, made of numbers that are not in
  /// the file, takes more memory than a mistake in a shape should: before the
  /// numbers are made.
  void requireFew(llvm::ArrayRef<int64_t> shape) const;
  /// A refusal of shapes with more dimensions than tensors have.
  void requireRank(size_t rank) const;
  /// A weight of numbers that are not the file's.
  Value weight(llvm::StringRef what, const Shape &shape,
               std::vector<float> numbers);
  /// The same of an operand whose numbers were changed.
  Value changed(unsigned index, const Shape &shape, std::vector<float> numbers);
  /// The same, computed when somebody wants them: see Weight::parts.
  Value changed(unsigned index, const Shape &shape,
                std::function<void(const Constant &, TakesNumbers)> parts);

  /// Marks the layers of a node that computes with integers, which every
  /// lowering keeps exact: that of Gather is none, that of `ids + 1` is.
  void markWholeNumbers();

  // Layers that many rules need.
  Value unary(llvm::StringRef op, const Value &x,
              const LayerAttributes &attributes = {}) {
    return layer(op, {x}, x.shape, attributes);
  }
  Value binary(llvm::StringRef op, const Value &a, const Value &b);
  /// x op number.
  Value withConst(llvm::StringRef op, const Value &x, double number);
  Value compareConst(llvm::StringRef mode, const Value &x, double number);
  Value power(const Value &x, double exponent) {
    return unary("Pow", x, {{"exponent", exponent}});
  }
  Value reciprocal(const Value &x) {
    return unary("Reciprocal", x, {{"const_val", 1.0}});
  }
  /// Cut towards zero, as the integers of `type` that they become.
  Value truncate(const Value &x, DataType type);
  /// The same where the elements are integers, which hold no fractions.
  Value whole(const Value &x) {
    return isFloat(type()) ? x : truncate(x, type());
  }
  Value reshape(const Value &x, const Shape &shape);
  Value permute(const Value &x, const Shape &order);
  Value concat(const std::vector<Value> &xs, int64_t axis);
  Value slice(const Value &x, int64_t axis, int64_t begin, int64_t end);
  /// One begin and step for each dimension; `ends` as tpu-mlir writes them.
  Value slice(const Value &x, const Shape &begins, const Shape &ends,
              const Shape &steps, const Shape &shape);
  Value expand(const Value &x, const Shape &shape);
  Value reduce(llvm::StringRef mode, const Value &x, const Shape &axes,
               bool keepDims);
  Value where(const Value &condition, const Value &yes, const Value &no);
  Value matmul(const Value &a, const Value &b);

  /// numpy's broadcast; a refusal when they do not fit.
  Shape broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) const;
  int64_t elements(llvm::ArrayRef<int64_t> shape) const;
  [[noreturn]] void refuse(const llvm::Twine &why) const;
  void require(bool holds, const llvm::Twine &why) const {
    if (!holds)
      refuse(why);
  }

private:
  const Known &known(unsigned index) const;
  const Attribute *find(llvm::StringRef name) const;
  std::string nextName();

  std::map<std::string, Known> &values;
  TopModule &module;
  const Weights &weights;
  int steps = 0;
  std::set<int> own;       ///< Values that this node's layers compute.
  std::vector<Value> made; ///< One result of each layer.
};

/// Makes the layers of a node.
using Build = void (*)(NodeContext &node);

struct Rule {
  llvm::StringRef op;
  Build build;
};

/// The rule whose function has the name of the op: TPU_RULE(Conv) is that of
/// buildConv().
#define TPU_RULE(OP) {#OP, build##OP}

/// Which function makes the layers of which op.
class RuleTable {
public:
  void add(std::initializer_list<Rule> rules);
  /// One function for several ops, named in `ops` with spaces between them.
  void add(llvm::StringRef ops, Build build);
  /// Null: there is none.
  Build find(llvm::StringRef op) const { return builds.lookup(op); }

private:
  llvm::StringMap<Build> builds;
};

/// The layer of Conv, of operand 0 without its zero point, say, and a filter
/// that is the numbers of a weight or computed.
Value convolve(NodeContext &node, const Value &x, const Value &filter,
               const Value &bias, bool isCoefficient);

// The chapters of the table, a file each.
void addArithmeticRules(RuleTable &rules);
void addFunctionRules(RuleTable &rules);
void addImageRules(RuleTable &rules);
void addIndexRules(RuleTable &rules);
void addLogicRules(RuleTable &rules);
void addMatrixRules(RuleTable &rules);
void addNormRules(RuleTable &rules);
void addQuantizeRules(RuleTable &rules);
void addReductionRules(RuleTable &rules);
void addSequenceRules(RuleTable &rules);
void addShapeRules(RuleTable &rules);
void addWindowRules(RuleTable &rules);

/// Null: there is none.
Build findRule(llvm::StringRef op);
bool hasRule(const std::string &op);

/// Computes the results of a node whose operands are all known; nullopt when
/// it is not one of those that are computed, or when there is too much of it.
/// Refuses what the op does not define.
std::optional<std::vector<Constant>> fold(const NodeContext &node);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_RULE_H
