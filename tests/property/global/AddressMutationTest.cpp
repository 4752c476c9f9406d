//===- AddressMutationTest.cpp - Damaged addresses are found --------------===//
//
// Addresses of good modules are changed at random. Whether the change breaks
// anything is decided by the oracle; tpu-verify-addresses has to come to the
// same verdict, both ways.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/Oracle.h"
#include "tests/property/global/PassRunner.h"
#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

using namespace mlir;

namespace tpu_mlir::test {
namespace {

/// A good module whose addresses can be damaged and restored.
class Patient {
public:
  Patient(ModuleOp root, const Choice &choice)
      : root(root), choice(choice), chip(*target::findChip(choice.chip)) {
    bool fourN = chip.batchLayout == target::BatchLayout::FourN;
    for (ModuleOp module : modulesOfFunctions(root)) {
      modules.push_back(module);
      for (auto &place : sharedPlaces(module, fourN))
        places.push_back(place);
      module.walk([&](Operation *op) {
        if (auto call = calledBody(op))
          calls.push_back(op);
        if (isa<tpu::GroupOp>(op))
          groups.push_back(op);
        if (auto inPlace = dyn_cast<InPlaceOpInterface>(op))
          if (!inPlace.getInPlaceEdges().empty())
            sharing.push_back(op);
        if (isa<top::WeightOp>(op))
          weights.push_back(op->getResult(0));
      });
    }
  }

  int64_t alignment() const {
    return choice.alignment ? choice.alignment : chip.neuronAlignment;
  }
  int64_t sizeOf(Value value) const {
    auto bytes = placeOf(value, chip.batchLayout == target::BatchLayout::FourN);
    return bytes ? bytes->length() : 0;
  }
  void setAddress(Value value, std::optional<int64_t> address) {
    oldTypes.push_back({value, value.getType()});
    value.setType(address ? withAddress(value.getType(), *address)
                          : withoutAddress(value.getType()));
  }
  /// Moves everything that is at one place.
  void movePlace(ArrayRef<Value> place, int64_t to) {
    int64_t lowest = lowestAddress(place);
    for (Value value : place)
      if (auto address = getAddress(value.getType()))
        setAddress(value, *address - lowest + to);
  }
  static int64_t lowestAddress(ArrayRef<Value> place) {
    int64_t lowest = *getAddress(place.front().getType());
    for (Value value : place)
      lowest = std::min(lowest, *getAddress(value.getType()));
    return lowest;
  }
  void setAttribute(ModuleOp module, StringRef name, int64_t value) {
    oldAttributes.push_back({module, {name, module->getAttr(name)}});
    module->setAttr(
        name, IntegerAttr::get(IntegerType::get(root.getContext(), 64), value));
  }
  void restore() {
    for (auto &[value, type] : llvm::reverse(oldTypes))
      value.setType(type);
    for (auto &[module, attribute] : llvm::reverse(oldAttributes))
      module->setAttr(attribute.first, attribute.second);
    oldTypes.clear();
    oldAttributes.clear();
  }
  bool isHealthy() const { return oldTypes.empty() && oldAttributes.empty(); }
  std::string fault(uint64_t seed, int64_t replays) {
    OracleOptions options;
    options.alignment = alignment();
    options.seed = seed;
    options.replays = replays;
    return findFault(root, chip, options);
  }

