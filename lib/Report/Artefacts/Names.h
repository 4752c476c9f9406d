//===- Names.h - Names for C, each given once -------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_REPORT_ARTEFACTS_NAMES_H
#define TPU_MLIR_LIB_REPORT_ARTEFACTS_NAMES_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::report {

/// cName() in upper case: macros.
std::string macroName(const std::string &name);
/// cName() in lower case; gets "n" in front when it would not start with a
/// letter, and "_" after when C, C++ or a common header has taken it.
/// Generated macros have an upper-case letter each, so they cannot be in the
/// way.
std::string memberName(const std::string &name);

/// Lower-case names that nothing in a file may have: those above, and types of
/// the headers that the files include. "uint8" and "t" make one, too.
std::vector<std::string> takenNames();

/// `name` in a comment: printable ASCII that ends no comment and begins none.
std::string inComment(const std::string &name);

/// Who uses which identifier. The first clash sticks.
class Names {
public:
  /// `scope` is empty for macros and whatever a whole file can see; `origin` is
  /// for messages: "tensor 'x'".
  void claim(const std::string &scope, const std::string &identifier,
             const std::string &origin);
  const std::optional<std::string> &clash() const { return firstClash; }

private:
  std::map<std::pair<std::string, std::string>, std::string> owners;
  std::optional<std::string> firstClash;
};

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_ARTEFACTS_NAMES_H
