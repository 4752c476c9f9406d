//===- Reader.cpp - Files of ONNX as graphs -------------------------------===//

#include "lib/Import/Proto.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "onnx/checker.h"
#include "onnx/defs/schema.h"

#include <climits>
#include <set>

namespace tpu_mlir::importer {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;

/// The newest opset and IR version that the library knows.
static constexpr int64_t kKnownOpset = 17, kKnownIr = 8;
/// Functions that call functions, and graphs in graphs.
static constexpr int kMaxDepth = 64;
static constexpr size_t kMaxNodes = 1 << 20;

namespace {

/// Never leaves this file.
struct Failure {
  std::string message;
};

using Opsets = std::map<std::string, int64_t>;
using Arguments = std::map<std::string, const AttributeProto *>;

/// Where nodes are: the graph that takes them, and inside of a function's body
/// what its names and attributes stand for.
struct Scope {
  Graph &graph;
  Opsets opsets;
  std::string prefix;
  std::map<std::string, std::string> names = {};
  const Arguments *arguments = nullptr;
  int depth = 0;
  /// A graph that is an attribute: its names may be those of another one.
  bool isInner = false;

  std::string name(const std::string &local) const {
    auto found = names.find(local);
    if (found != names.end())
      return found->second;
    return local.empty() ? local : prefix + local;
  }
};

/// What constants point into.
struct File {
  ModelProto model;
  Functions functions;
};

class Converter {
public:
  Converter(std::shared_ptr<const File> owner, std::string folder,
            const HasRule &hasRule)
      : owner(std::move(owner)), model(this->owner->model),
        files(std::move(folder)), hasRule(hasRule) {}

  Graph run();

private:
  void addGraph(const GraphProto &from, Scope &scope);
  void addNode(const NodeProto &from, Scope &scope);
  void addBody(const onnx::FunctionProto &body, const NodeProto &call,
               const Arguments &given, Scope &scope);
  void define(const std::string &local, Scope &scope);
  Arguments argumentsOf(const NodeProto &node, const Function *function,
                        const Scope &scope);
  Attribute convert(const AttributeProto &from, const Scope &scope);
  std::shared_ptr<const Constant> tensor(const onnx::TensorProto &from);
  std::shared_ptr<const Constant> tensor(const onnx::SparseTensorProto &from);
  void addConstant(const std::string &name,
                   std::shared_ptr<const Constant> constant, Scope &scope);
  const Function *functionOf(const NodeProto &node);

