//===- ArtefactsTest.cpp - Literal plans as C -----------------------------===//
//
// What compilers make of it, and programs that run it, are in
// ArtefactsRunTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Report/ArtefactReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using namespace tpu_mlir::report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Case {
  Problem problem;
  Plan plan;
  ArtefactOptions options;

  Case() {
    options.prefix = "net";
    problem.name = "net";
  }
  void pool(const std::string &name,
            PoolAccess access = PoolAccess::ReadWrite) {
    Pool pool;
    pool.name = name;
    pool.access = access;
    problem.pools.push_back(pool);
    plan.pools.push_back({0, 0});
  }
  Buffer &buffer(const std::string &name, int64_t sizeBytes, PoolId pool = 0,
                 BufferKind kind = BufferKind::Activation) {
    Buffer buffer;
    buffer.name = name;
    buffer.kind = kind;
    buffer.sizeBytes = sizeBytes;
    buffer.lifespans = {{0, 1}};
    buffer.pools = {pool};
    plan.placements.push_back({pool, plan.pools[pool].usedBytes});
    plan.pools[pool].usedBytes += sizeBytes;
    problem.buffers.push_back(buffer);
    return problem.buffers.back();
  }
  ArtefactModel model(const std::string &name = "net",
                      const std::string &namePrefix = "") const {
    return {name, &problem, &plan, namePrefix};
  }
  std::string file(const std::string &name) const {
    return fileOf(renderArtefacts({model()}, options), name);
  }
  std::string error() const {
    return errorOf(renderArtefacts({model()}, options));
  }

  static std::string fileOf(const ArtefactResult &result,
                            const std::string &name) {
    if (const auto *files = std::get_if<std::vector<ArtefactFile>>(&result))
      for (const ArtefactFile &file : *files)
        if (file.name == name)
          return file.contents;
    return "no file '" + name + "': " + errorOf(result);
  }
  static std::string errorOf(const ArtefactResult &result) {
    const auto *error = std::get_if<ArtefactError>(&result);
    return error ? error->message : "";
  }
};

TEST(Artefacts, TheHeaderHasSizesOffsetsStructsAndChecks) {
  Case c;
  c.pool("sram");
  c.pool("flash", PoolAccess::ReadOnly);
  c.problem.pools[0].capacityBytes = 4096;
  c.problem.pools[1].baseAddress = 0x8000;
  c.buffer("image", 64, 0, BufferKind::Input);
  c.buffer("conv/1", 32).alignment = 16;
  c.buffer("w", 7, 1, BufferKind::Weight);
  const std::string header = c.file("net.h");
  EXPECT_THAT(header, HasSubstr("#ifndef NET_H_\n#define NET_H_\n"));
  EXPECT_THAT(header, HasSubstr("#define NET_SRAM_WORKSPACE_SIZE UINT64_C(96)\n"
                                "#define NET_SRAM_ALIGNMENT UINT64_C(16)\n"
                                "#define NET_SRAM_CAPACITY UINT64_C(4096)\n"));
  EXPECT_THAT(header,
              HasSubstr("#define NET_FLASH_PARAMETER_SIZE UINT64_C(7)\n"
                        "#define NET_FLASH_ALIGNMENT UINT64_C(1)\n"
                        "#define NET_FLASH_BASE_ADDRESS UINT64_C(32768)\n"));
  EXPECT_THAT(header,
              HasSubstr("/* activation 'conv/1' */\n"
                        "#define NET_CONV_1_OFFSET UINT64_C(64)\n"
                        "#define NET_CONV_1_SIZE UINT64_C(32)\n"
                        "#define NET_CONV_1_POOL NET_POOL_SRAM\n"
                        "NET_CHECK(NET_CONV_1_OFFSET + NET_CONV_1_SIZE <= "
                        "NET_SRAM_WORKSPACE_SIZE,\n"
                        "    net_check_conv_1_fits);\n"
                        "NET_CHECK(NET_CONV_1_OFFSET % UINT64_C(16) == 0,\n"
                        "    net_check_conv_1_aligned);\n"));
  EXPECT_THAT(header, HasSubstr("struct net_workspaces {\n  uint8_t *sram;\n"
                                "};\n"));
  EXPECT_THAT(header, HasSubstr("struct net_parameters {\n"
                                "  const uint8_t *flash;\n};\n"));
  EXPECT_THAT(header, HasSubstr("struct net_inputs {\n  void *image;\n};\n"));
  EXPECT_THAT(header, HasSubstr("  inputs.image = workspaces->sram + "
                                "(size_t)NET_IMAGE_OFFSET;\n"));
  EXPECT_THAT(header, Not(HasSubstr("outputs")));
  EXPECT_THAT(c.file("net.c"), HasSubstr("no file"));
}

