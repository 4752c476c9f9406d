//===- SolverFlags.h - The flags that say how to plan -----------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_SOLVERFLAGS_H
#define TPU_MLIR_TOOLS_MEMPLAN_SOLVERFLAGS_H

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/memplan/Files.h"

#include "llvm/Support/CommandLine.h"

namespace tpu_mlir::memplan {

/// Nodes after which a search stops, unless --node-limit says another number.
/// More than a compiler would spend: whoever calls memplan has a hard problem
/// and some seconds.
constexpr int64_t kNodeLimit = 20'000'000;
/// With --time-limit alone: more nodes than any machine has time for.
constexpr int64_t kNodesPerSecond = 200'000'000;

/// Flags that solve, compare and render share.
class SolverFlags {
public:
  explicit SolverFlags(llvm::cl::SubCommand &sub) : sub(sub) {}

  /// False after a message about a flag that makes no sense.
  bool read();
  const planning::SolveOptions &options() const { return solveOptions; }
  /// The time limit is one of each problem: it begins when that is read.
  void startClock() { start = planning::Deadline::Clock::now(); }
  /// The same with the time limit running since then: what is left of it when
  /// the problem has been read, less what checking and writing the plan will
  /// take, which is told from how long that took.
  planning::SolveOptions startedOptions(const std::string &strategy) const;
  /// Applies --capacity to the first pool.
  void limit(planning::Problem &problem) const;
  bool hasNodeLimit() const { return nodeLimit.getNumOccurrences() > 0; }
  /// One that says how to plan and is on the command line; else "".
  std::string oneAboutPlanning() const;
  /// A remark on standard error for each one that is on the command line and
  /// changes nothing when `strategies` plan the problem of `file`.
  void remarkUnused(const ProblemFile &file,
                    const std::vector<std::string> &strategies) const;
  /// Is any of them on the command line.
  bool areGiven() const {
    return capacity.getNumOccurrences() || minimize.getNumOccurrences() ||
           seed.getNumOccurrences() || nodeLimit.getNumOccurrences() ||
           timeLimit.getNumOccurrences() || threads.getNumOccurrences() ||
           poolPolicy.getNumOccurrences() || ablate.getNumOccurrences();
  }

private:
  bool refuse(const std::string &message) const;
  bool readLimits();
  bool readAblation();

  llvm::cl::SubCommand &sub;
  llvm::cl::opt<std::string> capacity{
      "capacity",
      llvm::cl::desc("Bytes of the first pool, such as 1048576 or 1MiB; any "
                     "plan within it will do"),
      llvm::cl::sub(sub)};
  llvm::cl::opt<bool> minimize{
      "minimize",
      llvm::cl::desc("With --capacity: look for the lowest plan all the same"),
      llvm::cl::sub(sub)};
  llvm::cl::opt<uint64_t> seed{
      "seed", llvm::cl::desc("For strategies that draw random numbers"),
      llvm::cl::init(1), llvm::cl::sub(sub)};
  llvm::cl::opt<int64_t> nodeLimit{
      "node-limit",
      llvm::cl::desc("Steps of a search before it stops (20000000)"),
      llvm::cl::init(kNodeLimit), llvm::cl::sub(sub)};
  llvm::cl::opt<std::string> timeLimit{
      "time-limit",
      llvm::cl::desc("Seconds for all of it, from reading to writing; without "
                     "--node-limit a search goes on until then; plans may "
                     "differ from run to run"),
      llvm::cl::sub(sub)};
  llvm::cl::opt<int> threads{
      "threads",
      llvm::cl::desc("Threads of a long search; 0: one for each core (0)"),
      llvm::cl::init(0), llvm::cl::sub(sub)};
  llvm::cl::opt<planning::PoolPolicy> poolPolicy{
      "pool-policy",
      llvm::cl::desc("Which of its candidate pools a buffer gets (auto)"),
      llvm::cl::init(planning::PoolPolicy::Auto),
      llvm::cl::values(
          clEnumValN(planning::PoolPolicy::Auto, "auto",
                     "value where the pools have access costs, else order"),
          clEnumValN(planning::PoolPolicy::Order, "order",
                     "the first; what does not fit moves on"),
          clEnumValN(planning::PoolPolicy::Value, "value",
                     "what is accessed most in the cheapest pool"),
          clEnumValN(planning::PoolPolicy::Exact, "exact",
                     "the least access cost, by a search")),
      llvm::cl::sub(sub)};
  llvm::cl::list<std::string> ablate{
      "ablate",
      llvm::cl::desc("Parts of the exact search to switch off: dominance, "
                     "unplaced-floor, decomposition, reranking, symmetry, "
                     "restarts"),
      llvm::cl::CommaSeparated, llvm::cl::sub(sub)};

  planning::SolveOptions solveOptions;
  std::optional<int64_t> capacityBytes;
  planning::Deadline::Clock::time_point start;
};

/// True when there is a strategy of that name; else says so.
bool isStrategy(const llvm::cl::SubCommand &sub, const std::string &name);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_SOLVERFLAGS_H
