//===- RandomWiring.cpp - Graphs that chance has wired ------------------===//

#include "lib/ModelBuilder/Graphs/RandomWiring.h"

#include <algorithm>

namespace tpu_mlir::graphs {

namespace {

/// What the twister is begun with by a key of words: `init_by_array` of its
/// authors. std::mt19937 takes its state from such a thing.
class KeySequence {
public:
  using result_type = uint32_t;
  explicit KeySequence(std::vector<uint32_t> key) : key(std::move(key)) {}

  template <class Iterator> void generate(Iterator begin, Iterator end) const {
    const std::vector<uint32_t> words = state(end - begin);
    std::copy(words.begin(), words.end(), begin);
  }

private:
  std::vector<uint32_t> state(size_t count) const;
  std::vector<uint32_t> key;
};

} // namespace

std::vector<uint32_t> KeySequence::state(size_t count) const {
  std::vector<uint32_t> words(count);
  const auto mixed = [&](size_t at, uint32_t factor) {
    return (words[at] ^ (words[at] >> 30)) * factor;
  };
  words[0] = 19650218;
  for (size_t i = 1; i < count; ++i)
    words[i] = mixed(i - 1, 1812433253) + static_cast<uint32_t>(i);
  // The first word is the one before the second, and after the last.
  size_t at = 1;
  const auto advance = [&] {
    if (++at == count) {
      words[0] = words[count - 1];
      at = 1;
    }
  };
  for (size_t i = 0; i < std::max(count, key.size()); ++i) {
    const size_t word = i % key.size();
    words[at] = (words[at] ^ mixed(at - 1, 1664525)) + key[word] +
                static_cast<uint32_t>(word);
    advance();
  }
  for (size_t i = 1; i < count; ++i) {
    words[at] =
        (words[at] ^ mixed(at - 1, 1566083941)) - static_cast<uint32_t>(at);
    advance();
  }
  words[0] = uint32_t(1) << 31;
  return words;
}

static std::mt19937 begun(uint64_t seed) {
  std::vector<uint32_t> key = {static_cast<uint32_t>(seed)};
  if (seed >> 32)
    key.push_back(static_cast<uint32_t>(seed >> 32));
  KeySequence sequence(std::move(key));
  return std::mt19937(sequence);
}

PythonRandom::PythonRandom(uint64_t seed) : engine(begun(seed)) {}

uint32_t PythonRandom::bits(int count) {
  return static_cast<uint32_t>(engine()) >> (32 - count);
}

double PythonRandom::real() {
  const double high = bits(27), low = bits(26);
  return (high * 67108864 + low) / 9007199254740992;
}

uint32_t PythonRandom::below(uint32_t limit) {
  int count = 1;
  while (count < 32 && limit >> count)
    ++count;
  uint32_t number = bits(count);
  while (number >= limit)
    number = bits(count);
  return number;
}

Wiring wattsStrogatz(int nodes, int neighbours, double probability,
                     uint64_t seed) {
  std::vector<std::vector<bool>> knows(nodes, std::vector<bool>(nodes));
  const auto setEdge = [&](int a, int b, bool isThere) {
    knows[a][b] = knows[b][a] = isThere;
  };
  for (int node = 0; node < nodes; ++node)
    for (int ahead = 1; ahead <= neighbours / 2; ++ahead)
      setEdge(node, (node + ahead) % nodes, true);
  PythonRandom random(seed);
  for (int node = 0; node < nodes; ++node)
    for (int ahead = 1; ahead <= neighbours / 2; ++ahead) {
      if (random.real() >= probability)
        continue;
      std::vector<int> others;
      for (int other = 0; other < nodes; ++other)
        if (other != node && !knows[node][other])
          others.push_back(other);
      const int moved =
          others[random.below(static_cast<uint32_t>(others.size()))];
      setEdge(node, (node + ahead) % nodes, false);
      setEdge(node, moved, true);
    }
  Wiring wiring(nodes);
  for (int node = 0; node < nodes; ++node)
    for (int before = 0; before < node; ++before)
      if (knows[before][node])
        wiring[node].push_back(before);
  return wiring;
}

Wiring smallRandWire(uint64_t seed) { return wattsStrogatz(32, 4, 0.75, seed); }

std::vector<int> sinksOf(const Wiring &wiring) {
  std::vector<bool> isRead(wiring.size());
  for (const std::vector<int> &inputs : wiring)
    for (int input : inputs)
      isRead[input] = true;
  std::vector<int> sinks;
  for (size_t node = 0; node < wiring.size(); ++node)
    if (!isRead[node])
      sinks.push_back(static_cast<int>(node));
  return sinks;
}

} // namespace tpu_mlir::graphs
