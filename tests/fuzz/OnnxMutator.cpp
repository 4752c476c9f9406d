//===- OnnxMutator.cpp - Models that are a little wrong -------------------===//
//
// libFuzzer's own mutations of bytes seldom leave a message of protobuf one.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/OnnxMutator.h"

#include "google/protobuf/message.h"
#include "onnx/onnx_pb.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <random>
#include <vector>

namespace tpu_mlir {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class Mutator {
public:
  explicit Mutator(uint64_t seed) : engine(seed) {}

  /// One field of one message inside.
  void change(Message &root) {
    messages.clear();
    collect(root);
    Message &message = *messages[below(messages.size())];
    std::vector<const FieldDescriptor *> fields;
    message.GetReflection()->ListFields(message, &fields);
    if (fields.empty())
      return;
    const FieldDescriptor &field = *fields[below(fields.size())];
    field.is_repeated() ? changeList(message, field)
                        : changeField(message, field);
  }

private:
  void collect(Message &message) {
    messages.push_back(&message);
    const auto *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
        continue;
      if (!field->is_repeated()) {
        collect(*reflection->MutableMessage(&message, field));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(message, field); ++i)
        collect(*reflection->MutableRepeatedMessage(&message, field, i));
    }
  }

  size_t below(size_t count) { return engine() % count; }

  int64_t number() {
    static const int64_t kNumbers[] = {
        0,  1,  2,       3,       4,       7,       8,         16,       255,
        -1, -2, 1 << 16, 1 << 24, INT_MAX, INT_MIN, INT64_MAX, INT64_MIN};
    return kNumbers[below(std::size(kNumbers))];
  }

  /// One that is somewhere in the model, or an op.
  std::string text() {
    static const char *kOps[] = {
        "",          "Conv",   "ConvTranspose", "MaxPool",   "AveragePool",
        "Gemm",      "MatMul", "Reshape",       "Slice",     "Split",
        "Concat",    "Gather", "Pad",           "Resize",    "Einsum",
        "Tile",      "Expand", "TopK",          "LSTM",      "GRU",
        "Squeeze",   "ArgMax", "OneHot",        "Cast",      "Range",
        "ij,jk->i",  "NOTSET", "SAME_LOWER",    "Softmax",   "Identity",
        "Unsqueeze", "Where",  "ScatterND",     "MaxUnpool", "LRN"};
    const onnx::NodeProto *node = nullptr;
    for (int tries = 0; tries < 4 && !node; ++tries)
      node = dynamic_cast<const onnx::NodeProto *>(
          messages[below(messages.size())]);
    if (node && node->input_size() && below(2))
      return node->input(static_cast<int>(below(node->input_size())));
    if (node && node->output_size() && below(2))
      return node->output(0);
    return kOps[below(std::size(kOps))];
  }

  void changeList(Message &message, const FieldDescriptor &field) {
    const auto *reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, &field);
    const int at = static_cast<int>(below(size));
    switch (below(4)) {
    case 0:
      reflection->SwapElements(&message, &field, at, size - 1);
      return reflection->RemoveLast(&message, &field);
    case 1:
      return reflection->SwapElements(&message, &field, at,
                                      static_cast<int>(below(size)));
    default:
      changeElement(message, field, at);
    }
  }

  void changeElement(Message &message, const FieldDescriptor &field, int at) {
    const auto *reflection = message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetRepeatedInt32(&message, &field, at,
                                          static_cast<int32_t>(number()));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetRepeatedInt64(&message, &field, at, number());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection->SetRepeatedFloat(&message, &field, at,
                                          static_cast<float>(number()));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetRepeatedString(&message, &field, at, text());
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Message &from = reflection->GetRepeatedMessage(message, &field, at);
      return reflection->AddMessage(&message, &field)->CopyFrom(from);
    }
    default:
      return;
    }
  }

  void changeField(Message &message, const FieldDescriptor &field) {
    const auto *reflection = message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(&message, &field,
                                  static_cast<int32_t>(number()));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(&message, &field, number());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection->SetFloat(&message, &field,
                                  static_cast<float>(number()));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(&message, &field, text());
    default:
      return reflection->ClearField(&message, &field);
    }
  }

  std::mt19937_64 engine;
  std::vector<Message *> messages;
};

} // namespace

std::string mutateOnnx(std::string_view bytes, uint64_t seed) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return std::string(bytes);
  Mutator mutator(seed);
  for (uint64_t left = 1 + seed % 3; left > 0; --left)
    mutator.change(model);
  return model.SerializeAsString();
}

} // namespace tpu_mlir

/// What libFuzzer calls where it is linked. Most bytes are changed as fields.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::string made =
      tpu_mlir::mutateOnnx({reinterpret_cast<const char *>(data), size}, seed);
  if (seed % 16 == 0 && !made.empty())
    made[seed / 16 % made.size()] = static_cast<char>(seed >> 8);
  made.resize(std::min(made.size(), most));
  std::memcpy(data, made.data(), made.size());
  return made.size();
}
