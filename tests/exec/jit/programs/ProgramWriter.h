//===- ProgramWriter.h - Writes random programs -----------------*- C++ -*-===//
//
// The writer keeps, at every point of the program, the memrefs that are visible
// and which of them are certainly initialised. A memref is, when all that it
// covers was written; a view also when what it views is. Nothing becomes
// uninitialised again but by leaving the scope, so the first iteration of a
// loop is the one that counts.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_PROGRAMWRITER_H
#define TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_PROGRAMWRITER_H

#include "tests/exec/jit/programs/RandomProgram.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tpu_mlir::jit {

/// SplitMix64, after Steele, Lea and Flood (2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// In [0, bound).
  int below(int bound) { return static_cast<int>(next() % bound); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[below(static_cast<int>(list.size()))];
  }

private:
  uint64_t state;
};

using Shape = std::vector<int64_t>;

/// A memref value of the program.
struct Memref {
  std::string name;
  std::string element;
  Shape sizes;
  /// The first size is written `?`.
  bool dynamic = false;
  /// Without: the identity layout.
  std::optional<Shape> strides;
  /// Only with strides; nullopt: `?`.
  std::optional<int64_t> offset = 0;
  /// Indices of memrefs: its bytes are among theirs.
  std::vector<int> parents;
  /// It covers all elements of its one parent.
  bool whole = false;
  /// Allocations and arguments that it may lie in.
  std::set<int> roots;
  /// The scope that allocated it; -1 for all that is no allocation.
  int allocScope = -1;

  std::string type() const;
  Shape stridesOrDefault() const;
  int64_t elements() const;
};

/// Whether elements are f32 or f64, or i1, i8 and so on; an index is neither.
bool isFloat(const std::string &element);
bool isInteger(const std::string &element);

class ProgramWriter {
public:
  ProgramWriter(uint64_t seed, int number, const ProgramOptions &options);
  RandomProgram write();

private:
  struct Induction {
    std::string name;
    int64_t bound;
  };
  /// What is known at a point of the program.
  struct State {
    std::vector<int> visible;
    std::set<int> initialised;
    std::set<int> readOnly;
    std::vector<Induction> inductions;
    /// The induction variable of the loop whose body this is, directly.
    std::string loop;
    /// Memrefs that were there before that loop.
    std::set<int> beforeLoop;
    /// Roots written since they were read.
    std::set<int> unread;
    /// Allocations of this scope that are still to be freed.
    std::vector<int> unfreed;
    int scope = 0;
    int depth = 0;
    /// How often this may run for each call of the function.
    int64_t runs = 1;
    bool blocks = false;
    bool parallel = false;
  };
  using Statement = bool (ProgramWriter::*)();
  struct Kind {
    const char *name;
    int weight;
    /// In programs that do much with few buffers.
    int denseWeight;
    /// It has statements inside.
    bool nests;
    Statement statement;
  };
  /// How regions or blocks end of which one has run.
  struct Ends {
    /// What each gives out; empty if nothing.
    std::vector<int> sources;
    /// All of that is initialised.
    bool ready = true;
    std::vector<std::set<int>> initialised;
  };
  struct Helper {
    std::string name;
    Memref in, out;
    bool returns = false;
    /// It writes all of `out`.
    bool writesOut = false;
    /// About how many calls one call of it is, itself included.
    int64_t calls = 1;
  };

  // RandomProgram.cpp: scopes and state.
  void line(const std::string &text) { body += indent + text + "\n"; }
  std::string fresh(const char *prefix);
  int add(Memref memref, bool initialised);
  bool isInitialised(int memref) const;
  void initialise(int memref);
  bool disjoint(int left, int right) const;
  std::optional<int> find(const std::function<bool(int)> &wanted);
  bool readable(int memref) const { return isInitialised(memref); }
  bool writable(int memref) const { return !state.readOnly.count(memref); }
  bool sameShape(int left, int right) const;
  void statements(int count);
  void statement();
  State enter(bool keepBlocks = false);
  void leave(const State &outer, bool keepInitialised);
  void endScope();
  void wrote(int memref);
  void read(int memref);
  bool isUnread(int memref) const;
  void escape(int memref);
  void retire(int memref);
  void retireSome(int percent);
  void startScope();
  void writeHelper();
  void writeArguments(std::vector<std::string> &arguments);
  std::string writeReturn();
  void writeMain();

