//===- RandomChoice.cpp - Draw I/O modes and pools ------------------------===//
//
// As the chip allows them; the same seed draws the same.
//
//===----------------------------------------------------------------------===//

#include "tests/property/global/RandomChoice.h"

namespace tpu_mlir::test {

std::vector<std::string> modesOf(const target::ChipSpec &chip) {
  std::vector<std::string> modes = {"", "basic", "in_reuse"};
  bool isLinear = chip.addressForm == target::AddressForm::Linear;
  bool isTagged = chip.addressForm == target::AddressForm::Tagged;
  if (isLinear || (isTagged && chip.ioAloneBase))
    modes.push_back("io_alone");
  if (isTagged && !chip.ioBases.empty())
    modes.push_back("io_tag");
  if (chip.supportsIoReloc)
    modes.push_back("io_reloc");
  return modes;
}

std::vector<ExtraPool> drawPools(Draw &draw, const target::ChipSpec &chip,
                                 Choice &choice) {
  std::vector<ExtraPool> pools;
  bool hasCosts = draw.chance(60);
  std::string text;
  auto add = [&](const char *name, const std::string &fields, int cost) {
    text += (text.empty() ? "name=" : ";name=") + std::string(name) + fields;
    if (hasCosts)
      text += ",cost=" + std::to_string(cost);
  };
  auto addPool = [&](const char *name, int64_t base, bool readOnly) {
    const int64_t sizes[] = {0, 4096, 16384, 20000, 1 << 20};
    int64_t size = draw.oneOf(sizes);
    std::string fields = ",base=" + std::to_string(base) +
                         ",size=" + std::to_string(size) +
                         (readOnly ? ",access=ro" : "");
    Interval bytes = {base, base + size};
    if (size > 4096 && draw.chance(30)) {
      fields += ",reserved=0-4096";
      bytes.begin += 4096;
    }
    add(name, fields, 1 + draw.chance(50));
    pools.push_back({bytes, readOnly});
  };
  addPool("sram", 0x20000000, false);
  if (draw.chance(60))
    addPool("flash", 0x40000000, true);
  if (chip.l2Bytes > 0 && draw.chance(50))
    add("l2", "", 3);
  if (hasCosts)
    add("neuron", "", 10);
  choice.pools = text;
  choice.poolIo = draw.chance(50);
  return pools;
}

} // namespace tpu_mlir::test
