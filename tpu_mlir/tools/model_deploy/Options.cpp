//===- Options.cpp - Parse and check the flags of model_deploy ------------===//
//
// Names and values as in tpu-mlir's script; combinations that have no effect
// are refused.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/model_deploy/Options.h"

#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/ChipSpec.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/CommandLine/Stopping.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tpu_mlir::deploy {

static cl::OptionCategory category("model_deploy options");

#define TEXT(name, flag, help)                                                 \
  static cl::opt<std::string> name(flag, cl::desc(help), cl::cat(category))
#define NUMBER(name, flag, value, help)                                        \
  static cl::opt<int64_t> name(flag, cl::desc(help), cl::init(value),          \
                               cl::cat(category))
#define FLAG(name, flag, help)                                                 \
  static cl::opt<bool> name(flag, cl::desc(help), cl::cat(category))

TEXT(mlirFile, "mlir", "Top or TPU module to deploy");
TEXT(onnxFile, "onnx",
     "Model of ONNX to deploy instead, as model_transform reads it; its module "
     "and weights are written, too: <model>_top.mlir and "
     "<model>_top_f32_all_weight.npz");
static OnnxFlags onnxFlags(category, "With --onnx: ");
TEXT(chip, "chip", "Target chip by name");
static cl::alias processor("processor", cl::desc("Same as --chip"),
                           cl::aliasopt(chip), cl::cat(category));
TEXT(chipFile, "chip-file", "JSON file that describes the target chip");
NUMBER(numCore, "num_core", 0,
       "Cores of the chip that the network runs on (the module's own, else 1)");
TEXT(model, "model",
     "Output: <model>_final.mlir, <model>_memory.json, <model>_memory.txt, "
     "<model>_map.html and, with layer groups, <model>_local.json and "
     "<model>_local.txt, up to 200 of them also <model>_local.html; an "
     "extension such as .bmodel is dropped; what does not fit: "
     "<model>_map.html alone");
TEXT(quantize, "quantize",
     "Element type of a Top module: F32, F16, BF16, W4BF16, W4F16, W8BF16, "
     "W8F16, INT8, F8E4M3, F8E5M2");
TEXT(calibrationTable, "calibration_table",
     "INT8, F8E4M3: how large the numbers of each tensor get; without a table "
     "ranges "
     "are stand-ins, which are right for sizes only");
TEXT(quantizeTable, "quantize_table",
     "INT8: a file with a line 'name F32', F16 or BF16 for each layer that "
     "stays a float");
TEXT(weightFile, "weight",
     "INT8, W4.., W8..: the numbers of the weights, .npz; without it the file "
     "that the module names, if it is beside it");
FLAG(asymmetric, "asymmetric", "INT8: ranges need not have zero in the middle");
NUMBER(
    groupSize, "q_group_size", 64,
    "W4.., W8..: numbers of a row that have one scale (64); 0: the whole row");
FLAG(symmetricWeights, "q_symmetric", "W4.., W8..: zero points in the middle");
FLAG(quantInput, "quant_input",
     "Inputs come in the type the network computes in: no casts");
FLAG(quantOutput, "quant_output",
     "Outputs are handed over in the type the network computes in");
TEXT(quantInputList, "quant_input_list",
     "The same for these inputs only, counted from 1: 1,3");
TEXT(quantOutputList, "quant_output_list",
     "The same for these outputs only, counted from 1: 1,3");
TEXT(addressMode, "addr_mode",
     "basic, in_reuse, io_alone, io_tag or io_reloc; auto: the module's own, "
     "else basic");
TEXT(sameAddress, "same_addr",
     "Inputs and outputs that share an address: 0:0,1:2");
static cl::list<std::string>
    pools("pool",
          cl::desc("A memory besides the chip's: "
                   "name=sram,base=0x20000000,size=2MiB,align=64,access=rw,"
                   "cost=1; again for each. access=ro is for weights. "
                   "name=neuron,cost=10 gives a region of the chip a cost, "
                   "name=l2 opens L2 to all tensors"),
          cl::value_desc("pool"), cl::cat(category));
static cl::list<std::string>
    pins("pin",
         cl::desc("A weight or tensor that has to be in one pool: conv1=sram, "
                  "or conv1=sram@0x400; again for each"),
         cl::value_desc("tensor=pool"), cl::cat(category));
