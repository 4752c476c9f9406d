//===- Inception.cpp - Windows of several sizes side by side --------------===//
//
// Szegedy et al.: "Rethinking the Inception Architecture for Computer Vision",
// 2015 (v3), and "Inception-v4, Inception-ResNet and the Impact of Residual
// Connections on Learning", 2016 (v4), at 299x299. Batch normalisations are
// folded.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

namespace {

/// One branch after the other, joined at the end.
class Module {
public:
  using Values = llvm::SmallVector<Value, 4>;
  Module(GraphBuilder &g, const Twine &name, Value x)
      : g(g), name(name.str()), x(x) {}

  /// Units after each other, from the input of the module.
  Value chain(llvm::ArrayRef<Conv> units) { return chain(x, units); }
  Value chain(Value from, llvm::ArrayRef<Conv> units) {
    for (const Conv &unit : units)
      from = g.conv(name + ".conv" + Twine(++count), from, Conv(unit).relu());
    return from;
  }
  Value halved() { return g.maxPool(name + ".pool", x, 3, 2); }
  Value averaged(int64_t channels) {
    return chain(g.avgPool(name + ".pool", x, 3, 1, 1), {Conv(channels, 1)});
  }
  /// A row and a column of 3 from the same input.
  void addCross(Values &branches, Value from, int64_t channels) {
    branches.push_back(chain(from, {Conv(channels, 1, 3)}));
    branches.push_back(chain(from, {Conv(channels, 3, 1)}));
  }
  Value join(llvm::ArrayRef<Value> branches) {
    return g.concat(name, branches, 1);
  }

private:
  GraphBuilder &g;
  std::string name;
  Value x;
  int count = 0;
};

/// Halves the size, without padding.
Conv halving(int64_t channels) { return Conv(channels, 3).stride(2).pad(0); }

} // namespace

/// Both versions begin with these.
static Value stem(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 299, 299});
  return Module(g, "stem1", x)
      .chain({halving(32), Conv(32, 3).pad(0), Conv(64, 3)});
}

//===----------------------------------------------------------------------===//
// Version 3
//===----------------------------------------------------------------------===//

static Value fine3(GraphBuilder &g, const Twine &name, Value x,
                   int64_t pooled) {
  Module m(g, name, x);
  Value a = m.chain({Conv(64, 1)});
  Value b = m.chain({Conv(48, 1), Conv(64, 5)});
  Value c = m.chain({Conv(64, 1), Conv(96, 3), Conv(96, 3)});
  return m.join({a, b, c, m.averaged(pooled)});
}

static Value middle3(GraphBuilder &g, const Twine &name, Value x,
                     int64_t width) {
  Module m(g, name, x);
  Value a = m.chain({Conv(192, 1)});
  Value b = m.chain({Conv(width, 1), Conv(width, 1, 7), Conv(192, 7, 1)});
  Value c = m.chain({Conv(width, 1), Conv(width, 7, 1), Conv(width, 1, 7),
                     Conv(width, 7, 1), Conv(192, 1, 7)});
  return m.join({a, b, c, m.averaged(192)});
}

static Value coarse3(GraphBuilder &g, const Twine &name, Value x) {
  Module m(g, name, x);
  Module::Values branches = {m.chain({Conv(320, 1)})};
  m.addCross(branches, m.chain({Conv(384, 1)}), 384);
  m.addCross(branches, m.chain({Conv(448, 1), Conv(384, 3)}), 384);
  branches.push_back(m.averaged(192));
  return m.join(branches);
}

