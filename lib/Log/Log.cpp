//===- Log.cpp - What a program says while it works -----------------------===//

#include "tpu_mlir/Log/Log.h"

#include "tpu_mlir/Log/Progress.h"
#include "tpu_mlir/Support/Names.h"
#include "tpu_mlir/Support/Utf8.h"

#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace tpu_mlir::log {

namespace {

constexpr Named<Level> kLevels[] = {
    {Level::Debug, "debug"},
    {Level::Info, "info"},
    {Level::Warning, "warning"},
    {Level::Error, "error"},
};

spdlog::level::level_enum levelOf(Level level) {
  switch (level) {
  case Level::Debug:
    return spdlog::level::debug;
  case Level::Info:
    return spdlog::level::info;
  case Level::Warning:
    return spdlog::level::warn;
  case Level::Error:
    break;
  }
  return spdlog::level::err;
}

/// Not spdlog's default logger: that one belongs to whoever links this library.
spdlog::logger &logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("tpu_mlir",
                        std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%v");
    made.set_level(spdlog::level::warn);
    return made;
  }();
  return instance;
}

} // namespace

std::string_view levelName(Level level) { return nameIn(kLevels, level); }

std::optional<Level> levelOfName(std::string_view name) {
  return valueIn(kLevels, name);
}

std::string levelNames() {
  std::string text;
  for (const auto &[level, name] : kLevels)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void setLevel(Level level) { logger().set_level(levelOf(level)); }
bool isShown(Level level) { return logger().should_log(levelOf(level)); }

void entry(Level level, std::string_view text) {
  if (isShown(level))
    progress("");
  logger().log(levelOf(level), "{}{}", level == Level::Debug ? "debug: " : "",
               asUtf8(text));
}

} // namespace tpu_mlir::log
