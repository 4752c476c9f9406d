//===- Simulator.cpp - Run kernels thread by thread -----------------------===//
//
// Threads advance in the order of a schedule; each load has to find what it
// would find in buffers that are not packed.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Gpu/PackSharedMemory/Simulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <random>

using namespace mlir;

namespace tpu_mlir {

namespace {

constexpr int64_t kElementBytes = 4;

/// A buffer as the kernel sees it: which, and made by which run of its op.
struct Instance {
  Operation *op = nullptr; ///< nullptr: an attribution, see `argument`.
  unsigned argument = 0;
  int64_t run = 0;
  bool operator<(const Instance &o) const {
    return std::tie(op, argument, run) < std::tie(o.op, o.argument, o.run);
  }
};

/// What a value of memref type is.
struct Handle {
  Instance instance;
  bool isView = false;      ///< Of the packed bytes.
  int64_t startByte = 0;    ///< In the packed bytes.
  int64_t firstElement = 0; ///< Of a subview.
};

struct Frame {
  Operation *op;
  Block::iterator at;
  int64_t next = 0, end = 0, step = 1; ///< Of an scf.for.
};

struct Thread {
  int64_t id = 0;
  DenseMap<Value, int64_t> numbers;
  DenseMap<Value, Handle> memrefs;
  DenseMap<Operation *, int64_t> runs;
  std::vector<Frame> frames;
  Operation *waiting = nullptr;
  bool isDone = false;
};

struct Element {
  int64_t store = 0; ///< 0: nothing was stored yet.
  int64_t value = 0;
};

struct Byte {
  int64_t store = 0;
  /// Accesses since the last barrier.
  struct Access {
    int64_t thread;
    Instance instance;
    bool isStore;
  };
  std::vector<Access> recent;
  int64_t epoch = -1;
};

class Simulator {
public:
  Simulator(gpu::GPUFuncOp kernel, int threads, int64_t n)
      : all(threads), blockId(2 + n % 2) {
    Block &entry = kernel.getBody().front();
    for (int id = 0; id < threads; ++id) {
      Thread &thread = all[id];
      thread.id = id;
      thread.frames.push_back({kernel, entry.begin()});
      for (BlockArgument argument : entry.getArguments()) {
        if (argument.getType().isIndex())
          thread.numbers[argument] = n;
        else
          thread.memrefs[argument].instance.argument = argument.getArgNumber();
      }
    }
  }

  RunResult run(const Schedule &schedule);

private:
  bool canRun(const Thread &thread) const {
    return !thread.isDone && !thread.waiting;
  }
  int choose(const Schedule &schedule, std::mt19937_64 &random);
  bool releaseBarrier();
  void step(Thread &thread);
  void finishBlock(Thread &thread);
  bool compute(Thread &thread, Operation *op);
  bool makeMemref(Thread &thread, Operation *op);
  void load(Thread &thread, memref::LoadOp op);
  void store(Thread &thread, memref::StoreOp op);
  void touch(const Thread &thread, const Handle &handle, int64_t byte,
             bool isStore);
  void noteLives(const Handle &handle, int64_t element, bool isStore);

