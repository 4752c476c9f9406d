//===- EquivalenceTest.cpp - Networks compute the same when fused ---------===//
//
// Instances of every pattern, in every form that is drawn, become the layer
// that is meant, and near misses do not. Both, and random networks of many of
// them, are run before and after.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Tpu/TopFuse/Net.h"

#include "lib/Transforms/Tpu/TopFuse/Fuse.h"
#include "tpu_mlir/Interpreter/Interpreter.h"
#include "tpu_mlir/ModelBuilder/Models.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace tpu_mlir::execution;

namespace tpu_mlir::test {
namespace {

using Data = std::variant<std::vector<uint8_t>, std::string>;

/// Numbers between -2 and 2, the same for the same name, times `factor`.
std::vector<uint8_t> inputFor(const std::string &name,
                              const execution::TensorType &type, float factor) {
  uint64_t seed = 1469598103934665603u;
  for (char letter : name)
    seed = (seed ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  Draw draw(seed);
  std::vector<float> numbers(static_cast<size_t>(*type.elements()));
  for (float &number : numbers)
    number = static_cast<float>(draw.between(-2000, 2000)) / 1000 * factor;
  execution::Tensor tensor(type);
  store(llvm::ArrayRef<float>(numbers), tensor.span());
  return tensor.view().bytes.vec();
}

struct Ran {
  std::vector<std::vector<float>> outputs;
  std::vector<std::string> names;
  std::string error;
};

Ran run(ModuleOp module, llvm::ArrayRef<NpyArray> weights, float factor = 1) {
  RunOptions options;
  options.inArena = false;
  options.inputs = [&](llvm::ArrayRef<std::string> names,
                       const execution::TensorType &type) -> Data {
    return inputFor(names.front(), type, factor);
  };
  options.weights = [&](llvm::ArrayRef<std::string> names,
                        const execution::TensorType &type) -> Data {
    for (const NpyArray &array : weights)
      if (array.name == names.front()) {
        auto bytes = bytesFor(type, array);
        if (auto *error = std::get_if<NpzError>(&bytes))
          return error->message;
        return std::get<0>(bytes);
      }
    return "no weight '" + names.front() + "'";
  };
  Ran ran;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          ran.error += diagnostic.str() + "\n";
        return success();
      });
  auto result = runModule(module, options);
  if (failed(result)) {
    ran.error += "failed";
    return ran;
  }
  for (const RunOutput &output : result->outputs) {
    ran.outputs.push_back(floatsOf({output.type, output.bytes}));
    ran.names.push_back(output.name);
  }
  return ran;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().enableDebugInfo(true).useLocalScope());
  return text;
}

/// What is different; "" when it is the same but for rounding. `nudged` is what
/// came before of inputs that were rounded otherwise: what they change much,
/// such as a norm of nearly equal numbers, rounding inside does, too. One of
/// them may be rounded alike: of rows whose elements are all about 1 each norm
/// makes some hundred times their last bits, two norms a tenth.
std::string difference(const Ran &before, const Ran &after,
                       llvm::ArrayRef<Ran> nudged, double tolerance) {
  if (!before.error.empty() || !after.error.empty())
    return "before: " + before.error + " after: " + after.error;
  if (before.outputs.size() != after.outputs.size())
    return "outputs";
  for (size_t i = 0; i < before.outputs.size(); ++i) {
    if (before.outputs[i].size() != after.outputs[i].size())
      return "size of output " + std::to_string(i);
    double slack = 0;
    for (const Ran &other : nudged)
      for (size_t at = 0; at < before.outputs[i].size(); ++at)
        slack = std::fmax(slack, 100 * std::fabs(before.outputs[i][at] -
                                                 other.outputs[i][at]));
    for (size_t at = 0; at < before.outputs[i].size(); ++at) {
      const double a = before.outputs[i][at], b = after.outputs[i][at];
      if (!(std::fabs(a - b) <= tolerance + 2e-4 * std::fabs(a) + slack) &&
          a != b && !(std::isnan(a) && std::isnan(b)))
        return "output " + std::to_string(i) + "[" + std::to_string(at) +
               "] is " + std::to_string(b) + ", was " + std::to_string(a);
    }
  }
  return "";
}

int countOps(ModuleOp module, llvm::StringRef names) {
  int count = 0;
  llvm::SmallVector<llvm::StringRef> all;
  names.split(all, ' ');
  module.walk([&](Operation *op) {
    count += llvm::is_contained(all, op->getName().getStringRef());
  });
  return count;
}

Shape drawShape(Draw &draw) {
  return {draw.between(1, 2), 4 * draw.between(1, 2), 2 * draw.between(1, 3),
          2 * draw.between(1, 4)};
}

