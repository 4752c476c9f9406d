//===- Mutations.cpp - Break correct layer groups -------------------------===//
//
// Changes addresses, slices, stages and transfers one at a time.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::test {

void Mutation::swapIn() {
  for (Change &change : changes) {
    Attribute old = change.op->getAttr(change.attribute);
    change.op->setAttr(change.attribute, change.value);
    change.value = old;
  }
}

namespace {

/// The fields of a `ginfo` that mutations change.
struct Info {
  explicit Info(tpu::LayerGroupAttr attr)
      : attr(attr), outAddr(attr.getOutAddr()), outSize(attr.getOutSize()),
        bufferAddr(attr.getBufferAddr()), bufferSize(attr.getBufferSize()),
        id(attr.getId()), stage(attr.getStage()), euAlign(attr.getEuAlign()) {
    const ArrayRef<int64_t> read[] = {
        attr.getNIdx(), attr.getNSlice(), attr.getCIdx(), attr.getCSlice(),
        attr.getDIdx(), attr.getDSlice(), attr.getHIdx(), attr.getHSlice(),
        attr.getWIdx(), attr.getWSlice()};
    for (int i = 0; i < 10; ++i)
      lists[i].assign(read[i].begin(), read[i].end());
  }

  /// Null when the attribute itself would not be valid.
  tpu::LayerGroupAttr get() const {
    for (const auto &list : lists)
      if (llvm::any_of(list, [](int64_t number) { return number < 0; }))
        return {};
    if (stage < 0)
      return {};
    return tpu::LayerGroupAttr::get(
        attr.getContext(), outAddr, outSize, bufferAddr, bufferSize, euAlign,
        attr.getCanMerge(), attr.getInHsliceOffset(), lists[0], lists[1],
        lists[2], lists[3], lists[4], lists[5], lists[6], lists[7], lists[8],
        lists[9], id, stage, attr.getSliceIdx(), attr.getGroupType());
  }

  tpu::LayerGroupAttr attr;
  int64_t outAddr, outSize, bufferAddr, bufferSize, id, stage;
  bool euAlign;
  /// Starts and lengths of n, c, d, h, w.
  std::vector<int64_t> lists[10];
};

/// A result or a scratch: the field of its address.
struct Place {
  Operation *op = nullptr;
  int64_t Info::*address = nullptr;
  int64_t begin = 0, size = 0;
};

class Maker {
public:
  explicit Maker(tpu::GroupOp group) : group(group) {
    for (Operation &op : group.getRegion().front())
      if (op.hasAttr("ginfo"))
        ops.push_back(&op);
    for (Attribute entry : group->getAttrOfType<ArrayAttr>("flow"))
      flow.push_back(cast<IntegerAttr>(entry).getInt());
  }

  std::vector<Mutation> run() {
    addAddresses();
    for (Operation *op : ops) {
      addParts(op);
      addFields(op);
    }
    addFlow();
    addSections();
    addLoans();
    return std::move(result);
  }

private:
  static Info infoOf(Operation *op) {
    return Info(op->getAttrOfType<tpu::LayerGroupAttr>("ginfo"));
  }
  static std::string nameOf(Operation *op) {
    return op->getName().getStringRef().str() + " " +
           std::to_string(infoOf(op).id);
  }

  void add(const std::string &kind, const std::string &what,
           std::vector<Mutation::Change> changes) {
    result.push_back({kind, what, std::move(changes)});
  }
  template <typename Fn>
  void addInfo(const std::string &kind, const std::string &what, Operation *op,
               Fn change) {
    Info info = infoOf(op);
    change(info);
    if (info.get() && info.get() != infoOf(op).get())
      add(kind, nameOf(op) + ": " + what, {{op, "ginfo", info.get()}});
  }
  void addFlowOf(const std::string &kind, const std::string &what,
                 const std::vector<int64_t> &changed) {
    if (changed != flow)
      add(kind, what,
          {{group, "flow", Builder(group).getI64ArrayAttr(changed)}});
  }

  std::vector<Place> places() const;
  /// The address of a result and of what stores it are one.
  std::vector<Mutation::Change> moveTo(const Place &place, int64_t address);
  void addAddresses();
  void addParts(Operation *op);
  void addFields(Operation *op);
  void addFlow();
  void addFlowOfEntry(size_t at);
  void addSections();
  void addLoans();