  std::vector<Thread> all;
  int64_t blockId;
  std::map<Instance, std::map<int64_t, Element>> own;
  std::map<int64_t, Byte> packed;
  int64_t stores = 0, epoch = 0;
  RunResult result;
  /// Of views: when an element was stored, and which views were since.
  std::map<std::pair<Instance, int64_t>, int64_t> storedAt;
  std::map<Operation *, int64_t> lastStoreOf;
};

} // namespace

int Simulator::choose(const Schedule &schedule, std::mt19937_64 &random) {
  std::vector<int> ready;
  for (const Thread &thread : all)
    if (canRun(thread))
      ready.push_back(thread.id);
  if (ready.empty())
    return -1;
  if (schedule.kind == Schedule::Random)
    return ready[random() % ready.size()];
  bool isReady = canRun(all[schedule.thread]);
  if (schedule.kind == Schedule::First && isReady)
    return schedule.thread;
  for (int id : ready)
    if (id != schedule.thread)
      return id;
  return schedule.thread;
}

/// False when that is the end.
bool Simulator::releaseBarrier() {
  Operation *at = nullptr;
  bool isDone = false;
  for (Thread &thread : all) {
    isDone |= thread.isDone;
    if (!thread.waiting)
      continue;
    if (at && at != thread.waiting)
      result.stuck = "threads wait at different barriers";
    at = thread.waiting;
  }
  if (!at)
    return false;
  if (isDone)
    result.stuck = "some threads wait at a barrier that others never reach";
  if (!result.stuck.empty())
    return false;
  ++epoch;
  result.passed.insert(at);
  for (Thread &thread : all)
    thread.waiting = nullptr;
  return true;
}

RunResult Simulator::run(const Schedule &schedule) {
  std::mt19937_64 random(schedule.seed);
  while (result.stuck.empty()) {
    int next = choose(schedule, random);
    if (next >= 0)
      step(all[next]);
    else if (!releaseBarrier())
      break;
  }
  return result;
}

void Simulator::finishBlock(Thread &thread) {
  Frame &frame = thread.frames.back();
  auto loop = dyn_cast<scf::ForOp>(frame.op);
  if (loop && (frame.next += frame.step) < frame.end) {
    thread.numbers[loop.getInductionVar()] = frame.next;
    frame.at = loop.getBody()->begin();
    return;
  }
  thread.frames.pop_back();
  if (thread.frames.empty())
    thread.isDone = true;
}

void Simulator::step(Thread &thread) {
  Operation *op = &*thread.frames.back().at++;
  auto number = [&](Value value) { return thread.numbers.lookup(value); };
  if (isa<scf::YieldOp, gpu::ReturnOp>(op))
    return finishBlock(thread);
  if (isa<gpu::BarrierOp>(op)) {
    thread.waiting = op;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Block *block =
        number(branch.getCondition()) ? branch.thenBlock() : branch.elseBlock();
    if (block)
      thread.frames.push_back({op, block->begin()});
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Frame frame{op, loop.getBody()->begin(), number(loop.getLowerBound()),
                number(loop.getUpperBound()), number(loop.getStep())};
    thread.numbers[loop.getInductionVar()] = frame.next;
    if (frame.next < frame.end)
      thread.frames.push_back(frame);
  } else if (auto read = dyn_cast<memref::LoadOp>(op)) {
    load(thread, read);
  } else if (auto write = dyn_cast<memref::StoreOp>(op)) {
    store(thread, write);
  } else if (!makeMemref(thread, op) && !compute(thread, op)) {
    result.stuck = "unknown op " + op->getName().getStringRef().str();
  }
}

bool Simulator::makeMemref(Thread &thread, Operation *op) {
  if (isa<memref::DeallocOp>(op))
    return true;
  if (isa<memref::AllocOp>(op)) {
    thread.memrefs[op->getResult(0)] = {{op, 0, thread.runs[op]++}};
    return true;
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    Handle handle{{op, 0, thread.runs[op]++}, true};
    handle.startByte = thread.numbers.lookup(view.getByteShift());
    thread.memrefs[view.getResult()] = handle;
    return true;
  }
  if (auto part = dyn_cast<memref::SubViewOp>(op)) {
    Handle handle = thread.memrefs.lookup(part.getSource());
    handle.firstElement += part.getStaticOffsets()[0];
    thread.memrefs[part.getResult()] = handle;
    return true;
  }
  return false;
}

bool Simulator::compute(Thread &thread, Operation *op) {
  auto number = [&](unsigned index) {
    return thread.numbers.lookup(op->getOperand(index));
  };
  int64_t value = 0;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    value = cast<IntegerAttr>(constant.getValue()).getInt();
  else if (isa<gpu::ThreadIdOp>(op))
    value = thread.id;
  else if (isa<gpu::BlockIdOp>(op))
    value = blockId;
  else if (isa<arith::AddIOp>(op))
    value = number(0) + number(1);
  else if (isa<arith::MulIOp>(op))
    value = number(0) * number(1);
  else if (isa<arith::RemUIOp>(op))
    value = number(0) % number(1);
  else if (isa<arith::IndexCastOp>(op))
    value = number(0);
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    value = compare.getPredicate() == arith::CmpIPredicate::ult
                ? number(0) < number(1)
                : number(0) == number(1);
  else
    return false;
  thread.numbers[op->getResult(0)] = value;
  return true;
}

void Simulator::touch(const Thread &thread, const Handle &handle, int64_t at,
                      bool isStore) {
  Byte &byte = packed[at];
  if (byte.epoch != epoch) {
    byte.recent.clear();
    byte.epoch = epoch;
  }
  auto isSame = [](const Instance &a, const Instance &b) {
    return !(a < b) && !(b < a);
  };
  for (const Byte::Access &other : byte.recent)
    if (other.thread != thread.id && (isStore || other.isStore) &&
        !isSame(other.instance, handle.instance))
      ++result.races;
  // The same again tells nothing new.
  for (const Byte::Access &other : byte.recent)
    if (other.thread == thread.id && other.isStore == isStore &&
        isSame(other.instance, handle.instance))
      return;
  byte.recent.push_back({thread.id, handle.instance, isStore});
}

/// A view is alive from a store to a load of the same element; whatever was
/// stored to in between was alive at the same time, or should not have been.
void Simulator::noteLives(const Handle &handle, int64_t element, bool isStore) {
  auto key = std::pair(handle.instance, element);
  if (isStore) {
    storedAt[key] = stores;
    lastStoreOf[handle.instance.op] = stores;
    return;
  }
  auto stored = storedAt.find(key);
  if (stored == storedAt.end())
    return;
  for (auto [other, when] : lastStoreOf)
    if (when > stored->second && other != handle.instance.op)
      result.liveTogether.insert({handle.instance.op, other});
}

void Simulator::store(Thread &thread, memref::StoreOp op) {
  Handle handle = thread.memrefs.lookup(op.getMemRef());
  int64_t element =
      handle.firstElement + thread.numbers.lookup(op.getIndices()[0]);
  ++stores;
  own[handle.instance][element] = {stores,
                                   thread.numbers.lookup(op.getValue())};
  if (!handle.isView)
    return;
  noteLives(handle, element, true);
  for (int64_t byte = 0; byte < kElementBytes; ++byte) {
    int64_t at = handle.startByte + element * kElementBytes + byte;
    touch(thread, handle, at, true);
    packed[at].store = stores;
  }
}

void Simulator::load(Thread &thread, memref::LoadOp op) {
  Handle handle = thread.memrefs.lookup(op.getMemRef());
  int64_t element =
      handle.firstElement + thread.numbers.lookup(op.getIndices()[0]);
  const Element &expected = own[handle.instance][element];
  thread.numbers[op.getResult()] = expected.value;
  ++result.loads;
  if (!handle.isView)
    return;
  noteLives(handle, element, false);
  bool isRight = true;
  for (int64_t byte = 0; byte < kElementBytes; ++byte) {
    int64_t at = handle.startByte + element * kElementBytes + byte;
    touch(thread, handle, at, false);
    isRight &= packed[at].store == expected.store;
  }
  // Nobody can expect anything of what was never stored.
  result.wrongLoads += expected.store != 0 && !isRight;
}

RunResult simulate(gpu::GPUFuncOp kernel, int threads, int64_t n,
                   const Schedule &schedule) {
  return Simulator(kernel, threads, n).run(schedule);
}

} // namespace tpu_mlir