Outputs buildInceptionV3(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.maxPool("stem2", stem(g, size), 3, 2);
  x = Module(g, "stem3", x).chain({Conv(80, 1), Conv(192, 3).pad(0)});
  x = g.maxPool("stem4", x, 3, 2);
  x = fine3(g, "fine1", x, 32);
  x = fine3(g, "fine2", x, 64);
  x = fine3(g, "fine3", x, 64);
  {
    Module m(g, "to17", x);
    Value a = m.chain({halving(384)});
    Value b = m.chain({Conv(64, 1), Conv(96, 3), halving(96)});
    x = m.join({a, b, m.halved()});
  }
  static constexpr int64_t kWidths[] = {128, 160, 160, 192};
  for (auto [index, width] : llvm::enumerate(kWidths))
    x = middle3(g, "middle" + Twine(index + 1), x, width);
  {
    Module m(g, "to8", x);
    Value a = m.chain({Conv(192, 1), halving(320)});
    Value b =
        m.chain({Conv(192, 1), Conv(192, 1, 7), Conv(192, 7, 1), halving(192)});
    x = m.join({a, b, m.halved()});
  }
  x = coarse3(g, "coarse1", x);
  x = coarse3(g, "coarse2", x);
  return {classify(g, x)};
}

//===----------------------------------------------------------------------===//
// Version 4
//===----------------------------------------------------------------------===//

static Value stem4(GraphBuilder &g, const NetworkSize &size) {
  Value x = stem(g, size);
  Module first(g, "stem2", x);
  Value a = first.halved();
  x = first.join({a, first.chain({halving(96)})});
  Module second(g, "stem3", x);
  a = second.chain({Conv(64, 1), Conv(96, 3).pad(0)});
  Value b = second.chain(
      {Conv(64, 1), Conv(64, 1, 7), Conv(64, 7, 1), Conv(96, 3).pad(0)});
  x = second.join({a, b});
  Module third(g, "stem4", x);
  a = third.chain({halving(192)});
  return third.join({a, third.halved()});
}

static Value fine4(GraphBuilder &g, const Twine &name, Value x) {
  Module m(g, name, x);
  Value a = m.chain({Conv(96, 1)});
  Value b = m.chain({Conv(64, 1), Conv(96, 3)});
  Value c = m.chain({Conv(64, 1), Conv(96, 3), Conv(96, 3)});
  return m.join({a, b, c, m.averaged(96)});
}

static Value middle4(GraphBuilder &g, const Twine &name, Value x) {
  Module m(g, name, x);
  Value a = m.chain({Conv(384, 1)});
  Value b = m.chain({Conv(192, 1), Conv(224, 1, 7), Conv(256, 7, 1)});
  Value c = m.chain({Conv(192, 1), Conv(192, 7, 1), Conv(224, 1, 7),
                     Conv(224, 7, 1), Conv(256, 1, 7)});
  return m.join({a, b, c, m.averaged(128)});
}

static Value coarse4(GraphBuilder &g, const Twine &name, Value x) {
  Module m(g, name, x);
  Module::Values branches = {m.chain({Conv(256, 1)})};
  m.addCross(branches, m.chain({Conv(384, 1)}), 256);
  m.addCross(branches,
             m.chain({Conv(384, 1), Conv(448, 3, 1), Conv(512, 1, 3)}), 256);
  branches.push_back(m.averaged(256));
  return m.join(branches);
}

Outputs buildInceptionV4(GraphBuilder &g, const NetworkSize &size) {
  Value x = stem4(g, size);
  for (int i = 1; i <= 4; ++i)
    x = fine4(g, "fine" + Twine(i), x);
  {
    Module m(g, "to17", x);
    Value a = m.chain({halving(384)});
    Value b = m.chain({Conv(192, 1), Conv(224, 3), halving(256)});
    x = m.join({a, b, m.halved()});
  }
  for (int i = 1; i <= 7; ++i)
    x = middle4(g, "middle" + Twine(i), x);
  {
    Module m(g, "to8", x);
    Value a = m.chain({Conv(192, 1), halving(192)});
    Value b =
        m.chain({Conv(256, 1), Conv(256, 1, 7), Conv(320, 7, 1), halving(320)});
    x = m.join({a, b, m.halved()});
  }
  for (int i = 1; i <= 3; ++i)
    x = coarse4(g, "coarse" + Twine(i), x);
  return {classify(g, x)};
}

} // namespace tpu_mlir::model_builder
