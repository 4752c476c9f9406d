// Debian's LLVM is not instrumented, while its allocator headers compiled into
// our code poison memory that the library then uses. Switch user poisoning off.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
