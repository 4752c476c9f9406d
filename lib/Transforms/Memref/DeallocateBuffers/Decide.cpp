//===- Decide.cpp - What is handed over, and how --------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

void Planner::giveUp(int root, StringRef reason, Operation *blame) {
  if (!owners.roots[root].managed)
    return;
  owners.giveUp(root, reason, blame);
  changed = true;
}

/// Adds the roots to which buffers of `found` may be handed, by way of such
/// roots alone as `goesOn` says.
static void follow(const Owners &owners, std::vector<bool> &found,
                   llvm::function_ref<bool(const Root &)> goesOn) {
  std::vector<SmallVector<int, 2>> reaches(owners.roots.size());
  for (const PassedOperand &pass : owners.passed)
    for (int source : owners.rootsOf(pass.operand->get()))
      reaches[source].append(pass.targets.begin(), pass.targets.end());
  std::vector<int> open;
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i])
      open.push_back(static_cast<int>(i));
  while (!open.empty()) {
    int from = open.back();
    open.pop_back();
    for (int to : reaches[from])
      if (!found[to] && goesOn(owners.roots[to])) {
        found[to] = true;
        open.push_back(to);
      }
  }
}

/// Phis that no managed allocation reaches have nothing to free.
void Planner::dropUnreached() {
  std::vector<bool> isReached;
  for (const Root &root : owners.roots)
    isReached.push_back(root.managed && root.kind == RootKind::Alloc);
  follow(owners, isReached, [](const Root &root) { return root.managed; });
  for (auto [index, root] : llvm::enumerate(owners.roots))
    if (!isReached[index])
      root.managed = false;
}

/// A managed phi does not have them for good: they are lent to it.
void Planner::findPrograms() {
  auto isUnmanaged = [](const Root &root) { return !root.managed; };
  isPrograms.clear();
  isFreedByProgram.clear();
  for (const Root &root : owners.roots) {
    isPrograms.push_back(!root.managed &&
                         (root.escapes || root.kind == RootKind::Alloc));
    isFreedByProgram.push_back(isPrograms.back() && root.reason.empty());
  }
  follow(owners, isPrograms, isUnmanaged);
  follow(owners, isFreedByProgram, isUnmanaged);
}

bool Planner::mayBePrograms(ArrayRef<int> roots) const {
  return llvm::any_of(holders(roots),
                      [&](int root) { return isPrograms[root]; });
}

/// Because of what else they may hold. With a buffer of the program they are
/// the program's to free, which may well do it.
void Planner::giveUpMeeting(ArrayRef<int> roots, ArrayRef<int> met,
                            StringRef reason, Operation *blame) {
  bool isLeft = llvm::any_of(holders(met),
                             [&](int root) { return isFreedByProgram[root]; });
  for (int root : roots)
    giveUp(root, isLeft ? "" : reason, blame);
}

/// Roots whose buffers may be the same somewhere.
void Planner::findComponents() {
  int count = static_cast<int>(owners.roots.size());
  llvm::IntEqClasses classes(count);
  for (const PassedOperand &pass : owners.passed)
    for (int source : owners.rootsOf(pass.operand->get()))
      for (int target : pass.targets)
        classes.join(source, target);
  classes.compress();
  component.resize(count);
  members.resize(classes.getNumClasses());
  phiIsWritten.resize(classes.getNumClasses());
  phiFormIsSeen.resize(classes.getNumClasses());
  phiIsReturned.resize(classes.getNumClasses());
  for (int i = 0; i < count; ++i) {
    const Root &root = owners.roots[i];
    component[i] = static_cast<int>(classes[i]);
    bool isWritten = llvm::any_of(root.uses, [](const BufferUse &use) {
      return use.kind == UseKind::Write;
    });
    if (root.kind == RootKind::Phi && isWritten)
      phiIsWritten[component[i]] = true;
    if (root.kind == RootKind::Phi &&
        llvm::any_of(root.uses,
                     [](const BufferUse &use) { return use.seesForm; }))
      phiFormIsSeen[component[i]] = true;
    if (root.kind == RootKind::Phi &&
        llvm::any_of(root.uses, [](const BufferUse &use) {
          return use.kind == UseKind::Return;
        }))
      phiIsReturned[component[i]] = true;
    // Only the nodes that a write is alive in count, and most have none.
    if (root.kind != RootKind::Phi && isWritten &&
        !liveness.writtenLater(i).empty())
      members[component[i]].push_back(i);
  }
}

