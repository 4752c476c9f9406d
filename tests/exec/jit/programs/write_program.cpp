//===- write_program.cpp - Prints a random program ------------------------===//

#include "tests/exec/jit/programs/RandomProgram.h"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: write_program SEED [NUMBER [ownership|reallocs]]\n");
    return 1;
  }
  uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  int number = argc > 2 ? std::atoi(argv[2]) : 0;
  tpu_mlir::jit::RandomProgram program =
      argc > 3 ? tpu_mlir::jit::makeOwnershipProgram(
                     seed, number, {std::string(argv[3]) == "reallocs"})
               : tpu_mlir::jit::makeRandomProgram(seed, number);
  std::fputs(program.text.c_str(), stdout);
  return 0;
}
