//===- BarrierTrafficTest.cpp - What moves once more at barriers ----------===//
//
// By hand, and never more than the cheapest way to run small networks element
// by element, which a search over all of them finds.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/LocalReport/BarrierTraffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <unordered_set>

namespace tpu_mlir::local_report {
namespace {

const std::vector<std::vector<int>> kAll = {{}}, kSame = {{0}};

/// Networks of vectors of bytes.
class Network {
public:
  int given(int64_t length) { return add(length, true); }
  int made(int64_t length) { return add(length, false); }
  void need(int operand, int result, std::vector<std::vector<int>> places) {
    graph.needs.push_back({operand, result, std::move(places)});
  }
  /// Each element depends on all of `operand`.
  int reduced(int operand, int64_t length = 1) {
    const int result = made(length);
    need(operand, result, kAll);
    return result;
  }
  int follows(int operand) {
    const int result = made(graph.values[operand].bytes);
    need(operand, result, kSame);
    return result;
  }
  /// Element by element, with the one element of `scale`.
  int scaled(int operand, int scale) {
    const int result = follows(operand);
    need(scale, result, kAll);
    return result;
  }
  void output(int value) { graph.values[value].isOutput = true; }

  NeedGraph graph;

private:
  int add(int64_t length, bool isGiven) {
    NeedValue value;
    value.bytes = length;
    value.shape = {length};
    value.isGiven = isGiven;
    graph.values.push_back(std::move(value));
    return static_cast<int>(graph.values.size()) - 1;
  }
};

TEST(BarrierTraffic, WhatIsScaledByItsOwnMeanIsLoadedAgain) {
  Network network;
  const int in = network.given(100);
  network.output(network.scaled(in, network.reduced(in)));
  EXPECT_EQ(barrierBytes(network.graph, 20), 60);
  EXPECT_EQ(barrierBytes(network.graph, 49), 2);
  EXPECT_EQ(barrierBytes(network.graph, 50), 0);
}

TEST(BarrierTraffic, WhatIsComputedIsStoredAndLoaded) {
  Network network;
  const int in = network.given(1000);
  // Ten elements of the input make one.
  const int sums = network.made(100);
  network.graph.values[in].shape = {100, 10};
  network.need(in, sums, {{0}, {}});
  const int out = network.scaled(sums, network.reduced(sums));
  const int last = network.follows(out);
  network.output(last);
  EXPECT_EQ(barrierBytes(network.graph, 20), 2 * 100 - 40);
}

TEST(BarrierTraffic, SmallInputsAreLoadedAgainInstead) {
  Network network;
  const int in = network.given(50);
  const int many = network.reduced(in, 1000);
  const int out = network.scaled(many, network.reduced(many));
  network.output(out);
  EXPECT_EQ(barrierBytes(network.graph, 20), 50 - 40);
}

TEST(BarrierTraffic, OutputsAreStoredAnyway) {
  Network network;
  const int in = network.given(1000);
  network.graph.values[in].shape = {100, 10};
  const int sums = network.made(100);
  network.need(in, sums, {{0}, {}});
  network.output(sums);
  network.output(network.scaled(sums, network.reduced(sums)));
  EXPECT_EQ(barrierBytes(network.graph, 20), 100 - 40);
}

TEST(BarrierTraffic, AnOutputUnderAnotherNameIsStoredAnyway) {
  Network network;
  const int in = network.given(1000);
  network.graph.values[in].shape = {100, 10};
  const int sums = network.made(100);
  network.need(in, sums, {{0}, {}});
  const int view = network.follows(sums);
  network.graph.values[view].isView = true;
  network.graph.copies.push_back({sums, view});
  network.output(view);
  const int out = network.scaled(sums, network.reduced(sums));
  network.output(out);
  EXPECT_EQ(barrierBytes(network.graph, 20), 100 - 40);
}

TEST(BarrierTraffic, WhatAnOutputIsCopiedFromIsStoredAnyway) {
  Network network;
  const int in = network.given(1000);
  network.graph.values[in].shape = {100, 10};
  const int sums = network.made(100);
  network.need(in, sums, {{0}, {}});
  // Parts of it, in two steps.
  const int part = network.made(60), half = network.made(30);
  network.graph.copies = {{sums, part}, {part, half}};
  network.output(half);
  network.output(network.scaled(sums, network.reduced(sums)));
  EXPECT_EQ(barrierBytes(network.graph, 20), 100 - 40);
}

TEST(BarrierTraffic, BarriersOneAfterTheOtherAddUp) {
  Network network;
  const int in = network.given(1000);
  network.graph.values[in].shape = {100, 10};
  int value = network.made(100);
  network.need(in, value, {{0}, {}});
  for (int i = 0; i < 3; ++i)
    value = network.scaled(value, network.reduced(value));
  network.output(network.follows(value));
  // What the first one stores the second one may load again, but then not what
  // is between them: 200, and again 200 of what only then is there.
  EXPECT_EQ(barrierBytes(network.graph, 20), 3 * (200 - 40) - 2 * 100);
}

TEST(BarrierTraffic, WhatNobodyNeedsIsNoBarrier) {
  Network network;
  const int in = network.given(100);
  network.scaled(in, network.reduced(in));
  network.output(network.follows(in));
  EXPECT_EQ(barrierBytes(network.graph, 20), 0);
}

TEST(BarrierTraffic, RowsOfTheirOwnAreNoBarrier) {
  Network network;
  const int in = network.given(100), out = network.made(100),
            mean = network.made(10);
  network.graph.values[in].shape = {10, 10};
  network.graph.values[out].shape = {10, 10};
  network.graph.values[mean].shape = {10, 1};
  network.need(in, mean, {{0}, {}});
  network.need(in, out, {{0}, {1}});
  network.need(mean, out, {{0}, {}});
  network.output(out);
  EXPECT_EQ(barrierBytes(network.graph, 20), 0);
}

TEST(BarrierTraffic, SumsThatLeave62BitsBoundNothing) {
  Network network;
  const int in = network.given(INT64_MAX / 4);
  network.output(network.scaled(in, network.reduced(in)));
  EXPECT_EQ(barrierBytes(network.graph, 20), 0);
  EXPECT_EQ(barrierBytes(network.graph, INT64_MAX), 0);
}

//===----------------------------------------------------------------------===//
// All ways to run a network
//===----------------------------------------------------------------------===//

/// One element, computed from at most two: sums are made one by one.
struct Element {
  std::vector<int> operands;
  bool isGiven = false, isOutput = false;
};

/// Loads and stores of the cheapest way with `slots` elements of memory, in
/// which a result may take the place of an operand.
class CheapestWay {
public:
  CheapestWay(const std::vector<Element> &elements, int slots)
      : elements(elements), slots(slots) {
    for (size_t i = 0; i < elements.size(); ++i) {
      given |= uint32_t(elements[i].isGiven) << i;
      outputs |= uint32_t(elements[i].isOutput) << i;
      operandsOf.push_back(0);
      for (int operand : elements[i].operands)
        operandsOf.back() |= uint32_t(1) << operand;
    }
  }

