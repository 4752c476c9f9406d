//===- ChipSpec.h - What a chip's memory looks like -------------*- C++ -*-===//
//
// Chips are data: one JSON file a chip under tpu_mlir/chips, embedded by the
// build, or any file given by the user. Algorithms ask for a property, never
// for a name.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TARGET_CHIPSPEC_H
#define TPU_MLIR_TARGET_CHIPSPEC_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir::target {

/// How the address of a global tensor is formed.
enum class AddressForm {
  /// One flat range: weights, then I/O, then neurons.
  Linear,
  /// High bits hold a memory tag that the runtime rebases.
  Tagged,
  /// High bits choose a base register: shared, weight, private, one for each
  /// network input or output.
  BaseRegister,
};

/// How many images share one element slot (the "4N" layout of old chips).
enum class BatchLayout { OneN, FourN };

/// The floats of 16 bits in which a chip computes what is not integers.
enum class HalfFloat { F16, BF16 };

/// Which packed weights have their scales and zero points in one coefficient,
/// in pairs, instead of two.
enum class ScalePairs {
  None,
  FourBit, ///< Those of 4 bits whose groups are multiples of 32.
  All,
};

struct ChipSpec {
  std::string name;
  /// What the chip is called in modules of older toolchains.
  std::vector<std::string> formerNames;

  // Local memory, per lane.
  int64_t lanes = 0;
  int64_t euBytes = 0;
  int64_t laneBytes = 0;
  int64_t banks = 0;
  int64_t cores = 1;
  /// Of these, those that a program runs on: of the program, not of a chip
  /// file, which leaves it at 1.
  int64_t usedCores = 1;
  /// Bytes of input channels that a convolution multiplies at once: filters are
  /// stored in blocks of icParallelBytes / element channels. 1: one by one.
  int64_t icParallelBytes = 1;
  /// Bytes behind the 4-byte bias of a channel that hold its requantisation
  /// (multiplier, shift, ...) where both are one coefficient.
  int64_t requantBytes = 0;
  /// Of layers that stay floats in a network of integers.
  HalfFloat halfFloat = HalfFloat::F16;
  ScalePairs scalePairs = ScalePairs::None;
  /// Computes convolutions and products of floats of 8 bits.
  bool hasFloat8 = false;
  /// An elementwise op may write its result over an operand in local memory.
  bool localInPlace = true;
  /// Kernels of convolution, pooling, upsampling and of layers that work place
  /// by place write the elements of a result in global memory in order, each
  /// once, and only after all that it and those in front of it need has been
  /// read.
  bool kernelsInOrder = false;

  // The open cost model: one core's throughput. Estimates for comparing plans,
  // not promises.
  int64_t macsPerCycle8 = 0;  ///< 8-bit multiply-adds.
  int64_t macsPerCycle16 = 0; ///< 16-bit.
  int64_t macsPerCycle32 = 0; ///< 32-bit.
  int64_t dmaBytesPerCycle = 0;
  /// What all cores' DMA engines together get of global memory.
  int64_t sharedDmaBytesPerCycle = 0;
  /// Between second-level and local memory: each core has a way of its own.
  int64_t l2BytesPerCycle = 0;
  int64_t dmaSetupCycles = 0;     ///< For each transfer.
  int64_t computeSetupCycles = 0; ///< For each op of a section.
  int64_t barrierCycles = 0;      ///< For all cores to wait for one another.

  // Global memory.
  AddressForm addressForm = AddressForm::Linear;
  BatchLayout batchLayout = BatchLayout::OneN;
  int64_t weightAlignment = 4096;
  int64_t neuronAlignment = 4096;
  int64_t weightBase = 0;
  /// nullopt: right after the weights (and the I/O region, if there is one).
  std::optional<int64_t> neuronBase;
  /// Start of the region of mode io_alone. nullopt and Linear: right after
  /// the weights; nullopt otherwise: the chip has no such region.
  std::optional<int64_t> ioAloneBase;
  /// One address space each, for single inputs and outputs (io_tag; base
  /// registers). Empty: the chip has none.
  std::vector<int64_t> ioBases;
  /// Base of tensors that cross functions, BaseRegister only.
  std::optional<int64_t> privateBase;
  /// The size of one address window (the distance of two tags); neurons and
  /// weights must each stay below it. nullopt: no limit known. The memory of
  /// a board is usually smaller: tools take it as an option.
  std::optional<int64_t> windowBytes;
  bool supportsIoReloc = false;

  // Second-level memory, 0 bytes when there is none.
  int64_t l2Base = 0;
  int64_t l2Bytes = 0;

  /// Further memories, one line each, as the option `pools` takes them.
  std::vector<std::string> pools;

  /// Mode io_alone; linear maps have room for its region after the weights.
  bool hasIoAlone() const {
    return addressForm == AddressForm::Linear ||
           (addressForm == AddressForm::Tagged && ioAloneBase);
  }
  /// Mode io_tag.
  bool hasIoTags() const {
    return addressForm == AddressForm::Tagged && !ioBases.empty();
  }
  int64_t bankBytes() const { return banks ? laneBytes / banks : 0; }
};

struct ChipError {
  std::string message;
};

/// Reads one chip file. Unknown, missing, ill-typed and impossible fields are
/// errors that name the field.
std::variant<ChipSpec, ChipError> parseChipJson(std::string_view text);

/// A chip of the build by name, as it is or as it was: names are lower case,
/// and "BM1684X" is "bm1684x" in options and attributes; nullptr when unknown.
const ChipSpec *findChip(std::string_view name);
/// Sorted by name.
std::vector<const ChipSpec *> allChips();
/// "bm1684, bm1684x, ...": for messages.
std::string chipNames();

} // namespace tpu_mlir::target

#endif // TPU_MLIR_TARGET_CHIPSPEC_H
