//===- LightNetworks.cpp - The table of light networks --------------------===//

#include "tpu_mlir/Import/LightNetworks.h"

#include "lib/Import/Write/GraphWriter.h"
#include "lib/Import/Write/LightBuilder.h"

namespace tpu_mlir::importer {

namespace {

struct Entry {
  LightNetwork info;
  Graph (*build)(int64_t batch);
};

} // namespace

static const Entry kEntries[] = {
    {{"light_zfnet512", "image classification (Zeiler, Fergus 2013)"},
     lightZfNet512},
    {{"light_alexnet", "image classification (Krizhevsky et al. 2012)"},
     lightAlexNet},
    {{"light_vgg19", "image classification (Simonyan, Zisserman 2014)"},
     lightVgg19},
    {{"light_squeezenet", "image classification (Iandola et al. 2016)"},
     lightSqueezeNet},
    {{"light_inception_v1", "image classification (Szegedy et al. 2014)"},
     lightInceptionV1},
    {{"light_resnet50", "image classification (He et al. 2015)"},
     lightResNet50},
    {{"light_shufflenet", "image classification (Zhang et al. 2017)"},
     lightShuffleNet},
    {{"light_inception_v2", "image classification (Ioffe, Szegedy 2015)"},
     lightInceptionV2},
    {{"light_densenet121", "image classification (Huang et al. 2016)"},
     lightDenseNet121}};

llvm::ArrayRef<LightNetwork> lightNetworks() {
  static const std::vector<LightNetwork> infos = [] {
    std::vector<LightNetwork> list;
    for (const Entry &entry : kEntries)
      list.push_back(entry.info);
    return list;
  }();
  return infos;
}

std::optional<std::string> buildLightNetwork(llvm::StringRef name,
                                             int64_t batch) {
  constexpr int64_t kOpset = 9;
  for (const Entry &entry : kEntries)
    if (entry.info.name == name)
      return writeOnnx(entry.build(batch), {name.str(), kOpset});
  return std::nullopt;
}

} // namespace tpu_mlir::importer
