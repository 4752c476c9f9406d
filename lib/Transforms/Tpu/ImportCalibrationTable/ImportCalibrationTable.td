#ifndef TPU_MLIR_TRANSFORMS_IMPORTCALIBRATIONTABLE
#define TPU_MLIR_TRANSFORMS_IMPORTCALIBRATIONTABLE

include "mlir/Pass/PassBase.td"

def ImportCalibrationTable : Pass<"import-calibration-table", "::mlir::ModuleOp"> {
  let summary = "Put the ranges of a calibration table into the types of a Top module";
  let description = [{
    A float result of a Top op whose name is in the table `file` becomes a
    tensor of `!quant.calibrated`, which says how large its numbers get. Results
    that are not in the table stay plain floats, and so does what is computed
    from them.

    What an op can give bounds its range: Sigmoid and Softmax are in [0, 1], a
    relu has no negative number. Chips whose integers are signed have ranges
    that are as wide on both sides of zero, others ones that begin at 0 where
    nothing is negative. With `asymmetric` a range is what the table calls
    minimum and maximum.

    Afterwards ranges are made to agree where an op only moves numbers: a
    reshape, a slice, the largest of a window, a pad with a number of that range
    get the range of their operand. What computes other numbers keeps that of
    the table. Operands of a Concat, Max, Min, Relu or MaxPool that nothing else
    reads get the range of the result.

    Without a file every float result gets a stand-in: ranges that are no
    measurements, each another one, so that sizes and types are those of an
    INT8 network. A warning says so, once, and the module gets the attribute
    `module.calibration = "stand-in"`.

    The table's other blocks (4 bits, scales of weights, single ops) are not
    used, which a remark says. Errors: a table that cannot be read or has a
    wrong line, one that has none of the module's names (E017), a module that is
    lowered already (E005). Linear in ops.

    ```mlir
    // before; the table has the lines "x 1.0 -1.0 1.0" and "y 6.2 0.0 6.2"
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "top.Relu"(%1) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
    // after, for cv181x: the relu has the range of its operand
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8x!quant.calibrated<f32<-6.2:6.2>>> loc("x")
    %2 = "top.Relu"(%1) : (tensor<1x8x!quant.calibrated<f32<-6.2:6.2>>>) -> tensor<1x8x!quant.calibrated<f32<-6.2:6.2>>> loc("y")
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"\"\"",
           "The calibration table; empty: stand-in ranges">,
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "The chip by name; empty: the attribute module.chip">,
    Option<"chipFile", "chip-file", "std::string", /*default=*/"\"\"",
           "A JSON file that describes the chip; wins over the name">,
    Option<"asymmetric", "asymmetric", "bool", /*default=*/"false",
           "Ranges from minimum to maximum">
  ];
  let dependentDialects = ["::tpu_mlir::top::TopDialect", "::mlir::quant::QuantDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_IMPORTCALIBRATIONTABLE
