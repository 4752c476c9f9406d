//===- Layout.h - What the generated files say ------------------*- C++ -*-===//
//
//     Model  --- PoolPart (sram, the model's share)  ---+
//            --- Tensor ...                             +--> Block (memory)
//     Model  --- PoolPart (sram)  ----------------------+
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_REPORT_ARTEFACTS_LAYOUT_H
#define TPU_MLIR_LIB_REPORT_ARTEFACTS_LAYOUT_H

#include "tpu_mlir/Report/ArtefactReport.h"

#include <optional>

namespace tpu_mlir::report {

/// What one model has in one pool. Only pools that hold something of it.
struct PoolPart {
  const planning::Pool *pool = nullptr;
  std::string name;
  std::string member; ///< Of the structs: "sram".
  std::string macro;  ///< "NET_SRAM".
  bool isParameter = false;
  bool isCaller = false;
  int64_t usedBytes = 0;      ///< The end of its highest tensor.
  int64_t alignmentBytes = 1; ///< What the start of the block has to be.
  size_t block = 0;           ///< Index; means nothing for a caller's pool.

  std::string sizeMacro() const;
};

struct Tensor {
  planning::BufferId id = 0;
  std::string name;   ///< Without the model's prefix.
  std::string member; ///< "conv1".
  std::string macro;  ///< "NET_CONV1".
  size_t pool = 0;    ///< Index into Model::pools.
  int64_t offsetBytes = 0;
  std::optional<planning::BufferId> root; ///< Of an alias.
};

struct Model {
  std::string name;
  std::string identifier; ///< "net".
  std::string macro;      ///< "NET".
  const planning::Problem *problem = nullptr;
  std::vector<PoolPart> pools;
  std::vector<Tensor> tensors; ///< In buffer order.

  const planning::Buffer &bufferOf(const Tensor &tensor) const {
    return problem->buffers[tensor.id];
  }
  bool isCallers(const Tensor &tensor) const {
    return pools[tensor.pool].isCaller;
  }
  /// Blocks of this kind that the model uses.
  std::vector<const PoolPart *> parts(bool isParameter) const;
  std::vector<const Tensor *> ofKind(planning::BufferKind kind) const;
};

/// A piece of memory that somebody has to provide.
struct Block {
  std::string pool;
  std::string identifier; ///< "net_sram".
  std::string macro;      ///< "NET_SRAM" or "APP_SHARED_SRAM".
  std::string sizeMacro;
  bool isParameter = false;
  bool isInternal = false;
  int64_t sizeBytes = 0;
  int64_t alignmentBytes = 1;
  /// Whose header has its macros; nullopt: all models'.
  std::optional<size_t> owner;
  std::string section;
  const std::string *data = nullptr;

  /// Declared by the header, defined by the application.
  bool isDeclaredOnly() const { return isInternal && isParameter && !data; }
};

struct Layout {
  std::string prefix;
  std::string identifier;
  std::string macro;
  bool isPlannedTogether = true;
  std::vector<Model> models;
  std::vector<Block> blocks;

  bool isSingle() const { return models.size() == 1; }
  bool hasInternal() const;
};

std::variant<Layout, ArtefactError>
buildLayout(const std::vector<ArtefactModel> &models,
            const ArtefactOptions &options);

/// All names that the files make, once each; the message of the first clash.
std::optional<std::string> findClash(const Layout &layout);

std::string renderModelHeader(const Layout &layout, const Model &model,
                              const std::string &guard);
/// For several models.
std::string renderCommonHeader(const Layout &layout);
std::string renderSource(const Layout &layout);
std::string renderMap(const Layout &layout);

/// What two or more of the renderers say.
std::string guardOf(const std::string &macro);
std::string constant(int64_t value); ///< "UINT64_C(12)".
std::string define(const std::string &name, const std::string &value);
std::string headerBegin(const std::string &guard, const std::string &about);
std::string headerEnd(const std::string &guard);
/// Does the model have a block of this kind that is internal.
bool fillsAny(const Layout &layout, const Model &model, bool isParameter);
std::string fillSignature(const Model &model, bool isParameter);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_LIB_REPORT_ARTEFACTS_LAYOUT_H
