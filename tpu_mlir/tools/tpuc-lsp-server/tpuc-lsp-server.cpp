//===- tpuc-lsp-server.cpp - Top and Tpu modules in editors ---------------===//
//
// MLIR's language server with the dialects of this project, and what memory the
// tensors of a line have in what it shows of them. That server keeps its
// documents to itself, so it runs in a process of its own and the messages go
// through this one.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/Register.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/tpuc-lsp-server/MemoryHover.h"
#include "tpu_mlir/tools/tpuc-lsp-server/Proxy.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

/// The server by itself, with nothing between it and the editor.
static int serve(int argc, char **argv, DialectRegistry &registry) {
  return succeeded(MlirLspServerMain(argc, argv, registry)) ? EXIT_SUCCESS
                                                            : EXIT_FAILURE;
}

/// The child's standard input and output become pipes.
static int serveBehindPipes(int argc, char **argv, DialectRegistry &registry,
                            const int (&requests)[2], const int (&replies)[2]) {
  dup2(requests[0], STDIN_FILENO);
  dup2(replies[1], STDOUT_FILENO);
  for (const int fd : {requests[0], requests[1], replies[0], replies[1]})
    close(fd);
  return serve(argc, argv, registry);
}

int main(int argc, char **argv) {
  tpu_mlir::beginProgram();
  DialectRegistry registry;
  tpu_mlir::registerDialects(registry);
  tpu_mlir::registerUpstreamDialects(registry);
  // With flags (--lit-test, --help) MLIR's server is on its own.
  if (argc > 1)
    return serve(argc, argv, registry);

  int requests[2];
  int replies[2];
  if (pipe(requests) != 0 || pipe(replies) != 0) {
    llvm::errs() << "tpuc-lsp-server: error: no pipe can be made\n";
    return tpu_mlir::kInternal;
  }
  const pid_t server = fork();
  if (server < 0) {
    llvm::errs() << "tpuc-lsp-server: error: no process can be started\n";
    return tpu_mlir::kInternal;
  }
  if (server == 0)
    return serveBehindPipes(argc, argv, registry, requests, replies);
  close(requests[0]);
  close(replies[1]);
  std::signal(SIGPIPE, SIG_IGN);
  tpu_mlir::lsp::Proxy proxy([&](llvm::StringRef text) {
    return tpu_mlir::lsp::describeMemory(text, registry);
  });
  tpu_mlir::lsp::runProxy(proxy, requests[1], replies[0]);
  int status = 0;
  waitpid(server, &status, 0);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : tpu_mlir::kInternal);
}
