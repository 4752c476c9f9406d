//===- OnnxCorpusTest.cpp - The importer on models that are a little wrong ===//
//
// Fields of networks, and of the models of ONNX's own test suite where Debian's
// package has put them, are changed; nothing may break, and both outcomes must
// occur.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/Entries.h"
#include "tests/fuzz/OnnxMutator.h"

#include "tpu_mlir/Import/LightNetworks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

struct Tally {
  int64_t networks = 0, errors = 0;

  void add(const std::string &bytes, const std::string &what) {
    const FuzzOutcome outcome = fuzzOnnxImport(bytes);
    EXPECT_EQ(outcome.broken, "") << what;
    ++(outcome.isProblem ? networks : errors);
  }
};

TEST(OnnxCorpus, LightNetworks) {
  Tally tally;
  for (const char *name : {"light_squeezenet", "light_shufflenet"}) {
    const std::string bytes = *importer::buildLightNetwork(name, 1);
    EXPECT_TRUE(fuzzOnnxImport(bytes).isProblem) << name;
    for (uint64_t seed = 0; seed < 100; ++seed)
      tally.add(mutateOnnx(bytes, seed), name + std::to_string(seed));
    for (size_t end = 0; end < bytes.size(); end += 997)
      tally.add(bytes.substr(0, end), name);
  }
  EXPECT_GT(tally.networks, 10);
  EXPECT_GT(tally.errors, 10);
}

TEST(OnnxCorpus, ModelsOfTheTestSuite) {
  std::set<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           "/usr/share/libonnx-testdata/data"))
    if (entry.path().filename() == "model.onnx")
      files.insert(entry.path().string());
  EXPECT_GT(files.size(), 1000u);
  Tally tally;
  for (const std::string &path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (uint64_t seed = 0; seed < 3 && bytes.size() < 100'000; ++seed)
      tally.add(mutateOnnx(bytes, seed), path + std::to_string(seed));
  }
  EXPECT_GT(tally.networks, 10);
  EXPECT_GT(tally.errors, 100);
}

} // namespace