  int64_t run() {
    open = {{{0, given}, 0}};
    while (!open.empty()) {
      const auto [state, cost] = open.front();
      open.pop_front();
      const auto [memory, stored] = state;
      if (!known.insert(uint64_t(memory) << 32 | stored).second)
        continue;
      if ((stored & outputs) == outputs)
        return cost;
      for (size_t i = 0; i < elements.size(); ++i)
        addSteps(state, cost, i);
    }
    return -1;
  }

private:
  struct State {
    uint32_t memory = 0, stored = 0;
  };

  void addSteps(State state, int64_t cost, size_t element) {
    const uint32_t bit = uint32_t(1) << element;
    const bool isComputed =
        !elements[element].isGiven &&
        (state.memory & operandsOf[element]) == operandsOf[element];
    if (state.memory & bit) {
      if (!(state.stored & bit))
        open.push_back({{state.memory, state.stored | bit}, cost + 1});
      return;
    }
    if (state.stored & bit)
      put(state, bit, cost, 1);
    if (isComputed)
      put(state, bit, cost, 0);
  }

  /// Where there is room, or in the place of anything.
  void put(State state, uint32_t bit, int64_t cost, int price) {
    const auto add = [&](uint32_t memory) {
      const std::pair<State, int64_t> next = {{memory | bit, state.stored},
                                              cost + price};
      price ? open.push_back(next) : open.push_front(next);
    };
    if (__builtin_popcount(state.memory) < slots)
      return add(state.memory);
    for (uint32_t rest = state.memory; rest; rest &= rest - 1)
      add(state.memory & ~(rest & -rest));
  }