/// Looks at all that each name may hold which is returned together with others:
/// O(those names x passed operands).
void Planner::findReturnedTwice() {
  isReturnedTwice.resize(owners.roots.size());
  std::vector<SmallVector<int, 2>> sources(owners.roots.size()),
      targets(owners.roots.size());
  for (const PassedOperand &pass : owners.passed)
    for (int source : owners.rootsOf(pass.operand->get()))
      for (int target : pass.targets) {
        sources[target].push_back(source);
        targets[source].push_back(target);
      }
  auto follow = [](llvm::SetVector<int> &roots, const auto &next) {
    for (size_t i = 0; i < roots.size(); ++i)
      roots.insert_range(next[roots[i]]);
  };
  // By return, what is in the operands so far.
  llvm::DenseMap<Operation *, llvm::DenseSet<int>> seen;
  llvm::SetVector<int> twice;
  for (OpOperand *operand : owners.returned) {
    if (llvm::count_if(operand->getOwner()->getOperandTypes(),
                       llvm::IsaPred<BaseMemRefType>) < 2)
      continue;
    llvm::SetVector<int> held;
    held.insert_range(owners.rootsOf(operand->get()));
    follow(held, sources);
    for (int root : held)
      if (sources[root].empty() &&
          !seen[operand->getOwner()].insert(root).second)
        twice.insert(root);
  }
  follow(twice, targets);
  for (int root : twice)
    isReturnedTwice[root] = true;
}

/// Nothing needs the buffer of `root` after the edges but who gets it there.
bool Planner::isDeadBehind(int root, const PassedOperand &pass) {
  if (!owners.roots[root].managed ||
      owners.roots[root].scope != graph.scopeOf(pass.operand->getOwner()))
    return false;
  return llvm::none_of(pass.edges,
                       [&](int edge) { return isLive(root, edge); });
}

/// Another operand on one of the edges may be the same buffer: what is written
/// through the one name after them is read through the other.
bool Planner::isPassedTwice(int root, const PassedOperand &pass) const {
  return llvm::any_of(pass.edges, [&](int edge) {
    return llvm::any_of(graph.edge(edge).passes, [&](const MemrefPass &other) {
      return other.operand != pass.operand &&
             llvm::is_contained(holders(owners.rootsOf(other.operand->get())),
                                root);
    });
  });
}

/// And no other operand of the edges hands it on. O(operands of the edges x
/// what they may hold).
bool Planner::isUnseenBehind(int root, int index) {
  const PassedOperand &pass = owners.passed[index];
  if (!isDeadBehind(root, pass) || isPassedTwice(root, pass))
    return false;
  return llvm::none_of(pass.edges, [&](int edge) {
    auto mover = movers.find({edge, root});
    return isMoved(edge, root) ||
           (mover != movers.end() && mover->second != index);
  });
}

/// Of the operands that are the same dead buffer on an edge one moves it, be it
/// with the duty of its lender.
void Planner::findMovers() {
  movers.clear();
  for (int i = 0; i < static_cast<int>(owners.passed.size()); ++i) {
    const PassedOperand &pass = owners.passed[i];
    ArrayRef<int> roots = owners.rootsOf(pass.operand->get());
    if (roots.size() != 1 || cannotTake.contains(i) ||
        llvm::any_of(
            pass.edges,
            [&](int edge) { return movers.contains({edge, roots.front()}); }) ||
        !isDeadBehind(roots.front(), pass))
      continue;
    for (int edge : pass.edges)
      movers[{edge, roots.front()}] = i;
  }
}

bool Planner::isMover(int index) const {
  const PassedOperand &pass = owners.passed[index];
  auto mover = movers.find(
      {pass.edges.front(), owners.rootsOf(pass.operand->get()).front()});
  return mover != movers.end() && mover->second == index;
}

void Planner::markMoved(const PassedOperand &pass, int root) {
  for (int edge : pass.edges)
    moved.insert({edge, root});
}

