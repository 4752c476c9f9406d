//===- Layer.h - One layer at either level ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_LAYER_H
#define TPU_MLIR_LIB_MODELBUILDER_LAYER_H

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

namespace tpu_mlir {

/// Attributes under construction, in the types that the dialects declare.
class GraphBuilder::Attributes {
public:
  explicit Attributes(mlir::Builder builder) : builder(builder) {}

  Attributes &flag(llvm::StringRef name, bool value) {
    return set(name, builder.getBoolAttr(value));
  }
  Attributes &integer(llvm::StringRef name, int64_t value) {
    return set(name, builder.getI64IntegerAttr(value));
  }
  Attributes &si32(llvm::StringRef name, int32_t value) {
    return set(name, builder.getSI32IntegerAttr(value));
  }
  Attributes &real(llvm::StringRef name, double value) {
    return set(name, builder.getF64FloatAttr(value));
  }
  Attributes &ints(llvm::StringRef name, Dims values) {
    return set(name, builder.getI64ArrayAttr(values));
  }
  Attributes &text(llvm::StringRef name, llvm::StringRef value) {
    return set(name, builder.getStringAttr(value));
  }
  Attributes &set(llvm::StringRef name, mlir::Attribute value) {
    list.set(name, value);
    return *this;
  }

  /// do_relu and relu_limit, which many layers have.
  Attributes &fused(Fused function) {
    flag("do_relu", function != Fused::None);
    return real("relu_limit", function == Fused::Relu6 ? 6.0 : -1.0);
  }
  Attributes &active(tpu::ActiveMode mode) {
    return set("mode", tpu::ActiveModeAttr::get(builder.getContext(), mode));
  }
  Attributes &round(tpu::RoundMode mode, llvm::StringRef name = "round_mode") {
    return set(name, tpu::RoundModeAttr::get(builder.getContext(), mode));
  }
  /// The mode that layers carry which have no quantisation.
  Attributes &multiplierShift() {
    return set("quant_mode",
               tpu::RequantModeAttr::get(builder.getContext(),
                                         tpu::RequantMode::MultiplierShift));
  }

  const mlir::NamedAttrList &get() const { return list; }

private:
  mlir::Builder builder;
  mlir::NamedAttrList list;
};

struct GraphBuilder::Layer {
  template <class TopOp, class TpuOp>
  static Layer of(llvm::ArrayRef<Value> operands, const Attributes &common) {
    return {TopOp::getOperationName(),
            TpuOp::getOperationName(),
            {operands.begin(), operands.end()},
            common.get(),
            {},
            0};
  }

  /// Attributes of the TPU form alone.
  Layer &onTpu(const Attributes &attributes) {
    tpuOnly = attributes.get();
    return *this;
  }
  /// Operands of the TPU form after the others: tables, scratch.
  Layer &tpuRest(unsigned count) {
    noneCount = count;
    return *this;
  }

  llvm::StringRef topOp, tpuOp;
  llvm::SmallVector<Value, 4> operands;
  mlir::NamedAttrList common, tpuOnly;
  unsigned noneCount = 0;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_MODELBUILDER_LAYER_H
