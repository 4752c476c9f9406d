//===- Importer.cpp - From a graph to layers ------------------------------===//

#include "lib/Import/Importer.h"

#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::importer {

Importer::Importer(Graph graph, const ImportOptions &options, TopModule &module)
    : graph(std::move(graph)), options(options), module(module) {}

/// An error about the whole file unless it holds.
bool Importer::check(bool holds, const std::string &message) {
  if (!holds)
    errors.push_back({false, message});
  return holds;
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// Whether a shape is as declared, where that has numbers.
static bool fits(const Shape &declared, const Shape &given) {
  bool result = given.size() == declared.size();
  for (size_t i = 0; result && i < declared.size(); ++i)
    result = declared[i] < 0 || declared[i] == given[i];
  return result;
}

/// A name of dimensions is one number in all inputs: an error where it is not.
bool Importer::nameSizes(const Declared &input, const Shape &shape) {
  bool result = true;
  for (auto [name, size] : llvm::zip(input.names, shape)) {
    if (name.empty())
      continue;
    const auto &[first, owner] =
        sizes.try_emplace(name, size, input.name).first->second;
    result &= check(first == size, "dimension '" + name + "' is " +
                                       std::to_string(first) + " in input '" +
                                       owner + "' and " + std::to_string(size) +
                                       " in input '" + input.name + "'");
  }
  return result;
}

/// Inputs that get a value become constants.
void Importer::bind() {
  for (const auto &entry : options.bound) {
    // No structured binding: a lambda cannot have it.
    const std::string &name = entry.first;
    const Constant &constant = entry.second;
    auto input = llvm::find_if(graph.inputs, [&](const Declared &candidate) {
      return candidate.name == name;
    });
    if (!check(input != graph.inputs.end(),
               "there is no input '" + name + "' to bind"))
      continue;
    const std::string what = "input '" + name + "' is ";
    if (check(input->type == constant.type,
              what + "of " + nameOf(input->type).str() + ", its value of " +
                  nameOf(constant.type).str()) &&
        input->shape &&
        check(fits(*input->shape, constant.shape),
              what + describe(*input->shape) + ", its value " +
                  describe(constant.shape)))
      nameSizes(*input, constant.shape);
    graph.inputs.erase(input);
    graph.constants[name] = std::make_shared<Constant>(constant);
  }
}

void Importer::chooseOutputs() {
  if (options.outputNames.empty())
    return;
  std::vector<Declared> chosen;
  for (const std::string &name : options.outputNames) {
    auto found = llvm::find_if(graph.outputs, [&](const Declared &output) {
      return output.name == name;
    });
    chosen.push_back(found == graph.outputs.end()
                         ? Declared{name, DataType::Other, std::nullopt}
                         : *found);
  }
  graph.outputs = std::move(chosen);
}

static void addUses(const Node &node, std::set<std::string> &wanted) {
  wanted.insert(node.inputs.begin(), node.inputs.end());
  for (const auto &[name, attribute] : node.attributes)
    if (auto *graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
      for (const Node &inner : (*graph)->nodes)
        addUses(inner, wanted);
      for (const Declared &output : (*graph)->outputs)
        wanted.insert(output.name);
    }
}

/// Whether anybody reads what the node computes.
std::vector<bool> Importer::findNeeded() const {
  std::set<std::string> wanted;
  for (const Declared &output : graph.outputs)
    wanted.insert(output.name);
  std::vector<bool> needed(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node &node = graph.nodes[i];
    needed[i] = llvm::any_of(node.outputs, [&](const std::string &name) {
      return !name.empty() && wanted.count(name);
    });
    if (needed[i])
      addUses(node, wanted);
  }
  return needed;
}

static std::string whyNotRead(DataType type) {
  return type == DataType::Other || type == DataType::Text
             ? " is no tensor of numbers"
             : " is of " + nameOf(type).str() + ", which is not supported";
}

void Importer::addInput(const Declared &input, const Shape *given) {
  Known known;
  known.type = input.type;
  known.inputs = {input.name};
  const std::string what = "input '" + input.name + "'";
  if (!check(!values.count(input.name),
             "two inputs are called '" + input.name + "'"))
    return;
  const Shape declared = input.shape.value_or(Shape());
  known.isBroken = !check(!given || !input.shape || fits(declared, *given),
                          what + " is " + describe(declared) +
                              ", not as --input_shapes "
                              "says");
  known.shape = given ? *given : declared;
  const auto count = elementsOf(known.shape);
  const bool isStatic = (given || input.shape) && count;
  known.isBroken |=
      !check(hasNumbers(input.type), what + whyNotRead(input.type)) ||
      !check(isStatic,
             what + " has no shape of numbers, it is " +
                 (given         ? describe(*given)
                  : input.shape ? describe(declared)
                                : "of any rank") +
                 (given ? ", which is too large" : ": give --input_shapes")) ||
      !check(*count > 0 && *count <= INT64_MAX / 8,
             what + " is " + describe(known.shape) +
                 (*count == 0 ? ", without elements" : ", which is too large"));
  // Nobody can pass it, but what follows from it can be known.
  if (known.isBroken && count == 0 && hasNumbers(input.type))
    errors.back().wanted = {input.name};
  if (!known.isBroken)
    known.value = module.input(input.name, known.shape, input.type);
  values[input.name] = std::move(known);
}

/// False: there is no use in looking at nodes.
bool Importer::addInputs() {
  const auto &shapes = options.inputShapes;
  if (!check(shapes.empty() || shapes.size() == graph.inputs.size(),
             "--input_shapes has " + std::to_string(shapes.size()) +
                 " shapes, the network " + std::to_string(graph.inputs.size()) +
                 " inputs"))
    return false;
  bool isConsistent = true;
  for (auto [index, input] : llvm::enumerate(graph.inputs)) {
    addInput(input, shapes.empty() ? nullptr : &shapes[index]);
    const Known &known = values[input.name];
    isConsistent &= known.isBroken || nameSizes(input, known.shape);
  }
  if (!isConsistent)
    return false;
  for (const auto &[name, constant] : graph.constants)
    values[name] = {constant->type, constant->shape, constant, {}, false, {}};
  return true;
}

static Border borderOf(const Declared &declared, const Known &known) {
  return {declared.name, known.type, known.shape};
}

/// A result that the file declares otherwise is an error of a rule or of the
/// file.
static bool isAsDeclared(const Declared &declared, const Known &known) {
  if (hasNumbers(declared.type) && declared.type != known.type)
    return false;
  if (!declared.shape)
    return true;
  if (declared.shape->size() != known.shape.size())
    return false;
  for (auto [claimed, computed] : llvm::zip_equal(*declared.shape, known.shape))
    if (claimed >= 0 && claimed != computed)
      return false;
  return true;
}

std::vector<Value> Importer::findOutputs() {
  std::vector<Value> values;
  check(!graph.outputs.empty(), "the network has no outputs");
  for (const Declared &output : graph.outputs) {
    auto found = this->values.find(output.name);
    if (!check(found != this->values.end(),
               "nothing computes output '" + output.name + "'") ||
        found->second.isBroken)
      continue;
    Known &known = found->second;
    if (!check(isAsDeclared(output, known),
               "output '" + output.name + "' is " + nameOf(known.type).str() +
                   " " + describe(known.shape) + ", declared as " +
                   nameOf(output.type).str() + " " +
                   describe(output.shape.value_or(Shape()))))
      continue;
    if (!check(hasNumbers(known.type),
               "output '" + output.name + "'" + whyNotRead(known.type)) ||
        !check(elementsOf(known.shape).value_or(0) > 0,
               "output '" + output.name + "' has no elements"))
      continue;
    if (!known.value)
      known.value = addWeight({output.name, known.shape, known.constant, {}});
    values.push_back(*known.value);
    outputs.push_back(borderOf(output, known));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Value Importer::addWeight(Weight weight) {
  if (elementsOf(weight.shape).value_or(0) == 0)
    throw Refusal{"'" + weight.name + "' has no elements", {}};
  const Value value = module.weight(weight.name, weight.shape);
  weight.name = module.nameOf(value);
  if (weight.shape.empty())
    weight.shape.push_back(1);
  weights.push_back(std::move(weight));
  return value;
}

void Importer::refuse(const Node &node, const std::string &why,
                      const std::set<std::string> &wanted) {
  std::string message = "node '" + node.name + "' (" + node.op + ", opset " +
                        std::to_string(node.opset) + ")";
  const auto output = llvm::find_if(
      node.outputs, [](const std::string &name) { return !name.empty(); });
  if (node.name.empty() && output != node.outputs.end())
    message = "the node that computes '" + *output + "' (" + node.op +
              ", opset " + std::to_string(node.opset) + ")";
  const char *separator = " with inputs ";
  for (const std::string &input : node.inputs) {
    auto found = values.find(input);
    message += separator;
    message +=
        input.empty() ? "none"
        : found == values.end() || found->second.isBroken
            ? "?"
            : nameOf(found->second.type).str() + describe(found->second.shape);
    separator = ", ";
  }
  errors.push_back(
      {true, message + ": " + why, {wanted.begin(), wanted.end()}});
  for (const std::string &output : node.outputs)
    values[output].isBroken = true;
}

/// Whether all operands are there; which inputs they follow from.
bool Importer::isKnown(const Node &node, std::set<std::string> &inputs,
                       bool &isBroken) {
  for (const std::string &name : node.inputs) {
    if (name.empty())
      continue;
    auto found = values.find(name);
    if (found == values.end()) {
      refuse(node, "nothing computes '" + name + "' before it", {});
      return false;
    }
    isBroken |= found->second.isBroken;
    inputs.insert(found->second.inputs.begin(), found->second.inputs.end());
  }
  return true;
}

/// What follows from what; a result that the rule did not give is broken.
void Importer::markResults(const Node &node,
                           const std::set<std::string> &inputs) {
  for (const std::string &output : node.outputs) {
    if (output.empty())
      continue;
    Known &known = values[output];
    if (!known.constant)
      known.inputs = inputs;
    known.isBroken |= !known.constant && !known.value;
  }
}

void Importer::runRule(const Node &node, const std::set<std::string> &inputs) {
  const Weights add = [this](Weight weight) {
    return addWeight(std::move(weight));
  };
  NodeContext context(node, values, module, add);
  try {
    if (std::optional<std::vector<Constant>> folded = fold(context)) {
      for (auto [index, constant] : llvm::enumerate(*folded))
        context.give(index, std::move(constant));
    } else if (const Build build = findRule(node.op)) {
      build(context);
      context.markWholeNumbers();
    } else {
      context.refuse("no layers are known for this op");
    }
    markResults(node, inputs);
  } catch (const Refusal &refusal) {
    refuse(node, refusal.why, refusal.wanted);
  }
}

/// The nodes of the branch that a known condition chooses.
bool Importer::takeBranch(const Node &node) {
  auto condition = values.find(node.inputs.empty() ? "" : node.inputs[0]);
  if (node.op != "If" || condition == values.end() ||
      !condition->second.constant || condition->second.constant->size() != 1)
    return false;
  auto branch = node.attributes.find(
      condition->second.constant->whole(0) ? "then_branch" : "else_branch");
  if (branch == node.attributes.end())
    return false;
  auto *graph = std::get_if<std::shared_ptr<const Graph>>(&branch->second);
  if (!graph || (*graph)->outputs.size() != node.outputs.size())
    return false;
  for (const auto &[name, constant] : (*graph)->constants)
    values[name] = {constant->type, constant->shape, constant, {}, false, {}};
  addNodes((*graph)->nodes);
  for (auto [output, inner] : llvm::zip_equal(node.outputs, (*graph)->outputs))
    if (auto found = values.find(inner.name); found != values.end())
      values[output] = found->second;
  return true;
}

void Importer::addNode(const Node &node) {
  std::set<std::string> inputs;
  bool isBroken = false;
  for (const std::string &output : node.outputs)
    if (!output.empty() && values.count(output))
      return refuse(node, "'" + output + "' is computed twice", {});
  if (!isKnown(node, inputs, isBroken) || takeBranch(node))
    return;
  if (node.op == "If" && !isBroken)
    return refuse(node, "its condition has to be known", inputs);
  if (!isBroken)
    return runRule(node, inputs);
  for (const std::string &output : node.outputs)
    values[output].isBroken = true;
}

void Importer::addNodes(const std::vector<Node> &nodes) {
  for (const Node &node : nodes)
    addNode(node);
}

static std::vector<std::string> typesOf(const std::vector<Border> &borders) {
  std::vector<std::string> types;
  for (const Border &border : borders)
    types.push_back(nameOf(border.type).str());
  return types;
}

std::vector<Value> Importer::run() {
  bind();
  // What comes after a wrong value would only repeat that.
  if (!errors.empty())
    return {};
  chooseOutputs();
  const std::vector<bool> needed = findNeeded();
  if (!addInputs())
    return {};
  preprocess();
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (needed[index])
      addNode(node);
  std::vector<Value> results = findOutputs();
  if (!errors.empty())
    return {};
  for (const Declared &input : graph.inputs)
    inputs.push_back(borderOf(input, values[input.name]));
  module.note("module.input_types", typesOf(inputs));
  module.note("module.output_types", typesOf(outputs));
  return results;
}

} // namespace tpu_mlir::importer
