//===- ArtefactsWalk.cpp - Programs that run generated files --------------===//

#include "tests/Report/ArtefactsWalk.h"

#include "tpu_mlir/Support/Json.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <tuple>

namespace tpu_mlir::report {

const char *const kC99 = "/usr/bin/gcc -std=c99 -Wall -Wextra -Werror "
                         "-pedantic ";
const char *const kCpp17 = "/usr/bin/g++ -x c++ -std=c++17 -Wall -Wextra "
                           "-Werror -pedantic ";

Workshop::Workshop() {
  std::string name =
      (std::filesystem::temp_directory_path() / "artefacts-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    std::abort();
  folder = name;
}

Workshop::~Workshop() { std::filesystem::remove_all(folder); }

void Workshop::write(const std::string &name,
                     const std::string &contents) const {
  std::ofstream(folder + "/" + name, std::ios::binary) << contents;
}

void Workshop::write(const std::vector<ArtefactFile> &files) const {
  for (const ArtefactFile &file : files)
    write(file.name, file.contents);
}

bool Workshop::replace(const std::string &name, const std::string &from,
                       const std::string &to) const {
  std::stringstream text;
  text << std::ifstream(folder + "/" + name).rdbuf();
  std::string contents = text.str();
  const size_t at = contents.find(from);
  if (at == std::string::npos)
    return false;
  write(name, contents.replace(at, from.size(), to));
  return true;
}

int Workshop::run(const std::string &command) const {
  output.clear();
  FILE *pipe =
      ::popen(("cd " + folder + " && " + command + " 2>&1").c_str(), "r");
  if (!pipe)
    return -1;
  std::array<char, 4096> part;
  while (size_t count = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), count);
  const int status = ::pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace {

const JsonValue &field(const JsonValue &object, const std::string &key) {
  static const JsonValue kNone;
  for (const JsonMember &member : object.members)
    if (member.key == key)
      return member.value;
  return kNone;
}

std::string text(const JsonValue &object, const std::string &key) {
  return field(object, key).string;
}

/// A pattern is written, or has to be there.
struct Event {
  int64_t step = 0;
  bool isCheck = false;
  size_t tensor = 0;
  int64_t salt = 0;

  bool operator<(const Event &o) const {
    return std::tie(step, isCheck, tensor, salt) <
           std::tie(o.step, o.isCheck, o.tensor, o.salt);
  }
};

/// Guards are as long on each side.
constexpr const char *kCommon = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64
struct tensor { uint8_t *at; uint64_t size; uint64_t alignment; };
struct event { int is_check; unsigned tensor; unsigned salt; };

static uint8_t pattern(unsigned salt, uint64_t i) {
  return (uint8_t)(salt * 41u + i * 13u + (i >> 8) * 7u + 1u);
}

/* Aligned as asked for and no better. */
static inline uint8_t *block(uint64_t size, uint64_t alignment, uint8_t **raw) {
  const size_t all = (size_t)(size + 4 * alignment + 2 * GUARD);
  uint8_t *at;
  *raw = (uint8_t *)malloc(all);
  memset(*raw, 0xA5, all);
  at = *raw + GUARD;
  while ((uintptr_t)at % alignment != 0 || (uintptr_t)at % (2 * alignment) == 0)
    ++at;
  return at;
}

static inline int is_guard_broken(const uint8_t *at, uint64_t size) {
  int i;
  for (i = 1; i <= GUARD; ++i)
    if (at[-i] != 0xA5 || at[size + (uint64_t)i - 1] != 0xA5)
      return 1;
  return 0;
}

static inline int is_outside(const struct tensor *in, const struct tensor *of) {
  return in->at < of->at || in->at + in->size > of->at + of->size;
}

static int walk(const struct tensor *tensors, const struct event *events,
                size_t count) {
  int failures = 0;
  size_t e;
  uint64_t i;
  for (e = 0; e < count; ++e) {
    const struct tensor *t = &tensors[events[e].tensor];
    int spoiled = (uintptr_t)t->at % t->alignment != 0;
    for (i = 0; i < t->size; ++i)
      if (!events[e].is_check)
        t->at[i] = pattern(events[e].salt, i);
      else if (t->at[i] != pattern(events[e].salt, i))
        spoiled = 1;
    if (spoiled)
      printf("tensor %u is spoiled\n", events[e].tensor);
    failures += spoiled;
  }
  return failures;
}
)";

/// Reads the map and writes the program.
class Walk {
public:
  explicit Walk(const JsonValue &map) : map(map), prefix(text(map, "prefix")) {}

  std::string run() {
    isTogether = text(map, "planned") != "apart";
    for (const JsonValue &block : field(map, "blocks").elements)
      addBlock(block);
    for (const JsonValue &model : field(map, "models").elements)
      addModel(model);
    // A stable order: models planned apart run as they are listed.
    if (isTogether)
      std::sort(events.begin(), events.end());
    return program();
  }

private:
  void addBlock(const JsonValue &block) {
    const std::string name = text(block, "identifier");
    const bool isParameter = text(block, "access") == "ro";
    if (text(block, "storage") == "internal")
      return;
    const std::string size = std::to_string(field(block, "sizeBytes").integer);
    const std::string alignment =
        std::to_string(field(block, "alignment").integer);
    locals += "  uint8_t *raw_" + name + ";\n  uint8_t *at_" + name +
              " = block(" + size + ", " + alignment + ", &raw_" + name + ");\n";
    if (isParameter)
      setup += "  for (i = 0; i < " + size + "; ++i)\n    at_" + name +
               "[i] = pattern(0, i);\n";
    cleanup += "  failures += is_guard_broken(at_" + name + ", " + size +
               ");\n  free(raw_" + name + ");\n";
    external.insert(name);
  }

  void addModel(const JsonValue &model) {
    id = text(model, "identifier");
    pools.clear();
    bool has[2] = {false, false}, fills[2] = {false, false};
    std::string sets;
    for (const JsonValue &pool : field(model, "pools").elements) {
      pools[text(pool, "name")] = &pool;
      const std::string block = text(pool, "block");
      if (block.empty())
        continue;
      const bool isParameter = text(pool, "access") == "ro";
      has[isParameter] = true;
      if (external.count(block))
        sets += "  " + structOf(isParameter) + "." + text(pool, "member") +
                " = at_" + block + ";\n";
      else
        fills[isParameter] = true;
    }
    for (bool isParameter : {false, true})
      if (has[isParameter]) {
        const std::string what = isParameter ? "parameters" : "workspaces";
        locals +=
            "  struct " + id + "_" + what + " " + structOf(isParameter) + ";\n";
        if (fills[isParameter])
          setup += "  " + id + "_fill_" + what + "(&" + structOf(isParameter) +
                   ");\n";
      }
    setup += sets;
    addTensors(model);
  }

  std::string structOf(bool isParameter) const {
    return (isParameter ? "p_" : "w_") + id;
  }

  void addTensors(const JsonValue &model) {
    std::vector<Event> own;
    for (const char *kind : {"input", "output"})
      declareMapped(model, kind);
    for (const JsonValue &tensor : field(model, "tensors").elements)
      addTensor(tensor, own);
    std::sort(own.begin(), own.end());
    events.insert(events.end(), own.begin(), own.end());
  }

  bool isMapped(const JsonValue &tensor) const {
    return !text(*pools.at(text(tensor, "pool")), "block").empty();
  }

  void declareMapped(const JsonValue &model, const std::string &kind) {
    bool isAny = false, isAnyMapped = false;
    for (const JsonValue &tensor : field(model, "tensors").elements)
      if (text(tensor, "kind") == kind) {
        isAny = true;
        isAnyMapped |= isMapped(tensor);
      }
    const std::string what = kind + "s";
    if (isAny)
      locals += "  struct " + id + "_" + what + " " + what + "_" + id + ";\n";
    if (isAnyMapped)
      setup += "  " + what + "_" + id + " = " + id + "_map_" + what + "(&" +
               structOf(false) + ");\n";
  }

  std::string addressOf(const JsonValue &tensor) const {
    const std::string kind = text(tensor, "kind");
    const JsonValue &pool = *pools.at(text(tensor, "pool"));
    if (kind == "input" || kind == "output")
      return "(uint8_t *)" + kind + "s_" + id + "." + text(tensor, "member");
    const bool isParameter = text(pool, "access") == "ro";
    return std::string(isParameter ? "(uint8_t *)(uintptr_t)(" : "(") +
           structOf(isParameter) + "." + text(pool, "member") + " + " +
           text(tensor, "identifier") + "_OFFSET)";
  }

  void addTensor(const JsonValue &tensor, std::vector<Event> &own) {
    const std::string macro = text(tensor, "identifier");
    const size_t index = numTensors++;
    indices[macro] = index;
    if (!isMapped(tensor))
      provide(tensor);
    // Where the number says so is for the plan; here addresses count.
    int64_t alignment = field(tensor, "alignment").integer;
    alignment &= -alignment;
    const std::string at = "tensors[" + std::to_string(index) + "]";
    assignments += "  " + at + ".at = " + addressOf(tensor) + ";\n  " + at +
                   ".size = " + macro + "_SIZE;\n  " + at +
                   ".alignment = " + std::to_string(alignment) + ";\n";
    if (text(*pools.at(text(tensor, "pool")), "access") == "ro")
      checkParameter(tensor);
    else
      addLives(tensor, index, own);
  }

  void addLives(const JsonValue &tensor, size_t index,
                std::vector<Event> &own) {
    if (!text(tensor, "inside").empty()) {
      insides.push_back({index, text(tensor, "inside")});
      return;
    }
    for (const JsonValue &life : field(tensor, "lifespans").elements) {
      const int64_t salt = ++numLives;
      own.push_back({life.elements[0].integer, false, index, salt});
      own.push_back({life.elements[1].integer - 1, true, index, salt});
    }
  }

  /// What is there from the start is the block's own pattern.
  void checkParameter(const JsonValue &tensor) {
    const std::string macro = text(tensor, "identifier");
    const std::string at =
        "p_" + id + "." + text(*pools.at(text(tensor, "pool")), "member");
    finish += "  for (i = 0; i < " + macro +
              "_SIZE; ++i)\n    failures += " + at + "[" + macro +
              "_OFFSET + i] != pattern(0, " + macro + "_OFFSET + i);\n";
  }

  void provide(const JsonValue &tensor) {
    const std::string kind = text(tensor, "kind");
    const std::string macro = text(tensor, "identifier");
    statics += "static uint8_t mine_" + macro + "[" + macro + "_SIZE + 1];\n";
    setup += "  " + kind + "s_" + id + "." + text(tensor, "member") +
             " = mine_" + macro + ";\n";
  }

  std::string program() const {
    const std::string name = prefix + "_walk";
    std::string list;
    for (const Event &event : events)
      list += "  {" + std::to_string(int(event.isCheck)) + ", " +
              std::to_string(event.tensor) + ", " + std::to_string(event.salt) +
              "},\n";
    std::string within;
    for (const auto &[member, root] : insides)
      within += "  failures += is_outside(&tensors[" + std::to_string(member) +
                "], &tensors[" + std::to_string(indices.at(root)) + "]);\n";
    return "#include \"" + prefix + ".h\"\n" + kCommon + "\n" + statics +
           "static const struct event events[] = {\n" + list +
           "  {0, 0, 0}};\nstatic struct tensor tensors[" +
           std::to_string(numTensors + 1) + "];\n\nint " + name +
           "(void);\nint " + name + "(void) {\n  uint64_t i = 0;\n" +
           "  int failures = 0;\n" + locals + "  (void)i;\n" + setup +
           assignments +
           "  failures += walk(tensors, events, sizeof(events) / "
           "sizeof(events[0]) - 1);\n" +
           finish + within + cleanup +
           "  return failures > 100 ? 100 : failures;\n}\n";
  }

  const JsonValue &map;
  const std::string prefix;
  bool isTogether = true;
  std::string id; ///< Of the model that is read.
  std::map<std::string, const JsonValue *> pools;
  std::set<std::string> external;
  std::vector<Event> events;
  size_t numTensors = 0;
  std::map<std::string, size_t> indices;
  /// Aliases, and their roots' identifiers.
  std::vector<std::pair<size_t, std::string>> insides;
  int64_t numLives = 0;
  std::string statics, locals, setup, assignments, finish, cleanup;
};

} // namespace

std::string walkOf(const std::string &mapText) {
  auto parsed = parseJson(mapText);
  const auto *map = std::get_if<JsonValue>(&parsed);
  return map ? Walk(*map).run() : "the map is no JSON\n";
}

std::string mainOf(const std::vector<std::string> &prefixes) {
  std::string declarations, calls;
  for (const std::string &prefix : prefixes) {
    declarations += "int " + prefix + "_walk(void);\n";
    calls += "  if (" + prefix + "_walk() != 0) {\n    puts(\"" + prefix +
             "\");\n    failed = 1;\n  }\n";
  }
  return "#include <stdio.h>\n" + declarations +
         "int main(void) {\n  int failed = 0;\n" + calls +
         "  return failed;\n}\n";
}

std::string parameterBytes(int64_t sizeBytes) {
  std::string bytes;
  for (uint64_t i = 0; i < uint64_t(sizeBytes); ++i)
    bytes += char(uint8_t(i * 13 + (i >> 8) * 7 + 1));
  return bytes;
}

} // namespace tpu_mlir::report
