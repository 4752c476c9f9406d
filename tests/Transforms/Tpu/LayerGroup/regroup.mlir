// Groups that stay though they were to be taken apart say why: in functions
// that run dynamically, where no new ones could follow, when nothing is wrong
// with them. What could not run as it stands is taken apart there, too: a layer
// by itself runs at every size.
// RUN: tpuc-opt %s --tpu-layer-group=objective=traffic -o %t.static
// RUN: sed 's/TPU_STATIC/TPU_DYNAMIC/' %t.static > %t.dynamic
// RUN: FileCheck %s --check-prefix=GROUPED < %t.dynamic
// RUN: tpuc-opt %t.dynamic -o %t.as_it_was
// RUN: tpuc-opt %t.dynamic --tpu-local-memory=regroup=true -o %t.as_it_is 2> %t.log
// RUN: diff %t.as_it_was %t.as_it_is
// RUN: FileCheck %s --check-prefix=REMARK < %t.log
// RUN: tpuc-opt %t.dynamic "--tpu-local-memory=regroup=true remarks=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: tpuc-opt %t.dynamic --tpu-local-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: tpuc-opt %t.static --tpu-local-memory=regroup=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: tpuc-opt %t.dynamic --tpu-local-memory=regroup=true --tpu-global-memory -o %t.final 2> /dev/null
// RUN: FileCheck %s --check-prefix=GROUPED < %t.final

// RUN: tpuc-opt %s --tpu-layer-group=regroup -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/flow = \[-1, /flow = [-1, -9, /' %t.dynamic > %t.wrong
// RUN: not tpuc-opt %t.wrong --tpu-local-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: tpuc-opt %t.wrong --tpu-local-memory=regroup=true --tpu-global-memory -o %t.apart 2> %t.log
// RUN: FileCheck %s --check-prefix=TAKEN < %t.log
// RUN: FileCheck %s --check-prefix=APART < %t.apart

// GROUPED: TPU_DYNAMIC
// GROUPED: tpu.Group
// REMARK: remark: stays as it is: its function is not TPU_STATIC, and groups are only made of sizes that do not change
// QUIET-NOT: stays as it is
// NONE: remark: 'regroup' has no effect: there are no layer groups
// WRONG: error: I10: {{.*}} [TPUMEM-E050]
// TAKEN: remark: 'main' is not TPU_STATIC: of its groups those that cannot run as they stand are taken apart, 1 in all, and their layers become global
// APART: TPU_DYNAMIC
// APART-NOT: tpu.Group
// APART-NOT: ginfo
// APART: return

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8> attributes {mode = #tpu<run_mode TPU_STATIC>} {
    %r = "tpu.Relu"(%in) : (tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8>
    %s = "tpu.Relu"(%r) : (tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8>
    return %s : tensor<1x48x64x64xi8>
  }
}
