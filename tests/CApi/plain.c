/*===- plain.c - The header is C, and a C program can plan
 * -----------------===*/

#include "tpu_mlir/CApi/MemoryPlan.h"

int64_t planInC(int64_t capacityBytes, TpumemStatus *status);

/** Three buffers of which two are alive at any time: the bytes that they need,
 * or those that the message is about. */
int64_t planInC(int64_t capacityBytes, TpumemStatus *status) {
  const int64_t sizes[] = {64, 32, 64};
  const int64_t lower[] = {0, 1, 2};
  const int64_t upper[] = {2, 3, 4};
  int64_t offsets[3];
  TpumemBuffers buffers = {sizeof(TpumemBuffers), 3, sizes, lower, upper, NULL};
  TpumemResult result = {sizeof(TpumemResult), 0, 0, 0, 0, NULL};
  TpumemOptions options;
  tpumemDefaultOptions(&options);
  options.capacityBytes = capacityBytes;
  *status = tpumemSolve(&buffers, &options, offsets, &result);
  tpumemFree(result.message);
  return *status == TPUMEM_OK ? result.usedBytes : result.needBytes;
}
