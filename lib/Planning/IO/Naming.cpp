//===- Naming.cpp - Names in files, back to ids ---------------------------===//

#include "lib/Planning/IO/Naming.h"

#include "tpu_mlir/Support/Names.h"
#include "tpu_mlir/Support/Utf8.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr Named<BufferKind> kKinds[] = {
    {BufferKind::Activation, "activation"}, {BufferKind::Weight, "weight"},
    {BufferKind::Input, "input"},           {BufferKind::Output, "output"},
    {BufferKind::Scratch, "scratch"},
};

constexpr Named<Proof> kProofs[] = {
    {Proof::None, "none"},
    {Proof::LowerBound, "lower-bound"},
    {Proof::Optimal, "optimal"},
    {Proof::LimitHit, "limit-hit"},
};

} // namespace

std::string_view kindName(BufferKind kind) { return nameIn(kKinds, kind); }
std::string_view proofName(Proof proof) { return nameIn(kProofs, proof); }

std::string_view planStatusName(const Plan &plan) {
  return plan.isInterrupted ? "interrupted"
         : plan.isCutByTime ? "time-limit"
                            : "";
}

std::optional<BufferKind> kindOfName(std::string_view name) {
  return valueIn(kKinds, name);
}

std::optional<Proof> proofOfName(std::string_view name) {
  return valueIn(kProofs, name);
}

std::string allKindNames() {
  std::string text;
  for (const auto &[kind, name] : kKinds)
    text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
  return text;
}

void UniqueNames::add(std::string wish) {
  names.push_back(std::move(wish));
  const int64_t id = int64_t(names.size()) - 1;
  if (used.add(id))
    return;
  // Counting on from the last number used keeps many equal names linear.
  const std::string repeated = names.back();
  int64_t &number = lastNumber[repeated];
  do {
    number = std::max<int64_t>(number + 1, 2);
    names.back() = repeated + "#" + std::to_string(number);
  } while (!used.add(id));
}

void addFileNames(const Problem &problem, UniqueNames &names) {
  for (const Buffer &buffer : problem.buffers)
    names.add(buffer.name.empty() ? "buffer" : asUtf8(buffer.name));
}

std::vector<std::string> fileNames(const Problem &problem) {
  UniqueNames unique(problem.buffers.size());
  addFileNames(problem, unique);
  return std::move(unique.names);
}

std::vector<std::string> poolFileNames(const Problem &problem) {
  UniqueNames unique(problem.pools.size());
  for (const Pool &pool : problem.pools)
    unique.add(pool.name.empty() ? "pool" : asUtf8(pool.name));
  return std::move(unique.names);
}

NameMap indexOfNames(const std::vector<std::string> &names) {
  NameMap index;
  for (size_t i = 0; i < names.size(); ++i)
    index.emplace(names[i], int64_t(i));
  return index;
}

} // namespace tpu_mlir::planning
