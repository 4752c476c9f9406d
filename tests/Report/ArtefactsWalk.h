//===- ArtefactsWalk.h - Programs that run generated files ------*- C++ -*-===//
//
// Turns the map of some artefacts into a C program that is linked with them and
// walks the schedule: each tensor is filled with a pattern of its own where its
// life begins, and has to have it still where that ends. The blocks of the
// application lie between bytes that nobody may touch.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_REPORT_ARTEFACTSWALK_H
#define TPU_MLIR_TESTS_REPORT_ARTEFACTSWALK_H

#include "tpu_mlir/Report/ArtefactReport.h"

#include <string>
#include <vector>

namespace tpu_mlir::report {

/// A folder that goes away with the object, and the compilers.
class Workshop {
public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop &) = delete;
  Workshop &operator=(const Workshop &) = delete;

  void write(const std::string &name, const std::string &contents) const;
  void write(const std::vector<ArtefactFile> &files) const;
  /// Replaces the first `from` in a file; false when there is none.
  bool replace(const std::string &name, const std::string &from,
               const std::string &to) const;
  /// Runs a command in the folder; its exit code, and what it printed in
  /// `output`.
  int run(const std::string &command) const;
  mutable std::string output;

private:
  std::string folder;
};

/// `int <prefix>_walk(void)` from the map of the artefacts: the number of
/// tensors that did not keep their bytes, at most 100. Models planned together
/// run as their common schedule says, others one after the other.
std::string walkOf(const std::string &mapText);
/// main() that calls all of them and fails when one finds something.
std::string mainOf(const std::vector<std::string> &prefixes);
/// What the walk expects in a read-only block.
std::string parameterBytes(int64_t sizeBytes);

/// "gcc -std=c99 ..." with all warnings as errors.
extern const char *const kC99;
extern const char *const kCpp17;

} // namespace tpu_mlir::report

#endif // TPU_MLIR_TESTS_REPORT_ARTEFACTSWALK_H
