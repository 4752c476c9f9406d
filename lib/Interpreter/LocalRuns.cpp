//===- LocalRuns.cpp - The layer groups of a module in local memory -------===//

#include "lib/Interpreter/LocalRuns.h"
#include "lib/Interpreter/Kernels/Call.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

/// Elements of the local width that what is loaded has: coefficients may be
/// bytes there, whatever they were.
static int64_t piecesOf(const GroupItem &item) {
  return item.globalShape.elements() *
         (item.globalShape.bits / item.shape.bits);
}

/// What is loaded is in local memory as it is in global memory, or as the first
/// elements of an order of the chip's.
static std::optional<std::string> checkLoad(const GroupItem &item) {
  if (item.kind != GroupItem::Kind::Load)
    return std::nullopt;
  if (item.globalShape.bits % item.shape.bits != 0)
    return nameOf(item) + " makes elements wider";
  if (piecesOf(item) > item.shape.elements())
    return nameOf(item) + " loads " + std::to_string(piecesOf(item)) +
           " elements as " + std::to_string(item.shape.elements());
  return std::nullopt;
}

std::variant<LocalRuns, LocalFault>
LocalRuns::read(ModuleOp module, const target::ChipSpec &chip,
                const NetworkKernels &kernels) {
  LocalRuns runs(chip, kernels);
  auto chains = readChains(module, chip, kernels);
  if (auto *fault = std::get_if<LocalFault>(&chains))
    return std::move(*fault);
  runs.chains = std::move(std::get<0>(chains));
  for (auto [number, chain] : llvm::enumerate(runs.chains)) {
    ChainReference &reference = runs.references.emplace_back();
    for (auto [index, group] : llvm::enumerate(chain)) {
      reference.results.emplace_back(group.items.size());
      runs.places[group.op] = {number, index, 0};
      for (auto [item, described] : llvm::enumerate(group.items)) {
        if (auto problem = checkLoad(described))
          return LocalFault{described.op, *problem};
        runs.places[described.op] = {number, index, item};
      }
    }
  }
  return runs;
}

void LocalRuns::note(Operation *op, llvm::ArrayRef<uint8_t> bytes) {
  auto found = places.find(op);
  if (found == places.end())
    return;
  const Place place = found->second;
  const GroupItem &item = chains[place.chain][place.group].items[place.item];
  TensorPart &whole = references[place.chain].results[place.group][place.item];
  whole = TensorPart::whole(item.shape);
  if (item.kind != GroupItem::Kind::Load)
    return readBits(bytes, whole);
  std::vector<int32_t> pieces(piecesOf(item));
  readElements(bytes.data(), item.shape.bits,
               llvm::MutableArrayRef(pieces).take_front(bytes.size() * 8 /
                                                        item.shape.bits));
  const int64_t channels = channelsOf(item.shape.dims);
  // Coefficients of a channel are padded by themselves.
  const int64_t rows =
      channelsOf(item.globalShape.dims) == channels ? channels : 1;
  const int64_t from = piecesOf(item) / rows, to = item.shape.elements() / rows;
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(pieces.begin() + row * from, from,
                whole.values.begin() + row * to);
}

bool LocalRuns::leaveOut(Operation *op) {
  auto found = places.find(op);
  return found != places.end() && leftOut.insert(found->second.chain).second;
}

std::optional<LocalFault> LocalRuns::run(Operation *group, int64_t &groups) {
  const Place place = places.lookup(group);
  const std::vector<GroupModel> &chain = chains[place.chain];
  if (place.group + 1 < chain.size())
    return std::nullopt;
  KernelCache cache;
  ChainReference &reference = references[place.chain];
  std::optional<LocalFault> fault;
  if (!leftOut.contains(place.chain)) {
    groups += chain.size();
    fault = simulateAllOrders(chain, {chip, kernels}, reference, cache);
  }
  for (auto &results : reference.results)
    results.assign(results.size(), TensorPart());
  return fault;
}

} // namespace tpu_mlir::interpreter
