//===- Proxy.cpp - Between an editor and MLIR's language server -----------===//
//
// Reads frames of the language server protocol on one side and writes them on
// the other.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/tpuc-lsp-server/Proxy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <thread>
#include <unistd.h>

namespace tpu_mlir::lsp {

using namespace llvm;
namespace protocol = llvm::lsp;

static std::string textOf(const json::Value &value) {
  return formatv("{0}", value).str();
}

/// A member of an object that has it in the shape that is asked for.
template <typename T> static std::optional<T> read(const json::Value &params) {
  T value;
  json::Path::Root root;
  if (!fromJSON(params, value, root))
    return std::nullopt;
  return value;
}

void Proxy::noteDocument(StringRef method, const json::Value &params) {
  if (method == "textDocument/didOpen") {
    if (auto opened = read<protocol::DidOpenTextDocumentParams>(params))
      documents[opened->textDocument.uri.uri().str()] = {
          opened->textDocument.text, std::nullopt};
    return;
  }
  if (method == "textDocument/didClose") {
    if (auto closed = read<protocol::DidCloseTextDocumentParams>(params))
      documents.erase(closed->textDocument.uri.uri().str());
    return;
  }
  auto changed = read<protocol::DidChangeTextDocumentParams>(params);
  if (!changed)
    return;
  Document &document = documents[changed->textDocument.uri.uri().str()];
  document.memory.reset();
  // A change that fits nowhere leaves a text that nothing is said about.
  if (failed(protocol::TextDocumentContentChangeEvent::applyTo(
          changed->contentChanges, document.text)))
    document.text.clear();
}

void Proxy::noteRequest(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  const json::Value *params = object ? object->get("params") : nullptr;
  if (!params)
    return;
  const StringRef method = object->getString("method").value_or("");
  const std::lock_guard<std::mutex> lock(mutex);
  if (method == "textDocument/didOpen" || method == "textDocument/didClose" ||
      method == "textDocument/didChange")
    return noteDocument(method, *params);
  const json::Value *id = object->get("id");
  if (method != "textDocument/hover" || !id)
    return;
  if (auto at = read<protocol::TextDocumentPositionParams>(*params))
    hovers[textOf(*id)] = {at->textDocument.uri.uri().str(), at->position.line};
}

std::string Proxy::memoryAt(const Hover &hover) {
  const auto found = documents.find(hover.uri);
  if (found == documents.end())
    return "";
  Document &document = found->second;
  if (!document.memory)
    document.memory = describe(document.text);
  const auto line = document.memory->find(hover.line);
  return line == document.memory->end() ? "" : line->second;
}

void Proxy::extendReply(json::Value &message) {
  json::Object *object = message.getAsObject();
  const json::Value *id = object ? object->get("id") : nullptr;
  if (!id || object->get("method"))
    return;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto hover = hovers.find(textOf(*id));
  if (hover == hovers.end())
    return;
  const std::string memory = memoryAt(hover->second);
  hovers.erase(hover);
  if (memory.empty())
    return;
  json::Value *result = object->get("result");
  json::Object *shown = result ? result->getAsObject() : nullptr;
  json::Object *contents = shown ? shown->getObject("contents") : nullptr;
  if (contents)
    (*contents)["value"] =
        contents->getString("value").value_or("").str() + memory;
  else
    (*object)["result"] = json::Object{
        {"contents", json::Object{{"kind", "markdown"},
                                  {"value", StringRef(memory).ltrim().str()}}}};
}

/// Hands messages from `in` to `out` until the end of the one or the other.
static void pump(std::FILE *in, std::FILE *out,
                 function_ref<void(json::Value &)> look) {
  protocol::JSONTransportInputOverFile input(in);
  std::string text;
  while (!input.isEndOfInput() && !input.hasError()) {
    if (failed(input.readMessage(text)))
      continue;
    // What is no JSON the server answers as it likes.
    if (Expected<json::Value> message = json::parse(text)) {
      look(*message);
      text = textOf(*message);
    } else {
      consumeError(message.takeError());
    }
    if (std::fprintf(out, "Content-Length: %zu\r\n\r\n", text.size()) < 0 ||
        std::fwrite(text.data(), 1, text.size(), out) != text.size() ||
        std::fflush(out) != 0)
      return;
  }
}

int runProxy(Proxy &proxy, int toServer, int fromServer) {
  std::FILE *requests = fdopen(toServer, "w");
  std::FILE *replies = fdopen(fromServer, "r");
  if (!requests || !replies)
    return EXIT_FAILURE;
  std::thread editor([&] {
    pump(stdin, requests, [&](json::Value &m) { proxy.noteRequest(m); });
    std::fclose(requests);
  });
  pump(replies, stdout, [&](json::Value &m) { proxy.extendReply(m); });
  // The server is gone; the editor may not have noticed.
  editor.detach();
  return EXIT_SUCCESS;
}

} // namespace tpu_mlir::lsp