  ModuleOp root;
  Choice choice;
  const target::ChipSpec &chip;
  std::vector<ModuleOp> modules;
  std::vector<SmallVector<Value>> places;
  std::vector<Operation *> calls, groups, sharing;
  std::vector<Value> weights;

private:
  std::vector<std::pair<Value, Type>> oldTypes;
  std::vector<std::pair<ModuleOp, std::pair<StringRef, Attribute>>>
      oldAttributes;
};

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

using Mutation = void (*)(Patient &, Draw &);

void shift(Patient &p, Draw &draw) {
  auto &place = draw.oneOf(p.places);
  const int64_t steps[] = {p.alignment(), -p.alignment(), 64, 1,
                           p.sizeOf(place.front())};
  p.movePlace(place, p.lowestAddress(place) + draw.oneOf(steps));
}
void moveOnto(Patient &p, Draw &draw) {
  auto &place = draw.oneOf(p.places);
  int64_t to = p.lowestAddress(draw.oneOf(p.places));
  p.movePlace(place, to + draw.between(-1, 1) * p.alignment());
}
/// Places of about one size and address are more likely to be alive at
/// different times.
void moveToNeighbor(Patient &p, Draw &draw) {
  int64_t last = p.places.size() - 1;
  int64_t i = draw.between(0, last);
  int64_t j = std::clamp<int64_t>(i + draw.between(-3, 3), 0, last);
  p.movePlace(p.places[i], p.lowestAddress(p.places[j]));
}
void swapPlaces(Patient &p, Draw &draw) {
  auto &a = draw.oneOf(p.places);
  auto &b = draw.oneOf(p.places);
  int64_t first = p.lowestAddress(a), second = p.lowestAddress(b);
  p.movePlace(a, second);
  p.movePlace(b, first);
}
void misalign(Patient &p, Draw &draw) {
  auto &place = draw.oneOf(p.places);
  p.movePlace(place, p.lowestAddress(place) + draw.between(1, 15));
}
void leaveRegion(Patient &p, Draw &draw) {
  auto &place = draw.oneOf(p.places);
  ModuleOp module = draw.oneOf(p.modules);
  auto at = [&](StringRef name) {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  const int64_t targets[] = {
      0,
      at("module.coeff_addr"),
      at("module.neuron_addr") + at("module.neuron_size"),
      at("module.neuron_addr") - p.alignment(),
      at("module.neuron_addr") + at("module.neuron_size") - p.alignment(),
      at("module.io_addr"),
      int64_t(1) << 50};
  p.movePlace(place, std::max<int64_t>(0, draw.oneOf(targets)));
}
void changeRegion(Patient &p, Draw &draw) {
  ModuleOp module = draw.oneOf(p.modules);
  const char *names[] = {"module.neuron_size", "module.coeff_size",
                         "module.io_size",     "module.private_size",
                         "module.neuron_addr", "module.io_addr"};
  const char *name = draw.oneOf(names);
  auto attribute = module->getAttrOfType<IntegerAttr>(name);
  const int64_t steps[] = {-1, -p.alignment(), -16 * p.alignment(), 1,
                           p.alignment()};
  if (attribute)
    p.setAttribute(
        module, name,
        std::max<int64_t>(0, attribute.getInt() + draw.oneOf(steps)));
}
void moveOne(Patient &p, Draw &draw) {
  auto &place = draw.oneOf(p.places);
  Value value = draw.oneOf(place);
  p.setAddress(value, *getAddress(value.getType()) +
                          draw.between(1, 3) * p.alignment());
}
void breakSharing(Patient &p, Draw &draw) {
  if (p.sharing.empty())
    return;
  Operation *op = draw.oneOf(p.sharing);
  auto edges = cast<InPlaceOpInterface>(op).getInPlaceEdges();
  const InPlaceEdge &edge = draw.oneOf(edges);
  Value value = draw.chance(50) ? op->getOperand(edge.operand)
                                : Value(op->getResult(edge.result));
  if (auto address = getAddress(value.getType()))
    p.setAddress(value, *address + draw.between(0, 2) * p.alignment() +
                            draw.between(0, 1));
}
void moveWeight(Patient &p, Draw &draw) {
  if (p.weights.empty())
    return;
  Value weight = draw.oneOf(p.weights);
  Value other = draw.oneOf(p.weights);
  if (auto address = getAddress(other.getType()))
    p.setAddress(weight, *address + draw.between(0, 1) * 16);
}
void breakCall(Patient &p, Draw &draw) {
  if (p.calls.empty())
    return;
  Operation *call = draw.oneOf(p.calls);
  func::FuncOp callee = calledBody(call);
  SmallVector<Value> ends(call->getResults());
  llvm::append_range(ends, callee.getArguments());
  if (ends.empty())
    return;
  Value end = draw.oneOf(ends);
  if (auto address = getAddress(end.getType()))
    p.setAddress(end, *address + p.alignment());
}
void breakGroup(Patient &p, Draw &draw) {
  if (p.groups.empty())
    return;
  Operation *yield = draw.oneOf(p.groups)->getRegion(0).front().getTerminator();
  Value stored =
      yield->getOperand(draw.between(0, int64_t(yield->getNumOperands()) - 1));
  if (auto address = getAddress(stored.getType()))
    p.setAddress(stored, *address + p.alignment());
}
void dropAddress(Patient &p, Draw &draw) {
  p.setAddress(draw.oneOf(draw.oneOf(p.places)), std::nullopt);
}

const std::pair<const char *, Mutation> kMutations[] = {
    {"shift", shift},
    {"move onto", moveOnto},
    {"move to neighbor", moveToNeighbor},
    {"swap places", swapPlaces},
    {"misalign", misalign},
    {"leave region", leaveRegion},
    {"change region", changeRegion},
    {"move one", moveOne},
    {"break sharing", breakSharing},
    {"move weight", moveWeight},
    {"break call", breakCall},
    {"break group", breakGroup},
    {"drop address", dropAddress}};

//===----------------------------------------------------------------------===//
// The verdicts
//===----------------------------------------------------------------------===//

struct Count {
  int64_t broken = 0, harmless = 0;
};
using Counts = std::map<std::string, Count>;

void mutate(Patient &patient, uint64_t seed, int64_t times, Counts &counts) {
  ASSERT_EQ(patient.fault(seed, 8), "");
  Outcome healthy = verifyAddresses(patient.root, patient.choice);
  ASSERT_TRUE(healthy.succeeded) << healthy.errors;
  Draw draw(seed);
  for (int64_t i = 0; i < times; ++i) {
    auto &[name, mutation] = draw.oneOf(kMutations);
    mutation(patient, draw);
    if (draw.chance(10))
      mutation(patient, draw);
    if (patient.isHealthy())
      continue;
    std::string fault = patient.fault(seed + i, 8);
    Outcome outcome = verifyAddresses(patient.root, patient.choice);
    // A rare path that the replays missed so far.
    if (fault.empty() && !outcome.succeeded)
      fault = patient.fault(seed + i + 1, 300);
    bool agree = fault.empty() == outcome.succeeded;
    EXPECT_TRUE(agree) << name << " " << i << " seed " << seed
                       << "\noracle: " << fault << "\npass: " << outcome.errors
                       << describe(patient.choice) << "\n"
                       << print(patient.root);
    ++(fault.empty() ? counts[name].harmless : counts[name].broken);
    patient.restore();
    if (!agree)
      return;
  }
}

void report(const Counts &counts) {
  int64_t broken = 0, harmless = 0;
  for (auto &[name, count] : counts) {
    broken += count.broken;
    harmless += count.harmless;
    llvm::outs() << name << ": " << count.broken << " broken, "
                 << count.harmless << " harmless\n";
  }
  llvm::outs() << broken + harmless << " mutations: " << broken << " broken, "
               << harmless << " harmless\n";
}

TEST(AddressMutation, OfRandomModulesIsJudgedAsByTheOracle) {
  Counts counts;
  const char *chips[] = {"bm1684x", "bm1688", "bm1684", "cv181x", "bm1690"};
  const char *modes[] = {"basic", "in_reuse"};
  for (uint64_t seed = 0; seed < seedCount(120) && !HasFatalFailure(); ++seed) {
    Draw draw(seed + 77);
    auto context = makeContext();
    Choice choice;
    choice.chip = draw.oneOf(chips);
    choice.ioMode = draw.oneOf(modes);
    if (choice.chip == "bm1684x" && draw.chance(50))
      choice.ioMode = draw.chance(50) ? "io_alone" : "io_reloc";
    if (choice.chip == "bm1688" && draw.chance(50))
      choice.ioMode = draw.chance(50) ? "io_alone" : "io_tag";
    choice.alignment = draw.chance(30) ? 64 : 0;
    choice.dedup = draw.chance(30);
    const target::ChipSpec &chip = *target::findChip(choice.chip);
    ModuleShape shape;
    shape.ops = draw.between(5, 50);
    shape.structure = draw.chance(70);
    shape.unknownOps = draw.chance(20);
    shape.l2Scratch = chip.l2Bytes > 0;
    shape.fourN = chip.batchLayout == target::BatchLayout::FourN;
    auto module = randomModule(*context, 5000 + seed, shape);
    ASSERT_TRUE(assignAddresses(*module, choice).succeeded);
    Patient patient(*module, choice);
    mutate(patient, seed, 24, counts);
  }
  report(counts);
  for (auto &[name, count] : counts)
    EXPECT_GT(count.broken, 0) << name;
}

/// final.mlir as it was dumped, and final_without_gmem.mlir as we plan it.
TEST(AddressMutation, OfRealModelsIsJudgedAsByTheOracle) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data)
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           std::string(data) + "/tpu_mlir"))
    if (entry.path().filename() == "final.mlir" ||
        entry.path().filename() == "final_without_gmem.mlir")
      files.push_back(entry.path().string());
  llvm::sort(files);
  Counts counts;
  for (auto [i, file] : llvm::enumerate(files)) {
    SCOPED_TRACE(file);
    auto context = makeContext();
    auto module = parseSourceFile<ModuleOp>(file, context.get());
    ASSERT_TRUE(module);
    Choice choice;
    choice.chip =
        (*module)->getAttrOfType<StringAttr>("module.chip").getValue().lower();
    if (llvm::StringRef(file).ends_with("final_without_gmem.mlir")) {
      ASSERT_TRUE(assignAddresses(*module, choice).succeeded);
    }
    Patient patient(*module, choice);
    mutate(patient, 100 + i, 30, counts);
  }
  report(counts);
}

} // namespace
} // namespace tpu_mlir::test
