//===- CommandLine.h - What LLVM's command lines let pass -------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H
#define TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tpu_mlir {

/// What is wrong with a command line that has been parsed; "" when nothing is.
/// Of an option that holds one value LLVM takes the last of several, and "" is
/// a value: here the one is given twice, whatever the values, and the other is
/// empty. `sub`: whose options they are. O(arguments + options).
std::string
findMisuse(int argc, const char *const *argv,
           llvm::cl::SubCommand &sub = llvm::cl::SubCommand::getTopLevel());

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_COMMANDLINE_COMMANDLINE_H
