//===- GlobalPools.cpp - The regions of a module, as pools ----------------===//

#include "lib/Analysis/Tensor/GlobalPools.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir::detail {

namespace {

class PoolMaker {
public:
  PoolMaker(GlobalRequest request, const IoClasses &io,
            const WeightRegion &weights, GlobalProblem &global)
      : request(request), io(io), weights(weights), global(global) {}

  FailureOr<PoolRoles> run();

private:
  PoolId addPool(const Twine &name, RegionRole role, int64_t base,
                 std::optional<int64_t> capacity);
  std::optional<int64_t> capacity(int64_t takenBytes) const;
  LogicalResult placeIo();
  LogicalResult pinIoAlone();
  void pinIoTags();
  LogicalResult addL2();
  LogicalResult addUserPools();
  LogicalResult addUserPool(Pool pool);
  void shareAlignment();

  GlobalRequest request;
  const IoClasses &io;
  const WeightRegion &weights;
  GlobalProblem &global;
  PoolRoles roles;
  int64_t ioBytes = 0;
};

} // namespace

PoolId PoolMaker::addPool(const Twine &name, RegionRole role, int64_t base,
                          std::optional<int64_t> capacityBytes) {
  Pool pool;
  pool.name = name.str();
  pool.baseAddress = base;
  pool.capacityBytes = capacityBytes;
  global.problem.pools.push_back(pool);
  global.regions.push_back({role, base});
  return global.problem.pools.size() - 1;
}

/// What is left of the board's memory, and of one address window.
std::optional<int64_t> PoolMaker::capacity(int64_t takenBytes) const {
  std::optional<int64_t> left = request.chip.windowBytes;
  if (request.options.gmemBytes) {
    int64_t rest =
        std::max<int64_t>(0, *request.options.gmemBytes - takenBytes);
    // A region is as large as its size rounded up: a part of a unit is no use.
    rest -= rest % request.chip.neuronAlignment;
    left = left ? std::min(*left, rest) : rest;
  }
  return left;
}

LogicalResult PoolMaker::pinIoAlone() {
  // Without a base of its own the region is placed once weights are known.
  PoolId pool =
      addPool("io", RegionRole::Io, request.chip.ioAloneBase.value_or(0),
              capacity(weights.sizeBytes));
  for (int64_t id : io.order) {
    roles.pins[id] = {pool, ioBytes};
    auto end =
        checkedAdd(ioBytes, request.facts.aliases.classes()[id].sizeBytes);
    end = end ? checkedAlignUp(*end, request.alignment()) : std::nullopt;
    if (!end)
      return emitCodedError(request.module.getLoc(), ErrorCode::NoStaticSize,
                            "inputs and outputs need more than 2^63 bytes");
    ioBytes = *end;
  }
  return success();
}

void PoolMaker::pinIoTags() {
  SmallVector<int64_t> order = io.order;
  // Tags go to the largest, base registers to the first.
  if (request.chip.addressForm == AddressForm::Tagged)
    llvm::stable_sort(order, [&](int64_t a, int64_t b) {
      return request.facts.aliases.classes()[a].sizeBytes >
             request.facts.aliases.classes()[b].sizeBytes;
    });
  size_t count = std::min(order.size(), request.chip.ioBases.size());
  for (size_t i = 0; i < count; ++i)
    roles.pins[order[i]] = {addPool("io" + Twine(i), RegionRole::IoTag,
                                    request.chip.ioBases[i],
                                    request.chip.windowBytes),
                            0};
}

LogicalResult PoolMaker::placeIo() {
  const bool isAlone =
      global.ioMode == IoMode::IoAlone || global.ioMode == IoMode::IoReloc;
  if (request.chip.addressForm == AddressForm::BaseRegister ||
      global.ioMode == IoMode::IoTag)
    pinIoTags();
  else if (isAlone)
    return pinIoAlone();
  return success();
}

