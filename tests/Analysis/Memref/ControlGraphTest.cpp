//===- ControlGraphTest.cpp - Where control goes --------------------------===//

#include "tpu_mlir/Analysis/Memref/ControlGraph.h"
#include "tests/Analysis/Memref/MarkedFunction.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

/// "from>to" of all edges, sorted.
std::string edgesOf(const ControlGraph &graph) {
  std::vector<std::string> edges;
  for (int i = 0; i < graph.edgeCount(); ++i)
    edges.push_back(std::to_string(graph.edge(i).from) + ">" +
                    std::to_string(graph.edge(i).to));
  llvm::sort(edges);
  return llvm::join(edges, " ");
}

constexpr const char *kBranch = R"(
    "test.other"() {t = "a"} : () -> ()
    scf.if %p {
      "test.other"() {t = "b"} : () -> ()
    } else {
      "test.other"() {t = "c"} : () -> ()
    } {t = "if"}
    "test.other"() {t = "d"} : () -> ()
    return)";

TEST(ControlGraph, CutsBlocksAfterOpsWithRegions) {
  Function f(kBranch);
  ASSERT_TRUE(f.module);
  const ControlGraph graph(f.function);
  auto nodeOf = [&](const char *mark) {
    return graph.pointOf(f.marks[mark]).node;
  };
  EXPECT_EQ(nodeOf("a"), nodeOf("if"));
  // What comes after the op has the number before those of its regions.
  EXPECT_EQ(edgesOf(graph), "0>2 0>3 2>1 3>1");
  EXPECT_EQ(nodeOf("d"), graph.behindRegions(nodeOf("if")));
  EXPECT_TRUE(graph.isOpen(f.marks["if"]));
  EXPECT_TRUE(graph.isInside(nodeOf("b"), &f.marks["if"]->getRegion(0)));
  EXPECT_FALSE(graph.isInside(nodeOf("c"), &f.marks["if"]->getRegion(0)));
}

TEST(ControlGraph, LeavesClosedOpsWhole) {
  Function f(kBranch);
  ASSERT_TRUE(f.module);
  const ControlGraph graph(
      f.function, [](Operation *op) { return op->getNumRegions() > 0; });
  EXPECT_EQ(edgesOf(graph), "");
  EXPECT_EQ(graph.pointOf(f.marks["a"]).node, graph.pointOf(f.marks["d"]).node);
  EXPECT_NE(graph.scopeOf(f.marks["b"]), graph.scopeOf(f.marks["a"]));
  EXPECT_EQ(graph.inScope(f.marks["b"], graph.scopeOf(f.marks["a"])),
            f.marks["if"]);
}

TEST(ControlGraph, GoesRoundLoops) {
  Function f(R"(
    scf.for %i = %lb to %ub step %s {
      "test.other"() : () -> ()
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(edgesOf(ControlGraph(f.function)), "0>1 0>2 2>1 2>2");
}

TEST(ControlGraph, HandsMemrefsOn) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    cf.cond_br %p, ^one(%a : !t), ^two
  ^one(%x: !t):
    cf.br ^two
  ^two:
    return)");
  ASSERT_TRUE(f.module);
  const ControlGraph graph(f.function);
  EXPECT_EQ(edgesOf(graph), "0>1 0>2 1>2");
  ASSERT_EQ(graph.edge(0).passes.size(), 1u);
  const MemrefPass &pass = graph.edge(0).passes.front();
  EXPECT_EQ(pass.operand->get(), f.allocs["a"].getResult());
  EXPECT_EQ(graph.definition(pass.target).node, 1);
}

} // namespace
} // namespace tpu_mlir
