//===- Naming.h - Names in files, back to ids -------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_IO_NAMING_H
#define TPU_MLIR_LIB_PLANNING_IO_NAMING_H

#include "lib/Planning/IO/NameIndex.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Json.h"

#include <map>

namespace tpu_mlir::planning {

/// Names made unique, and the way back from a name to its index.
class UniqueNames {
public:
  explicit UniqueNames(size_t count) : used(NameIn{&names}, count) {
    names.reserve(count);
  }
  UniqueNames(const UniqueNames &) = delete;
  /// Appends `wish`, with "#2", "#3" ... when it was there before.
  void add(std::string wish);
  std::optional<int64_t> find(std::string_view name) const {
    return used.find(name);
  }

  std::vector<std::string> names;

private:
  struct NameIn {
    const std::vector<std::string> *names;
    std::string_view operator()(int64_t id) const { return (*names)[id]; }
  };
  NameIndex<NameIn> used;
  std::map<std::string, int64_t> lastNumber; ///< Of names that repeat.
};

/// What fileNames() lists.
void addFileNames(const Problem &problem, UniqueNames &names);

/// fileNames() for pools; an empty name becomes "pool".
std::vector<std::string> poolFileNames(const Problem &problem);

/// Names to indices.
using NameMap = std::map<std::string, int64_t, std::less<>>;
NameMap indexOfNames(const std::vector<std::string> &names);

/// Reverse of kindName and proofName.
std::optional<BufferKind> kindOfName(std::string_view name);
std::optional<Proof> proofOfName(std::string_view name);

/// What parsePlanJson() reads, as part of another document.
std::variant<Plan, ParseError> readPlan(const Problem &problem,
                                        const JsonValue &document);

/// Reads part by part; the first error stops.
class DocumentReader {
protected:
  bool take(const std::optional<JsonError> &e) {
    if (e)
      error = ParseError{e->message, e->line, e->column};
    return !e;
  }
  /// Of problems and plans there is one.
  static void readVersion(JsonFields &fields) {
    const int64_t version = fields.requiredInteger("version");
    if (!fields.failed() && version != 1)
      fields.fail(fields.at("version"), "version " + std::to_string(version) +
                                            " is not known, only 1 is");
  }

  std::optional<ParseError> error;
};

/// "'activation', 'weight', ...": for messages.
std::string allKindNames();

/// The first error of check() at the place that `at` knows for it.
template <typename PositionOf>
std::optional<ParseError> checkParsed(const Problem &problem,
                                      PositionOf positionOf) {
  const std::vector<ProblemError> errors = check(problem);
  if (errors.empty())
    return std::nullopt;
  const auto [line, column] = positionOf(errors.front());
  return ParseError{errors.front().message, line, column};
}

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_IO_NAMING_H