TEST(Artefacts, WhatTheCallerProvidesHasASizeAndNoOffset) {
  Case c;
  c.pool("sram");
  c.pool("io");
  c.options.callerPools = {"io"};
  c.buffer("a", 10);
  c.buffer("in", 64, 1, BufferKind::Input);
  const std::string header = c.file("net.h");
  EXPECT_THAT(header, HasSubstr("struct net_inputs {\n  void *in;\n};\n"));
  EXPECT_THAT(header, HasSubstr("#define NET_IN_SIZE UINT64_C(64)\n"));
  EXPECT_THAT(header, AllOf(Not(HasSubstr("NET_IN_OFFSET")),
                            Not(HasSubstr("map_inputs")),
                            Not(HasSubstr("NET_IO_WORKSPACE"))));
  c.problem.buffers[1].kind = BufferKind::Scratch;
  EXPECT_EQ(c.error(), "tensor 'in' is in pool 'io', whose tensors the caller "
                       "provides, but it is no input and no output");
}

TEST(Artefacts, InternalPoolsAreDefined) {
  Case c;
  c.pool("sram");
  c.pool("flash", PoolAccess::ReadOnly);
  c.buffer("a", 64);
  c.buffer("w", 3, 1, BufferKind::Weight);
  c.options.internalPools = {"sram", "flash"};
  c.options.sections = {{"sram", ".bss.fast"}};
  c.options.data = {{"flash", "\x01\xfe\x0a"}};
  const std::string source = c.file("net.c");
  EXPECT_THAT(source, HasSubstr("NET_SECTION(\".bss.fast\")\n"
                                "NET_ALIGNED(NET_SRAM_ALIGNMENT) static "
                                "uint8_t\n    net_sram[NET_SRAM_WORKSPACE_SIZE]"
                                ";\n"));
  EXPECT_THAT(source, HasSubstr("0x01, 0xfe, 0x0a}"));
  EXPECT_THAT(source, HasSubstr("  parameters->flash = net_flash;\n"));

  c.options.data = {{"flash", "\x01"}};
  EXPECT_EQ(c.error(), "the data of pool 'flash' has 1 bytes; needed are 3");
  c.options.data.clear();
  EXPECT_THAT(c.file("net.h"),
              HasSubstr("extern const uint8_t "
                        "net_flash[NET_FLASH_PARAMETER_SIZE];\n"));
  EXPECT_THAT(c.file("net.c"), Not(HasSubstr("static const")));
}

TEST(Artefacts, NamesAreMadeIdentifiers) {
  const std::pair<const char *, const char *> names[] = {
      {"conv1", "conv1"},
      {"a.b", "a_b"},
      {"a::b", "a_b"},
      {"a_/b", "a_b"},
      {"a/_b", "a_b"},
      {"a__b", "a__b"},
      {"", "unnamed"},
      {"\xC3\xA9", "ue9"},
      {"\xFF", "xff"},
      {"126_Conv", "126_Conv"},
      {"x\xE8\xBE\x93", "xu8f93"}};
  for (const auto &[name, expected] : names)
    EXPECT_EQ(cName(name), expected) << name;
}

TEST(Artefacts, MembersAreNoKeywordsAndBeginWithALetter) {
  Case c;
  c.pool("sram");
  for (const char *name : {"int", "Class", "7", "_x", "errno", "linux"})
    c.buffer(name, 1, 0, BufferKind::Input);
  EXPECT_THAT(c.file("net.h"),
              HasSubstr("struct net_inputs {\n  void *int_;\n  void *class_;\n"
                        "  void *n7;\n  void *n_x;\n  void *errno_;\n"
                        "  void *linux_;\n};\n"));
}

TEST(Artefacts, ClashesAreErrorsThatNameBoth) {
  const std::pair<const char *, const char *> pairs[] = {
      {"a-b", "a.b"}, {"conv", "Conv"}, {"x\xC3\xA9", "xue9"}};
  for (const auto &[first, second] : pairs) {
    Case c;
    c.pool("sram");
    c.buffer(first, 1);
    c.buffer(second, 1);
    EXPECT_THAT(c.error(),
                AllOf(HasSubstr("tensor '" + std::string(first) + "' of"),
                      HasSubstr("and tensor '" + std::string(second) + "' of"),
                      HasSubstr("rename one of them")));
  }
}