/// Hands the buffer over for good, if that can be.
bool Planner::decideMove(int index) {
  const PassedOperand &pass = owners.passed[index];
  ArrayRef<int> roots = owners.rootsOf(pass.operand->get());
  if (roots.size() != 1)
    return false;
  int root = roots.front();
  if (!isMover(index))
    return cannotTake.contains(index) && decideKeeping(index);
  if (cannotMove.contains(index))
    return decideTaking(index);
  SmallVector<int, 2> lenders = owners.roots[root].lenders;
  if (!mayLend(lenders, pass)) {
    // Others count on it that it moves.
    cannotMove.insert(index);
    changed = true;
    return true;
  }
  result.handOvers[index] = HandOver::Move;
  lend(lenders, pass);
  markMoved(pass, root);
  return true;
}

/// The one lender of a dead buffer is dead after the edges, too, and no other
/// operand may be its own buffer there. Where another is the one that `root`
/// holds it borrows that.
bool Planner::mayTakeAlong(int lender, int root, const PassedOperand &pass) {
  return isDeadBehind(lender, pass) &&
         mayLend(owners.roots[lender].lenders, pass) &&
         llvm::none_of(pass.edges, [&](int edge) {
           return isMoved(edge, lender) ||
                  llvm::any_of(graph.edge(edge).passes,
                               [&](const MemrefPass &at) {
                                 return llvm::is_contained(
                                     holders(owners.rootsOf(at.operand->get()),
                                             /*without=*/root),
                                     lender);
                               });
         });
}

/// Hands over a dead buffer that may be lent by who does not outlive the phi,
/// with the duty of the lender.
bool Planner::decideTaking(int index) {
  const PassedOperand &pass = owners.passed[index];
  int root = owners.rootsOf(pass.operand->get()).front();
  SmallVector<int, 2> lenders = owners.roots[root].lenders;
  if (lenders.size() != 1 || !mayTakeAlong(lenders.front(), root, pass)) {
    cannotTake.insert(index);
    changed = true;
    return true;
  }
  result.handOvers[index] = HandOver::MoveWithLender;
  lend(owners.roots[lenders.front()].lenders, pass);
  markMoved(pass, lenders.front());
  markMoved(pass, root);
  return true;
}

/// Hands over a dead buffer that is owned, and a copy of one that is lent.
bool Planner::decideKeeping(int index) {
  const PassedOperand &pass = owners.passed[index];
  int root = owners.rootsOf(pass.operand->get()).front();
  if (!isUnseenBehind(root, index) || !mayCopy(index))
    return false;
  result.handOvers[index] = HandOver::Keep;
  markMoved(pass, root);
  return true;
}

/// Somebody may write through a name of the root when the edge was taken.
bool Planner::isWrittenBehind(const Root &root, const LiveNodes &written,
                              const PassedOperand &pass) const {
  Operation *op = pass.operand->getOwner();
  Operation *around = graph.inScope(op, root.scope);
  if (!around)
    return false;
  if (around == op)
    return llvm::any_of(pass.edges, [&](int edge) {
      return written.contains(graph, graph.edge(edge).to);
    });
  // Inside an op that is one use: how often and when is not known.
  ControlPoint at = graph.pointOf(around);
  for (const BufferUse &use : root.uses)
    if (use.kind == UseKind::Write && use.point.node == at.node &&
        use.point.order >= at.order)
      return true;
  return llvm::any_of(graph.node(at.node).out, [&](int edge) {
    return written.contains(graph, graph.edge(edge).to);
  });
}

/// So it may be that of an argument through a name that is another one.
bool Planner::isWrittenBehind(int index, const PassedOperand &pass) {
  const Root &root = owners.roots[index];
  return isWrittenBehind(root, liveness.writtenLater(index), pass) ||
         (isArgument(root) &&
          isWrittenBehind(owners.elsewhere, liveness.writtenElsewhere(), pass));
}

/// The phis of a group, here or where they are returned.
bool Planner::isFormSeen(int group) const {
  return phiFormIsSeen[group] ||
         (phiIsReturned[group] && owners.formMatters() && !mayReturnCopies());
}

