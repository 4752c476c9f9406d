//===- Artefacts.cpp - The files, side by side ----------------------------===//

#include "lib/Report/Artefacts/Layout.h"

namespace tpu_mlir::report {

ArtefactResult renderArtefacts(const std::vector<ArtefactModel> &models,
                               const ArtefactOptions &options) {
  auto built = buildLayout(models, options);
  if (auto *error = std::get_if<ArtefactError>(&built))
    return std::move(*error);
  const Layout &layout = std::get<Layout>(built);
  std::vector<ArtefactFile> files;
  const std::string header = layout.prefix + ".h";
  if (layout.isSingle()) {
    const Model &model = layout.models.front();
    files.push_back(
        {header, renderModelHeader(layout, model, guardOf(model.macro))});
  } else {
    files.push_back({header, renderCommonHeader(layout)});
    for (const Model &model : layout.models)
      files.push_back({model.identifier + ".h",
                       renderModelHeader(layout, model, guardOf(model.macro))});
  }
  if (layout.hasInternal())
    files.push_back({layout.prefix + ".c", renderSource(layout)});
  files.push_back({layout.prefix + "_map.json", renderMap(layout)});
  return files;
}

} // namespace tpu_mlir::report
