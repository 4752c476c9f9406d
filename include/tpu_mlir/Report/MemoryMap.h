//===- MemoryMap.h - Pictures of a module's global memory -------*- C++ -*-===//
//
// What a memory report says, to look at:
//
//     bytes    ## ##   #             layer groups
//     ^ - - - - - - - - - - - - - -  capacity
//     |      +------+                used
//     | +----+--+   |- - - - - - -   lower bound
//     | | a  |b | d |
//     +-+----+------+-----------> steps
//     [         weights         ]    one band, for all of them
//
// A page stands alone: no scripts, fonts or style sheets from elsewhere. The
// same reports make the same bytes. Names may hold any characters.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_MEMORYMAP_H
#define TPU_MLIR_REPORT_MEMORYMAP_H

#include "tpu_mlir/Report/MemoryReport.h"

namespace tpu_mlir::report {

struct MapOptions {
  /// A page with the local map of group 3 at "#g3" (renderLocalHtml); a
  /// relative URL. Empty: none, and no links.
  std::string localPage;
  /// Why there is no plan; the map then is of one with too little room. Lines.
  std::string failure;
  /// Of a page. Tensors beyond it, the smallest first, are told as a sum; a
  /// page without any tensor has about 200,000.
  size_t maxBytes = 5'000'000;
  /// Drawn one by one; what is beyond is one grey area a region.
  size_t maxRectangles = 3000;
};

/// Several modules are one map: their steps follow each other, and their
/// regions stand after "module.". A page with the map, the live set of any
/// step, a search in all tensors, and what each byte at the peaks is there for.
/// O(n log n) for n tensors and steps.
std::string renderMapHtml(const std::vector<MemoryReport> &reports,
                          const MapOptions &options = {});

/// The map alone, as an SVG 1.1 image.
std::string renderMapSvg(const std::vector<MemoryReport> &reports,
                         const MapOptions &options = {});

/// A row for each tensor: id, lower, upper, size, offset as minimalloc has
/// them (steps for which its storage is kept, upper exclusive), region, kind,
/// address, alias_of. RFC 4180 but for line ends, which are newlines.
std::string renderMapCsv(const std::vector<MemoryReport> &reports);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_MEMORYMAP_H
