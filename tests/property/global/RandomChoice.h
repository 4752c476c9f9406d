//===- RandomChoice.h - How a module may be planned -------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMCHOICE_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMCHOICE_H

#include "tests/property/global/Oracle.h"
#include "tests/property/global/PassRunner.h"
#include "tests/property/global/RandomModules.h"

#include "tpu_mlir/Target/ChipSpec.h"

namespace tpu_mlir::test {

/// The I/O modes that the chip has; "" is the default.
std::vector<std::string> modesOf(const target::ChipSpec &chip);

/// Opens pools for `choice`: a small read-write and a small read-only one, with
/// and without costs, and L2 for everybody. Not for chips that choose registers
/// by address.
std::vector<ExtraPool> drawPools(Draw &draw, const target::ChipSpec &chip,
                                 Choice &choice);

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_RANDOMCHOICE_H