  // ProgramData.cpp: statements on data.
  std::string randomElement();
  Shape randomShape();
  int allocate(std::string element, Shape sizes, bool mayBeDynamic = true);
  std::string constant(const std::string &element);
  std::string toI64(const std::string &element, const std::string &value);
  std::string fromI64(const std::string &element, const std::string &value);
  std::string combine(const std::string &element, const std::string &left,
                      const std::string &right);
  std::string index(int64_t bound);
  std::string indices(int memref);
  std::string condition();
  std::string map(size_t rank, int variant);
  void fillWith(int memref);
  void observe(int memref);
  bool allocStatement();
  bool bytesStatement();
  bool fillStatement();
  void elementwise(int out, const std::vector<int> &sources,
                   const std::vector<int> &variants, bool accumulate);
  bool elementwiseStatement();
  bool copyStatement();
  bool elementStatement();
  bool matmulStatement();
  bool observeStatement();
  bool deallocStatement();
  bool firstIterationStatement();

  // ProgramViews.cpp: aliases.
  bool subviewStatement();
  bool reshapeStatement();
  bool castStatement();
  bool transposeStatement();
  bool selectStatement();
  bool callStatement();

  // ProgramControl.cpp: regions.
  bool isPlain(int memref) const;
  int yielded(int like);
  void end(std::optional<int> like, Ends &ends);
  std::optional<int> findLike();
  bool branches(const std::string &head,
                const std::vector<std::string> &regions, bool mayYield);
  void join(const std::string &name, int like, const Ends &ends);
  bool ifStatement();
  bool switchStatement();
  bool forStatement();
  bool whileStatement();
  bool affineStatement();
  bool executeStatement();
  bool parallelStatement();
  int sliceOf(const Memref &whole, const std::string &thread, bool isReadable);
  bool mayLoop(int64_t bound) const;
  std::vector<int> carried();
  std::set<int> carriedRoots(const std::vector<int> &initial);
  std::vector<int> enterCarried(const std::vector<int> &initial,
                                const std::set<int> &roots);
  std::vector<int> yieldCarried(const std::vector<int> &arguments,
                                const std::set<int> &roots);
  std::string names(const std::vector<int> &list) const;
  std::string types(const std::vector<int> &list) const;
  void addResults(const std::string &name, const std::vector<int> &like,
                  const std::set<int> &roots);
  void enterLoop(const std::string &induction, int64_t bound,
                 const State &outer);

  // ProgramBlocks.cpp: control flow made of blocks.
  bool diamondStatement();
  bool blockLoopStatement();
  bool irreducibleStatement();

  // ProgramStress.cpp: what liveness gets wrong.
  using Body = std::function<void()>;
  void wrapped(const Body &inner);
  void looped(const Body &inner);
  void forLoop(int64_t bound, const Body &inner);
  void whileLoop(int64_t bound, const Body &inner);
  void blockLoop(int64_t bound, const Body &inner);
  void inExecuteRegion(const Body &inner);
  int alias(int memref, int other);
  void use(int memref);
  void useFresh(int memref);
  bool stressStatement();

  static const std::vector<Kind> &kinds();

  Random random;
  int number;
  ProgramOptions options;
  RandomProgram program;
  std::string body, indent = "  ";
  std::vector<Memref> memrefs;
  State state;
  std::vector<Helper> helpers;
  std::vector<std::string> elements;
  std::vector<Shape> shapes;
  std::vector<int> weights;
  bool dense = false;
  /// Percent of loops and branches that carry or give out memrefs.
  int yields = 0;
  /// Percent of reads that are the last of their buffer.
  int retires = 0;
  int nextName = 0, scopes = 0, roots = 0, budget = 0;
  bool inHelper = false;
  /// Of the function that is written, as Helper::calls.
  int64_t callsHere = 1;
};

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_PROGRAMWRITER_H
