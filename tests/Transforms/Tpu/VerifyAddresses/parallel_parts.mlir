// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-verify-addresses=alignment=1

// A piece of %x stays where it is and becomes a piece of %j. So both have one
// place, but what is written as the other piece of %j is nothing that %x or
// its readers are made of: nobody says who is first.
module @parts attributes {module.chip = "bm1688", module.addr_mode = "basic", module.coeff_addr = 618475290624 : i64, module.coeff_size = 0 : i64, module.neuron_addr = 687194767360 : i64, module.neuron_size = 94208 : i64} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32, 687194775552 : i64>, tensor<1xf32, 687194783744 : i64>) {
    %none = "top.None"() : () -> none
    %i0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32, 687194767360 : i64>
    %o:2 = "tpu.CoreParallel"(%i0) ({
      // expected-note @+1 {{'tpu.Reverse#0' comes from here}}
      %x = "tpu.Reverse"(%i0) {axis = 0 : i64} : (tensor<3xf32, 687194767360 : i64>) -> tensor<3xf32, 687194779648 : i64>
      %p:2 = "tpu.CoreSplit"(%x) {axis = 0 : si32} : (tensor<3xf32, 687194779648 : i64>) -> (tensor<2xf32, 687194779648 : i64>, tensor<1xf32, 687194779656 : i64>)
      %a = "tpu.Slice"(%i0, %none, %none, %none, %none) {axes = [], offset = [0], steps = [1], ends = [1]} : (tensor<3xf32, 687194767360 : i64>, none, none, none, none) -> tensor<1xf32, 687194771456 : i64>
      %c = "tpu.Reverse"(%p#1) {axis = 0 : i64} : (tensor<1xf32, 687194779656 : i64>) -> tensor<1xf32, 687194783744 : i64>
      // expected-error @+1 {{'tpu.Active' writes 'tpu.Active#0' at [687194779656, 687194779660) over 'tpu.Reverse#0' at [687194779648, 687194779660), which runs at the same time [TPUMEM-E012]}}
      %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1xf32, 687194771456 : i64>) -> tensor<1xf32, 687194779656 : i64>
      %j = "tpu.CoreJoin"(%p#0, %b) {axis = 0 : si32} : (tensor<2xf32, 687194779648 : i64>, tensor<1xf32, 687194779656 : i64>) -> tensor<3xf32, 687194779648 : i64>
      %k = "tpu.Reverse"(%j) {axis = 0 : i64} : (tensor<3xf32, 687194779648 : i64>) -> tensor<3xf32, 687194775552 : i64>
      "tpu.Yield"(%k, %c) : (tensor<3xf32, 687194775552 : i64>, tensor<1xf32, 687194783744 : i64>) -> ()
    }) {offset = 0 : i64, size = 1 : i64} : (tensor<3xf32, 687194767360 : i64>) -> (tensor<3xf32, 687194775552 : i64>, tensor<1xf32, 687194783744 : i64>)
    return %o#0, %o#1 : tensor<3xf32, 687194775552 : i64>, tensor<1xf32, 687194783744 : i64>
  }
}

// -----

