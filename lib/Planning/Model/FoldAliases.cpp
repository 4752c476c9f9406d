//===- FoldAliases.cpp - One item for each piece of storage ---------------===//

#include "lib/Planning/Model/FoldAliases.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {

/// A class may only live where all its buffers may: the root's order counts.
static void keepCommonPools(std::vector<PoolId> &pools, const Buffer &member) {
  auto isForeign = [&](PoolId pool) {
    return std::find(member.pools.begin(), member.pools.end(), pool) ==
           member.pools.end();
  };
  pools.erase(std::remove_if(pools.begin(), pools.end(), isForeign),
              pools.end());
}

/// What is written has no place in a read-only pool.
static void keepPoolsThatMayHold(std::vector<PoolId> &candidates,
                                 const std::vector<Pool> &pools,
                                 const Buffer &buffer) {
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](PoolId pool) {
                                    return !mayHold(pools[size_t(pool)],
                                                    buffer);
                                  }),
                   candidates.end());
}

static StorageClass classOfRoot(BufferId id, const Buffer &root) {
  StorageClass storage;
  storage.root = id;
  storage.lifespans = root.lifespans;
  storage.readSteps = root.readSteps;
  storage.alignment = root.alignment;
  storage.sizeBytes = root.sizeBytes;
  storage.servedBytes = servedBytes(root);
  storage.pools = root.pools;
  storage.pin = root.pin;
  return storage;
}

static void addMember(StorageClass &storage, const Alias &alias,
                      const Buffer &member) {
  storage.members.push_back(alias.member);
  storage.lifespans.insert(storage.lifespans.end(), member.lifespans.begin(),
                           member.lifespans.end());
  storage.readSteps.insert(storage.readSteps.end(), member.readSteps.begin(),
                           member.readSteps.end());
  storage.alignment = std::lcm(storage.alignment, member.alignment);
  storage.servedBytes = saturatedAdd(storage.servedBytes, servedBytes(member));
  keepCommonPools(storage.pools, member);
  if (member.pin && !storage.pin)
    storage.pin =
        Pin{member.pin->pool, member.pin->offsetBytes - alias.offsetBytes};
}

static void finish(StorageClass &storage) {
  std::sort(storage.members.begin(), storage.members.end());
  if (storage.lifespans.size() > 1)
    storage.lifespans = normalize(std::move(storage.lifespans));
  std::sort(storage.readSteps.begin(), storage.readSteps.end());
}

/// The classes of the roots that `isRoot` names.
static std::vector<StorageClass> foldRoots(const Problem &problem,
                                           const std::vector<bool> &isRoot) {
  std::vector<StorageClass> classes;
  classes.reserve(size_t(std::count(isRoot.begin(), isRoot.end(), true)));
  std::vector<size_t> classOf(problem.aliases.empty() ? 0 : isRoot.size(), 0);
  for (size_t id = 0; id < isRoot.size(); ++id) {
    if (!isRoot[id])
      continue;
    if (!classOf.empty())
      classOf[id] = classes.size();
    classes.push_back(classOfRoot(BufferId(id), problem.buffers[id]));
    keepPoolsThatMayHold(classes.back().pools, problem.pools,
                         problem.buffers[id]);
  }
  for (const Alias &alias : problem.aliases) {
    StorageClass &storage = classes[classOf[alias.root]];
    const Buffer &member = problem.buffers[alias.member];
    addMember(storage, alias, member);
    keepPoolsThatMayHold(storage.pools, problem.pools, member);
  }
  for (StorageClass &storage : classes)
    finish(storage);
  return classes;
}

std::vector<StorageClass> foldAliases(const Problem &problem) {
  std::vector<bool> isRoot(problem.buffers.size(), true);
  for (const Alias &alias : problem.aliases)
    isRoot[alias.member] = false;
  return foldRoots(problem, isRoot);
}

std::vector<StorageClass> foldEntangled(const Problem &problem) {
  std::vector<bool> isRoot(problem.buffers.size(), false);
  for (size_t id = 0; id < isRoot.size(); ++id)
    isRoot[id] = problem.buffers[id].pin.has_value();
  for (const Alias &alias : problem.aliases)
    isRoot[alias.root] = true;
  for (const Alias &alias : problem.aliases)
    isRoot[alias.member] = false;
  return foldRoots(problem, isRoot);
}

} // namespace tpu_mlir::planning
