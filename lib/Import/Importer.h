//===- Importer.h - From a graph to layers ----------------------*- C++ -*-===//
//
// Walks a graph once and has a rule make layers of each node. What a layer is,
// TopModule knows: there is no IR here.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_IMPORTER_H
#define TPU_MLIR_LIB_IMPORT_IMPORTER_H

#include "lib/Import/Rule.h"
#include "tpu_mlir/Import/ImportOptions.h"

namespace tpu_mlir::importer {

class Importer {
public:
  /// All of them outlive it.
  Importer(Graph graph, const ImportOptions &options, TopModule &module);

  /// The values that the network returns; empty after errors.
  std::vector<Value> run();

  // What there is after a run.
  std::vector<ImportError> errors;
  std::vector<Weight> weights;
  std::vector<Border> inputs, outputs;

private:
  bool check(bool holds, const std::string &message);
  bool nameSizes(const Declared &input, const Shape &shape);
  void bind();
  void chooseOutputs();
  std::vector<bool> findNeeded() const;
  bool addInputs();
  void addInput(const Declared &input, const Shape *given);
  void preprocess();
  void addNode(const Node &node);
  void addNodes(const std::vector<Node> &nodes);
  bool takeBranch(const Node &node);
  bool isKnown(const Node &node, std::set<std::string> &inputs, bool &isBroken);
  void runRule(const Node &node, const std::set<std::string> &inputs);
  void refuse(const Node &node, const std::string &why,
              const std::set<std::string> &wanted);
  void markResults(const Node &node, const std::set<std::string> &inputs);
  std::vector<Value> findOutputs();
  Value addWeight(Weight weight);

  Graph graph;
  const ImportOptions &options;
  TopModule &module;
  std::map<std::string, Known> values;
  /// Of dimensions with a name, and the input that has it first.
  std::map<std::string, std::pair<int64_t, std::string>> sizes;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_IMPORTER_H
