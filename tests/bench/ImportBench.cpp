//===- ImportBench.cpp - What an import costs beside reading and writing --===//
//
// Generates a model of fully connected layers with random weights, in the file
// or beside it, and imports it: how long that takes beside parsing the message
// and writing the weights, and how much memory beside the bytes of the model.
//
//   import [layers]
//
// Each step is a process of its own, so that memory is its own.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/OnnxInput/OnnxInput.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include "onnx/onnx_pb.h"

#include <chrono>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tpu_mlir;

static constexpr int64_t kSize = 4096, kBytes = kSize * kSize * 4;

namespace {

struct Cost {
  double seconds = 0;
  int64_t bytes = 0; ///< Most memory.
  bool isGood = false;
};

} // namespace

template <typename Work> static Cost measure(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0)
    _exit(work() ? 0 : 1);
  int status = 1;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  return {taken.count(), usage.ru_maxrss * 1024, status == 0};
}

static std::string randomBytes(uint64_t seed) {
  std::string bytes(kBytes, '\0');
  for (int64_t at = 0; at < kBytes; at += 4) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const float number = static_cast<float>(seed >> 40) * 0x1p-24f - 0.5f;
    std::memcpy(bytes.data() + at, &number, 4);
  }
  return bytes;
}

static void addLayer(onnx::GraphProto &graph, int64_t layer,
                     std::ofstream *data) {
  const std::string name = "w" + std::to_string(layer);
  onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name(name);
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(kSize);
  weight.add_dims(kSize);
  if (data) {
    const std::pair<const char *, std::string> entries[] = {
        {"location", "weights.bin"},
        {"offset", std::to_string(layer * kBytes)},
        {"length", std::to_string(kBytes)}};
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries) {
      auto &entry = *weight.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    *data << randomBytes(layer);
  } else {
    weight.set_raw_data(randomBytes(layer));
  }
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Gemm");
  node.add_input("x" + std::to_string(layer));
  node.add_input(name);
  node.add_output("x" + std::to_string(layer + 1));
  onnx::AttributeProto &transposed = *node.add_attribute();
  transposed.set_name("transB");
  transposed.set_type(onnx::AttributeProto::INT);
  // As frameworks write it, and as it is stored.
  transposed.set_i(layer % 2);
}

static bool generate(const std::string &folder, int64_t layers,
                     bool isExternal) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("layers");
  std::ofstream data(folder + "/weights.bin", std::ios::binary);
  for (int64_t layer = 0; layer < layers; ++layer)
    addLayer(graph, layer, isExternal ? &data : nullptr);
  for (bool isInput : {true, false}) {
    auto &value = isInput ? *graph.add_input() : *graph.add_output();
    value.set_name("x" + std::to_string(isInput ? 0 : layers));
    auto &type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(1);
    type.mutable_shape()->add_dim()->set_dim_value(kSize);
  }
  std::ofstream file(folder + "/net.onnx", std::ios::binary);
  return model.SerializeToOstream(&file) && file.flush() && data.flush();
}

static bool parse(const std::string &path) {
  google::protobuf::io::FileInputStream stream(open(path.c_str(), O_RDONLY));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  onnx::ModelProto model;
  return model.ParseFromCodedStream(&coded);
}

static bool write(const std::string &path, int64_t layers) {
  const std::string bytes = randomBytes(0);
  execution::NpzWriter writer(path);
  for (int64_t layer = 0; layer < layers; ++layer)
    if (writer.begin("w" + std::to_string(layer), "<f4", {kSize, kSize}) ||
        writer.append(bytes))
      return false;
  return !writer.finish();
}

static bool import(const std::string &folder) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return mlir::succeeded(readOnnxInput(context, folder + "/net.onnx", "net", {},
                                       folder + "/net.npz"));
}

int main(int argc, char **argv) {
  int64_t layers = 8;
  if (argc > 1 && llvm::StringRef(argv[1]).getAsInteger(10, layers))
    return 2;
  std::string folder =
      std::filesystem::temp_directory_path().string() + "/import-XXXXXX";
  if (!mkdtemp(folder.data()))
    return 1;
  int result = 0;
  llvm::outs() << "weights   MB  parse s  write s  import s  ratio  memory\n";
  for (bool isExternal : {false, true}) {
    const Cost made =
        measure([&] { return generate(folder, layers, isExternal); });
    const Cost parsed = measure([&] { return parse(folder + "/net.onnx"); });
    const Cost wrote =
        measure([&] { return write(folder + "/other.npz", layers); });
    const Cost imported = measure([&] { return import(folder); });
    if (!made.isGood || !parsed.isGood || !wrote.isGood || !imported.isGood)
      result = 1;
    llvm::outs() << llvm::formatv(
        "{0,-8} {1,3}  {2,7:F2}  {3,7:F2}  {4,8:F2}  {5,5:F2}  {6,6:F2}\n",
        isExternal ? "beside" : "inside", layers * kBytes >> 20, parsed.seconds,
        wrote.seconds, imported.seconds,
        imported.seconds / (parsed.seconds + wrote.seconds),
        static_cast<double>(imported.bytes) /
            static_cast<double>(layers * kBytes));
  }
  std::filesystem::remove_all(folder);
  return result;
}