class Equivalence : public ::testing::Test {
protected:
  /// Fuses the network and looks whether it computes the same; the module that
  /// was made.
  OwningOpRef<ModuleOp> check(Net &net, OwningOpRef<ModuleOp> module,
                              const std::string &what) {
    const Ran before = run(*module, net.weights);
    std::vector<Ran> nudged;
    for (float ulps : {1.f, -1.f, 2.f, 3.f, 5.f, 7.f})
      nudged.push_back(run(*module, net.weights, 1 + ulps * 0x1p-23f));
    const std::string text = print(*module);
    fusion::fuseTop(*module, net.weights);
    const std::string fused = print(*module);
    EXPECT_TRUE(succeeded(verify(*module))) << what << "\n" << text << fused;
    EXPECT_EQ(difference(before, run(*module, net.weights), nudged, tolerance),
              "")
        << what << "\n"
        << text << fused;
    fusion::fuseTop(*module, net.weights);
    EXPECT_EQ(print(*module), fused) << what << ": a second time";
    return module;
  }

  void checkPattern(const Pattern &pattern, Miss miss, uint64_t seed) {
    const std::string what = pattern.name.str() + " seed " +
                             std::to_string(seed) + " miss " +
                             std::to_string(static_cast<int>(miss));
    Net net(context, seed);
    const Value x = net.input(drawShape(net.draw));
    const Value y = pattern.family(net, x, miss);
    auto module = net.finish(y);
    const std::string text = print(*module);
    module = check(net, std::move(module), what);
    EXPECT_EQ(countOps(*module, pattern.op),
              miss == Miss::No ? pattern.fused : pattern.unfused)
        << what << "\n"
        << text << print(*module);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  /// Absolute.
  double tolerance = 2e-4;
};

std::vector<Pattern> allPatterns() {
  std::vector<Pattern> all = functionPatterns();
  for (const Pattern &pattern : layerPatterns())
    all.push_back(pattern);
  return all;
}

TEST_F(Equivalence, EveryFormIsFused) {
  for (const Pattern &pattern : allPatterns())
    for (uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed)
      checkPattern(pattern, Miss::No, seed);
}

TEST_F(Equivalence, NearMissesAreNot) {
  for (const Pattern &pattern : allPatterns())
    for (Miss miss : pattern.misses)
      for (uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed)
        checkPattern(pattern, miss, seed);
}

/// Numbers for the weights of a network that somebody else made.
std::vector<NpyArray> weightsOf(ModuleOp module) {
  std::vector<NpyArray> weights;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "top.Weight")
      return;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    const execution::TensorType as{ElementType::F32,
                                   execution::Shape(type.getShape()), 1, 0};
    const std::string name =
        cast<NameLoc>(op->getLoc()).getName().getValue().str();
    weights.push_back(
        {name, "<f4", as.shape, inputFor(name, as, /*factor=*/0.05f)});
  });
  return weights;
}

TEST_F(Equivalence, BuiltNetworks) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ModelOptions options;
    options.model = "chain";
    options.ops = 30;
    options.seed = seed;
    auto built = buildModel(context, options);
    auto module = std::move(std::get<OwningOpRef<ModuleOp>>(built));
    std::vector<NpyArray> weights = weightsOf(*module);
    const Ran before = run(*module, weights);
    const int layers = countOps(*module, "top.Relu top.Add");
    fusion::fuseTop(*module, weights);
    EXPECT_TRUE(succeeded(verify(*module)));
    EXPECT_LE(countOps(*module, "top.Relu top.Add"), layers);
    EXPECT_EQ(difference(before, run(*module, weights), before, tolerance), "")
        << "seed " << seed;
  }
}

TEST_F(Equivalence, NetworksOfMany) {
  const std::vector<Pattern> all = allPatterns();
  const uint64_t count = seedCount(1500);
  // Rows that are all alike are rounding over the root of epsilon, each time.
  tolerance = 2e-3;
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    Net net(context, seed);
    std::string what = "seed " + std::to_string(seed);
    net.avoidsCancellation = true;
    Value x = net.input(drawShape(net.draw));
    for (int64_t left = net.draw.between(2, 8); left > 0; --left) {
      const Pattern &pattern =
          all[net.draw.between(0, static_cast<int64_t>(all.size()) - 1)];
      const bool misses = !pattern.misses.empty() && net.draw.chance(30);
      what += " " + pattern.name.str() + (misses ? "!" : "");
      x = pattern.family(
          net, x,
          misses ? pattern.misses[net.draw.between(
                       0, static_cast<int64_t>(pattern.misses.size()) - 1)]
                 : Miss::No);
      // Keep numbers small.
      x = net.unary("Sin", x);
    }
    auto module = net.finish(x);
    check(net, std::move(module), what);
  }
}

} // namespace
} // namespace tpu_mlir::test