TEST(Artefacts, NamesClashWithWhatTheFilesNeedThemselves) {
  // NET_SRAM_WORKSPACE_SIZE is the pool's.
  Case c;
  c.pool("sram");
  c.buffer("sram_workspace", 1);
  EXPECT_EQ(c.error(),
            "pool 'sram' of model 'net' and tensor 'sram_workspace' of model "
            "'net' would both be 'NET_SRAM_WORKSPACE_SIZE' in C; rename one of "
            "them");
  Case inputs;
  inputs.pool("inputs");
  inputs.buffer("a", 1);
  EXPECT_THAT(inputs.error(), HasSubstr("'net_inputs' in C"));
  // No array may be called so.
  Case type;
  type.options.prefix = "uint8";
  type.pool("t");
  type.buffer("a", 1);
  EXPECT_EQ(Case::errorOf(renderArtefacts({type.model("uint8")}, type.options)),
            "C itself and the block of pool 't' would both be 'uint8_t' in C; "
            "rename one of them");
  // An enumerator, and a macro of the tensor.
  Case pool;
  pool.pool("size");
  pool.buffer("pool", 1);
  EXPECT_THAT(pool.error(), HasSubstr("'NET_POOL_SIZE' in C"));
}

TEST(Artefacts, CommentsStayComments) {
  Case c;
  c.pool("sram");
  c.buffer("x*/ int y; /*\n\\", 1);
  EXPECT_THAT(c.file("net.h"),
              HasSubstr("/* activation 'x./ int y; /...' */\n"));
}

TEST(Artefacts, ModelsPlannedTogetherShareTheirBlocks) {
  Case c;
  c.options.prefix = "app";
  c.options.internalPools = {"sram"};
  c.pool("sram");
  c.pool("flash", PoolAccess::ReadOnly);
  c.buffer("a/x", 10);
  c.buffer("b/x", 30);
  c.buffer("a/w", 5, 1, BufferKind::Weight);
  c.buffer("b/w", 5, 1, BufferKind::Weight);
  const std::vector<ArtefactModel> models = {c.model("a", "a/"),
                                             c.model("b", "b/")};
  const ArtefactResult result = renderArtefacts(models, c.options);
  EXPECT_THAT(Case::fileOf(result, "app.h"),
              AllOf(HasSubstr("#include \"a.h\"\n#include \"b.h\"\n"),
                    HasSubstr("#define APP_SHARED_SRAM_SIZE UINT64_C(40)\n"),
                    HasSubstr("#define APP_SHARED_FLASH_SIZE UINT64_C(10)\n")));
  EXPECT_THAT(Case::fileOf(result, "a.h"),
              HasSubstr("#define A_SRAM_WORKSPACE_SIZE UINT64_C(10)\n"));
  EXPECT_THAT(Case::fileOf(result, "b.h"),
              AllOf(HasSubstr("#define B_SRAM_WORKSPACE_SIZE UINT64_C(40)\n"),
                    HasSubstr("#define B_X_OFFSET UINT64_C(10)\n")));
  EXPECT_THAT(Case::fileOf(result, "app.c"),
              HasSubstr("app_sram[APP_SHARED_SRAM_SIZE];\n"));

  EXPECT_THAT(Case::errorOf(renderArtefacts({models[0]}, c.options)),
              HasSubstr("buffer 'b/x' belongs to no model"));
  EXPECT_THAT(
      Case::errorOf(renderArtefacts({models[0], c.model("c", "")}, c.options)),
      HasSubstr("buffer 'a/x' belongs to two models, 'a' and 'c'"));
}

TEST(Artefacts, ModelsPlannedApartNeedTheLargest) {
  Case a, b;
  for (Case *c : {&a, &b}) {
    c->pool("sram");
    c->pool("flash", PoolAccess::ReadOnly);
  }
  a.buffer("x", 10);
  b.buffer("x", 30);
  a.buffer("w", 5, 1, BufferKind::Weight);
  b.buffer("w", 6, 1, BufferKind::Weight);
  a.options.prefix = "app";
  a.options.internalPools = {"sram", "flash"};
  a.options.data = {{"a/flash", "12345"}, {"b/flash", "123456"}};
  const ArtefactResult result =
      renderArtefacts({a.model("a"), b.model("b")}, a.options);
  EXPECT_THAT(Case::fileOf(result, "app.h"),
              AllOf(HasSubstr("#define APP_SHARED_SRAM_SIZE UINT64_C(30)\n"),
                    Not(HasSubstr("FLASH"))));
  EXPECT_THAT(Case::fileOf(result, "app.c"),
              AllOf(HasSubstr("a_flash[A_FLASH_PARAMETER_SIZE] = {"),
                    HasSubstr("b_flash[B_FLASH_PARAMETER_SIZE] = {")));

  // A weight in the workspace would not outlive the other model.
  b.problem.buffers[0].kind = BufferKind::Weight;
  EXPECT_THAT(
      Case::errorOf(renderArtefacts({a.model("a"), b.model("b")}, a.options)),
      HasSubstr("weight 'x' of model 'b' is in workspace pool 'sram'"));
}