/// A copy cannot be noticed: nobody looks at its form, and neither side is
/// written once it is made. Distinct arguments of the function are taken to be
/// distinct memory.
bool Planner::mayCopy(int index) {
  const PassedOperand &pass = owners.passed[index];
  std::vector<int> roots = holders(owners.rootsOf(pass.operand->get()));
  if (!canAllocate(pass.operand->get().getType()) || mayBePrograms(roots))
    return false;
  int group = component[pass.targets.front()];
  if (isFormSeen(group))
    return false;
  if (llvm::all_of(roots, [&](int root) {
        return isUnseenBehind(root, index) &&
               !(isArgument(owners.roots[root]) && isWrittenBehind(root, pass));
      }))
    return true;
  for (int root : roots)
    if (owners.roots[root].kind == RootKind::Other)
      return false;
  if (phiIsReturned[group] && !mayReturnCopies())
    for (int root : roots)
      if (!owners.roots[root].managed || isReturnedTwice[root])
        return false;
  if (phiIsWritten[group])
    return false;
  for (int root : roots)
    if (isWrittenBehind(root, pass))
      return false;
  for (int member : members[group])
    if (isWrittenBehind(member, pass))
      return false;
  return true;
}

/// All that it gets others have as well, for as long as it lives: it needs no
/// buffer of its own, and no flag.
bool Planner::borrowsAlways(int target) const {
  return llvm::all_of(owners.passedTo(target), [&](int index) {
    const PassedOperand &pass = owners.passed[index];
    ArrayRef<int> roots = owners.rootsOf(pass.operand->get());
    return (roots.size() != 1 || !isMover(index)) && mayLend(roots, pass);
  });
}

void Planner::decidePass(int index) {
  const PassedOperand &pass = owners.passed[index];
  Operation *op = pass.operand->getOwner();
  bool isOwned = true;
  for (int target : pass.targets)
    isOwned = isOwned && owners.roots[target].managed;
  if (!isOwned) {
    // The other targets would free what is not theirs.
    giveUpMeeting(pass.targets, pass.targets,
                  "it meets a buffer that something else owns", op);
    giveUpMeeting(owners.rootsOf(pass.operand->get()), pass.targets,
                  "it goes where nothing owns it", op);
    return;
  }
  ArrayRef<int> roots = owners.rootsOf(pass.operand->get());
  if (decideMove(index))
    return;
  for (int target : pass.targets)
    if (owners.isFreed(target))
      return giveUp(target, "", op);
  bool mayBeLent = mayLend(roots, pass);
  bool isBetterLent = prefersFlags || llvm::all_of(pass.targets, [&](int root) {
                        return borrowsAlways(root);
                      });
  if (!(mayBeLent && isBetterLent) && mayCopy(index)) {
    result.handOvers[index] = HandOver::Copy;
    return;
  }
  if (mayBeLent) {
    result.handOvers[index] = HandOver::Lend;
    return lend(roots, pass);
  }
  if (roots.size() > 1)
    joinedNames.push_back(pass.operand->get());
  giveUpMeeting(pass.targets, roots,
                "it meets other buffers where it can neither be handed over, "
                "nor copied, nor lent",
                op);
}

void Planner::decide() {
  result.handOvers.assign(owners.passed.size(), HandOver::Nothing);
  findMovers();
  for (int i = 0; i < static_cast<int>(owners.passed.size()); ++i) {
    const PassedOperand &pass = owners.passed[i];
    bool concerns = false;
    for (int target : pass.targets)
      concerns = concerns || owners.roots[target].managed;
    if (concerns)
      decidePass(i);
  }
  findOwned();
  decideReturns();
}

DeallocationPlan Planner::plan() {
  findComponents();
  findReturnedTwice();
  do {
    changed = false;
    result = DeallocationPlan();
    moved.clear();
    dropUnreached();
    findPrograms();
    decide();
    if (changed)
      continue;
    for (int i = 0; i < static_cast<int>(owners.roots.size()); ++i)
      if (owners.roots[i].managed && checkDeallocs(i) &&
          result.owned[i] != Owned::Never)
        place(i);
  } while (changed);
  return std::move(result);
}

} // namespace tpu_mlir::deallocation