  /// Constants keep it alive: their numbers are in it.
  std::shared_ptr<const File> owner;
  const ModelProto &model;
  DataFiles files;
  const HasRule &hasRule;
  size_t nodes = 0;
  /// The functions that the node that is read is in, the outermost first.
  std::vector<const onnx::FunctionProto *> calls;
  /// What graphs in attributes call their own, all and those of other nodes
  /// than the one that is read.
  std::vector<std::string> innerNames;
  std::set<std::string> takenNames;
};

} // namespace

template <typename List> static Opsets opsetsOf(const List &imports) {
  Opsets opsets;
  for (const auto &import : imports)
    opsets[domainOf(import.domain())] = import.version();
  return opsets;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// "" for what stands for nothing in particular: "?", "*".
static std::string nameOf(const onnx::TensorShapeProto::Dimension &dim) {
  const std::string &name = dim.dim_param();
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') ? name
                                                                     : "";
}

static Declared declared(const onnx::ValueInfoProto &from,
                         const std::string &name) {
  Declared result{name, DataType::Other, std::nullopt};
  if (!from.type().has_tensor_type())
    return result;
  const auto &type = from.type().tensor_type();
  result.type = dataTypeOf(type.elem_type());
  if (!type.has_shape())
    return result;
  result.shape.emplace();
  for (const auto &dim : type.shape().dim()) {
    result.shape->push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    result.names.push_back(nameOf(dim));
  }
  return result;
}

static std::shared_ptr<const Constant>
constantOf(std::variant<Constant, ReadError> read) {
  if (auto *error = std::get_if<ReadError>(&read))
    throw Failure{error->message};
  return std::make_shared<Constant>(std::move(std::get<Constant>(read)));
}

std::shared_ptr<const Constant>
Converter::tensor(const onnx::TensorProto &from) {
  return constantOf(readTensor(from, owner, files));
}

std::shared_ptr<const Constant>
Converter::tensor(const onnx::SparseTensorProto &from) {
  return constantOf(readSparseTensor(from, owner, files));
}

void Converter::addConstant(const std::string &name,
                            std::shared_ptr<const Constant> constant,
                            Scope &scope) {
  if (!scope.graph.constants.emplace(scope.name(name), std::move(constant))
           .second)
    throw Failure{"two initializers are called '" + name + "'"};
}

/// Two branches of one If are never there at a time, those of two may be.
void Converter::define(const std::string &local, Scope &scope) {
  if (!scope.isInner || local.empty())
    return;
  const std::string name = scope.name(local);
  std::string own = name;
  for (int number = 1; takenNames.count(own) != 0; ++number)
    own = name + "_" + std::to_string(number);
  if (own != name)
    scope.names[local] = own;
  innerNames.push_back(std::move(own));
}

void Converter::addGraph(const GraphProto &from, Scope &scope) {
  Graph &graph = scope.graph;
  for (const auto &initializer : from.initializer())
    define(initializer.name(), scope);
  for (const auto &initializer : from.sparse_initializer())
    define(initializer.values().name(), scope);
  for (const auto &initializer : from.initializer())
    addConstant(initializer.name(), tensor(initializer), scope);
  for (const auto &initializer : from.sparse_initializer())
    addConstant(initializer.values().name(), tensor(initializer), scope);
  for (const auto &input : from.input())
    if (!graph.constants.count(scope.name(input.name())))
      graph.inputs.push_back(declared(input, scope.name(input.name())));
  for (const NodeProto &node : from.node())
    addNode(node, scope);
  for (const auto &output : from.output())
    graph.outputs.push_back(declared(output, scope.name(output.name())));
}

Graph Converter::run() {
  Graph graph;
  Scope scope{graph, opsetsOf(model.opset_import()), ""};
  // The oldest files do not say it.
  scope.opsets.try_emplace("", 1);
  addGraph(model.graph(), scope);
  return graph;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void checkDepth(const std::string &what, const Scope &inner) {
  if (inner.depth > kMaxDepth)
    throw Failure{what + " is nested " + std::to_string(inner.depth) +
                  " deep, where " + std::to_string(kMaxDepth) +
                  " is the limit"};
}

Attribute Converter::convert(const AttributeProto &from, const Scope &scope) {
  switch (from.type()) {
  case AttributeProto::INT:
    return from.i();
  case AttributeProto::FLOAT:
    return from.f();
  case AttributeProto::STRING:
    return from.s();
  case AttributeProto::INTS:
    return std::vector<int64_t>(from.ints().begin(), from.ints().end());
  case AttributeProto::FLOATS:
    return std::vector<float>(from.floats().begin(), from.floats().end());
  case AttributeProto::STRINGS:
    return std::vector<std::string>(from.strings().begin(),
                                    from.strings().end());
  case AttributeProto::TENSOR:
    return tensor(from.t());
  case AttributeProto::SPARSE_TENSOR:
    return tensor(from.sparse_tensor());
  case AttributeProto::GRAPH: {
    auto graph = std::make_shared<Graph>();
    Scope inner{*graph,          scope.opsets,    scope.prefix, scope.names,
                scope.arguments, scope.depth + 1, true};
    checkDepth("a graph", inner);
    addGraph(from.g(), inner);
    return std::shared_ptr<const Graph>(graph);
  }
  default:
    return {};
  }
}

static const onnx::OpSchema *schemaOf(const NodeProto &node,
                                      const Opsets &opsets) {
  const std::string domain = domainOf(node.domain());
  auto opset = opsets.find(domain);
  if (opset == opsets.end())
    return nullptr;
  const int64_t version =
      domain.empty() ? std::min(opset->second, kKnownOpset) : opset->second;
  return onnx::OpSchemaRegistry::Schema(node.op_type(),
                                        static_cast<int>(version), domain);
}

/// Attributes that ops got after the newest opset that the library knows.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    kNewAttributes[] = {{"AveragePool", "dilations"},
                        {"Cast", "round_mode"},
                        {"Cast", "saturate"},
                        {"CastLike", "round_mode"},
                        {"CastLike", "saturate"},
                        {"DequantizeLinear", "block_size"},
                        {"DequantizeLinear", "output_dtype"},
                        {"QuantizeLinear", "block_size"},
                        {"QuantizeLinear", "output_dtype"},
                        {"QuantizeLinear", "precision"},
                        {"QuantizeLinear", "saturate"},
                        {"Resize", "antialias"},
                        {"Resize", "axes"},
                        {"Resize", "keep_aspect_ratio_policy"},
                        {"ScatterElements", "reduction"},
                        {"ScatterND", "reduction"},
                        {"Split", "num_outputs"}};

/// Behind that opset nobody else looks whether an op has such an attribute.
static void checkAttributes(const NodeProto &node, const onnx::OpSchema &schema,
                            const std::string &op) {
  for (const AttributeProto &attribute : node.attribute()) {
    const bool isNew = llvm::any_of(kNewAttributes, [&](const auto &known) {
      return op == known.first && attribute.name() == known.second;
    });
    const bool isReduction = llvm::StringRef(op).starts_with("Reduce") &&
                             attribute.name() == "noop_with_empty_axes";
    if (!isNew && !isReduction &&
        schema.attributes().count(attribute.name()) == 0)
      throw Failure{"node '" + node.name() + "': '" + op +
                    "' has no attribute '" + attribute.name() + "'"};
  }
}

/// The node's own attributes, what they stand for inside of a function, and
/// the defaults of what it calls.
Arguments Converter::argumentsOf(const NodeProto &node,
                                 const Function *function, const Scope &scope) {
  Arguments arguments;
  if (function)
    for (const AttributeProto &attribute : function->defaults)
      arguments[attribute.name()] = &attribute;
  else if (const onnx::OpSchema *schema = schemaOf(node, scope.opsets))
    for (const auto &[name, attribute] : schema->attributes())
      if (attribute.default_value.type() != AttributeProto::UNDEFINED)
        arguments[name] = &attribute.default_value;
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      arguments[attribute.name()] = &attribute;
      continue;
    }
    if (!scope.arguments)
      throw Failure{"attribute '" + attribute.name() +
                    "' refers to one outside of a function"};
    auto given = scope.arguments->find(attribute.ref_attr_name());
    if (given != scope.arguments->end())
      arguments[attribute.name()] = given->second;
  }
  return arguments;
}