FLAG(poolIo, "pool_io", "Inputs and outputs may be in these memories, too");
FLAG(disableL2, "disable_l2",
     "On chips that keep activations in L2: only scratch that asks for it");
static cl::opt<std::string> strategy("strategy",
                                     cl::desc("How to pack neuron tensors"),
                                     cl::init("auto"), cl::cat(category));
NUMBER(alignment, "alignment", 0, "Of neuron addresses; 0: the chip's");
TEXT(gmemSize, "gmem-size",
     "Memory of the board: bytes, or with K, M, G for binary units");
FLAG(fit, "fit",
     "With --gmem-size: where the network does not fit, look for what needs "
     "less, by the least cost first: another order, other layer groups, "
     "tensors that are computed again. Prints a table of the steps, and writes "
     "<model>_fit.json");
FLAG(pareto, "pareto",
     "The same down to the least memory that is found, whatever --gmem-size "
     "says; without --gmem-size that is what is made");
FLAG(dedup, "weight_deduplicate",
     "Let weights with equal inline data share an address");
FLAG(packWeights, "weight_pack",
     "Align weights to what an execution unit takes at once, not to the 4 KiB "
     "of the runtime");
FLAG(kernelsInOrder, "kernels_in_order",
     "The backend's kernels write a result in order and read before they "
     "write: it may begin some bytes below an operand, as if the chip file "
     "said so");
FLAG(runOnPlan, "run",
     "At the end run the network on random numbers, from the bytes that the "
     "addresses name, as model_runner does");
FLAG(disableLayerGroup, "disable_layer_group",
     "Keep every layer in global memory");
static cl::opt<std::string>
    groupSearch("layer_group_search",
                cl::desc("Where to cut layer groups: optimal or greedy"),
                cl::init("optimal"), cl::cat(category));
static cl::opt<std::string> groupObjective(
    "layer_group_objective",
    cl::desc("What layer groups minimise: cycles of the cost model, traffic "
             "(bytes of global memory), or balanced, a weighted sum of both"),
    cl::init("balanced"), cl::cat(category));
NUMBER(groupMaxLayers, "layer_group_max_layers", 0,
       "Layers of one layer group, at most; 0: no limit");
FLAG(lineBuffers, "line_buffers",
     "Layer groups may keep rows in local memory from section to section, by "
     "tpu.LineBuffer, which code generators of tpu-mlir do not know");
FLAG(disableGroupOverlap, "disable_group_overlap",
     "Leave all transfers of a layer group in its own rows: none in those of "
     "the group before or after it");
FLAG(
    regroup, "regroup",
    "Take the layer groups that the module brings apart and look for new ones; "
    "in functions that run dynamically only wrong groups go, and their layers "
    "become global");
static cl::opt<std::string> order(
    "order",
    cl::desc("Of the ops: text, as they stand; memory, in an order that needs "
             "less; auto, the same but where the module brings layer groups "
             "that stay"),
    cl::init("auto"), cl::cat(category));
static cl::opt<std::string> share(
    "share",
    cl::desc("Results in the place of operands, pieces in that of their "
             "concat: memory, where less is needed then; none; auto, as memory "
             "but where the module brings layer groups that stay"),
    cl::init("auto"), cl::cat(category));
TEXT(timeLimit, "time-limit",
     "Seconds for all searches together: layer groups, orders, addresses and "
     "--fit end then with the best they have; another run may find another "
     "plan");
TEXT(planCache, "plan-cache",
     "Folder of what was planned before, for runs at the same time and later: "
     "equal stretches of layers and equal problems are searched once");
TEXT(traceFile, "trace",
     "Also write this file: what is alive in each step, and layer groups in "
     "cycles, for Perfetto or chrome://tracing");
TEXT(artefacts, "artefacts",
     "Files for an application: 'c' writes <model>.h, <model>_map.json, "
     "<model>_problem.json with the plan, and <model>.c, which defines "
     "parameters whose data is in the module and the pools of --internal");
static cl::list<std::string> internal(
    "internal",
    cl::desc("With --artefacts: pools whose memory the source defines"),
    cl::CommaSeparated, cl::cat(category));
