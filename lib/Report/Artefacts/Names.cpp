//===- Names.cpp - Names for C, each given once ---------------------------===//

#include "lib/Report/Artefacts/Names.h"

#include "tpu_mlir/Report/ArtefactReport.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace tpu_mlir::report {
namespace {

/// Keywords of C and C++, and lower-case macros of compilers and headers; a
/// space before and after each.
constexpr llvm::StringLiteral kTaken =
    " alignas alignof and and_eq asm assert atomic_cancel atomic_commit"
    " atomic_noexcept auto bitand bitor bool break case catch char char16_t"
    " char32_t char8_t class co_await co_return co_yield compl complex"
    " concept const const_cast consteval constexpr constinit continue"
    " decltype default delete do double dynamic_cast else enum errno"
    " explicit export extern false far float for friend fortran goto i386"
    " if imaginary inline int linux long mutable namespace near new"
    " noexcept noreturn not not_eq nullptr offsetof operator or or_eq"
    " private protected public reflexpr register reinterpret_cast requires"
    " restrict return short signed sizeof static static_assert static_cast"
    " stderr stdin stdout struct switch synchronized template this"
    " thread_local throw true try typedef typeid typename typeof"
    " typeof_unqual union unix unsigned using virtual void volatile wchar_t"
    " while xor xor_eq ";

/// Types that the files see, and functions that compilers know themselves.
constexpr llvm::StringLiteral kTypes =
    " aligned_alloc int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t"
    " int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t"
    " int_least8_t intmax_t intptr_t max_align_t nullptr_t posix_memalign"
    " ptrdiff_t size_t uint16_t uint32_t uint64_t uint8_t uint_fast16_t"
    " uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t"
    " uint_least64_t uint_least8_t uintmax_t uintptr_t ";

bool isTaken(const std::string &name) {
  return kTaken.contains(" " + name + " ");
}

/// The bytes of the character at the start of `rest`, and what stands for them.
std::pair<size_t, std::string> spelled(llvm::StringRef rest) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(rest.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(rest.end());
  const llvm::UTF8 *at = begin;
  llvm::UTF32 codePoint = 0;
  if (llvm::convertUTF8Sequence(&at, end, &codePoint, llvm::strictConversion) !=
      llvm::conversionOK)
    return {1, "x" + llvm::utohexstr(uint8_t(rest[0]), /*LowerCase=*/true)};
  return {size_t(at - begin),
          "u" + llvm::utohexstr(codePoint, /*LowerCase=*/true)};
}

} // namespace

std::string cName(const std::string &name) {
  std::string text;
  // A '_' stands for one run of characters; those of the name itself stay.
  bool isInRun = false;
  for (llvm::StringRef rest = name; !rest.empty();) {
    const char c = rest[0];
    if (llvm::isAlnum(c) || c == '_') {
      if (c != '_' || !isInRun)
        text += c;
      isInRun = false;
      rest = rest.drop_front();
    } else if (static_cast<unsigned char>(c) < 0x80) {
      if (text.empty() || text.back() != '_')
        text += '_';
      isInRun = true;
      rest = rest.drop_front();
    } else {
      const auto [length, spelling] = spelled(rest);
      text += spelling;
      isInRun = false;
      rest = rest.drop_front(length);
    }
  }
  return text.empty() ? "unnamed" : text;
}

std::vector<std::string> takenNames() {
  llvm::SmallVector<llvm::StringRef> words;
  kTaken.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  kTypes.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return {words.begin(), words.end()};
}

std::string macroName(const std::string &name) {
  return llvm::StringRef(cName(name)).upper();
}

std::string memberName(const std::string &name) {
  std::string member = llvm::StringRef(cName(name)).lower();
  if (!llvm::isAlpha(member[0]))
    member = "n" + member;
  return isTaken(member) ? member + "_" : member;
}

std::string inComment(const std::string &name) {
  std::string text = name;
  for (char &c : text)
    if (!llvm::isPrint(c) || c == '*' || c == '\\' || c == '?')
      c = '.';
  return text;
}

void Names::claim(const std::string &scope, const std::string &identifier,
                  const std::string &origin) {
  const auto [at, isNew] = owners.insert({{scope, identifier}, origin});
  if (isNew || firstClash)
    return;
  firstClash = at->second + " and " + origin + " would both be '" + identifier +
               "' in C" + (scope.empty() ? "" : " (" + scope + ")") +
               "; rename one of them";
}

} // namespace tpu_mlir::report
