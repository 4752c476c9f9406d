//===- JitHarness.cpp - Executes memref programs --------------------------===//

#include "tests/exec/jit/harness/JitHarness.h"

#include "tests/exec/jit/harness/GuardedCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>
#include <functional>

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

/// The heap of the program that runs now: compiled code knows no other way.
CheckedHeap *activeHeap = nullptr;

extern "C" void *tpuJitAllocate(uint64_t sizeBytes) {
  Uninterrupted guard;
  return activeHeap->allocate(sizeBytes);
}

extern "C" void tpuJitFree(void *pointer) {
  Uninterrupted guard;
  activeHeap->release(pointer);
}

extern "C" void tpuJitAnnounce(int64_t alignment, int64_t slackBytes) {
  activeHeap->announce(alignment, slackBytes);
}

void registerAllocator(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](const char *name, auto *function) {
      symbols[interner(name)] = llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported);
    };
    add("_mlir_memref_to_llvm_alloc", &tpuJitAllocate);
    add("_mlir_memref_to_llvm_free", &tpuJitFree);
    add("tpu_jit_announce", &tpuJitAnnounce);
    return symbols;
  });
}

/// Bytes of a value that is no memref, or of the descriptor of a memref: two
/// pointers, an offset, sizes and strides.
int64_t passedBytes(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return 24 + 16 * memref.getRank();
  return elementBytes(type).value_or(0);
}

bool isPassable(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return elementBytes(memref.getElementType()).has_value();
  return elementBytes(type).has_value();
}

/// Lays values out as the fields of a struct.
struct Fields {
  std::vector<int64_t> offsets;
  int64_t sizeBytes = 0;

  explicit Fields(TypeRange types) {
    for (Type type : types) {
      int64_t bytes = passedBytes(type);
      int64_t alignment = isa<MemRefType>(type) ? 8 : bytes;
      sizeBytes = llvm::alignTo(sizeBytes, alignment);
      offsets.push_back(sizeBytes);
      sizeBytes += bytes;
    }
    sizeBytes = llvm::alignTo(std::max<int64_t>(sizeBytes, 1), 16);
  }
};

/// The arguments of one call in the packed convention: an array of pointers to
/// numbers, to the fields of memref descriptors, and to room for the results.
class Call {
public:
  Call(FunctionType type, const std::vector<Data> &inputs, CheckedHeap &heap)
      : type(type), inputs(inputs), heap(heap), fields(type.getResults()),
        results(fields.sizeBytes) {}

  std::optional<std::string> pack();
  void **pointers() { return packed.data(); }
  std::optional<std::string> unpack(std::vector<Data> &outputs,
                                    std::vector<const void *> &owned);

private:
  std::optional<std::string> packMemref(const Data &input, MemRefType type);
  std::optional<std::string> unpackMemref(const char *descriptor,
                                          MemRefType type, Data &output,
                                          std::vector<const void *> &owned);

  FunctionType type;
  const std::vector<Data> &inputs;
  CheckedHeap &heap;
  Fields fields;
  std::vector<char> results;
  /// Where each memref argument lies, in their order.
  std::vector<void *> memory;
  /// Words that `packed` points to; never moved once packed.
  std::vector<std::unique_ptr<uint64_t[]>> words;
  std::vector<void *> packed;
};

std::optional<std::string> Call::packMemref(const Data &input,
                                            MemRefType type) {
  void *block = heap.allocateForeign(input.bytes.size());
  if (!block)
    return std::string("no memory for the arguments");
  std::memcpy(block, input.bytes.data(), input.bytes.size());
  memory.push_back(block);
  size_t rank = input.shape.size();
  auto descriptor = std::make_unique<uint64_t[]>(3 + 2 * rank);
  descriptor[0] = descriptor[1] = reinterpret_cast<uintptr_t>(block);
  descriptor[2] = 0;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    descriptor[3 + i] = input.shape[i];
    descriptor[3 + rank + i] = stride;
    stride *= input.shape[i];
  }
  for (size_t i = 0; i < 3 + 2 * rank; ++i)
    packed.push_back(&descriptor[i]);
  words.push_back(std::move(descriptor));
  return std::nullopt;
}

