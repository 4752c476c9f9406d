/* Three buffers of which two are alive at any time. */
#include <tpu_mlir/CApi/MemoryPlan.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  const int64_t sizes[] = {64, 32, 64};
  const int64_t lower[] = {0, 1, 2};
  const int64_t upper[] = {2, 3, 4};
  int64_t offsets[3];
  TpumemBuffers buffers = {sizeof(buffers), 3, sizes, lower, upper, NULL};
  TpumemResult result = {sizeof(result), 0, 0, 0, 0, NULL};
  if (tpumemSolve(&buffers, NULL, offsets, &result) != TPUMEM_OK) {
    fprintf(stderr, "%s\n", result.message);
    tpumemFree(result.message);
    return 1;
  }
  for (int i = 0; i < 3; ++i)
    printf("buffer %d: offset %" PRId64 "\n", i, offsets[i]);
  printf("%" PRId64 " bytes, at least %" PRId64 "\n", result.usedBytes,
         result.lowerBoundBytes);
  return 0;
}
