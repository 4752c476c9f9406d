//===- Lives.h - When bytes of local memory are taken -----------*- C++ -*-===//
//
//   row  0  1  2 | 0  1  2 | 0  1  2 | 0  1  2      T = 3, two sections
//   load A     a | .  .  b |         |              stage 0, row 2
//   op B         | a  .  . | b  .  . |              stage 1, row 0
//
// Section j of everything happens j * T rows after section 0: a buffer is one
// interval of rows that is repeated every T rows, as often as there are
// sections, from the prologue to the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LIVES_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LIVES_H

#include "lib/Analysis/Local/Check/LocalGroup.h"

namespace tpu_mlir::local {

/// Bytes that an op's result or scratch takes in every lane.
struct Buffer {
  int member = 0;
  bool isScratch = false;
  Interval bytes;
  /// Rows of section 0, from the one that writes to the last one that reads.
  Interval rows;
  /// Sections for which this is repeated; 1 for what is held.
  int64_t generations = 1;
};

/// Every result and scratch of at least one byte. A load that the group before
/// runs, and a store that the group after runs, add a buffer that reaches to
/// the border of this group.
std::vector<Buffer> buffersOf(const LocalGroup &group);

/// "'x' (id 3)" or "the scratch of 'x' (id 3)".
std::string describe(const LocalGroup &group, const Buffer &buffer);

/// By how many sections the generations of `a` that are alive together with
/// some of `b` are ahead of those: [-1, 2) means that section j of `a` meets
/// the sections j and j + 1 of `b`. `period` is T.
Interval meetings(const Buffer &a, const Buffer &b, int64_t period);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_LIVES_H
