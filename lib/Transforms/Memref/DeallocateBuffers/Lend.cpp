//===- Lend.cpp - Decide which phis borrow their buffer -------------------===//
//
// A phi that lives no longer than the owner needs no copy; lending extends the
// owner's life.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

void Owners::addUse(int root, const BufferUse &first,
                    std::vector<int> &longer) {
  std::vector<std::pair<int, BufferUse>> open = {{root, first}};
  while (!open.empty()) {
    auto [index, use] = open.back();
    open.pop_back();
    Root &at = roots[index];
    if (lending.insert(index).second)
      for (const BufferUse &own : at.uses)
        knownUses.insert({index, {own.operand, own.point.node}});
    if (!knownUses.insert({index, {use.operand, use.point.node}}).second)
      continue;
    auto behind = llvm::upper_bound(at.uses, use,
                                    [](const BufferUse &a, const BufferUse &b) {
                                      return a.point.order < b.point.order;
                                    });
    at.uses.insert(behind, use);
    longer.push_back(index);
    for (int lender : at.lenders)
      if (auto lent = useOfLender(lender, use))
        open.push_back({lender, *lent});
  }
}

/// What is done with the phi inside an op of unknown control flow is one use of
/// a lender outside.
std::optional<BufferUse> Owners::useOfLender(int lender, BufferUse use) const {
  const Root &root = roots[lender];
  if (!root.managed)
    return std::nullopt;
  // What the program frees nobody lends; that is found out later.
  if (use.kind == UseKind::Dealloc)
    use.kind = UseKind::Read;
  if (!use.operand)
    return graph.node(use.point.node).scope == root.scope ? std::optional(use)
                                                          : std::nullopt;
  Operation *op = graph.inScope(use.operand->getOwner(), root.scope);
  if (op != use.operand->getOwner() && use.kind != UseKind::Write)
    use.kind = UseKind::Read;
  use.point = graph.pointOf(op);
  return use;
}

void Owners::lend(int lender, int phi, std::vector<int> &longer) {
  if (lender == phi || llvm::is_contained(roots[phi].lenders, lender))
    return;
  roots[phi].lenders.push_back(lender);
  longer.push_back(phi);
  std::vector<BufferUse> uses = roots[phi].uses;
  for (const BufferUse &use : uses)
    if (auto lent = useOfLender(lender, use))
      addUse(lender, *lent, longer);
}

/// All whose buffer a name with these roots may have: the roots, and who lends
/// to them; but for those that only `without` makes one of them.
std::vector<int> Planner::holders(ArrayRef<int> roots, int without) const {
  std::vector<int> result(roots.begin(), roots.end());
  llvm::erase(result, without);
  for (size_t i = 0; i < result.size(); ++i)
    for (int lender : owners.roots[result[i]].lenders)
      if (lender != without && !llvm::is_contained(result, lender))
        result.push_back(lender);
  return result;
}

/// Who has the buffer of `root` after one of the edges, for as long as the phi
/// that gets the operand there lives: who gets it handed over on the same edge,
/// or the root itself, or nobody.
std::optional<int> Planner::holderBehind(int root, const PassedOperand &pass,
                                         size_t edge) const {
  if (!owners.roots[root].managed)
    return root;
  int target = pass.targets[edge];
  auto mover = movers.find({pass.edges[edge], root});
  if (mover == movers.end())
    return owners.standsAbove(root, owners.roots[target].value)
               ? std::optional(root)
               : std::nullopt;
  const PassedOperand &by = owners.passed[mover->second];
  for (auto [at, to] : llvm::zip(by.edges, by.targets))
    if (at == pass.edges[edge])
      return to == target ? std::nullopt : std::optional(to);
  return std::nullopt;
}

bool Planner::mayLend(ArrayRef<int> roots, const PassedOperand &pass) const {
  for (size_t edge = 0; edge < pass.edges.size(); ++edge) {
    if (!roots.empty() &&
        !carriers.carry(owners.roots[pass.targets[edge]].value))
      return false;
    for (int root : roots)
      if (!holderBehind(root, pass, edge))
        return false;
  }
  return true;
}

void Planner::lend(ArrayRef<int> roots, const PassedOperand &pass) {
  std::vector<int> longer;
  SmallVector<int, 2> lenders(roots);
  for (size_t edge = 0; edge < pass.edges.size(); ++edge)
    for (int lender : lenders)
      owners.lend(holderBehind(lender, pass, edge).value(), pass.targets[edge],
                  longer);
  lengthen(longer);
}

/// Decisions so far took them to die earlier.
void Planner::lengthen(const std::vector<int> &longer) {
  for (int root : longer)
    liveness.forget(root);
  changed = changed || !longer.empty();
}

namespace {

/// What may be true of the ownership of a root at run time.
struct Possible {
  bool owned = false;
  bool lent = false;
};

} // namespace

static Possible handedOver(HandOver handOver, Possible root, Possible lender) {
  switch (handOver) {
  case HandOver::Nothing:
  case HandOver::Lend:
    return {false, true};
  case HandOver::Copy:
  case HandOver::Keep:
    return {true, false};
  case HandOver::MoveWithLender:
    return {root.owned || lender.owned, root.lent && lender.lent};
  case HandOver::Move:
    break;
  }
  return root;
}

/// What a phi owns follows from what is handed to it. O(operands handed over).
void Planner::findOwned() {
  std::vector<Possible> possible(owners.roots.size());
  std::vector<SmallVector<int, 2>> readers(owners.roots.size());
  std::vector<int> open;
  for (auto [index, root] : llvm::enumerate(owners.roots))
    possible[index].owned = root.kind != RootKind::Phi;
  auto lenderOf = [&](int root) {
    ArrayRef<int> lenders = owners.roots[root].lenders;
    return lenders.empty() ? root : lenders.front();
  };
  for (auto [index, pass] : llvm::enumerate(owners.passed)) {
    open.push_back(static_cast<int>(index));
    for (int root : owners.rootsOf(pass.operand->get())) {
      readers[root].push_back(static_cast<int>(index));
      if (result.handOvers[index] == HandOver::MoveWithLender)
        readers[lenderOf(root)].push_back(static_cast<int>(index));
    }
  }
  while (!open.empty()) {
    int index = open.back();
    open.pop_back();
    const PassedOperand &pass = owners.passed[index];
    ArrayRef<int> roots = owners.rootsOf(pass.operand->get());
    Possible root, lender;
    if (!roots.empty()) {
      root = possible[roots.front()];
      lender = possible[lenderOf(roots.front())];
    }
    Possible now = handedOver(result.handOvers[index], root, lender);
    for (int target : pass.targets) {
      Possible &at = possible[target];
      if ((now.owned && !at.owned) || (now.lent && !at.lent))
        open.insert(open.end(), readers[target].begin(), readers[target].end());
      at.owned |= now.owned;
      at.lent |= now.lent;
    }
  }
  result.owned.clear();
  for (Possible at : possible)
    result.owned.push_back(!at.owned  ? Owned::Never
                           : !at.lent ? Owned::Always
                                      : Owned::Sometimes);
}

} // namespace tpu_mlir::deallocation
