//===- TpuAttrs.td - Attributes of the Tpu dialect ---------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuBase.td"
include "mlir/IR/AttrTypeBase.td"
include "tpu_mlir/Dialect/Interfaces/AddressEncoding.td"

//===----------------------------------------------------------------------===//
// Enums, printed as #tpu<mnemonic CASE>
//===----------------------------------------------------------------------===//

// The cases of an enum, numbered from 0.
class TpuCases<list<string> names> {
  list<I32EnumAttrCase> cases =
      !foreach(i, !range(names), I32EnumAttrCase<names[i], i>);
}

class TpuEnum<string cppName, list<string> names>
    : I32EnumAttr<cppName, "", TpuCases<names>.cases> {
  let cppNamespace = "::tpu_mlir::tpu";
  let genSpecializedAttr = 0;
}
class TpuEnumAttr<EnumInfo info, string mnemonic> : EnumAttr<Tpu_Dialect, info, mnemonic> {
  // A case that is not known here is kept as text.
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      return parseEnum<$cppClass>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printer << ' ' << stringifyEnum(getValue());
    }
  }];
}

def RunModeEnum : TpuEnum<"RunMode",
  ["TPU_STATIC", "TPU_DYNAMIC", "CPU", "SWITCH", "MERGE", "LOOP", "UNKNOW"]>;
def RunModeAttr : TpuEnumAttr<RunModeEnum, "run_mode">;

def BufferTypeEnum : TpuEnum<"BufferType", ["GMEM", "L2"]>;
def BufferTypeAttr : TpuEnumAttr<BufferTypeEnum, "buffer_type">;

def RoundModeEnum : TpuEnum<"RoundMode",
  ["HalfAwayFromZero", "HalfUp", "HalfDown", "HalfToEven", "HalfToOdd", "HalfTowardsZero", "TowardsZero", "Up", "Down"]>;
def RoundModeAttr : TpuEnumAttr<RoundModeEnum, "round_mode">;

def RequantModeEnum : TpuEnum<"RequantMode",
  ["TFLite_LShift", "TFLite", "MultiplierShift", "OnlyShift", "QDM", "OnlyScale"]>;
def RequantModeAttr : TpuEnumAttr<RequantModeEnum, "rq_mode">;

def DequantModeEnum : TpuEnum<"DequantMode", ["Normal", "TFLite"]>;
def DequantModeAttr : TpuEnumAttr<DequantModeEnum, "dq_mode">;

def ActiveModeEnum : TpuEnum<"ActiveMode",
  ["TANH", "SIGMOID", "RELU", "EXP", "ELU", "SQRT", "SQUARE", "RSQRT", "ABSVAL", "LN", "ROUND", "CEIL", "FLOOR", "SIN",
   "COS", "IS_FINITE", "MISH", "SWISH", "HSWISH", "SILU", "ARCSIN", "ARCCOS", "ARCSINH", "ARCCOSH", "ARCTANH", "SINH",
   "COSH", "TAN", "SIGN", "GELU", "ERF", "HSIGMOID", "LOG_SIGMOID", "SOFT_PLUS", "SOFT_SIGN", "LOG2", "TGELU", "QGELU",
   "RELU6", "LN1P", "NEG"]>;
def ActiveModeAttr : TpuEnumAttr<ActiveModeEnum, "active_mode">;

def PoolModeEnum : TpuEnum<"PoolMode", ["Avg", "Max", "Min"]>;
def PoolModeAttr : TpuEnumAttr<PoolModeEnum, "pool_mode">;

def PaddingModeEnum : TpuEnum<"PaddingMode", ["constant", "reflect", "symmetric", "edge"]>;
def PaddingModeAttr : TpuEnumAttr<PaddingModeEnum, "Pad_Mode">;

def ResizeModeEnum : TpuEnum<"ResizeMode", ["nearest", "linear"]>;
def ResizeModeAttr : TpuEnumAttr<ResizeModeEnum, "mode">;

def ResizeCoordModeEnum : TpuEnum<"ResizeCoordMode",
  ["align_corners", "half_pixel", "pytorch_half_pixel", "asymmetric", "half_pixel_symmetric"]>;
def ResizeCoordModeAttr : TpuEnumAttr<ResizeCoordModeEnum, "coord_mode">;

def RopeModeEnum : TpuEnum<"RopeMode", ["interleaved_pairs", "contiguous_halves"]>;
def RopeModeAttr : TpuEnumAttr<RopeModeEnum, "rope_mode">;

def LutBF16ModeEnum : TpuEnum<"LutBF16Mode", ["Other", "Mantissa", "Slope", "Log", "Exp"]>;
def LutBF16ModeAttr : TpuEnumAttr<LutBF16ModeEnum, "lut_mode">;

def ImageOutFormatEnum : TpuEnum<"ImageOutFormat", ["FLOAT32", "UINT8"]>;
def ImageOutFormatAttr : TpuEnumAttr<ImageOutFormatEnum, "image_out_format">;

