//===- model_builder.cpp - Published networks as modules ------------------===//

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
    "Writes a published network, or a generated one, as a Top or TPU module.\n"
    "Weights have shapes and names, no numbers.\n\n"
    "  model_builder --model=resnet50 -o resnet50.mlir\n"
    "  model_builder --model=chain --ops=100000 --level=tpu -o chain.mlir\n\n"
    "Exit codes: 0 ok, 1 the output cannot be written, 2 usage.\n";

enum ExitCode { kOk = 0, kCannotWrite = 1, kUsage = 2 };

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
static cl::opt<int64_t> batch("batch", cl::desc("Images or sequences at once"),
                              cl::init(1), cl::cat(category));
static cl::opt<int64_t> tokens("seq", cl::desc("Tokens in a sequence"),
                               cl::cat(category));
static cl::opt<int64_t> ops("ops",
                            cl::desc("Layers of a generated network (1000)"),
                            cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Of a generated network (0)"),
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
    os << formatv("{0,-14}{1}\n", info.name, info.summary);
}

static int write(StringRef text) {
  if (output != "-") {
    auto error = writeFileAtomically(output, text.str());
    return error ? fail(kCannotWrite, error->message) : kOk;
  }
  outs() << text;
  outs().flush();
  if (!outs().has_error())
    return kOk;
  std::string reason = outs().error().message();
  outs().clear_error();
  return fail(kCannotWrite, "cannot write to stdout: " + Twine(reason));
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  enterCallersDirectory();
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &errs()))
    return kUsage;
  if (std::string misuse = findMisuse(argc, argv); !misuse.empty())
    return fail(kUsage, misuse);

  std::string text;
  raw_string_ostream os(text);
  if (list) {
    printList(os);
    return write(text);
  }
  if (model.empty())
    return fail(kUsage, "no model given; --model=NAME, --list for the names");

  mlir::MLIRContext context;
  auto built = buildModel(context, {model, level, batch, ifGiven(tokens),
                                    ifGiven(ops), ifGiven(seed)});
  if (auto *error = std::get_if<ModelError>(&built))
    return fail(kUsage, error->message);
  printModel(*std::get<0>(built), os);
  return write(text);
}
