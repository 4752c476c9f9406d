//===- SwiftNet.cpp - A network for persons in pictures -------------------===//
//
// Of the Visual Wake Words challenge 2019; Graphs/SwiftCells.h has its cells.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

#include "lib/ModelBuilder/Graphs/SwiftCells.h"

#include <map>

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

static Value swiftLayer(GraphBuilder &g, const Twine &name,
                        const graphs::SwiftOp &op,
                        llvm::ArrayRef<Value> inputs) {
  switch (op.kind) {
  case graphs::SwiftOp::Kind::Conv1x1:
    return g.conv(name, inputs[0], Conv(op.channels, 1).relu());
  case graphs::SwiftOp::Kind::Depthwise3x3:
    return g.conv(name, inputs[0],
                  Conv(op.channels, 3).groups(op.channels).relu());
  case graphs::SwiftOp::Kind::Concat:
    return g.concat(name, inputs, 1);
  case graphs::SwiftOp::Kind::Add:
    return g.add(name, inputs[0], inputs[1]);
  }
  return {};
}

static Value cell(GraphBuilder &g, char name, Value x) {
  std::map<int, Value> values = {{graphs::kCellInput, x}};
  const graphs::SwiftCell plan = graphs::swiftCell(name);
  for (const graphs::SwiftOp &op : plan.ops) {
    llvm::SmallVector<Value, 8> inputs;
    for (int input : op.inputs)
      inputs.push_back(values.at(input));
    values[op.number] = swiftLayer(g, "op" + Twine(op.number), op, inputs);
  }
  return values.at(plan.ops.back().number);
}

static Outputs cellAlone(GraphBuilder &g, const NetworkSize &size, char name) {
  const graphs::SwiftCell plan = graphs::swiftCell(name);
  return {cell(g, name,
               g.input("features", {size.batch, plan.inputChannels,
                                    plan.pixelsPerSide, plan.pixelsPerSide}))};
}

Outputs buildSwiftNetA(GraphBuilder &g, const NetworkSize &size) {
  return cellAlone(g, size, 'A');
}
Outputs buildSwiftNetB(GraphBuilder &g, const NetworkSize &size) {
  return cellAlone(g, size, 'B');
}
Outputs buildSwiftNetC(GraphBuilder &g, const NetworkSize &size) {
  return cellAlone(g, size, 'C');
}

Outputs buildSwiftNet(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("conv", x, Conv(16, 7).stride(4).relu());
  x = g.conv("depthwise", x, Conv(16, 3).groups(16).relu());
  x = g.conv("pointwise", x, Conv(32, 1).relu());
  for (char name : {'A', 'B', 'C'})
    x = cell(g, name, g.maxPool("pool" + Twine(name), x, 2, 2));
  x = g.avgPool("pool", x, 7, 1);
  x = g.reshape("flatten", x, {size.batch, GraphBuilder::shapeOf(x)[1]});
  return {g.linear("classifier", x, 2)};
}

} // namespace tpu_mlir::model_builder