def Yuv2rgbFormulaEnum : TpuEnum<"Yuv2rgbFormulaMode", ["_601_limited", "_601_full"]>;
def Yuv2rgbFormulaAttr : TpuEnumAttr<Yuv2rgbFormulaEnum, "yuv2rgb_formula_mode">;

def CorePatternEnum : TpuEnum<"CorePattern", ["Common"]>;
def CorePatternAttr : TpuEnumAttr<CorePatternEnum, "core_pattern">;

def DevPatternEnum : TpuEnum<"DevPattern",
  ["MatMulColumn", "MatMulRow", "MatMulMerge", "MatMulSliceMerge", "MatMulTopK", "MatMulSliceMerge2",
   "MatMulSliceMerge3", "AttentionSliceMerge", "AttentionSliceMerge2", "EmbeddingSliceMerge", "FAttentionSliceMerge"]>;
def DevPatternAttr : TpuEnumAttr<DevPatternEnum, "dev_pattern">;

//===----------------------------------------------------------------------===//
// Structured attributes
//===----------------------------------------------------------------------===//

class TpuAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tpu_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def LayerGroupAttr : TpuAttr<"LayerGroup", "lg"> {
  let summary = "Where and when an op of a layer group runs";
  let description = [{
    `#tpu.lg<out_addr = 0, out_size = 32768, ...>`, the attribute `ginfo` of an
    op inside `tpu.Group`. Addresses and sizes are bytes of one lane's local
    memory: `out_*` of the op's result 0, `buffer_*` of its scratch. For each of
    the dimensions n, c, d, h, w, `x_idx[i]` and `x_slice[i]` are the start and
    the length of section i. `id` numbers the ops of a group in the order of
    emission; `stage` is 0 (loads ahead of the computation), 1 or 2 (stores
    after it).

    `can_merge`, `in_hslice_offset` and `slice_idx` are newer than some dumps:
    null here means absent in the text. So may be the lists of a dimension, of
    which each section then has all, and `group_type`, which is that of the
    group: empty and -1 here; `completed` has them. Fields are read in any
    order and written in this one. Text with other fields, or that makes no sense, is
    kept as it is: it is then no attribute of this kind.
  }];
  let parameters = (ins
    "int64_t":$outAddr, "int64_t":$outSize, "int64_t":$bufferAddr, "int64_t":$bufferSize, "bool":$euAlign,
    OptionalParameter<"::mlir::BoolAttr">:$canMerge,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$inHsliceOffset,
    ArrayRefParameter<"int64_t">:$nIdx, ArrayRefParameter<"int64_t">:$nSlice,
    ArrayRefParameter<"int64_t">:$cIdx, ArrayRefParameter<"int64_t">:$cSlice,
    ArrayRefParameter<"int64_t">:$dIdx, ArrayRefParameter<"int64_t">:$dSlice,
    ArrayRefParameter<"int64_t">:$hIdx, ArrayRefParameter<"int64_t">:$hSlice,
    ArrayRefParameter<"int64_t">:$wIdx, ArrayRefParameter<"int64_t">:$wSlice,
    "int64_t":$id, "int64_t":$stage,
    OptionalParameter<"::mlir::IntegerAttr">:$sliceIdx,
    "int64_t":$groupType);
  let extraClassDeclaration = [{
    /// The same attribute with the result at `outAddr` and the scratch at
    /// `bufferAddr`.
    LayerGroupAttr withAddresses(int64_t outAddr, int64_t bufferAddr) const;
    /// The text leaves nothing out.
    bool isComplete() const;
    /// With the fields that the text leaves out, for an op of a group of that
    /// type whose local tensor has that shape.
    LayerGroupAttr completed(::llvm::ArrayRef<int64_t> shape, int64_t groupType) const;
    /// Starts and lengths of the parts along n, c, d, h and w.
    using Parts = std::pair<::llvm::ArrayRef<int64_t>, ::llvm::ArrayRef<int64_t>>;
    std::array<Parts, 5> parts() const {
      return {Parts{getNIdx(), getNSlice()}, Parts{getCIdx(), getCSlice()}, Parts{getDIdx(), getDSlice()},
              Parts{getHIdx(), getHSlice()}, Parts{getWIdx(), getWSlice()}};
    }
  }];
}

def DDRInterleaveAttr : TpuAttr<"DDRInterleave", "ddr_interleave",
    [DeclareAttrInterfaceMethods<AddressEncodingAttrInterface>]> {
  let summary = "A tensor that is spread over several memory regions";
  let description = [{
    `#tpu.ddr_interleave<interleave_dim = 0, region_id = 0, offset = [0, 64],
    address = 4096>`, the encoding of a tensor that is cut along
    `interleave_dim`: piece i starts `offset[i]` bytes from the start of its
    region. `address` is where the first piece is; without it the tensor has
    none yet.
  }];
  let parameters = (ins "int64_t":$interleaveDim, "int64_t":$regionId, ArrayRefParameter<"int64_t">:$offset,
    OptionalParameter<"::mlir::IntegerAttr">:$address);
}

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_TD
