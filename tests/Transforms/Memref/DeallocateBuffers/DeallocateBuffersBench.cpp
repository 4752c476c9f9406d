//===- DeallocateBuffersBench.cpp - Time by number of buffers -------------===//
//
//   ./bazelw run --config=opt //tests/Transforms/Memref/DeallocateBuffers:bench
//
// Each kind of function with 1,000, 10,000 and 50,000 buffers, in one run: the
// pass alone, MLIR's pass, the pass that checks the result, and reading and
// printing the same text.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/PassBench.h"

#include "tpu_mlir/Transforms/DeallocateBuffers.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

/// Buffers of one size. Uses are ops that MLIR knows, or its pass refuses.
class Writer : public bench::FunctionWriter {
public:
  explicit Writer(const std::string &before = "")
      : FunctionWriter(
            before +
            "func.func @f(%c: i1, %l: index, %u: index, %x: f32) {\n") {}

  std::string alloc() {
    std::string name = "%a" + std::to_string(count++);
    line(name + " = memref.alloc() : memref<8xf32>");
    return name;
  }
  void use(const std::string &name) {
    line("memref.store %x, " + name + "[%l] : memref<8xf32>");
  }
  void call(const std::string &result, const std::string &name) {
    line(result + " = func.call @pick(%c, " + name +
         ") : (i1, memref<8xf32>) -> memref<8xf32>");
    line(result + "x = memref.load " + result + "[%l] : memref<8xf32>");
  }
  std::string label(const std::string &name) const {
    return "^" + name + std::to_string(count);
  }
};

/// Each is read when the next one is written.
std::string straight(int64_t buffers) {
  Writer writer;
  std::string before = writer.alloc();
  while (writer.count < buffers) {
    std::string next = writer.alloc();
    writer.line("memref.copy " + before + ", " + next +
                " : memref<8xf32> to memref<8xf32>");
    before = next;
  }
  return writer.finish();
}

/// All are read again at the end.
std::string longLived(int64_t buffers) {
  Writer writer;
  std::vector<std::string> all;
  while (writer.count < buffers) {
    all.push_back(writer.alloc());
    writer.use(all.back());
  }
  for (const std::string &name : all)
    writer.use(name);
  return writer.finish();
}

/// scf.if with an allocation on each side.
std::string branches(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string result = "%r" + std::to_string(writer.count);
    writer.line(result + " = scf.if %c -> memref<8xf32> {");
    for (const char *end : {"} else {", "}"}) {
      std::string own = writer.alloc();
      writer.use(own);
      writer.line("scf.yield " + own + " : memref<8xf32>");
      writer.line(end);
    }
    writer.use(result);
  }
  return writer.finish();
}

/// scf.for with a fresh allocation for each iteration.
std::string loops(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string start = writer.alloc();
    std::string id = std::to_string(writer.count);
    writer.line("%r" + id + " = scf.for %i" + id +
                " = %l to %u step %u iter_args(%b" + id + " = " + start +
                ") -> memref<8xf32> {");
    writer.use("%b" + id);
    std::string next = writer.alloc();
    writer.line("scf.yield " + next + " : memref<8xf32>");
    writer.line("}");
    writer.use("%r" + id);
  }
  return writer.finish();
}

/// Blocks in a row with a buffer each.
std::string chain(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    writer.use(writer.alloc());
    writer.line("cf.br " + writer.label("n"));
    writer.line(writer.label("n") + ":");
  }
  return writer.finish();
}

/// All are allocated at the start, each block of a row uses one.
std::string usedLater(int64_t buffers) {
  Writer writer;
  std::vector<std::string> all;
  while (writer.count < buffers)
    all.push_back(writer.alloc());
  for (const std::string &name : all) {
    std::string label = "^n" + name.substr(1);
    writer.line("cf.br " + label);
    writer.line(label + ":");
    writer.use(name);
  }
  return writer.finish();
}

/// Diamonds of blocks that pass one of two fresh buffers to their join.
std::string diamonds(int64_t buffers) {
  Writer writer;
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    writer.line("cf.cond_br %c, ^l" + id + ", ^r" + id);
    for (const char *side : {"^l", "^r"}) {
      writer.line(side + id + ":");
      std::string own = writer.alloc();
      writer.use(own);
      writer.line("cf.br ^j" + id + "(" + own + " : memref<8xf32>)");
    }
    writer.line("^j" + id + "(%m" + id + ": memref<8xf32>):");
    writer.use("%m" + id);
  }
  return writer.finish();
}

/// Diamonds one of whose sides replaces what came through the last one.
std::string carriedDiamonds(int64_t buffers) {
  Writer writer;
  std::string held = writer.alloc();
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    writer.line("cf.cond_br %c, ^l" + id + ", ^j" + id + "(" + held +
                " : memref<8xf32>)");
    writer.line("^l" + id + ":");
    std::string own = writer.alloc();
    writer.line("cf.br ^j" + id + "(" + own + " : memref<8xf32>)");
    held = "%m" + id;
    writer.line("^j" + id + "(" + held + ": memref<8xf32>):");
    writer.use(held);
  }
  return writer.finish();
}

