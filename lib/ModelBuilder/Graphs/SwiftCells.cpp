//===- SwiftCells.cpp - The cells of SwiftNet ---------------------------===//

#include "lib/ModelBuilder/Graphs/SwiftCells.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace tpu_mlir::graphs {

namespace {

struct CellText {
  int64_t pixelsPerSide, inputChannels;
  /// Of a 1x1 convolution that says nothing else.
  int64_t channels;
  /// "7c(5)" convolves what op 5 makes, "30c48(x)" to 48 channels, "20d(11)" is
  /// depthwise, "6[x,5]" joins, "32=30+31" adds; x is the input.
  const char *ops;
};

} // namespace

static constexpr CellText kA = {
    28, 32, 32,
    "5c(x) 6[x,5] 7c(5) 8c(x) 9[x,8] 10c(5) 11c(6) 12[10,11] 13[x,8,10,11] "
    "14c(12) 15[5,14] 16[11,14] 17c(15) 18c(13) 19[7,11,17,18] 20d(11) 21c(20) "
    "22d(17) 23c(22) 24d(16) 25c(24) 26d(9) 27c(26) 28c(19) 29[21,23,25,27,28] "
    "30c48(x) 31c48(29) 32=30+31"};
static constexpr CellText kB = {
    14, 48, 48,
    "34c(x) 35c(x) 36c(x) 37c(x) 38c80(x) 39d(34) 40d(34) 41c(39) 42[34,41] "
    "43[34,41] 44c(42) 45d(43) 46c(40) 47[46,35] 48c(47) 49c(35) "
    "50[x,34,41,36] 51c(50) 52c(51) 53c(45) 54[37,44,48,52,49,53] 55c80(54) "
    "56=38+55"};
static constexpr CellText kC = {
    7, 80, 64,
    "58c(x) 59c76(x) 60d(58) 61c(58) 62d(58) 63c(58) 64d(58) 65d(58) 66c(60) "
    "67[x,66] 68[58,66] 69c(67) 70d(68) 71d(61) 72d(61) 73c(62) 74c(71) "
    "75c(72) 76c(70) 77c(64) 78c(65) 79[69,73,74,63,75,76,77,78] 80c76(79) "
    "81=59+80"};

static int numberOf(llvm::StringRef text) {
  int number = kCellInput;
  if (text != "x")
    text.getAsInteger(10, number);
  return number;
}

static SwiftOp::Kind kindOf(char sign) {
  switch (sign) {
  case 'c':
    return SwiftOp::Kind::Conv1x1;
  case 'd':
    return SwiftOp::Kind::Depthwise3x3;
  case '[':
    return SwiftOp::Kind::Concat;
  default:
    return SwiftOp::Kind::Add;
  }
}

/// One word of the text; `channels` are those of the results so far.
static SwiftOp parseOp(llvm::StringRef word, int64_t usual,
                       const std::map<int, int64_t> &channels) {
  const size_t sign = word.find_first_not_of("0123456789");
  const size_t open = word.find_first_of("([=", sign);
  SwiftOp op{numberOf(word.take_front(sign)), kindOf(word[sign]), {}, 0};
  llvm::SmallVector<llvm::StringRef> inputs;
  word.drop_front(open + 1).rtrim(")]").split(
      inputs, op.kind == SwiftOp::Kind::Add ? '+' : ',');
  int64_t sum = 0;
  for (llvm::StringRef input : inputs) {
    op.inputs.push_back(numberOf(input));
    op.channels = channels.at(op.inputs.back());
    sum += op.channels;
  }
  if (op.kind == SwiftOp::Kind::Concat)
    op.channels = sum;
  if (op.kind == SwiftOp::Kind::Conv1x1 &&
      word.slice(sign + 1, open).getAsInteger(10, op.channels))
    op.channels = usual;
  return op;
}

SwiftCell swiftCell(char name) {
  const CellText &text = name == 'A' ? kA : name == 'B' ? kB : kC;
  SwiftCell cell{text.pixelsPerSide, text.inputChannels, {}};
  std::map<int, int64_t> channels = {{kCellInput, text.inputChannels}};
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text.ops).split(words, ' ');
  for (llvm::StringRef word : words) {
    cell.ops.push_back(parseOp(word, text.channels, channels));
    channels[cell.ops.back().number] = cell.ops.back().channels;
  }
  return cell;
}

} // namespace tpu_mlir::graphs
