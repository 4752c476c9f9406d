//===- Properties.cpp - Properties of ops as attributes -------------------===//
//
// One pass over the text, outside of strings and comments. Properties stand
// before the regions of an op and attributes after them, so those of ops around
// wait on a stack.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Support/Properties.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <string>

using llvm::StringRef;

namespace tpu_mlir {

/// The bytes of the string or the comment that `text` begins with; 0 for
/// something else.
static size_t skipped(StringRef text) {
  if (text.starts_with("//"))
    return std::min(text.find('\n'), text.size());
  if (!text.starts_with("\""))
    return 0;
  size_t end = 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// `text` without the blanks, lines and comments in front.
static StringRef withoutSpace(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_front(skipped(text));
  return text;
}

/// The bytes up to and with the first `close` outside of comments; npos without
/// one.
static size_t bytesTo(StringRef text, char close) {
  for (size_t at = 0; at < text.size();
       at += std::max<size_t>(1, skipped(text.substr(at))))
    if (text[at] == close)
      return at + 1;
  return StringRef::npos;
}

/// In one line.
static std::string inOneLine(StringRef text) {
  std::string line;
  while (!text.empty()) {
    const size_t bytes = std::max<size_t>(1, skipped(text));
    const StringRef next = text.take_front(bytes);
    text = text.drop_front(bytes);
    if (next == "\n")
      line += ' ';
    else if (!next.starts_with("//"))
      line += next;
  }
  return StringRef(line).trim().str();
}

namespace {

class PropertyMover {
public:
  explicit PropertyMover(StringRef text) : rest(text) {}

  /// False when nothing was moved or something is not closed.
  bool run();
  std::string moved;

private:
  /// Properties of an op whose regions are open.
  struct Waiting {
    std::string properties;
    size_t depth;
  };

  void take(size_t count) {
    moved += rest.take_front(count);
    rest = rest.drop_front(count);
  }
  void takeSpace() { take(rest.size() - withoutSpace(rest).size()); }
  void takeOp();
  void takeProperties();
  void put(const std::string &properties);

  StringRef rest;
  size_t depth = 0; ///< Of parentheses.
  llvm::SmallVector<Waiting> waiting;
  bool isMoved = false, isClosed = true;
};

} // namespace

/// The bytes of the braces that `text` begins with, and of what is in them;
/// npos when they are not closed.
static size_t bracedBytes(StringRef text) {
  size_t open = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t bytes = skipped(text.substr(at))) {
      at += bytes;
      continue;
    }
    open += text[at] == '{';
    if (text[at] == '}' && --open == 0)
      return at + 1;
    ++at;
  }
  return StringRef::npos;
}

/// Puts properties in front of the attributes that come next.
void PropertyMover::put(const std::string &properties) {
  if (properties.empty())
    return;
  if (!withoutSpace(rest).starts_with("{")) {
    moved += (moved.back() == ' ' ? "{" : " {") + properties + "}";
    return;
  }
  takeSpace();
  take(1);
  moved += properties;
  if (!withoutSpace(rest).starts_with("}"))
    moved += ", ";
}

/// At the properties of an op: puts them behind its regions, and leaves their
/// lines.
void PropertyMover::takeProperties() {
  const StringRef braces = withoutSpace(rest.drop_front(1));
  const size_t bytes = bracedBytes(braces);
  const StringRef behind = bytes == StringRef::npos
                               ? StringRef()
                               : withoutSpace(braces.drop_front(bytes));
  if (!behind.starts_with(">")) {
    isClosed = false;
    return;
  }
  std::string properties = inOneLine(braces.substr(1, bytes - 2));
  moved.append(rest.drop_back(behind.size()).count('\n'), '\n');
  rest = behind.drop_front(1);
  isMoved = true;
  if (withoutSpace(rest).starts_with("("))
    waiting.push_back({std::move(properties), depth});
  else
    put(properties);
}

/// At a name in quotes: an op, if operands follow.
void PropertyMover::takeOp() {
  take(skipped(rest));
  takeSpace();
  if (!rest.starts_with("("))
    return;
  StringRef behind = withoutSpace(rest.substr(bytesTo(rest, ')')));
  if (behind.starts_with("["))
    behind = withoutSpace(behind.substr(bytesTo(behind, ']')));
  if (!behind.starts_with("<") ||
      !withoutSpace(behind.drop_front(1)).starts_with("{"))
    return;
  take(rest.size() - behind.size());
  takeProperties();
}

bool PropertyMover::run() {
  while (!rest.empty() && isClosed) {
    if (rest.starts_with("\"top.") || rest.starts_with("\"tpu.")) {
      takeOp();
      continue;
    }
    if (const size_t bytes = skipped(rest)) {
      take(bytes);
      continue;
    }
    depth += rest.front() == '(';
    const bool closes = rest.front() == ')' && depth > 0;
    depth -= closes;
    take(1);
    if (closes && !waiting.empty() && waiting.back().depth == depth)
      put(waiting.pop_back_val().properties);
  }
  return isMoved && isClosed && waiting.empty();
}

/// Most texts have none: no brace follows a '<'.
static bool mayHaveProperties(StringRef text) {
  for (size_t at = text.find('<'); at != StringRef::npos;
       at = text.find('<', at + 1))
    if (withoutSpace(text.drop_front(at + 1)).starts_with("{"))
      return true;
  return false;
}

std::unique_ptr<llvm::MemoryBuffer>
propertiesAsAttributes(std::unique_ptr<llvm::MemoryBuffer> text) {
  // Bytecode has no forms.
  if (text->getBuffer().starts_with("ML\xefR") ||
      !mayHaveProperties(text->getBuffer()))
    return text;
  PropertyMover mover(text->getBuffer());
  if (!mover.run())
    return text;
  return llvm::MemoryBuffer::getMemBufferCopy(mover.moved,
                                              text->getBufferIdentifier());
}

} // namespace tpu_mlir
