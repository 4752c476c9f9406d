//===- FuzzCorpusTest.cpp - The fuzz entries on a few hundred inputs ------===//
//
// The fuzzers run by hand; this keeps what they would run into working. Inputs
// are mutations of good ones, the same in every run.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/Entries.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace tpu_mlir::planning;

namespace {

constexpr int64_t kInputs = 200;

class Mutator {
public:
  explicit Mutator(std::vector<std::string> words) : words(std::move(words)) {}

  std::string mutate(std::string text) {
    for (int64_t left = below(4); left > 0; --left)
      change(text);
    return text;
  }
  std::string randomBytes(int64_t count) {
    std::string text;
    for (; count > 0; --count)
      text += char(below(256));
    return text;
  }
  int64_t below(int64_t count) { return int64_t(engine() % uint64_t(count)); }

private:
  void change(std::string &text) {
    const size_t at = size_t(below(int64_t(text.size()) + 1));
    const size_t length = size_t(below(6));
    switch (below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, words[size_t(below(int64_t(words.size())))]);
      break;
    case 2:
      text.insert(at, text.substr(size_t(below(int64_t(at) + 1)), 4 * length));
      break;
    case 3:
      if (at < text.size())
        text[at] = char(below(256));
      break;
    default:
      text.replace(at, length, words[size_t(below(int64_t(words.size())))]);
    }
  }

  std::mt19937_64 engine{1};
  std::vector<std::string> words;
};

/// Runs a corpus; both outcomes must occur, or it would show little.
class Tally {
public:
  void add(const FuzzOutcome &outcome, const std::string &input) {
    EXPECT_EQ(outcome.broken, "") << testing::PrintToString(input);
    ++(outcome.isProblem ? problems : errors);
  }
  int64_t problems = 0, errors = 0;
};

TEST(FuzzCorpus, ProblemCsv) {
  const std::vector<std::string> seeds = {
      "id,lower,upper,size\na,0,3,4\nb,3,9,4\n",
      "\xEF\xBB\xBFsize,upper,lower,id\r\n4,3,0,\"a,\"\"x\"\"\"\r\n\r\n7,9,1,"
      "b\r\n",
      "id,lower,upper,size,alignment,gaps,offset\na,0,10,4,8,3-5 7-8,16\n"
      "b,3,9,4,,,\n",
      "id,offset\na,0\nb,4\n",
      "offset,id,pool\n7,b,memory\n3,a,memory\n",
      ""};
  Mutator mutator({",",
                   "\n",
                   "\r\n",
                   "\"",
                   "-1",
                   "9223372036854775807",
                   "9223372036854775808",
                   "1e3",
                   "0x1",
                   "+1",
                   "id",
                   "gaps",
                   " ",
                   "\t",
                   std::string(1, '\0'),
                   "\xC3",
                   "\xC3\xA4",
                   "3-5",
                   "hint",
                   "@"});
  Tally tally;
  for (int64_t i = 0; i < kInputs; ++i) {
    const std::string input = mutator.mutate(seeds[size_t(i) % seeds.size()]);
    tally.add(fuzzProblemCsv(input), input);
  }
  EXPECT_GT(tally.problems, 30);
  EXPECT_GT(tally.errors, 30);
}

TEST(FuzzCorpus, ProblemJson) {
  const std::vector<std::string> seeds = {
      R"({"version":1,"buffers":[{"name":"a","sizeBytes":4,"lifespans":[[0,3]]}]})",
      R"({"version":1,"name":"p","period":9,"pools":[{"name":"m","baseAddress":
"0x1000","capacityBytes":64,"alignment":8,"accessCost":2},{"name":"n"}],
"buffers":[{"name":"a","kind":"input","sizeBytes":8,"alignment":4,"lifespans":
[[0,2],[3,5]],"readSteps":[1,4],"pools":["m","n"],"pin":{"pool":"m",
"offsetBytes":8}},{"name":"b","location":"x:1","sizeBytes":4,"lifespans":
[[0,2]],"pools":["m","n"]},{"name":"c","sizeBytes":0,"lifespans":[[8,9]]}],
"aliases":[{"member":"b","root":"a","offsetBytes":4}],
"forbiddenSharing":[["a","c"]]})",
      R"({"version":1,"buffers":[]})",
      R"({"version":1,"strategy":"x","proof":"none","pools":[],"placements":[]})"};
  Mutator mutator({"{", "}", "[", "]", ",", ":", "\"", "null", "true", "-1",
                   "1.5", "1e400", "9223372036854775808", "\"a\"", "\\u0000",
                   "\\ud800", "\xFF", "\"pools\":[],", "\"period\":0,"});
  Tally tally;
  for (int64_t i = 0; i < kInputs; ++i) {
    const std::string input = mutator.mutate(seeds[size_t(i) % seeds.size()]);
    tally.add(fuzzProblemJson(input), input);
  }
  EXPECT_GT(tally.problems, 30);
  EXPECT_GT(tally.errors, 30);
}

TEST(FuzzCorpus, SolveValidate) {
  Mutator mutator({""});
  Tally tally;
  for (int64_t i = 0; i < kInputs; ++i) {
    const std::string input = mutator.randomBytes(mutator.below(160));
    tally.add(fuzzSolveValidate(input), input);
  }
  EXPECT_GT(tally.problems, 150);
}

} // namespace