std::optional<std::string> Call::pack() {
  if (inputs.size() != type.getNumInputs())
    return std::string("wrong number of arguments");
  for (auto [input, expected] : llvm::zip(inputs, type.getInputs())) {
    if (input.type != expected)
      return std::string("an argument has another type than the function's");
    if (auto memref = dyn_cast<MemRefType>(expected)) {
      if (std::optional<std::string> error = packMemref(input, memref))
        return error;
      continue;
    }
    auto word = std::make_unique<uint64_t[]>(1 + input.bytes.size() / 8);
    std::memcpy(word.get(), input.bytes.data(), input.bytes.size());
    packed.push_back(word.get());
    words.push_back(std::move(word));
  }
  packed.push_back(results.data());
  return std::nullopt;
}

/// Copies the elements of a strided memref in row-major order. False if one of
/// them cannot be read.
bool gather(const CheckedHeap &heap, const char *base, const int64_t *sizes,
            const int64_t *strides, size_t rank, int64_t bytes,
            std::vector<uint8_t> &out) {
  if (rank == 0) {
    CheckedHeap::Place place = heap.locate(base, bytes);
    // Memory that is not the heap's is a constant of the program.
    if (place != CheckedHeap::Place::Live &&
        place != CheckedHeap::Place::Unknown)
      return false;
    out.insert(out.end(), base, base + bytes);
    return true;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    if (!gather(heap, base + i * strides[0] * bytes, sizes + 1, strides + 1,
                rank - 1, bytes, out))
      return false;
  return true;
}

std::optional<std::string>
Call::unpackMemref(const char *descriptor, MemRefType type, Data &output,
                   std::vector<const void *> &owned) {
  size_t rank = type.getRank();
  std::vector<int64_t> words(3 + 2 * rank);
  std::memcpy(words.data(), descriptor, words.size() * sizeof(int64_t));
  owned.push_back(reinterpret_cast<const void *>(words[0]));
  output.shape.assign(words.begin() + 3, words.begin() + 3 + rank);
  int64_t bytes = *elementBytes(type.getElementType());
  const char *base =
      reinterpret_cast<const char *>(words[1]) + words[2] * bytes;
  if (gather(heap, base, &words[3], words.data() + 3 + rank, rank, bytes,
             output.bytes))
    return std::nullopt;
  return "a returned memref is not in live memory: " + heap.describe(base);
}

std::optional<std::string> Call::unpack(std::vector<Data> &outputs,
                                        std::vector<const void *> &owned) {
  size_t next = 0;
  for (const Data &input : inputs) {
    if (!isa<MemRefType>(input.type))
      continue;
    Data output = input;
    std::memcpy(output.bytes.data(), memory[next++], output.bytes.size());
    outputs.push_back(std::move(output));
  }
  for (auto [result, offset] : llvm::zip(type.getResults(), fields.offsets)) {
    const char *field = results.data() + offset;
    Data output;
    output.type = result;
    if (auto memref = dyn_cast<MemRefType>(result)) {
      if (auto error = unpackMemref(field, memref, output, owned))
        return error;
    } else {
      output.bytes.assign(field, field + passedBytes(result));
      if (result.isInteger(1))
        output.bytes[0] &= 1;
    }
    outputs.push_back(std::move(output));
  }
  return std::nullopt;
}

/// Collects what MLIR has to say while it lives.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += diagnostic.str() + "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

/// Generates code for this machine, without optimising it at level 0.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(unsigned optLevel) {
  static bool once = (llvm::InitializeNativeTarget(),
                      llvm::InitializeNativeTargetAsmPrinter(), true);
  (void)once;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(optLevel ? llvm::CodeGenOptLevel::Default
                                       : llvm::CodeGenOptLevel::None);
  return builder->createTargetMachine();
}

/// Descriptors of memrefs dissolve and loops are left as they are: linear in
/// the size of a function, where the full pipeline takes minutes for the one
/// function that a model is.
llvm::Error optimiseLightly(llvm::Module *module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(
          manager, "function(sroa,instsimplify,early-cse,simplifycfg)"))
    return error;
  manager.run(*module, modules);
  return llvm::Error::success();
}