static cl::list<std::string>
    sections("section",
             cl::desc("With --artefacts: pool=name, linker sections of pools "
                      "that the source defines"),
             cl::CommaSeparated, cl::cat(category));
FLAG(strict, "strict", "Refuse ops that are not defined");
FLAG(debug, "debug",
     "Also keep the module after each step: <model>_tpu.mlir, _stripped, "
     "_packed, _local, _ordered and _overlapped, those that there are");
TEXT(logLevel, "log-level",
     "What to say on standard error: debug (why a plan is as it is), info, "
     "warning or error (info)");
FLAG(quiet, "quiet", "Print errors only");

#undef TEXT
#undef FLAG

static const char *kOverview =
    "Gives every tensor of a network its place in memory.\n\n"
    "  model_deploy --mlir net.mlir --chip bm1684x --quantize F16 --model "
    "net.bmodel\n\n"
    "  model_deploy --onnx net.onnx --chip bm1684x --quantize F16 --model "
    "net.bmodel\n\n"
    "Exit codes: 0 ok, 1 bad input, 2 usage, 3 does not fit, 4 internal "
    "error, 5 no plan found, though one may exist, 6 interrupted (Ctrl-C, "
    "SIGTERM): what is written is the best plan so far.\n";

/// Flags of tpu-mlir's model_deploy.py that this tool does not implement.
static const char *kKnownUnsupported[] = {"compare_all",
                                          "compress_mode",
                                          "customization_format",
                                          "debug_cmd",
                                          "disable_affine",
                                          "disable_gdma_check",
                                          "disable_topo_sort",
                                          "do_winograd",
                                          "dynamic",
                                          "embed_debug_info",
                                          "excepts",
                                          "fuse_preprocess",
                                          "group_by_cores",
                                          "ignore_f16_overflow",
                                          "io_alone",
                                          "iomem_set",
                                          "layer_group_config",
                                          "lg_debugger",
                                          "linear_quant_mode",
                                          "matmul_perchannel",
                                          "merge_weight",
                                          "model_version",
                                          "num_device",
                                          "op_divide",
                                          "opt",
                                          "opt_post_processor",
                                          "quant_output_bf16",

                                          "skip_validation",
                                          "test_input",
                                          "test_reference",
                                          "time_fixed_subnet",
                                          "tolerance",
                                          "trunc_final",
                                          "high_precision",
                                          "input_rewriter",
                                          "not_gen_bmodel",
                                          "patterns_count"};

static ParsedOptions usageError(const Twine &message) {
  errs() << "model_deploy: " << message << "; see --help\n";
  return {std::nullopt, kUsage};
}

static std::string stemOf(StringRef path) {
  StringRef extension = sys::path::extension(path);
  bool isModel = extension == ".bmodel" || extension == ".cvimodel" ||
                 extension == ".mlir";
  return path.drop_back(isModel ? extension.size() : 0).str();
}

/// "How to pack neuron tensors", and every strategy with its one line.
static std::string describeStrategies() {
  std::string text = "How to pack neuron tensors:";
  for (const planning::Strategy *one : planning::StrategyRegistry::all()) {
    text += "\n  ";
    text += one->name;
    text += ": ";
    text += one->summary;
  }
  return text;
}

/// False after a message.
static bool readLogLevel(Options &options) {
  options.quiet = quiet;
  if (quiet)
    options.logLevel = log::Level::Error;
  if (!logLevel.getNumOccurrences())
    return true;
  const std::optional<log::Level> level = log::levelOfName(logLevel);
  if (!level)
    usageError("--log-level has to be one of " + log::levelNames());
  else if (quiet)
    usageError("--quiet prints errors only, --log-level says what else; leave "
               "out one");
  else
    options.logLevel = *level;
  return level && !quiet;
}

/// False after a message.
static bool readArtefacts(Options &options) {
  options.artefacts = artefacts;
  options.traceFile = traceFile;
  options.internalPools.assign(internal.begin(), internal.end());
  if (artefacts.getNumOccurrences() && artefacts != "c") {
    usageError("--artefacts has to be c");
    return false;
  }
  if (artefacts.empty() && (!internal.empty() || !sections.empty())) {
    usageError("--internal and --section are for --artefacts");
    return false;
  }
  for (StringRef entry : sections) {
    auto [pool, name] = entry.split('=');
    if (pool.empty() || name.empty() ||
        !options.sections.insert({pool.str(), name.str()}).second) {
      usageError("--section has to be pool=name, once for each pool");
      return false;
    }
  }
  return true;
}