  const std::vector<Element> &elements;
  const int slots;
  uint32_t given = 0, outputs = 0;
  std::vector<uint32_t> operandsOf;
  std::deque<std::pair<State, int64_t>> open; ///< By cost.
  std::unordered_set<uint64_t> known;
};

/// Both views of one network.
struct Both {
  Network tensors;
  std::vector<Element> elements;

  std::vector<int> add(int count, bool isGiven) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(static_cast<int>(elements.size()));
      elements.push_back({{}, isGiven, false});
    }
    return ids;
  }
  int add(std::vector<int> operands) {
    elements.push_back({std::move(operands), false, false});
    return static_cast<int>(elements.size()) - 1;
  }
  int sum(const std::vector<int> &of) {
    int sum = of[0];
    for (size_t i = 1; i < of.size(); ++i)
      sum = add({sum, of[i]});
    return sum;
  }
};

/// `length` elements, each of `terms` given ones, all divided by their sum.
Both normalised(int64_t length, int64_t terms, bool isMiddleOutput) {
  Both both;
  const int in = both.tensors.given(length * terms);
  const std::vector<int> from =
      both.add(static_cast<int>(length * terms), true);
  std::vector<int> made = from;
  int tensor = in;
  if (terms > 1) {
    both.tensors.graph.values[in].shape = {length, terms};
    tensor = both.tensors.made(length);
    both.tensors.need(in, tensor, {{0}, {}});
    made.clear();
    for (int64_t i = 0; i < length; ++i)
      made.push_back(
          both.sum({from.begin() + i * terms, from.begin() + (i + 1) * terms}));
    if (isMiddleOutput) {
      both.tensors.output(tensor);
      for (int each : made)
        both.elements[each].isOutput = true;
    }
  }
  both.tensors.output(
      both.tensors.scaled(tensor, both.tensors.reduced(tensor)));
  const int sum = both.sum(made);
  for (int each : made)
    both.elements[both.add({each, sum})].isOutput = true;
  return both;
}

TEST(BarrierTraffic, NeverMoreThanTheCheapestWay) {
  int above = 0;
  for (const auto &[length, terms, isOutput, slots] :
       std::vector<std::tuple<int, int, bool, int>>{{3, 1, false, 2},
                                                    {5, 1, false, 2},
                                                    {6, 1, false, 2},
                                                    {6, 1, false, 3},
                                                    {3, 2, false, 2},
                                                    {4, 2, false, 2},
                                                    {3, 2, true, 2},
                                                    {3, 2, false, 3}}) {
    const Both both = normalised(length, terms, isOutput);
    int64_t once = 0;
    for (const Element &element : both.elements)
      once += element.isGiven + element.isOutput;
    const int64_t more = barrierBytes(both.tensors.graph, slots);
    const int64_t least = CheapestWay(both.elements, slots).run();
    EXPECT_LE(once + more, least) << length << " x " << terms;
    above += more > 0;
  }
  EXPECT_EQ(above, 4);
}

} // namespace
} // namespace tpu_mlir::local_report