// The same with an older op's merge and a slice, the writer first.
module @slices attributes {module.chip = "bm1688", module.addr_mode = "basic", module.coeff_addr = 618475290624 : i64, module.coeff_size = 0 : i64, module.neuron_addr = 687194767360 : i64, module.neuron_size = 94208 : i64} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32, 687194775552 : i64>, tensor<3xf32, 687194783744 : i64>) {
    %none = "top.None"() : () -> none
    %i0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32, 687194767360 : i64>
    %o:2 = "tpu.CoreParallel"(%i0) ({
      // expected-note @+1 {{'tpu.Reverse#0' comes from here}}
      %x = "tpu.Reverse"(%i0) {axis = 0 : i64} : (tensor<3xf32, 687194767360 : i64>) -> tensor<3xf32, 687194779648 : i64>
      %p = "tpu.Slice"(%x, %none, %none, %none, %none) {axes = [], offset = [0], steps = [1], ends = [2]} : (tensor<3xf32, 687194779648 : i64>, none, none, none, none) -> tensor<2xf32, 687194779648 : i64>
      %c = "tpu.Reverse"(%x) {axis = 0 : i64} : (tensor<3xf32, 687194779648 : i64>) -> tensor<3xf32, 687194783744 : i64>
      %a = "tpu.Slice"(%i0, %none, %none, %none, %none) {axes = [], offset = [0], steps = [1], ends = [1]} : (tensor<3xf32, 687194767360 : i64>, none, none, none, none) -> tensor<1xf32, 687194771456 : i64>
      // expected-error @+1 {{'tpu.Active' writes 'tpu.Active#0' at [687194779656, 687194779660) over 'tpu.Reverse#0'}}
      %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1xf32, 687194771456 : i64>) -> tensor<1xf32, 687194779656 : i64>
      %j = "tpu.Concat"(%p, %b) {axis = 0 : si32, only_merge = true} : (tensor<2xf32, 687194779648 : i64>, tensor<1xf32, 687194779656 : i64>) -> tensor<3xf32, 687194779648 : i64>
      %k = "tpu.Reverse"(%j) {axis = 0 : i64} : (tensor<3xf32, 687194779648 : i64>) -> tensor<3xf32, 687194775552 : i64>
      "tpu.Yield"(%k, %c) : (tensor<3xf32, 687194775552 : i64>, tensor<3xf32, 687194783744 : i64>) -> ()
    }) {offset = 0 : i64, size = 1 : i64} : (tensor<3xf32, 687194767360 : i64>) -> (tensor<3xf32, 687194775552 : i64>, tensor<3xf32, 687194783744 : i64>)
    return %o#0, %o#1 : tensor<3xf32, 687194775552 : i64>, tensor<3xf32, 687194783744 : i64>
  }
}

// -----

// Views of what is written, and pieces of what is read: they wait for it.
module @fine attributes {module.chip = "bm1688", module.addr_mode = "basic", module.coeff_addr = 618475290624 : i64, module.coeff_size = 0 : i64, module.neuron_addr = 687194767360 : i64, module.neuron_size = 94208 : i64} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32, 687194783744 : i64> {
    %i0 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3xf32, 687194767360 : i64>
    %o = "tpu.CoreParallel"(%i0) ({
      %x = "tpu.Reverse"(%i0) {axis = 0 : i64} : (tensor<3xf32, 687194767360 : i64>) -> tensor<3xf32, 687194779648 : i64>
      %p:2 = "tpu.CoreSplit"(%x) {axis = 0 : si32} : (tensor<3xf32, 687194779648 : i64>) -> (tensor<2xf32, 687194779648 : i64>, tensor<1xf32, 687194779656 : i64>)
      %a = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<2xf32, 687194779648 : i64>) -> tensor<2xf32, 687194771456 : i64>
      %b = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1xf32, 687194779656 : i64>) -> tensor<1xf32, 687194771464 : i64>
      %j = "tpu.CoreJoin"(%a, %b) {axis = 0 : si32} : (tensor<2xf32, 687194771456 : i64>, tensor<1xf32, 687194771464 : i64>) -> tensor<3xf32, 687194771456 : i64>
      %k = "tpu.Reverse"(%j) {axis = 0 : i64} : (tensor<3xf32, 687194771456 : i64>) -> tensor<3xf32, 687194783744 : i64>
      "tpu.Yield"(%k) : (tensor<3xf32, 687194783744 : i64>) -> ()
    }) {offset = 0 : i64, size = 1 : i64} : (tensor<3xf32, 687194767360 : i64>) -> tensor<3xf32, 687194783744 : i64>
    return %o : tensor<3xf32, 687194783744 : i64>
  }
}
