//===- MaxFlow.cpp - The largest flow through a network -------------------===//

#include "tpu_mlir/Support/MaxFlow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace tpu_mlir {

using Traits =
    boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, int64_t,
                    boost::property<boost::edge_residual_capacity_t, int64_t,
                                    boost::property<boost::edge_reverse_t,
                                                    Traits::edge_descriptor>>>>;

struct MaxFlow::Network {
  Graph graph;
};

MaxFlow::MaxFlow(int vertices)
    : network(new Network{Graph(static_cast<size_t>(vertices))}) {}
MaxFlow::~MaxFlow() = default;
MaxFlow::MaxFlow(MaxFlow &&) noexcept = default;
MaxFlow &MaxFlow::operator=(MaxFlow &&) noexcept = default;

void MaxFlow::connect(int from, int to, int64_t capacity) {
  Graph &graph = network->graph;
  const auto edge = boost::add_edge(from, to, graph).first;
  const auto back = boost::add_edge(to, from, graph).first;
  boost::put(boost::edge_capacity, graph, edge, capacity);
  boost::put(boost::edge_capacity, graph, back, 0);
  boost::put(boost::edge_reverse, graph, edge, back);
  boost::put(boost::edge_reverse, graph, back, edge);
}

int64_t MaxFlow::largest(int source, int sink) {
  return boost::push_relabel_max_flow(network->graph, source, sink);
}

} // namespace tpu_mlir
