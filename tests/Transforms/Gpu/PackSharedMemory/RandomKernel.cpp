//===- RandomKernel.cpp - Write random kernels ----------------------------===//
//
// Nested loops and branches with barriers, in which threads exchange data
// through buffers.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Gpu/PackSharedMemory/RandomKernel.h"

#include <random>
#include <sstream>
#include <vector>

namespace tpu_mlir {

namespace {

/// Loops in loops: what they hold is run often.
constexpr int kDepth = 2;

struct Buffer {
  std::string name;
  int64_t elements;
};

class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}
  std::string run();

private:
  int64_t below(int64_t end) { return random() % end; }
  bool chance(int64_t percent) { return below(100) < percent; }
  std::string fresh() { return "%v" + std::to_string(names++); }
  std::string op(const std::string &what) {
    std::string name = fresh();
    text << name << " = " << what << "\n";
    return name;
  }
  std::string constant(int64_t value) {
    return op("arith.constant " + std::to_string(value) + " : index");
  }
  std::string type(int64_t elements) {
    return "memref<" + std::to_string(elements) +
           "xi32, #gpu.address_space<workgroup>>";
  }
  std::string makeIndex(int64_t elements);
  void access(const Buffer &buffer);
  void use(const Buffer &buffer, bool isUniform);
  std::string condition(bool isUniform);
  void branch(std::vector<Buffer> buffers, bool isUniform, int depth);
  void loop(std::vector<Buffer> buffers, bool isUniform, int depth);
  void block(std::vector<Buffer> buffers, bool isUniform, int depth);

  std::mt19937_64 random;
  std::ostringstream text;
  int64_t names = 0;
  std::vector<std::string> inductions;
};

} // namespace

/// Threads meet: not only does each have elements of its own.
std::string Writer::makeIndex(int64_t elements) {
  std::string scaled =
      op("arith.muli %tid, " + constant(1 + below(3)) + " : index");
  std::string shifted =
      op("arith.addi " + scaled + ", " + constant(below(8)) + " : index");
  return op("arith.remui " + shifted + ", " + constant(elements) + " : index");
}

void Writer::access(const Buffer &buffer) {
  std::string memref = buffer.name, its = type(buffer.elements);
  int64_t elements = buffer.elements;
  if (chance(15)) {
    elements = buffer.elements / 2;
    int64_t offset = below(elements);
    std::string layout =
        offset ? "strided<[1], offset: " + std::to_string(offset) + ">"
               : "strided<[1]>";
    std::string part = "memref<" + std::to_string(elements) + "xi32, " +
                       layout + ", #gpu.address_space<workgroup>>";
    memref =
        op("memref.subview " + memref + "[" + std::to_string(offset) + "] [" +
           std::to_string(elements) + "] [1] : " + its + " to " + part);
    its = part;
  }
  std::string index = makeIndex(elements);
  if (chance(50)) {
    std::string value = op("arith.index_cast %tid : index to i32");
    text << "memref.store " << value << ", " << memref << "[" << index
         << "] : " << its << "\n";
  } else {
    op("memref.load " + memref + "[" + index + "] : " + its);
  }
}

/// Written to and read again, by all threads that come here.
void Writer::use(const Buffer &buffer, bool isUniform) {
  // Three threads or more reach every element.
  for (int64_t first = 0; first < buffer.elements; first += 3) {
    std::string shifted =
        op("arith.addi %tid, " + constant(first) + " : index");
    std::string index = op("arith.remui " + shifted + ", " +
                           constant(buffer.elements) + " : index");
    std::string value = op("arith.index_cast %tid : index to i32");
    text << "memref.store " << value << ", " << buffer.name << "[" << index
         << "] : " << type(buffer.elements) << "\n";
  }
  for (int64_t count = below(3); count > 0; --count)
    access(buffer);
  if (isUniform && chance(15))
    text << "gpu.barrier {given}\n";
  for (int64_t count = 1 + below(3); count > 0; --count)
    access(buffer);
}

std::string Writer::condition(bool isUniform) {
  std::string subject = isUniform ? "%bid" : "%tid";
  if (isUniform && !inductions.empty())
    subject = inductions.back();
  std::string shifted =
      op("arith.addi " + subject + ", " + constant(below(3)) + " : index");
  std::string parity =
      op("arith.remui " + shifted + ", " + constant(2) + " : index");
  return op("arith.cmpi eq, " + parity + ", " + constant(0) + " : index");
}

void Writer::branch(std::vector<Buffer> buffers, bool isUniform, int depth) {
  bool isStillUniform = chance(60);
  std::string decides = condition(isStillUniform);
  text << "scf.if " << decides << " {\n";
  block(buffers, isUniform && isStillUniform, depth + 1);
  if (chance(60)) {
    text << "} else {\n";
    block(buffers, isUniform && isStillUniform, depth + 1);
  }
  text << "}\n";
}

void Writer::loop(std::vector<Buffer> buffers, bool isUniform, int depth) {
  bool isStillUniform = chance(75);
  std::string end = isStillUniform
                        ? (chance(50) ? "%n" : constant(1 + below(3)))
                        : std::string("%tid");
  std::string zero = constant(0), one = constant(1), iv = fresh();
  text << "scf.for " << iv << " = " << zero << " to " << end << " step " << one
       << " {\n";
  inductions.push_back(iv);
  block(buffers, isUniform && isStillUniform, depth + 1);
  inductions.pop_back();
  text << "}\n";
}

/// Uses the buffers in their order, two at a time; then never again.
void Writer::block(std::vector<Buffer> buffers, bool isUniform, int depth) {
  for (int64_t count = chance(60) ? below(3) : 0; count > 0; --count) {
    int64_t elements = 4 * (1 + below(3));
    buffers.push_back({op("memref.alloc() : " + type(elements)), elements});
  }
  for (size_t at = 0; at < buffers.size(); ++at) {
    std::vector<Buffer> window(buffers.begin() + at,
                               buffers.begin() +
                                   std::min(at + 2, buffers.size()));
    for (int64_t count = 1 + below(2); count > 0; --count) {
      const Buffer &buffer = window[below(window.size())];
      int64_t kind = below(100);
      if (kind < 25 && depth < kDepth)
        branch(window, isUniform, depth);
      else if (kind < 45 && depth < kDepth)
        loop(window, isUniform, depth);
      else if (kind < 52 && isUniform)
        text << "gpu.barrier {given}\n";
      else
        use(buffer, isUniform);
    }
  }
}

std::string Writer::run() {
  std::vector<Buffer> attributions;
  for (int64_t count = below(7); count > 0; --count)
    attributions.push_back({"%a" + std::to_string(count), 4 * (1 + below(3))});
  std::ostringstream head;
  head << "gpu.module @m {\ngpu.func @kernel(%n: index)";
  for (size_t i = 0; i < attributions.size(); ++i)
    head << (i == 0 ? " workgroup(" : ", ") << attributions[i].name << ": "
         << type(attributions[i].elements);
  head << (attributions.empty() ? "" : ")") << " kernel {\n"
       << "%tid = gpu.thread_id x\n%bid = gpu.block_id x\n";
  block(attributions, true, 0);
  return head.str() + text.str() + "gpu.return\n}\n}\n";
}

std::string randomKernel(uint64_t seed) { return Writer(seed).run(); }

} // namespace tpu_mlir
