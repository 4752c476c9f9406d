//===- LmemProblems.cpp - Placement problems for tests and benchmarks -----===//

#include "tests/LayerPlanning/LmemProblems.h"

#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Json.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <stdexcept>

namespace tpu_mlir::layer {

namespace {

/// In [0, limit); not std::uniform_int_distribution, whose numbers differ from
/// one library to the next.
int64_t below(std::mt19937_64 &random, int64_t limit) {
  return int64_t(random() % uint64_t(limit));
}

/// `length` steps from `begin` on, round the circle.
std::vector<Interval> circular(int64_t begin, int64_t length, int64_t period) {
  begin %= period;
  if (begin + length <= period)
    return {{begin, begin + length}};
  return {{0, begin + length - period}, {begin, period}};
}

std::vector<Interval> randomLife(const RandomShape &shape, int64_t begin,
                                 int64_t length) {
  if (shape.isCyclic)
    return circular(begin, length, shape.period);
  return {{begin, begin + length}};
}

/// Lives of the second begin where those of the first end: one step in common.
void addInPlace(LmemProblem &problem, const RandomShape &shape,
                std::mt19937_64 &random) {
  if (shape.period < 3 || problem.buffers.size() < 2)
    return;
  planning::Buffer &operand = problem.buffers[0];
  planning::Buffer &result = problem.buffers[1];
  const int64_t begin = below(random, shape.period);
  operand.lifespans = randomLife(shape, begin, 2);
  result.lifespans = randomLife(shape, begin + 1, 2);
  result.sizeBytes = operand.sizeBytes;
  std::vector<planning::BufferId> below(problem.buffers.size(), -1);
  below[1] = 0;
  putInPlace(problem, below);
}

/// A file of the data is broken: nothing a test could go on with.
[[noreturn]] void broken(const std::string &path, const std::string &why) {
  throw std::runtime_error(path + ": " + why);
}

const JsonValue &field(const JsonValue &object, std::string_view key,
                       const std::string &path) {
  for (const JsonMember &member : object.members)
    if (member.key == key)
      return member.value;
  broken(path, "no field " + std::string(key));
}

JsonValue jsonOf(const std::string &path) {
  const auto text = readWholeFile(path);
  if (const auto *error = std::get_if<FileError>(&text))
    broken(path, error->message);
  auto value = parseJson(std::get<std::string>(text));
  if (const auto *error = std::get_if<JsonError>(&value))
    broken(path, error->message);
  return std::get<JsonValue>(std::move(value));
}

RealGroup groupIn(const std::string &path) {
  const JsonValue json = jsonOf(path);
  const auto number = [&](std::string_view key) {
    return field(json, key, path).integer;
  };
  const target::ChipSpec *chip =
      target::findChip(field(json, "chip", path).string);
  if (!chip || chip->laneBytes != number("lmem_bytes_per_lane"))
    broken(path, "not the chip that we know by this name");
  RealGroup group;
  group.rows = number("timesteps");
  group.highWaterBytes = number("tpu_mlir_high_water");
  group.problem.name = std::filesystem::path(path).stem();
  group.problem.setChip(*chip);
  group.problem.period = group.rows;
  for (const JsonValue &buffer : field(json, "buffers", path).elements) {
    std::vector<Interval> lives;
    for (const JsonValue &row : field(buffer, "live_timesteps", path).elements)
      lives.push_back({row.integer, row.integer + 1});
    group.problem.add(field(buffer, "op", path).string + " " +
                          std::to_string(field(buffer, "id", path).integer),
                      field(buffer, "size", path).integer,
                      normalize(std::move(lives)));
    group.addresses.push_back(field(buffer, "tpu_mlir_addr", path).integer);
  }
  return group;
}

void pairWhatLivesTogether(LmemProblem &problem) {
  for (size_t a = 0; a < problem.buffers.size(); ++a)
    for (size_t b = a + 1; b < problem.buffers.size(); ++b)
      if (anyOverlap(problem.buffers[a].lifespans,
                     problem.buffers[b].lifespans))
        problem.bankPairs.push_back({int64_t(a), int64_t(b), 1});
}

} // namespace

LmemProblem randomProblem(const RandomShape &shape, std::mt19937_64 &random) {
  LmemProblem problem;
  const int64_t laneBytes =
      (2 + below(random, shape.laneUnits - 1)) * shape.euBytes;
  // Banks need not be whole units, nor the lane whole banks.
  problem.setLane(laneBytes,
                  1 + below(random, std::min(shape.banks, laneBytes)),
                  shape.euBytes);
  if (shape.isCyclic)
    problem.period = shape.period;
  const int64_t count = 1 + below(random, shape.buffers);
  const int64_t largest = std::max<int64_t>(1, laneBytes / shape.sizeDivisor);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t sizeBytes = 1 + below(random, largest);
    problem.add("b" + std::to_string(i), sizeBytes,
                randomLife(shape, below(random, shape.period),
                           1 + below(random, shape.period)));
  }
  if (below(random, 3) == 0)
    addInPlace(problem, shape, random);
  for (int64_t tries = below(random, 1 + shape.pairsPerBuffer * count);
       count > 1 && tries > 0; --tries) {
    const int64_t a = below(random, count), b = below(random, count);
    if (a != b)
      problem.bankPairs.push_back({a, b, 1 + below(random, 5)});
  }
  return problem;
}

LmemProblem shuffled(const LmemProblem &problem, std::mt19937_64 &random,
                     std::vector<int64_t> *placeOf) {
  std::vector<int64_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[below(random, int64_t(i))]);
  std::vector<int64_t> places(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    places[order[place]] = int64_t(place);

  LmemProblem result = problem;
  for (size_t place = 0; place < order.size(); ++place)
    result.buffers[place] = problem.buffers[order[place]];
  for (planning::Alias &alias : result.aliases)
    alias = {places[alias.member], places[alias.root], 0};
  for (BankPair &pair : result.bankPairs)
    pair = {places[pair.second], places[pair.first], pair.cost};
  for (size_t i = result.bankPairs.size(); i > 1; --i)
    std::swap(result.bankPairs[i - 1],
              result.bankPairs[below(random, int64_t(i))]);
  if (placeOf)
    *placeOf = std::move(places);
  return result;
}

std::vector<RealGroup> realGroups() {
  std::vector<std::string> paths;
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    return {};
  const std::filesystem::path folder =
      std::filesystem::path(data) / "lmem_groups";
  if (std::filesystem::is_directory(folder))
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<RealGroup> groups;
  for (const std::string &path : paths) {
    groups.push_back(groupIn(path));
    pairWhatLivesTogether(groups.back().problem);
  }
  return groups;
}

} // namespace tpu_mlir::layer