const Function *Converter::functionOf(const NodeProto &node) {
  const FunctionKey key = calledBy(node);
  if (auto found = owner->functions.find(key); found != owner->functions.end())
    return &found->second;
  if (!std::get<2>(key).empty())
    throw Failure{"node '" + node.name() + "': there is no function " +
                  describe(key)};
  return nullptr;
}

void Converter::addNode(const NodeProto &from, Scope &scope) {
  if (++nodes > kMaxNodes)
    throw Failure{"it has more than " + std::to_string(kMaxNodes) + " nodes"};
  for (const std::string &output : from.output())
    define(output, scope);
  const std::string domain = domainOf(from.domain());
  Node node;
  node.op = domain.empty() ? from.op_type() : domain + "." + from.op_type();
  const Function *function = functionOf(from);
  const Arguments arguments = argumentsOf(from, function, scope);
  const onnx::OpSchema *schema = schemaOf(from, scope.opsets);
  if (function)
    return addBody(*function->body, from, arguments, scope);
  if (schema && schema->HasFunction() && !hasRule(node.op))
    return addBody(*schema->GetFunction(), from, arguments, scope);
  node.name = from.name();
  node.version = schema ? schema->SinceVersion() : 0;
  auto opset = scope.opsets.find(domain);
  node.opset = opset == scope.opsets.end() ? 0 : opset->second;
  if (schema && domain.empty() && node.opset > kKnownOpset)
    checkAttributes(from, *schema, node.op);
  for (const std::string &input : from.input())
    node.inputs.push_back(scope.name(input));
  for (const std::string &output : from.output())
    node.outputs.push_back(scope.name(output));
  const size_t before = innerNames.size();
  for (const auto &[name, attribute] : arguments)
    node.attributes[name] = convert(*attribute, scope);
  takenNames.insert(innerNames.begin() + before, innerNames.end());
  scope.graph.nodes.push_back(std::move(node));
}

