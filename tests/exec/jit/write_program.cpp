//===- write_program.cpp - Prints a random program ------------------------===//

#include "RandomProgram.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: write_program SEED [NUMBER]\n");
    return 1;
  }
  tpu_mlir::jit::RandomProgram program = tpu_mlir::jit::makeRandomProgram(
      std::strtoull(argv[1], nullptr, 10), argc > 2 ? std::atoi(argv[2]) : 0);
  std::fputs(program.text.c_str(), stdout);
  return 0;
}