  tpu::GroupOp group;
  std::vector<Operation *> ops;
  std::vector<int64_t> flow;
  std::vector<Mutation> result;
};

} // namespace

std::vector<Place> Maker::places() const {
  std::vector<Place> places;
  for (Operation *op : ops) {
    const Info info = infoOf(op);
    if (!isa<tpu::StoreOp>(op))
      places.push_back({op, &Info::outAddr, info.outAddr, info.outSize});
    if (info.bufferSize > 0)
      places.push_back(
          {op, &Info::bufferAddr, info.bufferAddr, info.bufferSize});
  }
  return places;
}

std::vector<Mutation::Change> Maker::moveTo(const Place &place,
                                            int64_t address) {
  Info info = infoOf(place.op);
  info.*place.address = address;
  std::vector<Mutation::Change> changes{{place.op, "ginfo", info.get()}};
  if (place.address != &Info::outAddr)
    return changes;
  for (Operation *user : place.op->getResult(0).getUsers()) {
    if (!isa<tpu::StoreOp>(user))
      continue;
    Info store = infoOf(user);
    store.outAddr = address;
    changes.push_back({user, "ginfo", store.get()});
  }
  return changes;
}

void Maker::addAddresses() {
  const std::vector<Place> all = places();
  for (size_t i = 0; i < all.size(); ++i) {
    const Place &a = all[i];
    for (size_t j = 0; j < all.size(); ++j) {
      const Place &b = all[j];
      const std::string pair = nameOf(a.op) + ", " + nameOf(b.op);
      if (i < j && a.op != b.op && a.begin != b.begin) {
        auto changes = moveTo(a, b.begin);
        for (Mutation::Change &change : moveTo(b, a.begin))
          changes.push_back(change);
        add("swap-addresses", pair, changes);
      }
      if (i == j || a.begin == b.begin)
        continue;
      add("overlap", pair + " begin", moveTo(a, b.begin));
      // The last aligned bytes of the other one.
      const int64_t last = (b.begin + b.size - 1) / 64 * 64;
      if (last > b.begin && last != a.begin)
        add("overlap", pair + " end", moveTo(a, last));
    }
    add("misalign", nameOf(a.op) + " by 1", moveTo(a, a.begin + 1));
    add("misalign", nameOf(a.op) + " to the end", moveTo(a, 1 << 30));
  }
  for (Operation *op : ops)
    if (isa<tpu::StoreOp>(op))
      addInfo("overlap", "store elsewhere", op,
              [](Info &info) { info.outAddr += 1024; });
}

void Maker::addParts(Operation *op) {
  const Info info = infoOf(op);
  for (int list = 0; list < 10; ++list) {
    const size_t size = info.lists[list].size();
    for (size_t i = 0; i < size; ++i) {
      // Of a long list the ends and the middle.
      if (i > 1 && i + 1 < size && i != size / 2)
        continue;
      for (int64_t step : {-1, 1}) {
        const std::string what = std::string(1, "ncdhw"[list / 2]) +
                                 (list % 2 ? "_slice[" : "_idx[") +
                                 std::to_string(i) + "] by " +
                                 std::to_string(step);
        addInfo(list % 2 ? "shift-slice" : "shift-idx", what, op,
                [&](Info &changed) { changed.lists[list][i] += step; });
        // The end stays, the start moves.
        if (list % 2 == 0)
          addInfo("shift-start", what, op, [&](Info &changed) {
            changed.lists[list][i] += step;
            changed.lists[list + 1][i] -= step;
          });
      }
    }
    if (list % 2 == 0 && size > 1)
      addInfo("hold",
              std::string("only the first section of ") + "ncdhw"[list / 2], op,
              [&](Info &changed) {
                changed.lists[list].resize(1);
                changed.lists[list + 1].resize(1);
              });
  }
}

void Maker::addFields(Operation *op) {
  for (int64_t step : {-2, -1, 1, 2})
    addInfo("stage", "by " + std::to_string(step), op,
            [&](Info &info) { info.stage += step; });
  if (!isa<tpu::StoreOp>(op)) {
    addInfo("shrink", "by 1", op, [](Info &info) { info.outSize -= 1; });
    addInfo("shrink", "to half", op, [](Info &info) { info.outSize /= 2; });
  }
  addInfo("eu-align", "turned round", op,
          [](Info &info) { info.euAlign = !info.euAlign; });
  for (Operation *other : ops)
    if (other != op)
      addInfo("duplicate-id", "as " + nameOf(other), op,
              [&](Info &info) { info.id = infoOf(other).id; });
}

