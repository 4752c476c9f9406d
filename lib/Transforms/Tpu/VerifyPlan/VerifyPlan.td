#ifndef TPU_MLIR_TRANSFORMS_VERIFYPLAN
#define TPU_MLIR_TRANSFORMS_VERIFYPLAN

include "mlir/Pass/PassBase.td"

def VerifyPlan : Pass<"tpu-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Check that a module has the plan that is recorded in a file";
  let description = [{
    A problem file has the plan that its module was given; headers for an
    application are made from it. This pass says whether a module is the one of
    a file, or whether files of several runs got mixed:

    * the plan is valid (P1 to P8);
    * in an addressed network every tensor and weight that the file names is at
      the address that it says, the base of its pool included;
    * in functions on memrefs every pool is as large as the plan uses of it
      (`module.pool_sizes`), and named views and constants are where it says.

    Tensors without a name of their own are not compared one by one. Errors: E013,
    with both numbers, E017 (the file). Changes nothing. O(ops + buffers) but for
    sorting.
  }];
  let options = [
    Option<"problemFile", "problem-file", "std::string", /*default=*/"\"\"",
           "The JSON file that the pass which made the plan has written">
  ];
}

#endif // TPU_MLIR_TRANSFORMS_VERIFYPLAN
