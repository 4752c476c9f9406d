//===- ChipOptions.td - For which chip ---------------------*- tablegen -*-===//
//
// The options of every pass that plans for a chip; see tpu_mlir/Analysis/Chip.h
// for what they mean to it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CHIPOPTIONS
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CHIPOPTIONS

include "mlir/Pass/PassBase.td"

def ChipOptions {
  list<Option> all = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "The chip by name; empty: the attribute module.chip">,
    Option<"chipFile", "chip-file", "std::string", /*default=*/"\"\"",
           "A JSON file that describes the chip; wins over the name">
  ];
}

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CHIPOPTIONS
