//===- MemoryPlan.h - The planner for programs in C and beyond --*- C -*-===//
//
// Everything that a problem can say goes in and out as JSON; the common case,
// one memory and buffers of one life each, as plain arrays. Both are checked,
// planned and validated as everywhere else, and the same question gets the same
// answer. No call keeps a pointer that it was given. Calls may run at the same
// time in several threads.
//
// Names that are here stay. A struct grows at its end only, and says by its
// first field how much of it the caller knows.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_CAPI_MEMORYPLAN_H
#define TPU_MLIR_CAPI_MEMORYPLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Grows when a call or a field is added.
#define TPUMEM_API_VERSION 1

/// What the library that is loaded has: TPUMEM_API_VERSION when it was built.
int32_t tpumemApiVersion(void);
/// "1.2.0 (LLVM 22.1.8)". Lives as long as the library.
const char *tpumemVersion(void);

/// How a call ended; the numbers are the exit codes of the programs.
typedef enum TpumemStatus {
  TPUMEM_OK = 0,
  /// The problem makes no sense; the message says where.
  TPUMEM_BAD_INPUT = 1,
  /// An option is unknown or out of range.
  TPUMEM_USAGE = 2,
  /// No plan exists: that is proved.
  TPUMEM_DOES_NOT_FIT = 3,
  /// A defect of this library; nothing was written.
  TPUMEM_INTERNAL = 4,
  /// No plan was found, though one may exist.
  TPUMEM_NOT_FOUND = 5,
  TPUMEM_OUT_OF_MEMORY = 6
} TpumemStatus;

/// What is known of a plan.
typedef enum TpumemProof {
  TPUMEM_PROOF_NONE = 0,
  /// It ends at the lower bound.
  TPUMEM_PROOF_LOWER_BOUND = 1,
  /// A search has shown that nothing is lower.
  TPUMEM_PROOF_OPTIMAL = 2,
  /// The search ended at a limit; the best plan that it had.
  TPUMEM_PROOF_LIMIT_HIT = 3
} TpumemProof;

/// How to plan. tpumemDefaultOptions() fills it.
typedef struct TpumemOptions {
  /// sizeof(TpumemOptions) where the caller was compiled.
  size_t structBytes;
  /// A name that `memplan strategies` lists; NULL: "auto".
  const char *strategy;
  /// For strategies that draw random numbers.
  uint64_t seed;
  /// Steps of a search, >= 0. The same limit gives the same plan.
  int64_t nodeLimit;
  /// Seconds, > 0; 0: none. With it two calls may differ.
  double timeLimitSeconds;
  /// Bytes of the memory, >= 0; INT64_MAX: no limit. A problem of JSON says it
  /// by itself: tpumemSolveJson() wants INT64_MAX.
  int64_t capacityBytes;
  /// >= 1; 0: one for each core. Plans do not depend on it.
  int32_t threads;
} TpumemOptions;

/// Sets structBytes and each field to what the programs take by default.
void tpumemDefaultOptions(TpumemOptions *options);

/// Buffer i has sizes[i] bytes and holds data in the steps [lower[i],
/// upper[i]). Arrays of `count` numbers each.
typedef struct TpumemBuffers {
  /// sizeof(TpumemBuffers) where the caller was compiled.
  size_t structBytes;
  int64_t count;
  const int64_t *sizes;
  const int64_t *lower;
  const int64_t *upper;
  /// The offset is a multiple of it, >= 1; NULL: of 1.
  const int64_t *alignments;
} TpumemBuffers;

/// What came out.
typedef struct TpumemResult {
  /// sizeof(TpumemResult) where the caller was compiled: set it before.
  size_t structBytes;
  /// The largest end of a buffer.
  int64_t usedBytes;
  /// No plan uses less.
  int64_t lowerBoundBytes;
  /// Where it does not fit: what is needed, at least or by the best plan.
  int64_t needBytes;
  /// A TpumemProof.
  int32_t proof;
  /// NULL after TPUMEM_OK, else one or more lines; for tpumemFree().
  char *message;
} TpumemResult;

/// Plans one memory. offsets[0..count) are written after TPUMEM_OK and left
/// alone otherwise. `options` may be NULL for the defaults. Complexity as
/// `memplan solve`: O(n log^2 n) for lives as networks have them, and the steps
/// of the search.
TpumemStatus tpumemSolve(const TpumemBuffers *buffers,
                         const TpumemOptions *options, int64_t *offsets,
                         TpumemResult *result);

/// Plans a problem as tpu_mlir/schema/problem.schema.json has it, `bytes` long;
/// *plan, as plan.schema.json has it and ending in a zero, is for tpumemFree(),
/// and NULL unless TPUMEM_OK. usedBytes and lowerBoundBytes are sums over the
/// pools.
TpumemStatus tpumemSolveJson(const char *problem, size_t bytes,
                             const TpumemOptions *options, char **plan,
                             TpumemResult *result);

/// Gives back a message or a plan; NULL is fine.
void tpumemFree(void *memory);

#ifdef __cplusplus
}
#endif

#endif // TPU_MLIR_CAPI_MEMORYPLAN_H
