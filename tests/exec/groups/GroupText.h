//===- GroupText.h - Layer groups written by hand ---------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_GROUPS_GROUPTEXT_H
#define TPU_MLIR_TESTS_EXEC_GROUPS_GROUPTEXT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tpu_mlir::exec {

/// What `ginfo` says. `parts`: "c 0:6; h 0:7 5:7; w 0:8" are start:size for
/// each section; dimensions that are left out are "0:1".
struct Info {
  int64_t id = 0, stage = 0;
  int64_t address = 0, bytes = 0;
  std::string parts;
  bool euAlign = true;
  int64_t scratchAddress = 0, scratchBytes = 0;
};

/// Writes a module with one function, whose arguments are all that groups load.
class GroupText {
public:
  void argument(const std::string &name, const std::string &type);
  /// Ops of the group that is being written; `more` are attributes.
  void load(const std::string &name, const std::string &from, const Info &info,
            const std::string &more = "", const std::string &type = "");
  void compute(const std::string &name, const std::string &op,
               const std::vector<std::string> &operands,
               const std::string &type, const Info &info,
               const std::string &more = "");
  void store(const std::string &name, const std::string &operand,
             const Info &info);
  /// Ends the group. Results are called as `results`; `attributes` may have
  /// sections ("hsecs = 2 : i64") and overlap lists.
  void group(const std::vector<std::string> &results,
             const std::vector<std::string> &stored, const std::string &flow,
             const std::string &attributes = "");
  /// Any op between groups.
  void outside(const std::string &line) { text += line + "\n"; }

  std::string module() const;

private:
  std::string arguments, text, body;
  std::map<std::string, std::string> types;
};

/// Two sections of rows: x (1x6x12x8, i8) -> 3x3 convolution to 5 channels ->
/// 2x2 pooling. Filter and bias are held. For smallChip(); ids 0 x, 1 filter,
/// 2 bias, 3 convolution, 4 pooling, 5 store; two timesteps.
std::string convPool();

/// One section: %a (id 0) + %b (id 1) at `address` (id 2), times that or, when
/// `readAgain`, %a (id 3); store (id 4). `op` is what does the addition.
std::string addition(int64_t address, bool readAgain,
                     const std::string &typeOfB = "1x4x4x4xi8",
                     const std::string &op = "tpu.Add");

/// n, c, h and w cut in two: depthwise 1x1 convolution or PRelu (id 3), plus an
/// operand (id 2) that is broadcast along n and h (id 4); store (id 5).
std::string manyCuts(bool convolves);

/// For bm1684x: 3x3 convolution with filters in blocks of channels, pooling,
/// two sections; ids as in convPool.
std::string referenceExample();

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_GROUPS_GROUPTEXT_H