/// What is wrong with what is to be deployed.
static std::string findWrongInput() {
  if (mlirFile.empty() && onnxFile.empty())
    return "--mlir is missing: the module to deploy; or --onnx, a model";
  if (!mlirFile.empty() && !onnxFile.empty())
    return "--mlir and --onnx are both given; leave out one";
  if (std::string flag = onnxFlags.firstGiven();
      onnxFile.empty() && !flag.empty())
    return flag + " is for --onnx; leave it out";
  if (!onnxFile.empty() && quantize.empty())
    return "--onnx needs --quantize: the type that the network computes in";
  if (!onnxFile.empty() && regroup)
    return "--regroup takes layer groups of a module apart, and a model of "
           "ONNX "
           "brings none; leave it out";
  return {};
}

/// What is wrong with the values of the flags, or does not go together.
static std::string findWrongValue() {
  if (std::string wrong = findWrongInput(); !wrong.empty())
    return wrong;
  if (model.empty())
    return "--model is missing: where to write the result";
  const std::string stem = stemOf(model);
  if (StringRef name = sys::path::filename(stem);
      name.empty() || name == "." || name == ".." || name == "/")
    return "--model=" + model +
           " has no name: files are called <model>_final.mlir and so on";
  if (!planning::StrategyRegistry::find(strategy))
    return "unknown strategy '" + strategy +
           "'; strategies: " + planning::StrategyRegistry::names();
  if (gmemSize.getNumOccurrences()) {
    std::optional<int64_t> bytes = parseBytes(gmemSize);
    if (!bytes || *bytes == 0)
      return "--gmem-size has to be a positive number of bytes, "
             "such as 512M or 4G";
  }
  if (groupSize < -1)
    return "--q_group_size must not be below -1, a group of the whole row";
  if (alignment < 0)
    return "--alignment must not be negative";
  if (groupSearch != "optimal" && groupSearch != "greedy")
    return "--layer_group_search has to be optimal or greedy";
  if (!layer::findObjective(groupObjective))
    return "--layer_group_objective has to be balanced, cycles or traffic";
  if (!onnxFile.empty() && weightFile.getNumOccurrences())
    return "--onnx brings the numbers of weights; leave out --weight";
  if (share != "none" && share != "memory" && share != "auto")
    return "--share has to be none, memory or auto";
  if (kernelsInOrder && share == "none")
    return "--kernels_in_order is about results that share bytes with "
           "operands; leave out --share=none";
  if (order != "text" && order != "memory" && order != "auto")
    return "--order has to be text, memory or auto";
  if (fit && !gmemSize.getNumOccurrences())
    return "--fit needs --gmem-size, the memory to fit into; --pareto goes as "
           "low as it can";
  if (numCore.getNumOccurrences() && numCore < 1)
    return "--num_core has to be 1 at least";
  if (groupMaxLayers < 0)
    return "--layer_group_max_layers must not be negative";
  if (!chip.empty() && !chipFile.empty())
    return "--chip and --chip-file are both given; leave out one";
  if (disableLayerGroup &&
      (groupSearch.getNumOccurrences() || groupObjective.getNumOccurrences() ||
       groupMaxLayers.getNumOccurrences() || lineBuffers ||
       disableGroupOverlap))
    return "--disable_layer_group leaves no layer groups to search; "
           "leave out --layer_group_search, --layer_group_objective, "
           "--layer_group_max_layers, --line_buffers and "
           "--disable_group_overlap";
  if (disableLayerGroup && regroup)
    return "--disable_layer_group leaves groups of the module as "
           "they are, --regroup takes them apart; leave out one";
  if (!chip.empty() && !target::findChip(chip.getValue()))
    return "unknown chip '" + chip + "'; chips: " + target::chipNames();
  return {};
}

