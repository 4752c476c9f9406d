//===- Log.h - What a program says while it works ---------------*- C++ -*-===//
//
// One log for the library and the tools: standard error, through spdlog. What
// is wrong with an input is no log line but a diagnostic or an error value;
// results go to standard output or to files, never here.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LOG_LOG_H
#define TPU_MLIR_LOG_LOG_H

#include <optional>
#include <string>
#include <string_view>

namespace tpu_mlir::log {

/// From talkative to quiet.
enum class Level {
  Debug,   ///< Why a plan is as it is.
  Info,    ///< What is being done.
  Warning, ///< What may not be as wanted.
  Error,
};

/// "debug", "info", "warning", "error".
std::string_view levelName(Level level);
std::optional<Level> levelOfName(std::string_view name);
/// "debug, info, warning, error": for messages.
std::string levelNames();

/// Lines below `level` are not shown. Warning, until somebody sets another.
/// For the whole process.
void setLevel(Level level);
/// To be asked before a line is made that costs something.
bool isShown(Level level);

/// One entry, which may have several lines, on standard error; entries of
/// several threads do not mix. Debug entries begin with "debug: ", others are
/// written as they are.
void entry(Level level, std::string_view text);
inline void debug(std::string_view text) { entry(Level::Debug, text); }
inline void info(std::string_view text) { entry(Level::Info, text); }
inline void warning(std::string_view text) { entry(Level::Warning, text); }
inline void error(std::string_view text) { entry(Level::Error, text); }

} // namespace tpu_mlir::log

#endif // TPU_MLIR_LOG_LOG_H
