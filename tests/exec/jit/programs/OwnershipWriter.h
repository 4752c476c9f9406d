//===- OwnershipWriter.h - Writes programs in which buffers change hands --===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_OWNERSHIPWRITER_H
#define TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_OWNERSHIPWRITER_H

#include "tests/exec/jit/programs/ProgramWriter.h"

namespace tpu_mlir::jit {

inline constexpr const char *kType = "memref<4xi64>";
inline const std::string kArguments =
    std::string(kType) + ", " + kType + ", " + kType + ", i1, i1, index";

/// Every memref has one type and is written as soon as it is there, so that any
/// of them may stand anywhere.
class OwnershipWriter {
public:
  OwnershipWriter(uint64_t seed, int number, const OwnershipOptions &options)
      : random(seed * 0x9E6C63D0676A9A99ull + 7), number(number),
        options(options) {}
  RandomProgram write();

private:
  using Names = std::vector<std::string>;
  using Statement = void (OwnershipWriter::*)();

  void line(const std::string &text) { body += indent + text + "\n"; }
  std::string fresh(const char *prefix) {
    return std::string("%") + prefix + std::to_string(nextName++);
  }
  std::string any() {
    // The younger ones are used more.
    int last = static_cast<int>(visible.size()) - 1;
    return visible[random.chance(50)
                       ? last - random.below(std::min(last + 1, 3))
                       : random.below(last + 1)];
  }
  std::string place() { return "[%c" + std::to_string(random.below(4)) + "]"; }
  std::string condition();
  std::string allocate();
  std::string copyOf(const std::string &source);
  /// In place, a copy, or something else that is there or made here.
  std::string given(const std::string &source);
  /// Another name of the same buffer, or that name.
  std::string alias(const std::string &source);
  /// One or two names to begin with, which may be one buffer.
  Names carried();
  /// As many, each in place of the one there; they may be one buffer.
  Names handedOn(const Names &from);
  void show(const std::string &name, size_t count);
  void scoped(const std::function<void()> &inner, bool keepsBlocks = false);
  void statements(int count);

  void allocStatement() { visible.push_back(allocate()); }
  void copyStatement() { visible.push_back(copyOf(any())); }
  void stackStatement();
  void globalStatement();
  void updateStatement();
  void observeStatement();
  void ifStatement();
  void switchStatement();
  void selectStatement();
  void diamondStatement();
  void executeStatement();
  void callStatement();
  void callFurtherStatement();
  void sinkStatement();
  void reallocStatement();
  void handOverStatement();
  void danglingStatement();
  void flagStatement();
  std::string freedPartly(const std::string &source, const std::string &own);
  std::string goneRound(const std::string &source, const std::string &own);
  void parallelStatement();
  std::string lendBeside(const std::string &source, const std::string &flag);
  void plainIfStatement();
  void forStatement();
  void whileStatement();
  void blockLoopStatement();
  void swapStatement();
  void partStatement();
  void keepStatement();

  std::string function(const std::string &head, int count, int results,
                       const std::string &calledAgain = "");
  std::string goOn(const std::string &name);
  void writeHelpers();
  void writeFurtherHelpers();

  Random random;
  int number;
  std::string body, indent;
  Names visible, conditions;
  /// Functions that return their argument or something else.
  Names helpers;
  /// One that calls itself, and one that returns two; empty: there is none.
  std::string recursive, twofold;
  int nextName = 0, depth = 0, budget = 0;
  int64_t runs = 1;
  bool blocks = true, inHelper = false, keeps = false;
  OwnershipOptions options;
  RandomProgram program;
};

/// `, a, b`, each with `behind` after it.
std::string list(const std::vector<std::string> &names,
                 const std::string &behind = "");
/// The type so many times, likewise.
std::string repeated(size_t count);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_OWNERSHIPWRITER_H