void Maker::addFlow() {
  for (size_t at = 0; at < flow.size(); ++at)
    if (flow[at] >= 0)
      addFlowOfEntry(at);
  for (size_t at = 0; at + 1 < flow.size(); ++at)
    if (flow[at] >= 0 && flow[at + 1] >= 0) {
      auto changed = flow;
      std::swap(changed[at], changed[at + 1]);
      addFlowOf("reorder", "ids at " + std::to_string(at), changed);
    }
}

void Maker::addFlowOfEntry(size_t at) {
  const std::string what = "id " + std::to_string(flow[at]);
  auto without = flow;
  without.erase(without.begin() + static_cast<ptrdiff_t>(at));
  addFlowOf("drop-id", what, without);
  // The openings of rows around the entry.
  std::vector<size_t> openings;
  for (size_t i = 0; i < without.size(); ++i)
    if (without[i] < 0)
      openings.push_back(i);
  const size_t row = llvm::count_if(ArrayRef(flow).take_front(at),
                                    [](int64_t entry) { return entry < 0; }) -
                     1;
  for (size_t target : {row - 1, row + 1}) {
    if (target >= openings.size())
      continue;
    auto moved = without;
    moved.insert(moved.begin() + static_cast<ptrdiff_t>(openings[target] + 1),
                 flow[at]);
    addFlowOf("move-row", what + " to row " + std::to_string(target), moved);
    auto twice = flow;
    twice.push_back(flow[at]);
    addFlowOf("duplicate-id", what + " in flow", twice);
  }
}

void Maker::addSections() {
  for (const char *name : {"nsecs", "csecs", "dsecs", "hsecs", "wsecs"}) {
    auto old = group->getAttrOfType<IntegerAttr>(name);
    const int64_t value = old ? old.getInt() : 1;
    for (int64_t step : {-1, 1})
      add("sections", std::string(name) + " by " + std::to_string(step),
          {{group, name, Builder(group).getI64IntegerAttr(value + step)}});
  }
}

/// Transfers that neighbours run: dropped, and hosted in another row.
void Maker::addLoans() {
  for (const char *name : {"self_up_overlap_op", "self_down_overlap_op",
                           "other_up_overlap_op", "other_down_overlap_op"}) {
    auto list = group->getAttrOfType<ArrayAttr>(name);
    std::vector<int64_t> old;
    for (Attribute entry : list ? list : ArrayAttr::get(group.getContext(), {}))
      old.push_back(cast<IntegerAttr>(entry).getInt());
    auto change = [&](const std::string &what, std::vector<int64_t> changed) {
      add("loans", std::string(name) + ": " + what,
          {{group, name, Builder(group).getI64ArrayAttr(changed)}});
    };
    for (size_t i = 0; i < old.size(); ++i) {
      auto without = old;
      without.erase(without.begin() + static_cast<ptrdiff_t>(i));
      if (old[i] >= 0)
        change("drop " + std::to_string(old[i]), without);
      for (int64_t row = 0;
           old[i] < 0 &&
           row <= llvm::count_if(
                      flow, [](int64_t entry) { return entry < 0; });
           ++row) {
        auto moved = old;
        moved[i] = -(row + 1);
        if (moved != old)
          change("row " + std::to_string(row), moved);
      }
    }
  }
}

std::vector<Mutation> mutationsOf(tpu::GroupOp group) {
  return Maker(group).run();
}

std::vector<Mutation> sampleOfEachKind(const std::vector<Mutation> &all,
                                       size_t count) {
  llvm::MapVector<llvm::StringRef, std::vector<const Mutation *>> ofKind;
  for (const Mutation &mutation : all)
    ofKind[mutation.kind].push_back(&mutation);
  std::vector<Mutation> sample;
  for (auto &[kind, mutations] : ofKind) {
    const size_t step = std::max<size_t>(1, mutations.size() / count);
    for (size_t i = 0; i < mutations.size() && i / step < count; i += step)
      sample.push_back(*mutations[i]);
  }
  return sample;
}

} // namespace tpu_mlir::test
