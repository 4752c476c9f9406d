//===- ArtefactsRunTest.cpp - Generated files, compiled and run -----------===//

#include "tests/Report/ArtefactsWalk.h"

#include "tests/property/planning/RandomProblems.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Report/ArtefactReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::report;
using testing::HasSubstr;

namespace {

using Files = std::vector<ArtefactFile>;

std::optional<Plan> planOf(const Problem &problem) {
  SolveOptions options;
  options.nodeLimit = 1000;
  SolveResult result = solve(problem, options);
  if (auto *plan = std::get_if<Plan>(&result))
    return std::move(*plan);
  return std::nullopt;
}

Files filesOf(const std::vector<ArtefactModel> &models,
              const ArtefactOptions &options) {
  ArtefactResult result = renderArtefacts(models, options);
  if (const auto *error = std::get_if<ArtefactError>(&result)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<Files>(result);
}

Buffer buffer(const std::string &name, int64_t sizeBytes, Interval life,
              PoolId pool = 0, BufferKind kind = BufferKind::Activation) {
  Buffer made;
  made.name = name;
  made.kind = kind;
  made.sizeBytes = sizeBytes;
  made.alignment = 16;
  made.lifespans = {life};
  made.pools = {pool};
  return made;
}

/// Inputs and outputs of both sorts, two workspaces, parameters, an alias.
Problem network() {
  Problem problem;
  problem.name = "net";
  problem.pools.resize(4);
  const char *names[] = {"dtcm", "sram", "flash", "io"};
  for (size_t i = 0; i < 4; ++i)
    problem.pools[i].name = names[i];
  problem.pools[0].capacityBytes = 1024;
  problem.pools[1].alignment = 64;
  problem.pools[2].access = PoolAccess::ReadOnly;
  problem.buffers = {
      buffer("image", 300, {0, 2}, 0, BufferKind::Input),
      buffer("126_conv", 500, {1, 4}),
      buffer("int", 200, {2, 5}),
      buffer("skip", 3000, {1, 6}, 1),
      buffer("scratch", 5000, {2, 3}, 1, BufferKind::Scratch),
      buffer("prob", 100, {4, 7}, 0, BufferKind::Output),
      buffer("w1", 100, {0, 7}, 2, BufferKind::Weight),
      buffer("w2", 77, {0, 7}, 2, BufferKind::Weight),
      buffer("state", 20, {0, 7}, 3, BufferKind::Input),
      buffer("state_out", 20, {0, 7}, 3, BufferKind::Output),
      buffer("view", 64, {2, 4}, 0),
  };
  problem.aliases = {{10, 1, 128}};
  return problem;
}

/// Compiles the files of these prefixes and their walks; runs the program.
int buildAndRun(const Workshop &shop, const std::string &compiler,
                const std::string &sources) {
  if (shop.run(compiler + sources + " -o walk") != 0)
    return -1;
  return shop.run("./walk");
}

class OneModel : public testing::Test {
protected:
  void make(const ArtefactOptions &options) {
    const Files files = filesOf({{"net", &problem, &plan, ""}}, options);
    ASSERT_FALSE(files.empty());
    shop.write(files);
    shop.write("walk.c", walkOf(files.back().contents));
    shop.write("main.c", mainOf({"net"}));
  }
  const Problem problem = network();
  const Plan plan = planOf(problem).value();
  ArtefactOptions options{"net", {}, {"io"}, {}, {}};
  Workshop shop;
};

TEST_F(OneModel, KeepsEveryTensorInTheApplicationsBlocks) {
  make(options);
  for (const char *compiler : {kC99, kCpp17})
    EXPECT_EQ(buildAndRun(shop, compiler, "walk.c main.c"), 0) << shop.output;
}

TEST_F(OneModel, KeepsEveryTensorInBlocksOfItsOwn) {
  options.internalPools = {"dtcm", "sram", "flash"};
  options.sections = {{"dtcm", ".bss.dtcm"}, {"flash", ".rodata.flash"}};
  options.data = {{"flash", parameterBytes(plan.pools[2].usedBytes)}};
  make(options);
  for (const char *compiler :
       {kC99, kCpp17, "/usr/bin/gcc -std=c11 -Wall -Wextra -Werror -pedantic "})
    EXPECT_EQ(buildAndRun(shop, compiler, "walk.c main.c net.c"), 0)
        << shop.output;
  EXPECT_EQ(shop.run("/usr/bin/gcc -std=c99 -c net.c && objdump -h net.o"), 0);
  EXPECT_THAT(shop.output, HasSubstr(" .bss.dtcm "));
  EXPECT_THAT(shop.output, HasSubstr(" .rodata.flash "));
  // C and C++ together.
  EXPECT_EQ(shop.run("/usr/bin/gcc -std=c99 -c net.c -o c.o && /usr/bin/g++ "
                     "-x c++ walk.c main.c -x none c.o -o both && ./both"),
            0)
      << shop.output;
}

TEST_F(OneModel, ParametersMayBeTheApplications) {
  options.internalPools = {"flash"};
  make(options);
  EXPECT_NE(buildAndRun(shop, kC99, "walk.c main.c net.c"), 0);
  EXPECT_THAT(shop.output, HasSubstr("net_flash"));
  std::string bytes;
  for (char byte : parameterBytes(plan.pools[2].usedBytes))
    bytes += std::to_string(int(uint8_t(byte))) + ",";
  shop.write("weights.c", "#include \"net.h\"\nconst uint8_t net_flash["
                          "NET_FLASH_PARAMETER_SIZE] = {" +
                              bytes + "};\n");
  EXPECT_EQ(buildAndRun(shop, kC99, "walk.c main.c net.c weights.c"), 0)
      << shop.output;
}

std::string offsetLine(const std::string &macro, int64_t bytes) {
  return "#define " + macro + "_OFFSET UINT64_C(" + std::to_string(bytes) +
         ")\n";
}

TEST_F(OneModel, TheWalkNoticesAnOverlap) {
  make(options);
  ASSERT_TRUE(shop.replace(
      "net.h", offsetLine("NET_SKIP", plan.placements[3].offsetBytes),
      offsetLine("NET_SKIP", plan.placements[4].offsetBytes)));
  EXPECT_EQ(buildAndRun(shop, kC99, "walk.c main.c"), 1);
  EXPECT_THAT(shop.output, HasSubstr("is spoiled"));
}

TEST_F(OneModel, WhatDoesNotFitOrIsNotAlignedDoesNotCompile) {
  make(options);
  const std::string was =
      offsetLine("NET_SKIP", plan.placements[3].offsetBytes);
  const int64_t end = plan.pools[1].usedBytes;
  const std::pair<int64_t, const char *> wrong[] = {
      {end / 64 * 64, "net_check_skip_fits"},
      {INT64_MAX / 64 * 64, "net_check_skip_fits"},
      {8, "net_check_skip_aligned"}};
  for (const auto &[offset, check] : wrong) {
    ASSERT_TRUE(shop.replace("net.h", was, offsetLine("NET_SKIP", offset)));
    for (const char *compiler :
         {kC99, kCpp17, "/usr/bin/gcc -std=c11 -Werror "}) {
      EXPECT_NE(shop.run(std::string(compiler) + "-fsyntax-only walk.c"), 0);
      EXPECT_THAT(shop.output, HasSubstr(check));
    }
    ASSERT_TRUE(shop.replace("net.h", offsetLine("NET_SKIP", offset), was));
  }
  EXPECT_EQ(shop.run(std::string(kC99) + "-fsyntax-only walk.c"), 0);
}

TEST_F(OneModel, SizesCountOnThirtyTwoBits) {
  options.internalPools = {"dtcm", "sram"};
  make(options);
  const std::string compiler =
      "/usr/bin/gcc -m32 -ffreestanding -std=c99 -Wall -Wextra -Werror "
      "-pedantic -c net.c";
  EXPECT_EQ(shop.run(compiler), 0) << shop.output;
  const std::string used = std::to_string(plan.pools[1].usedBytes);
  ASSERT_TRUE(shop.replace("net.h", "WORKSPACE_SIZE UINT64_C(" + used,
                           "WORKSPACE_SIZE UINT64_C(5000000000"));
  EXPECT_NE(shop.run(compiler), 0);
  EXPECT_THAT(shop.output, HasSubstr("net_check_pool_sram"));
}

/// Without weights: in workspaces models planned apart cannot have them.
Problem withoutWeights(Problem problem) {
  for (Buffer &one : problem.buffers)
    if (one.kind == BufferKind::Weight)
      one.kind = BufferKind::Scratch;
  return problem;
}

class TwoModels : public testing::Test {
protected:
  TwoModels() {
    second.buffers[1].sizeBytes = 450;
    second.buffers[3].sizeBytes = 9000;
    second.buffers.push_back(buffer("extra", 700, {3, 5}, 1));
  }
  int run(const std::vector<ArtefactModel> &models) {
    const Files files = filesOf(models, options);
    if (files.empty())
      return -1;
    header = files.front().contents;
    shop.write(files);
    shop.write("walk.c", walkOf(files.back().contents));
    shop.write("main.c", mainOf({"app"}));
    const std::string source = options.internalPools.empty() ? "" : " app.c";
    for (const char *compiler : {kC99, kCpp17})
      if (int code = buildAndRun(shop, compiler, "walk.c main.c" + source))
        return code;
    return 0;
  }
  const Problem first = network();
  Problem second = network();
  ArtefactOptions options{"app", {}, {"io"}, {}, {}};
  std::string header;
  Workshop shop;
};

TEST_F(TwoModels, PlannedApartRunAfterEachOtherInTheLarger) {
  const Plan a = planOf(first).value(), b = planOf(second).value();
  const std::vector<ArtefactModel> models = {{"one", &first, &a, ""},
                                             {"two", &second, &b, ""}};
  EXPECT_EQ(run(models), 0) << shop.output;
  const int64_t larger = std::max(a.pools[1].usedBytes, b.pools[1].usedBytes);
  EXPECT_THAT(header, HasSubstr("#define APP_SHARED_SRAM_SIZE UINT64_C(" +
                                std::to_string(larger) + ")\n"));
  options.internalPools = {"dtcm", "sram"};
  EXPECT_EQ(run(models), 0) << shop.output;
}

TEST_F(TwoModels, PlannedTogetherRunAfterEachOther) {
  const Problem all =
      std::get<Problem>(combineInSequence({{"one", &first}, {"two", &second}}));
  const Plan plan = planOf(all).value();
  const std::vector<ArtefactModel> models = {{"one", &all, &plan, "one/"},
                                             {"two", &all, &plan, "two/"}};
  EXPECT_EQ(run(models), 0) << shop.output;
  // One after the other they take no more than the larger one alone.
  const Plan alone = planOf(second).value();
  EXPECT_EQ(plan.pools[1].usedBytes, alone.pools[1].usedBytes);
  EXPECT_THAT(header,
              HasSubstr("#define APP_SHARED_SRAM_SIZE UINT64_C(" +
                        std::to_string(plan.pools[1].usedBytes) + ")\n"));
  options.internalPools = {"dtcm", "sram", "flash"};
  options.data = {{"flash", parameterBytes(plan.pools[2].usedBytes)}};
  EXPECT_EQ(run(models), 0) << shop.output;
}

/// One to three pieces, among them what C, its headers, comments, strings and
/// the generated files themselves have a use for.
std::string oddName(Draw &draw) {
  static const std::vector<std::string> kPieces = {
      "",         "a",     "B",
      "_",        "__",    "7",
      "int",      "t",     "uint8",
      "size",     "NULL",  "INT64",
      "MAX",      "pool",  "sram",
      "net",      "check", "OFFSET",
      "inputs",   "fits",  "H",
      "*/",       "/*",    "//",
      "\\",       "\n",    "?\?/",
      "\"",       "'",     "%s",
      "\xC3\xA9", "\xFF",  "\xE2\x80\xAE",
      "#define",  "errno", "-",
      ".",        " ",     "map",
      "linux",    "class", "workspaces"};
  std::string name;
  for (int64_t i = draw.between(1, 3); i > 0; --i)
    name += draw.oneOf(kPieces);
  return name;
}

TEST(RandomModels, WithOddNamesAreErrorsOrCompile) {
  Workshop shop;
  Draw draw(7);
  int numErrors = 0, numFiles = 0;
  std::string sources;
  for (int i = 0; i < 400 && numFiles < 60; ++i) {
    Problem problem;
    for (int64_t pools = draw.between(1, 3); pools > 0; --pools)
      problem.pools.emplace_back().name = oddName(draw);
    for (int64_t buffers = draw.between(1, 16); buffers > 0; --buffers)
      problem.buffers.push_back(
          buffer(oddName(draw), 16, {0, 1},
                 draw.between(0, int64_t(problem.pools.size()) - 1),
                 BufferKind(draw.between(0, 4))));
    const auto plan = planOf(problem);
    if (!plan)
      continue;
    ArtefactOptions options;
    options.prefix = "odd" + std::to_string(numFiles);
    for (const Pool &pool : problem.pools)
      options.internalPools.push_back(pool.name);
    const ArtefactResult result =
        renderArtefacts({{oddName(draw), &problem, &*plan, ""}}, options);
    if (const auto *error = std::get_if<ArtefactError>(&result)) {
      EXPECT_THAT(error->message, HasSubstr("would both be"));
      ++numErrors;
      continue;
    }
    shop.write(std::get<Files>(result));
    sources += options.prefix + ".c ";
    ++numFiles;
  }
  EXPECT_GE(numErrors, 10);
  EXPECT_EQ(numFiles, 60);
  for (const char *compiler : {kC99, kCpp17,
                               "/usr/bin/gcc -Wall -Wextra "
                               "-Werror -std=gnu99 "})
    EXPECT_EQ(shop.run(compiler + ("-fsyntax-only " + sources)), 0)
        << shop.output;
}

/// Too many bytes for a program in a test.
bool isLarge(const Plan &plan) {
  for (const PoolUse &use : plan.pools)
    if (use.usedBytes > (int64_t(1) << 20))
      return true;
  return false;
}

/// Many walks in one program, compiled in two languages.
class Batch {
public:
  void add(const std::vector<ArtefactModel> &models, ArtefactOptions options) {
    const Files files = filesOf(models, options);
    if (files.empty())
      return;
    shop.write(files);
    const std::string walk = options.prefix + "_walk.c";
    shop.write(walk, walkOf(files.back().contents));
    sources += walk + " ";
    if (!options.internalPools.empty())
      sources += options.prefix + ".c ";
    prefixes.push_back(options.prefix);
  }
  /// For what no machine could run.
  void addHeader(const std::vector<ArtefactModel> &models,
                 const ArtefactOptions &options) {
    shop.write(filesOf(models, options));
    const std::string source = options.prefix + "_only.c";
    shop.write(source, "#include \"" + options.prefix + ".h\"\n");
    headers += source + " ";
  }
  void run() {
    if (!headers.empty()) {
      EXPECT_EQ(shop.run(kC99 + ("-fsyntax-only " + headers)), 0)
          << shop.output;
    }
    shop.write("main.c", mainOf(prefixes));
    EXPECT_EQ(buildAndRun(shop, kC99, sources + "main.c"), 0) << shop.output;
    EXPECT_EQ(shop.run(kCpp17 + ("-fsyntax-only " + sources)), 0)
        << shop.output;
  }
  size_t size() const { return prefixes.size(); }

private:
  Workshop shop;
  std::vector<std::string> prefixes;
  std::string sources, headers;
};

TEST(RandomModels, KeepEveryTensor) {
  Batch batch;
  int numLarge = 0;
  for (Family family : allFamilies())
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      const Problem problem = randomProblem(family, seed, 12);
      const auto plan = planOf(problem);
      if (!plan)
        continue;
      ArtefactOptions options;
      options.prefix = "r" + std::to_string(batch.size());
      const std::vector<ArtefactModel> model = {
          {options.prefix, &problem, &*plan, ""}};
      if (isLarge(*plan)) {
        options.prefix = "large" + std::to_string(numLarge++);
        batch.addHeader(model, options);
        continue;
      }
      // Every other one brings its workspaces along.
      for (const Pool &pool : problem.pools)
        if (seed % 2 == 0 && pool.access == PoolAccess::ReadWrite)
          options.internalPools.push_back(pool.name);
      batch.add(model, options);
    }
  EXPECT_GE(batch.size(), 60u);
  EXPECT_GE(numLarge, 5);
  batch.run();
}

TEST(RandomModels, KeepEveryTensorInASharedWorkspace) {
  Batch batch;
  // None of these has read-only pools.
  for (Family family : {Family::Random, Family::Network, Family::Gaps,
                        Family::Aliases, Family::Pools})
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const Problem a = withoutWeights(randomProblem(family, seed, 10));
      const Problem b = withoutWeights(randomProblem(family, seed + 50, 10));
      const auto planA = planOf(a), planB = planOf(b);
      if (!planA || !planB)
        continue;
      // Models are known to the whole program, as prefixes are.
      const std::string n = std::to_string(batch.size());
      batch.add({{"a" + n, &a, &*planA, ""}, {"b" + n, &b, &*planB, ""}},
                {"apart" + n, {}, {}, {}, {}});
      const auto combined = combineInSequence({{"c" + n, &a}, {"d" + n, &b}});
      const auto *all = std::get_if<Problem>(&combined);
      const auto plan = all ? planOf(*all) : std::nullopt;
      if (plan)
        batch.add({{"c" + n, all, &*plan, "c" + n + "/"},
                   {"d" + n, all, &*plan, "d" + n + "/"}},
                  {"together" + n, {}, {}, {}, {}});
    }
  EXPECT_GE(batch.size(), 30u);
  batch.run();
}

} // namespace