/// The nodes of a function in the place of a call; its own names get one that
/// nobody else has in front.
void Converter::addBody(const onnx::FunctionProto &body, const NodeProto &call,
                        const Arguments &given, Scope &scope) {
  Scope inner{scope.graph,
              opsetsOf(body.opset_import()),
              scope.name(call.output_size() ? call.output(0) : "") + "/" +
                  call.op_type() + "/",
              {},
              &given,
              scope.depth + 1};
  if (llvm::is_contained(calls, &body))
    throw Failure{"function '" + body.name() + "' calls itself"};
  checkDepth("function '" + body.name() + "'", inner);
  calls.push_back(&body);
  if (inner.opsets.empty())
    inner.opsets = scope.opsets;
  for (int i = 0; i < body.input_size(); ++i)
    inner.names[body.input(i)] =
        i < call.input_size() ? scope.name(call.input(i)) : "";
  for (int i = 0; i < body.output_size() && i < call.output_size(); ++i)
    if (!call.output(i).empty())
      inner.names[body.output(i)] = scope.name(call.output(i));
  for (const NodeProto &node : body.node())
    addNode(node, inner);
  calls.pop_back();
}

//===----------------------------------------------------------------------===//
// Results that nobody reads
//===----------------------------------------------------------------------===//

/// Also what nodes of inner graphs read, wherever the name is from.
static void findRead(const Graph &graph, std::set<std::string> &read) {
  for (const Declared &output : graph.outputs)
    read.insert(output.name);
  for (const Node &node : graph.nodes) {
    read.insert(node.inputs.begin(), node.inputs.end());
    for (const auto &[name, attribute] : node.attributes)
      if (auto *inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
        findRead(**inner, read);
  }
}

/// Of a node with several results those that nobody reads are not there, as if
/// the file had not named them: what is asked of them need not be known.
static void dropUnread(Graph &graph) {
  std::set<std::string> read;
  findRead(graph, read);
  for (Node &node : graph.nodes) {
    const auto isRead = [&](const std::string &name) {
      return read.count(name) != 0;
    };
    if (node.outputs.size() < 2 || llvm::none_of(node.outputs, isRead))
      continue;
    for (std::string &output : node.outputs)
      if (!isRead(output))
        output.clear();
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The library knows all that the model asks for.
static bool isKnown(const ModelProto &model) {
  for (const auto &import : model.opset_import())
    if (domainOf(import.domain()).empty() && import.version() > kKnownOpset)
      return false;
  return model.ir_version() <= kKnownIr;
}

/// Errors without the file's name. `path` is empty when there is no file.
static std::variant<Graph, ReadError> convert(const std::shared_ptr<File> &file,
                                              const std::string &path,
                                              const HasRule &hasRule) {
  const bool isRenamed = dropDefaultDomain(file->model);
  const ModelProto &model = file->model;
  const std::set<std::string> data = dataLocations(model);
  auto functions = functionsOf(model);
  if (auto *error = std::get_if<ReadError>(&functions))
    return *error;
  file->functions = std::move(std::get<Functions>(functions));
  try {
    Graph graph =
        Converter(file, path.empty() ? "" : folderOf(path), hasRule).run();
    // Behind what is read, so that nobody follows a path out of the folder.
    // Of data in other files it only knows with the model's own file.
    if (isKnown(model) && data.empty())
      onnx::checker::check_model(model);
    else if (isKnown(model) && !isRenamed)
      onnx::checker::check_model(path);
    dropUnread(graph);
    graph.dataFiles = dataFiles(data, path);
    return graph;
  } catch (const Failure &failure) {
    return ReadError{failure.message};
  } catch (const std::exception &error) {
    llvm::StringRef reason = error.what();
    return ReadError{reason.trim().str()};
  }
}

std::variant<Graph, ReadError> readOnnx(const std::string &path,
                                        const HasRule &hasRule) {
  const std::string what = "'" + path + "'";
  auto file = std::make_shared<File>();
  if (std::string error = parseMessage(path, file->model, "ONNX model");
      !error.empty())
    return ReadError{error};
  if (!file->model.has_graph())
    return ReadError{what + " is no ONNX model"};
  auto graph = convert(file, path, hasRule);
  if (auto *error = std::get_if<ReadError>(&graph))
    return ReadError{what + ": " + error->message};
  return graph;
}

std::variant<Graph, ReadError> readOnnxBytes(llvm::StringRef bytes,
                                             const HasRule &hasRule) {
  auto file = std::make_shared<File>();
  if (bytes.size() > INT_MAX ||
      !file->model.ParseFromArray(bytes.data(),
                                  static_cast<int>(bytes.size())) ||
      !file->model.has_graph())
    return ReadError{"it is no ONNX model"};
  return convert(file, "", hasRule);
}

} // namespace tpu_mlir::importer
