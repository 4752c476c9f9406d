//===- Map.cpp - Where everything is, as JSON -----------------------------===//
//
// The schema is tpu_mlir/schema/artefacts.schema.json. One tensor a line.
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Artefacts/Layout.h"
#include "lib/Report/Artefacts/Names.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace tpu_mlir::report {

using namespace planning;
using llvm::json::OStream;

namespace {

class Map {
public:
  explicit Map(const Layout &layout)
      : layout(layout), stream(text), json(stream, 2) {
    for (const Model &model : layout.models)
      for (const Tensor &tensor : model.tensors)
        identifiers[{model.problem, tensor.id}] = tensor.macro;
  }

  std::string run() {
    json.object([&] {
      json.attribute("version", 1);
      json.attribute("prefix", layout.prefix);
      json.attribute("planned", layout.isSingle()          ? "alone"
                                : layout.isPlannedTogether ? "together"
                                                           : "apart");
      json.attributeArray("blocks", [&] {
        for (const Block &block : layout.blocks)
          blockRecord(block);
      });
      json.attributeArray("models", [&] {
        for (const Model &model : layout.models)
          modelRecord(model);
      });
    });
    return text + "\n";
  }

private:
  void blockRecord(const Block &block) {
    json.object([&] {
      json.attribute("pool", asUtf8(block.pool));
      json.attribute("identifier", block.identifier);
      json.attribute("access", block.isParameter ? "ro" : "rw");
      json.attribute("storage", block.isInternal ? "internal" : "external");
      json.attribute("sizeBytes", block.sizeBytes);
      json.attribute("alignment", block.alignmentBytes);
      if (block.owner)
        json.attribute("model", asUtf8(layout.models[*block.owner].name));
      if (!block.section.empty())
        json.attribute("section", block.section);
    });
  }

  void modelRecord(const Model &model) {
    json.object([&] {
      json.attribute("name", asUtf8(model.name));
      json.attribute("identifier", model.identifier);
      json.attributeArray("pools", [&] {
        for (const PoolPart &part : model.pools)
          poolRecord(part);
      });
      json.attributeArray("tensors", [&] {
        for (const Tensor &tensor : model.tensors)
          json.rawValue(tensorRecord(model, tensor));
      });
    });
  }

  void poolRecord(const PoolPart &part) {
    json.object([&] {
      json.attribute("name", asUtf8(part.name));
      json.attribute("identifier", part.macro);
      if (!part.isCaller)
        json.attribute("member", part.member);
      json.attribute("access", part.isParameter ? "ro" : "rw");
      json.attribute("baseAddress", part.pool->baseAddress);
      if (part.pool->capacityBytes)
        json.attribute("capacityBytes", *part.pool->capacityBytes);
      if (!part.pool->targets.empty())
        json.attributeArray("targets", [&] {
          for (const std::string &target : part.pool->targets)
            json.value(asUtf8(target));
        });
      json.attribute("usedBytes", part.usedBytes);
      if (!part.isCaller)
        json.attribute("block", layout.blocks[part.block].identifier);
    });
  }

  std::string tensorRecord(const Model &model, const Tensor &tensor) const {
    const Buffer &buffer = model.bufferOf(tensor);
    std::string record;
    llvm::raw_string_ostream line(record);
    OStream one(line);
    one.object([&] {
      one.attribute("name", tensor.name);
      one.attribute("identifier", tensor.macro);
      if (buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Output)
        one.attribute("member", tensor.member);
      one.attribute("kind", llvm::StringRef(kindName(buffer.kind)));
      one.attribute("pool", asUtf8(model.pools[tensor.pool].name));
      if (!model.isCallers(tensor))
        one.attribute("offsetBytes", tensor.offsetBytes);
      one.attribute("sizeBytes", buffer.sizeBytes);
      one.attribute("alignment", buffer.alignment);
      one.attributeArray("lifespans", [&] {
        for (const Interval &life : buffer.lifespans)
          one.array([&] {
            one.value(life.begin);
            one.value(life.end);
          });
      });
      if (tensor.root)
        one.attribute("inside", identifiers.at({model.problem, *tensor.root}));
    });
    return record;
  }

  const Layout &layout;
  /// For roots, which may be another model's. Looked up only.
  std::map<std::pair<const Problem *, BufferId>, std::string> identifiers;
  std::string text;
  llvm::raw_string_ostream stream;
  OStream json;
};

} // namespace

std::string renderMap(const Layout &layout) { return Map(layout).run(); }

} // namespace tpu_mlir::report