/// A flag of INT8 beside another mode; "" for none.
static std::string findFlagOfIntegers() {
  const bool isInt8 = StringRef(quantize).equals_insensitive("INT8");
  const bool hasRanges =
      isInt8 || StringRef(quantize).equals_insensitive("F8E4M3");
  const bool isPacked = StringRef(quantize).starts_with_insensitive("W");
  const std::pair<const cl::Option *, bool> flags[] = {
      {&calibrationTable, hasRanges}, {&quantizeTable, hasRanges},
      {&asymmetric, isInt8},          {&weightFile, hasRanges || isPacked},
      {&groupSize, isPacked},         {&symmetricWeights, isPacked}};
  for (const auto &[flag, hasEffect] : flags)
    if (flag->getNumOccurrences() && !hasEffect)
      return "--" + flag->ArgStr.str() + " is for " +
             (flag == &groupSize || flag == &symmetricWeights
                  ? "modes with packed weights, such as --quantize=W4F16"
              : flag == &asymmetric ? "--quantize=INT8"
                                    : "--quantize=INT8 and F8E4M3");
  return {};
}

static void readGroups(Options &options) {
  options.layerGroup = !disableLayerGroup;
  options.search = groupSearch;
  options.groupObjective = groupObjective;
  options.maxLayers = groupMaxLayers;
  options.lineBuffers = lineBuffers;
  options.groupOverlap = !disableGroupOverlap;
  options.regroup = regroup;
  options.cacheFolder = planCache;
}

/// In which types the network computes, and by which numbers.
static void readModes(Options &options) {
  options.quantize = quantize;
  options.calibrationTable = calibrationTable;
  options.quantizeTable = quantizeTable;
  options.weightFile = weightFile;
  options.asymmetric = asymmetric;
  options.groupSize = groupSize;
  options.symmetricWeights = symmetricWeights;
}

ParsedOptions parseOptions(int argc, char **argv) {
  // Strategies register while the program starts, so not before main().
  static const std::string strategies = describeStrategies();
  strategy.setDescription(strategies);
  if (std::string flag = findUnsupported(argc, argv, kKnownUnsupported);
      !flag.empty()) {
    errs() << "model_deploy: " << flag << '\n';
    return {std::nullopt, kUsage};
  }
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &errs()))
    return {std::nullopt, kUsage};
  if (std::string misuse = findMisuse(argc, argv); !misuse.empty())
    return usageError(misuse);
  Options options;
  for (const std::string &wrong :
       {findWrongValue(), findFlagOfIntegers(),
        timeLimit.getNumOccurrences()
            ? readTimeLimit(timeLimit, options.timeLimit)
            : std::string()})
    if (!wrong.empty())
      return usageError(wrong);
  auto onnx = onnxFlags.read();
  if (auto *wrong = std::get_if<std::string>(&onnx))
    return usageError(*wrong);
  options.onnxFile = onnxFile;
  options.onnx = std::move(std::get<OnnxRequest>(onnx));
  if (gmemSize.getNumOccurrences())
    options.gmemBytes = *parseBytes(gmemSize);
  options.fit = fit;
  options.pareto = pareto;
  options.mlirFile = mlirFile;
  options.chip = chip;
  options.chipFile = chipFile;
  options.numCore = numCore;
  options.stem = stemOf(model);
  readModes(options);
  options.stripInputs = quantInput || quantInputList.getNumOccurrences();
  options.stripOutputs = quantOutput || quantOutputList.getNumOccurrences();
  options.inputList = quantInputList;
  options.outputList = quantOutputList;
  options.addressMode = addressMode;
  options.sameAddr = sameAddress;
  options.pools = llvm::join(pools, ";");
  options.pins = llvm::join(pins, ";");
  options.poolIo = poolIo;
  options.l2 = !disableL2;
  options.strategy = strategy;
  readGroups(options);
  options.order = order;
  options.share = share;
  options.alignment = alignment;
  if (!readArtefacts(options) || !readLogLevel(options))
    return {std::nullopt, kUsage};
  options.dedup = dedup;
  options.inOrder = kernelsInOrder;
  options.pack = packWeights;
  options.run = runOnPlan;
  options.strict = strict;
  options.debug = debug;
  return {std::move(options), kOk};
}

} // namespace tpu_mlir::deploy
