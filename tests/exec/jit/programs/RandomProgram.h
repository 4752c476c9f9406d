//===- RandomProgram.h - Random memref programs -----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_RANDOMPROGRAM_H
#define TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_RANDOMPROGRAM_H

#include <cstdint>
#include <map>
#include <string>

namespace tpu_mlir::jit {

/// A function, with the functions that it calls, as MLIR text.
struct RandomProgram {
  /// Definitions to be put into one module with those of other programs.
  std::string text;
  /// Name of the function to run; it takes numbers and memrefs.
  std::string function;
  /// How often each kind of statement was written, by its name.
  std::map<std::string, int> statements;
  /// Every buffer that it allocates and does not return is freed.
  bool freesAll = false;
};

/// What a program may contain.
struct ProgramOptions {
  /// About how many statements; a statement is one to five ops.
  int statements = 28;
  bool unstructured = true;
  bool parallel = true;
  bool deallocs = true;
  bool calls = true;
  /// 0: few programs have a function to call, and that calls none. Else so
  /// many, which call each other, and are called often.
  int functions = 0;
  /// Some sizes are written `?`.
  bool dynamic = true;
};

/// Writes a program that depends on `seed` and `options` alone; `number` makes
/// its names unique within a module. Programs end, run in microseconds and have
/// one meaning: every element is written before it is read on every path, no
/// memory is used after it was freed, threads of a parallel loop write what is
/// theirs alone, and no linalg op reads what it writes but through the same
/// view. So results depend neither on what fresh memory contains nor on where
/// it lies, and a rewriting that is right changes no bit of them.
///
/// What is written: nests of all loops and branches of scf, affine loops, loops
/// and branches made of blocks (also irreducible ones), buffers of many element
/// types, allocated at any depth and filled at once or later, at times in the
/// first iteration of a loop alone; views of all kinds; memrefs that are
/// selected, yielded, carried round loops, swapped, passed to functions and
/// returned; deallocations.
RandomProgram makeRandomProgram(uint64_t seed, int number = 0,
                                const ProgramOptions &options = {});

/// What a program of makeOwnershipProgram() may contain.
struct OwnershipOptions {
  bool reallocs = false;
  /// In one of three programs a function stores what it is given, and it is
  /// used by what is loaded again.
  bool keeps = false;
};

/// Writes a program in which it depends on the path who owns a buffer: a name
/// is an argument, a global, a buffer of the stack or of an outer scope under
/// one condition, and a copy or something fresh under another. It comes out of
/// branches, selects, loops and regions of all kinds, made of blocks or ops,
/// and out of functions that return their argument or something else; it is
/// read and updated under every name. Some buffers are freed.
RandomProgram makeOwnershipProgram(uint64_t seed, int number = 0,
                                   const OwnershipOptions &options = {});

/// Writes a function that is one block, `g` and the number, and one that calls
/// it. Wide buffers are made of narrow ones and summed up again, early or late,
/// so that another order of ops often needs less. Yet few orders are right:
/// buffers are overwritten, read and updated under other names (views, casts,
/// selects, results of branches and loops), arguments may be one memory,
/// globals have two names, numbers are loaded before a place is overwritten,
/// calls and loops that do not count stand in between, and some buffers are
/// freed. As for makeRandomProgram(), a program has one meaning.
RandomProgram makeOrderProgram(uint64_t seed, int number = 0);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_PROGRAMS_RANDOMPROGRAM_H
