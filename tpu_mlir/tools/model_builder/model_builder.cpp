//===- model_builder.cpp - Published networks as modules ------------------===//

#include "tpu_mlir/Import/Export.h"
#include "tpu_mlir/Import/LightNetworks.h"
#include "tpu_mlir/ModelBuilder/Models.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tpu_mlir;

static const char *kOverview =
    "Writes a published network, or a generated one, as a Top or TPU module, "
    "or as a model of ONNX.\n"
    "Weights have shapes and names, no numbers; in ONNX one number each.\n\n"
    "  model_builder --model=resnet50 -o resnet50.mlir\n"
    "  model_builder --model=chain --ops=100000 --level=tpu -o chain.mlir\n"
    "  model_builder --model=resnet50 --format=onnx -o resnet50.onnx\n\n"
    "Exit codes: 0 ok, 1 the output cannot be written, 2 usage.\n";

static cl::OptionCategory category("model_builder options");
static cl::opt<std::string> model("model", cl::desc("The network, see --list"),
                                  cl::cat(category));
static cl::opt<bool> list("list", cl::desc("Print the names of all networks"),
                          cl::cat(category));
static cl::opt<Level> level(
    "level", cl::desc("The dialect of the layers"),
    cl::values(clEnumValN(Level::Top, "top", "as imported (default)"),
               clEnumValN(Level::Tpu, "tpu",
                          "as lowered to F32 for bm1684x, without groups")),
    cl::init(Level::Top), cl::cat(category));
enum class Format { Mlir, Onnx };
static cl::opt<Format> format(
    "format", cl::desc("What is written"),
    cl::values(clEnumValN(Format::Mlir, "mlir", "a module (default)"),
               clEnumValN(Format::Onnx, "onnx",
                          "a model of ONNX: the networks of opset 17, those "
                          "that are called light_ as it was done in opset 9")),
    cl::init(Format::Mlir), cl::cat(category));
static cl::opt<int64_t> batch("batch", cl::desc("Images or sequences at once"),
                              cl::init(1), cl::cat(category));
static cl::opt<int64_t> tokens("seq", cl::desc("Tokens in a sequence"),
                               cl::cat(category));
static cl::opt<int64_t> ops("ops",
                            cl::desc("Layers of a generated network (1000)"),
                            cl::cat(category));
static cl::opt<uint64_t>
    seed("seed", cl::desc("Of a network that is drawn at random (0)"),
         cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Output file, - for stdout"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));

static int fail(ExitCode code, const Twine &message) {
  errs() << "model_builder: " << message << '\n';
  return code;
}

template <class T> static std::optional<T> ifGiven(const cl::opt<T> &option) {
  return option.getNumOccurrences() ? std::optional<T>(option) : std::nullopt;
}

static void printList(raw_ostream &os) {
  for (const ModelInfo &info : models())
    os << formatv("{0,-20}{1}\n", info.name, info.summary);
  for (const importer::LightNetwork &info : importer::lightNetworks())
    os << formatv("{0,-20}--format=onnx: {1}\n", info.name, info.summary);
}

static int write(StringRef text) {
  if (output != "-") {
    auto error = writeFileAtomically(output, text.str());
    return error ? fail(kBadInput, error->message) : kOk;
  }
  outs() << text;
  outs().flush();
  if (!outs().has_error())
    return kOk;
  std::string reason = outs().error().message();
  outs().clear_error();
  return fail(kBadInput, "cannot write to stdout: " + Twine(reason));
}

/// A network that there is as ONNX alone.
static std::variant<std::string, ModelError> buildLight() {
  for (const cl::Option *option : {static_cast<const cl::Option *>(&level),
                                   static_cast<const cl::Option *>(&tokens),
                                   static_cast<const cl::Option *>(&ops),
                                   static_cast<const cl::Option *>(&seed)})
    if (option->getNumOccurrences())
      return ModelError{"model '" + model + "' has no option '" +
                        option->ArgStr.str() + "'"};
  if (format != Format::Onnx)
    return ModelError{"model '" + model +
                      "' is there as ONNX only: --format=onnx"};
  if (batch < 1 || batch > kMaxBatch)
    return ModelError{"'batch' is " + std::to_string(batch) +
                      ", must be between 1 and " + std::to_string(kMaxBatch)};
  if (auto file = importer::buildLightNetwork(model, batch))
    return std::move(*file);
  return ModelError{"unknown model '" + model + "'; see --list"};
}

static std::variant<std::string, ModelError> build() {
  if (format == Format::Onnx && level.getNumOccurrences())
    return ModelError{"--level is the dialect of a module; leave it out with "
                      "--format=onnx"};
  mlir::MLIRContext context;
  auto built = buildModel(context, {model, level, batch, ifGiven(tokens),
                                    ifGiven(ops), ifGiven(seed)});
  if (auto *error = std::get_if<ModelError>(&built))
    return std::move(*error);
  if (format == Format::Onnx) {
    auto file = importer::exportOnnx(*std::get<0>(built));
    if (auto *error = std::get_if<importer::ExportError>(&file))
      return ModelError{error->message};
    return std::move(std::get<std::string>(file));
  }
  std::string text;
  raw_string_ostream os(text);
  printModel(*std::get<0>(built), os);
  return text;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (auto code = parseCommandLine(argc, argv, category, kOverview))
    return *code;

  std::string text;
  raw_string_ostream os(text);
  if (list) {
    printList(os);
    return write(text);
  }
  if (model.empty())
    return fail(kUsage, "no model given; --model=NAME, --list for the names");

  auto made = StringRef(model).starts_with("light_") ? buildLight() : build();
  if (auto *error = std::get_if<ModelError>(&made))
    return fail(kUsage, error->message);
  return write(std::get<std::string>(made));
}