FailureOr<PoolRoles> PoolMaker::run() {
  const target::ChipSpec &chip = request.chip;
  const bool isBaseRegister = chip.addressForm == AddressForm::BaseRegister;
  roles.neuron = addPool(isBaseRegister ? "shared" : "neuron",
                         RegionRole::Neuron, 0, std::nullopt);
  if (failed(placeIo()))
    return failure();
  // An overflow is certainly more than the board has.
  const int64_t taken = checkedAdd(weights.sizeBytes, ioBytes)
                            .value_or(std::numeric_limits<int64_t>::max());
  if (const auto board = request.options.gmemBytes; board && taken > *board) {
    InFlightDiagnostic diagnostic = emitCodedError(
        request.module.getLoc(), ErrorCode::DoesNotFit,
        "weights and separate inputs and outputs alone do not fit: they " +
            formatShortage(taken, *board, /*isPlural=*/true));
    return diagnostic;
  }
  global.problem.pools[roles.neuron].capacityBytes = capacity(taken);
  if (isBaseRegister)
    roles.privatePool = addPool("private", RegionRole::Private,
                                chip.privateBase.value_or(0), capacity(taken));
  if (failed(addL2()) || failed(addUserPools()))
    return failure();
  shareAlignment();
  return roles;
}

LogicalResult PoolMaker::addL2() {
  const target::ChipSpec &chip = request.chip;
  FailureOr<int64_t> cores = usedCores(request.module);
  if (failed(cores))
    return failure();
  if (*cores > chip.cores)
    emitRemark(request.module.getLoc())
        << "'module.cores' is " << *cores << ", but chip '" << chip.name
        << "' has " << chip.cores << ": planned for those";
  FailureOr<int64_t> l2Bytes = usableL2Bytes(request.module, chip);
  if (failed(l2Bytes))
    return failure();
  if (const int64_t bytes = *l2Bytes; bytes > 0)
    roles.l2 = addPool("l2", RegionRole::L2, chip.l2Base, bytes);
  return success();
}

LogicalResult PoolMaker::addUserPools() {
  FailureOr<std::vector<Pool>> pools = readPools(request.module, request.chip);
  if (failed(pools))
    return failure();
  for (Pool &pool : *pools)
    if (failed(addUserPool(std::move(pool))))
      return failure();
  roles.neuronPools.push_back(roles.neuron);
  return success();
}

/// A pool of the user's own, or a line that gives a region of the chip a cost.
LogicalResult PoolMaker::addUserPool(Pool pool) {
  const target::ChipSpec &chip = request.chip;
  auto refuse = [&](const Twine &why) {
    return emitCodedError(request.module.getLoc(), ErrorCode::BadAttribute,
                          why);
  };
  auto known = llvm::find_if(global.problem.pools, [&](const Pool &other) {
    return other.name == pool.name;
  });
  if (known != global.problem.pools.end()) {
    known->accessCost = pool.accessCost;
    if (request.options.l2 && known - global.problem.pools.begin() == roles.l2)
      roles.neuronPools.push_back(*roles.l2);
    return success();
  }
  if (pool.name == "coeff") // Not planned here.
    return success();
  if (pool.name == "l2")
    return refuse("chip '" + chip.name +
                  "' has no L2 (0 B): pool 'l2' cannot be used");
  if (isRegionName(pool.name))
    return refuse("chip '" + chip.name + "' has no region '" + pool.name +
                  "' in I/O mode '" + ioModeName(global.ioMode) +
                  "' that a line could give a cost");
  if (chip.addressForm == AddressForm::BaseRegister &&
      pool.access == PoolAccess::ReadWrite)
    return refuse("pool '" + pool.name + "' cannot be added: chip '" +
                  chip.name +
                  "' reaches memory by base registers only, and "
                  "takes pools for weights (access=ro) alone");
  if (pool.alignment == 1)
    pool.alignment = request.alignment();
  if (pool.access == PoolAccess::ReadWrite) {
    if (failed(checkPoolBase(request.module.getLoc(), pool)))
      return failure();
    roles.neuronPools.push_back(global.problem.pools.size());
  }
  global.regions.push_back({RegionRole::User, pool.baseAddress});
  global.problem.pools.push_back(std::move(pool));
  return success();
}

/// Each region has an alignment of its own: a buffer has what is common to all.
void PoolMaker::shareAlignment() {
  roles.bufferAlignment = request.alignment();
  for (PoolId pool : roles.neuronPools)
    if (global.regions[pool].role == RegionRole::User)
      roles.bufferAlignment =
          std::gcd(roles.bufferAlignment, global.problem.pools[pool].alignment);
  if (roles.bufferAlignment == request.alignment())
    return;
  for (auto [pool, region] :
       llvm::zip_equal(global.problem.pools, global.regions))
    if (region.role != RegionRole::User)
      pool.alignment = request.alignment();
}

FailureOr<PoolRoles> makePools(GlobalRequest request, const IoClasses &io,
                               const WeightRegion &weights,
                               GlobalProblem &global) {
  return PoolMaker(request, io, weights, global).run();
}

} // namespace tpu_mlir::detail
