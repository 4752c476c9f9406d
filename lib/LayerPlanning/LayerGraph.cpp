//===- LayerGraph.cpp - Layers, and stretches of them that are alike ------===//

#include "tpu_mlir/LayerPlanning/LayerGraph.h"

#include "lib/LayerPlanning/RangeSignature.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

namespace tpu_mlir::layer {

TensorId LayerGraph::addTensor(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors.size()) - 1;
}

LayerId LayerGraph::addLayer(Layer layer) {
  const auto id = static_cast<LayerId>(layers.size());
  tensors[layer.result].producer = id;
  for (TensorId result : layer.moreResults)
    tensors[result].producer = id;
  for (const LayerOperand &operand : layer.operands) {
    std::vector<LayerId> &readers = tensors[operand.tensor].readers;
    if (readers.empty() || readers.back() != id)
      readers.push_back(id);
  }
  layers.push_back(std::move(layer));
  return id;
}

namespace {

void append(const Tensor &tensor, RangeWords &words) {
  words.insert(words.end(), tensor.shape.begin(), tensor.shape.end());
  words.insert(words.end(),
               {tensor.elementBits, tensor.euAligned, tensor.isParameter,
                tensor.globalBytes, tensor.price, tensor.isInL2});
}

RangeWords factsOfLayer(const LayerGraph &graph, const Layer &layer) {
  RangeWords words{
      layer.scratch.tiles,  layer.scratch.tileBits,   layer.scratch.bytes,
      layer.macsPerElement, layer.isMatrix,           layer.inPlaceOperand,
      layer.isFreeGlobally, layer.isMulticore,        layer.numPieces,
      layer.pieceDim,       layer.scratch.isOfOperand};
  for (bool isCuttable : layer.isCuttable)
    words.push_back(isCuttable);
  append(graph.tensors[layer.result], words);
  for (const LayerOperand &operand : layer.operands) {
    append(graph.tensors[operand.tensor], words);
    words.push_back(operand.isInPieces);
    words.push_back(operand.mostBytes);
    for (const DimRule &rule : operand.rules)
      words.insert(words.end(),
                   {static_cast<int64_t>(rule.kind), rule.resultDim,
                    rule.stride, rule.before, rule.extent});
  }
  return words;
}

} // namespace

std::vector<GlobalRead> globalReads(const LayerGraph &graph,
                                    const Layer &layer) {
  std::vector<GlobalRead> reads;
  for (const LayerOperand &operand : layer.operands) {
    const int64_t bytes =
        std::min(graph.tensors[operand.tensor].globalBytes, operand.mostBytes);
    const auto known =
        std::find_if(reads.begin(), reads.end(), [&](const GlobalRead &read) {
          return read.tensor == operand.tensor;
        });
    if (known == reads.end())
      reads.push_back({operand.tensor, bytes, operand.isInPieces});
    else
      known->bytes = std::max(known->bytes, bytes);
  }
  return reads;
}

void readEachOperandOnce(LayerGraph &graph) {
  for (Layer &layer : graph.layers)
    if (!std::all_of(layer.operands.begin(), layer.operands.end(),
                     [](const LayerOperand &one) { return one.isInPieces; }))
      layer.numPieces = 1;
}

Signature hashOf(const RangeWords &words) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  const llvm::XXH128_hash_t value = llvm::xxh3_128bits(
      llvm::ArrayRef<uint8_t>(bytes, words.size() * sizeof(int64_t)));
  return {value.high64, value.low64};
}

RangeSignatures::RangeSignatures(const LayerGraph &graph)
    : graph(graph), numbers(graph.tensors.size()),
      insideOf(graph.layers.size()) {
  for (const Layer &layer : graph.layers)
    facts.push_back(
        known.emplace(factsOfLayer(graph, layer), int64_t(known.size()))
            .first->second);
}

const RangeWords &RangeSignatures::wordsOf(const LayerRange &range) {
  ++question;
  words.clear();
  int64_t numTensors = 0;
  const auto mention = [&](TensorId tensor) {
    if (numbers[tensor].question != question)
      numbers[tensor] = {question, numTensors++};
    words.push_back(numbers[tensor].number);
  };
  for (LayerId id : range)
    insideOf[id] = question;
  for (LayerId id : range) {
    // Layers with the same facts have as many operands.
    const Layer &layer = graph.layers[id];
    words.push_back(facts[id]);
    for (const LayerOperand &operand : layer.operands)
      mention(operand.tensor);
    mention(layer.result);
    const Tensor &result = graph.tensors[layer.result];
    bool isOutput = result.isReadOutside;
    for (LayerId reader : result.readers)
      isOutput |= insideOf[reader] != question;
    words.push_back(isOutput);
  }
  return words;
}

std::vector<RangeWords>
RangeSignatures::factsOf(const LayerRange &range) const {
  std::vector<RangeWords> result;
  for (LayerId id : range)
    result.push_back(factsOfLayer(graph, graph.layers[id]));
  return result;
}

} // namespace tpu_mlir::layer