/// All are allocated at the start, each is used in a diamond of its own.
std::string usedInDiamonds(int64_t buffers) {
  Writer writer;
  std::vector<std::string> all;
  while (writer.count < buffers)
    all.push_back(writer.alloc());
  for (const std::string &name : all) {
    std::string id = name.substr(1);
    writer.line("cf.cond_br %c, ^l" + id + ", ^r" + id);
    writer.line("^l" + id + ":");
    writer.use(name);
    writer.line("cf.br ^r" + id);
    writer.line("^r" + id + ":");
  }
  return writer.finish();
}

/// Gives its argument back, or something new: may it give a copy instead?
constexpr const char *kPick = R"(
func.func private @pick(%c: i1, %m: memref<8xf32>) -> memref<8xf32> {
  %r = scf.if %c -> memref<8xf32> {
    %a = memref.alloc() : memref<8xf32>
    memref.copy %m, %a : memref<8xf32> to memref<8xf32>
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %m : memref<8xf32>
  }
  return %r : memref<8xf32>
}
)";

/// Calls of one function with a buffer each.
std::string calls(int64_t buffers) {
  Writer writer(kPick);
  while (writer.count < buffers) {
    std::string id = std::to_string(writer.count);
    std::string own = writer.alloc();
    writer.use(own);
    writer.call("%r" + id, own);
  }
  return writer.finish();
}

/// Calls of one function that all get the same buffer.
std::string callsWithOne(int64_t buffers) {
  Writer writer(kPick);
  std::string own = writer.alloc();
  writer.use(own);
  for (int64_t i = 0; i < buffers; ++i)
    writer.call("%r" + std::to_string(i), own);
  return writer.finish();
}

//===----------------------------------------------------------------------===//
// Series
//===----------------------------------------------------------------------===//

void addOurs(PassManager &manager) {
  manager.addPass(createDeallocateBuffers());
}

void addVerifier(PassManager &manager) {
  manager.addPass(createVerifyDeallocation());
}

void addUpstream(PassManager &manager) {
  manager.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
}

/// Down to memref.dealloc, as ours is: what MLIR's pass leaves are ops of its
/// own.
void addLoweredUpstream(PassManager &manager) {
  addUpstream(manager);
  manager.addPass(bufferization::createLowerDeallocationsPass());
}

/// What MLIR's pass has to know of the dialects.
void extend(DialectRegistry &registry) {
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
}

struct Shape {
  const char *name;
  std::string (*make)(int64_t);
  std::vector<int64_t> sizes;
  std::vector<int64_t> upstreamSizes;
};

const std::vector<int64_t> kAll = {1'000, 10'000, 50'000};

/// MLIR's pass takes more than quadratic time where buffers are used later, and
/// time that doubles with every diamond.
const Shape kShapes[] = {
    {"straight", straight, kAll, kAll},
    {"long_lived", longLived, kAll, kAll},
    {"ifs", branches, kAll, kAll},
    {"loops", loops, kAll, kAll},
    {"chain", chain, kAll, kAll},
    {"used_later", usedLater, {1'000, 2'000, 10'000, 50'000}, {1'000, 2'000}},
    {"diamonds", diamonds, {20, 40, 1'000, 10'000, 50'000}, {20, 40}},
    {"carried_diamonds",
     carriedDiamonds,
     {10, 20, 1'000, 10'000, 50'000},
     {10, 20}},
    {"used_in_diamonds",
     usedInDiamonds,
     {10, 20, 1'000, 10'000, 50'000},
     {10, 20}},
    {"calls", calls, {1'000, 4'000, 16'000}, {1'000, 4'000}},
    {"calls_with_one", callsWithOne, {1'000, 4'000, 16'000}, {1'000, 4'000}},
};

template <typename Run>
void add(const std::string &name, const std::vector<int64_t> &sizes,
         const Run &run) {
  auto *benchmark = benchmark::RegisterBenchmark(name.c_str(), run);
  for (int64_t size : sizes)
    benchmark->Arg(size);
  benchmark->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const Shape &shape : kShapes) {
    std::string name = shape.name;
    add(name + "/text", shape.sizes, [&](benchmark::State &state) {
      bench::timeParseAndPrint(state, shape.make);
    });
    add(name + "/deallocate", shape.sizes, [&](benchmark::State &state) {
      bench::timePasses(state, shape.make, addOurs);
    });
    add(name + "/verify", shape.sizes, [&](benchmark::State &state) {
      bench::timePasses(state, shape.make, addVerifier, addOurs);
    });
    add(name + "/upstream", shape.upstreamSizes, [&](benchmark::State &state) {
      bench::timePasses(state, shape.make, addUpstream, nullptr, extend);
    });
    add(name + "/lowered", shape.upstreamSizes, [&](benchmark::State &state) {
      bench::timePasses(state, shape.make, addLoweredUpstream, nullptr, extend);
    });
  }
  return true;
}();

} // namespace
} // namespace tpu_mlir
