//===- TpuBase.td - The Tpu dialect and its op classes -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUBASE_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUBASE_TD

include "tpu_mlir/Dialect/Interfaces/OpClasses.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let summary = "Network ops lowered for a chip";
  let description = [{
    A network after a chip and a precision are chosen: layers with their
    quantisation parameters, groups of layers that run from local memory, and
    the scratch buffers of single layers. Names, operands and attributes are
    those of tpu-mlir's dialect of this name, so that its dumps are read and
    written unchanged.

    The global address of a tensor is the encoding of its type; the local one
    is in the attribute `ginfo` of the op that makes it. Attributes are
    optional; an op or attribute that is not declared here is accepted, and the
    op is taken to do anything.
  }];
  let cppNamespace = "::tpu_mlir::tpu";
  // tpu-mlir prints attributes as a plain dictionary.
  let usePropertiesForAttributes = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;

    // A type of a newer version is kept as text.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override {
      return ::tpu_mlir::keptType(parser, getNamespace());
    }

    void registerAttributes();
  }];
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUBASE_TD
