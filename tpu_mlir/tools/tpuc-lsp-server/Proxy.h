//===- Proxy.h - Between an editor and MLIR's language server ---*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_TPUC_LSP_SERVER_PROXY_H
#define TPU_MLIR_TOOLS_TPUC_LSP_SERVER_PROXY_H

#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace tpu_mlir::lsp {

/// Follows the documents that an editor has open, and adds to the answers of
/// MLIR's server what that does not know. Each message goes on as it is
/// otherwise. The two directions may run in a thread each.
class Proxy {
public:
  /// Line to text in Markdown, of a whole document.
  using Describe = std::function<std::map<int, std::string>(llvm::StringRef)>;
  explicit Proxy(Describe describe) : describe(std::move(describe)) {}

  /// A message of the editor's.
  void noteRequest(const llvm::json::Value &message);
  /// An answer of the server's, with ours in it where it is one to a hover.
  void extendReply(llvm::json::Value &message);

private:
  struct Document {
    std::string text;
    /// Empty until somebody asks; not there again after a change.
    std::optional<std::map<int, std::string>> memory;
  };
  struct Hover {
    std::string uri;
    int line = 0;
  };

  void noteDocument(llvm::StringRef method, const llvm::json::Value &params);
  std::string memoryAt(const Hover &hover);

  Describe describe;
  std::mutex mutex;
  std::map<std::string, Document> documents;
  /// By the text of their ids: numbers or strings.
  std::map<std::string, Hover> hovers;
};

/// Runs both directions until the editor's end is closed. `toServer` and
/// `fromServer`: file descriptors. Returns what the program should exit with.
int runProxy(Proxy &proxy, int toServer, int fromServer);

} // namespace tpu_mlir::lsp

#endif // TPU_MLIR_TOOLS_TPUC_LSP_SERVER_PROXY_H