std::unique_ptr<ExecutionEngine> makeEngine(ModuleOp module, unsigned optLevel,
                                            std::string &error) {
  auto machine = makeTargetMachine(optLevel);
  if (!machine) {
    error = llvm::toString(machine.takeError());
    return nullptr;
  }
  ExecutionEngineOptions options;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  std::function<llvm::Error(llvm::Module *)> optimise;
  if (optLevel == 1)
    optimise = optimiseLightly;
  else if (optLevel)
    optimise = makeOptimizingTransformer(optLevel, 0, machine->get());
  if (optimise)
    options.transformer = optimise;
  StringRef libraries[] = {"/usr/lib/llvm-22/lib/libmlir_c_runner_utils.so"};
  options.sharedLibPaths = libraries;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine) {
    error = llvm::toString(engine.takeError());
    return nullptr;
  }
  registerAllocator(**engine);
  (*engine)->initialize();
  return std::move(*engine);
}

} // namespace

struct CompiledModule::Function {
  std::string name;
  FunctionType type;
  void (*entry)(void **) = nullptr;
};

CompiledModule::CompiledModule(std::vector<Function> functions,
                               std::unique_ptr<ExecutionEngine> engine)
    : functions(std::move(functions)), engine(std::move(engine)) {}
CompiledModule::~CompiledModule() = default;
CompiledModule::CompiledModule(CompiledModule &&) = default;

const CompiledModule::Function *
CompiledModule::find(llvm::StringRef name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

std::optional<std::vector<Data>>
CompiledModule::makeInputs(llvm::StringRef name, uint64_t seed) const {
  const Function *function = find(name);
  if (!function)
    return std::nullopt;
  std::vector<Data> inputs;
  for (Type type : function->type.getInputs()) {
    std::optional<Data> data = makeData(type, seed + 1000 * inputs.size());
    if (!data)
      return std::nullopt;
    inputs.push_back(std::move(*data));
  }
  return inputs;
}

RunResult CompiledModule::run(llvm::StringRef name,
                              const std::vector<Data> &inputs,
                              const RunOptions &options) const {
  RunResult result;
  const Function *function = find(name);
  if (!function || !function->entry) {
    result.error = "there is no function @" + name.str() + " to run";
    return result;
  }
  CheckedHeap heap(options.heap);
  Call call(function->type, inputs, heap);
  if ((result.error = call.pack()))
    return result;
  activeHeap = &heap;
  std::optional<Fault> fault = guardedCall(
      [&] { function->entry(call.pointers()); }, options.timeoutSeconds);
  activeHeap = nullptr;
  std::vector<const void *> owned;
  if (fault) {
    result.error = fault->describe();
    if (fault->address)
      *result.error += " at " + heap.describe(fault->address);
  } else {
    result.error = call.unpack(result.outputs, owned);
  }
  result.heap = heap.finish(owned);
  return result;
}

std::string RunResult::describe() const {
  return (error ? "error: " + *error : std::string("ran")) + "; " +
         heap.describe();
}

CompileResult compile(ModuleOp module, const CompileOptions &options) {
  CompileResult result;
  Diagnostics diagnostics(module.getContext());
  std::vector<CompiledModule::Function> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionType type = function.getFunctionType();
    if (function.isDeclaration() ||
        !llvm::all_of(type.getInputs(), isPassable) ||
        !llvm::all_of(type.getResults(), isPassable))
      continue;
    functions.push_back({function.getName().str(), type, nullptr});
  }
  OwningOpRef<ModuleOp> lowered = module.clone();
  if (!lowerToLLVM(*lowered, options.order)) {
    result.error = "cannot be lowered: " + diagnostics.text;
    return result;
  }
  auto engine = makeEngine(*lowered, options.optLevel, result.error);
  if (!engine) {
    result.error += diagnostics.text;
    return result;
  }
  for (CompiledModule::Function &function : functions) {
    auto entry = engine->lookupPacked(function.name);
    if (!entry) {
      result.error = llvm::toString(entry.takeError());
      return result;
    }
    function.entry = *entry;
  }
  result.module.reset(
      new CompiledModule(std::move(functions), std::move(engine)));
  return result;
}

} // namespace tpu_mlir::jit