TEST(Artefacts, OptionsNameWhatIsThere) {
  Case c;
  c.pool("sram");
  c.buffer("a", 1);
  c.options.internalPools = {"dram"};
  EXPECT_EQ(c.error(), "pool 'dram' is to be internal, but there is none");
  c.options.internalPools = {};
  c.options.sections = {{"sram", ".x"}};
  EXPECT_EQ(c.error(), "pool 'sram' has a section, but is not internal");
  c.options.internalPools = {"sram"};
  c.options.sections = {{"sram", "a\"b"}};
  EXPECT_EQ(c.error(), "'a\"b' is no name for a section");
  c.options.sections.clear();
  c.options.data = {{"sram", "x"}};
  EXPECT_THAT(c.error(), HasSubstr("there is no parameter pool 'sram'"));
  c.options.data.clear();
  c.options.prefix = "../net";
  EXPECT_THAT(c.error(), HasSubstr("prefix '../net' has to be"));
}

TEST(Artefacts, BrokenPlansAreRefused) {
  Case c;
  c.pool("sram");
  c.buffer("a", 4);
  c.buffer("b", 4);
  c.plan.placements[1].offsetBytes = 2;
  EXPECT_THAT(c.error(), HasSubstr("model 'net': the plan is not valid: "));
}

TEST(Artefacts, CombinedModelsFollowEachOther) {
  Case a, b;
  for (Case *c : {&a, &b})
    c->pool("sram");
  a.buffer("x", 10).lifespans = {{0, 3}};
  b.buffer("x", 30).lifespans = {{1, 2}};
  b.buffer("w", 5, 0, BufferKind::Weight);
  auto result = combineInSequence({{"a", &a.problem}, {"b", &b.problem}});
  const auto &all = std::get<Problem>(result);
  ASSERT_EQ(all.buffers.size(), 3u);
  EXPECT_EQ(all.pools.size(), 1u);
  EXPECT_EQ(all.buffers[1].name, "b/x");
  EXPECT_EQ(all.buffers[1].lifespans, (std::vector<Interval>{{4, 5}}));
  EXPECT_EQ(all.buffers[2].lifespans, (std::vector<Interval>{{0, 5}}));

  b.problem.pools[0].alignment = 8;
  result = combineInSequence({{"a", &a.problem}, {"b", &b.problem}});
  EXPECT_THAT(std::get<ArtefactError>(result).message,
              HasSubstr("pool 'sram' of model 'b' is not the same"));
}

TEST(Artefacts, APoolSaysItselfThatItIsTheCallers) {
  Case c;
  c.pool("sram");
  c.pool("io");
  c.problem.pools[1].isCallers = true;
  c.buffer("conv", 64);
  c.buffer("image", 32, 1, BufferKind::Input);
  const std::string header = c.file("net.h");
  EXPECT_THAT(header, HasSubstr("#define NET_IMAGE_SIZE UINT64_C(32)\n"));
  EXPECT_THAT(header, Not(HasSubstr("NET_IMAGE_OFFSET")));
  EXPECT_THAT(header, HasSubstr("struct net_inputs {\n  void *image;\n};"));
  EXPECT_THAT(header, Not(HasSubstr("net_map_inputs")));
  c.options.internalPools = {"io"};
  EXPECT_EQ(c.error(), "pool 'io' cannot be internal and the caller's");
  c.options.internalPools = {};
  c.buffer("hidden", 8, 1);
  EXPECT_EQ(c.error(),
            "tensor 'hidden' is in pool 'io', whose tensors the caller "
            "provides, but it is no input and no output");
}

TEST(Artefacts, APoolSaysWhoReachesIt) {
  Case c;
  c.pool("sram");
  c.pool("dtcm");
  c.problem.pools[0].targets = {"c", "accel"};
  c.buffer("conv", 64);
  c.buffer("own", 64, 1);
  EXPECT_THAT(c.file("net.h"), HasSubstr("/* Pool 'sram', for c, accel. */"));
  EXPECT_THAT(c.file("net.h"), HasSubstr("/* Pool 'dtcm'. */"));
  EXPECT_THAT(c.file("net_map.json"), HasSubstr("\"accel\""));
}

} // namespace
