//===- RandomWiring.h - Random graphs as networks ---------------*- C++ -*-===//
//
// Xie, Kirillov, Girshick, He: "Exploring Randomly Wired Neural Networks for
// Image Recognition", 2019: a graph is drawn, and its edges point from the
// lower number to the higher. Drawn with the numbers of Python's module
// `random`, so that a seed names the graph that it names there.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_GRAPHS_RANDOMWIRING_H
#define TPU_MLIR_LIB_MODELBUILDER_GRAPHS_RANDOMWIRING_H

#include <cstdint>
#include <random>
#include <vector>

namespace tpu_mlir::graphs {

/// The numbers of Python's random.Random(seed) for a whole seed: the Mersenne
/// twister of Matsumoto and Nishimura, begun with the words of the seed as its
/// key.
class PythonRandom {
public:
  explicit PythonRandom(uint64_t seed);

  /// In [0, 1), as random() gives it.
  double real();
  /// In [0, limit), as choice() takes it; the limit is 1 to 2^32 - 1.
  uint32_t below(uint32_t limit);

private:
  uint32_t bits(int count);
  std::mt19937 engine;
};

/// For each node those that it reads, ascending.
using Wiring = std::vector<std::vector<int>>;

/// Watts, Strogatz: "Collective dynamics of small-world networks", 1998: a ring
/// in which each node knows its `neighbours` next ones, half of them on either
/// side. Node by node the edges that go ahead are moved, each with
/// `probability`, to a node that is no neighbour yet. `neighbours` is even, and
/// there are more than twice as many nodes.
Wiring wattsStrogatz(int nodes, int neighbours, double probability,
                     uint64_t seed);

/// That of the network in the small regime of the paper: 32 nodes, 4
/// neighbours, probability 0.75.
Wiring smallRandWire(uint64_t seed);

/// The nodes that no other one reads, ascending.
std::vector<int> sinksOf(const Wiring &wiring);

} // namespace tpu_mlir::graphs

#endif // TPU_MLIR_LIB_MODELBUILDER_GRAPHS_RANDOMWIRING_H
