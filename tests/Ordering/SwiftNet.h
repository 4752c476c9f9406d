//===- SwiftNet.h - The cells of a network found by search ------*- C++ -*-===//
//
// The three cells of the network of the Visual Wake Words challenge 2019 that
// papers on memory-aware orders are measured on, as they stand in its model.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_ORDERING_SWIFTNET_H
#define TPU_MLIR_TESTS_ORDERING_SWIFTNET_H

#include "tests/Ordering/Cells.h"

#include <cctype>
#include <map>
#include <sstream>

namespace tpu_mlir::ordering {

struct SwiftCell {
  int64_t pixels;
  int64_t inputChannels;
  /// Of a 1x1 convolution that says nothing else.
  int64_t channels;
  /// "7c(5)" convolves what op 5 makes, "30c48(x)" to 48 channels, "20d(11)" is
  /// depthwise, "6[x,5]" joins, "32=30+31" adds; x is the input.
  const char *ops;
};

inline const SwiftCell kSwiftA = {
    28 * 28, 32, 32,
    "5c(x) 6[x,5] 7c(5) 8c(x) 9[x,8] 10c(5) 11c(6) 12[10,11] 13[x,8,10,11] "
    "14c(12) 15[5,14] 16[11,14] 17c(15) 18c(13) 19[7,11,17,18] 20d(11) 21c(20) "
    "22d(17) 23c(22) 24d(16) 25c(24) 26d(9) 27c(26) 28c(19) 29[21,23,25,27,28] "
    "30c48(x) 31c48(29) 32=30+31"};
inline const SwiftCell kSwiftB = {
    14 * 14, 48, 48,
    "34c(x) 35c(x) 36c(x) 37c(x) 38c80(x) 39d(34) 40d(34) 41c(39) 42[34,41] "
    "43[34,41] 44c(42) 45d(43) 46c(40) 47[46,35] 48c(47) 49c(35) "
    "50[x,34,41,36] 51c(50) 52c(51) 53c(45) 54[37,44,48,52,49,53] 55c80(54) "
    "56=38+55"};
inline const SwiftCell kSwiftC = {
    7 * 7, 80, 64,
    "58c(x) 59c76(x) 60d(58) 61c(58) 62d(58) 63c(58) 64d(58) 65d(58) 66c(60) "
    "67[x,66] 68[58,66] 69c(67) 70d(68) 71d(61) 72d(61) 73c(62) 74c(71) "
    "75c(72) "
    "76c(70) 77c(64) 78c(65) 79[69,73,74,63,75,76,77,78] 80c76(79) 81=59+80"};

/// Of the ops up to number `last`, but `without`, whose results are the outputs
/// if nothing reads them.
inline OrderProblem swiftProblem(const SwiftCell &cell, int last,
                                 int without = 0) {
  GraphBuilder graph;
  std::map<std::string, std::pair<int, int64_t>> known;
  known["x"] = {graph.input(cell.pixels * cell.inputChannels),
                cell.inputChannels};
  std::istringstream text(cell.ops);
  for (std::string word; text >> word;) {
    const size_t kind = word.find_first_not_of("0123456789");
    const std::string name = word.substr(0, kind);
    if (std::stoi(name) > last)
      break;
    if (std::stoi(name) == without)
      continue;
    const size_t begin = word.find_first_of("([=", kind);
    std::vector<int> inputs;
    int64_t sum = 0, widest = 0;
    std::string one;
    for (char c : word.substr(begin + 1) + ",") {
      if (std::isalnum(static_cast<unsigned char>(c))) {
        one += c;
      } else if (!one.empty()) {
        inputs.push_back(known.at(one).first);
        sum += known.at(one).second;
        widest = std::max(widest, known.at(one).second);
        one.clear();
      }
    }
    int64_t channels = widest;
    if (word[kind] == 'c')
      channels = begin > kind + 1
                     ? std::stoi(word.substr(kind + 1, begin - kind - 1))
                     : cell.channels;
    else if (word[kind] == '[')
      channels = sum;
    known[name] = {graph.op(inputs, cell.pixels * channels), channels};
  }
  for (Tensor &tensor : graph.problem.tensors)
    tensor.toEnd |= tensor.readers.empty();
  return std::move(graph.problem);
}

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_SWIFTNET_H
