// Attributes of the module that contradict its addresses or its chip.
//
// RUN: tpuc-opt %s --tpu-global-memory --mlir-print-debuginfo -o %t.linear
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1688" -o %t.tagged
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_tag" --mlir-print-debuginfo -o %t.tag
// RUN: tpuc-opt %s --tpu-global-memory="chip=cv181x" -o %t.register
// RUN: tpuc-opt %s --tpu-global-memory="io-mode=io_alone" --mlir-print-debuginfo -o %t.alone
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_alone" -o %t.taggedalone
// RUN: tpuc-opt %t.linear --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %t.alone --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %t.taggedalone --tpu-verify-addresses=chip=bm1688 -o /dev/null

// Another chip.
// RUN: not tpuc-opt %t.linear --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=COEFF
// RUN: not tpuc-opt %t.linear --tpu-verify-addresses=chip=bm1684 -o /dev/null 2>&1 | FileCheck %s --check-prefix=COEFF
// RUN: not tpuc-opt %t.tagged --tpu-verify-addresses=chip=bm1690 -o /dev/null 2>&1 | FileCheck %s --check-prefix=COEFF
// RUN: sed 's/module.neuron_addr = 687194767360/module.neuron_addr = 687194771456/' %t.tagged | not tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEURON
// RUN: sed 's/module.io_addr = [0-9]*/module.io_addr = 4096/' %t.taggedalone | not tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=IOADDR
// RUN: sed 's/module.neuron_size/module.private_size = 16 : i64, module.neuron_size/' %t.linear | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: sed 's/module.neuron_size = [0-9]*/module.neuron_size = 1099511627776/' %t.tagged | not tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: sed 's/module.dynamic_coeff_offset = [0-9]*/module.dynamic_coeff_offset = 8192/' %t.linear | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=DYNAMIC

// Another I/O mode.
// RUN: sed 's/addr_mode = "basic"/addr_mode = "io_alone"/' %t.linear | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOREGION
// RUN: sed 's/addr_mode = "basic"/addr_mode = "io_reloc"/' %t.linear | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOREGION
// RUN: sed 's/addr_mode = "io_alone"/addr_mode = "basic"/' %t.alone | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: sed 's/module.io_size = 8192/module.io_size = 4096/' %t.alone | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/module.io_size = 8192 : i64, //' %t.alone | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: sed 's/addr_mode = "basic"/addr_mode = "io_tag"/' %t.linear | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: sed 's/addr_mode = "basic"/addr_mode = "io_tag"/' %t.tagged | not tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTAG
// RUN: sed 's/addr_mode = "io_tag"/addr_mode = "basic"/' %t.tag | not tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAG
// What a mode that is not ours promises is not checked, and that is said.
// RUN: sed 's/addr_mode = "io_tag"/addr_mode = "io_tag_fuse"/' %t.tag | tpuc-opt --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSE
// RUN: tpuc-opt %t.tag --tpu-verify-addresses=chip=bm1688 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty

// FUSE: remark: 'module.addr_mode' is 'io_tag_fuse', which is not known here: where that puts inputs and outputs is not checked
// SILENT-NOT: remark
// COEFF: error: 'module.coeff_addr' is {{[0-9]+}}, but on chip '{{.*}}' that region begins at {{[0-9]+}}: the addresses are those of another chip [TPUMEM-E013]
// NEURON: error: 'module.neuron_addr' is 687194771456, but on chip 'bm1688' that region begins at 687194767360: the addresses are those of another chip [TPUMEM-E013]
// IOADDR: error: 'module.io_addr' is 4096, but on chip 'bm1688' that region begins at {{[0-9]+}}: the addresses are those of another chip [TPUMEM-E013]
// PRIVATE: error: 'module.private_size' is there, but chip 'bm1684x' has no private region: the addresses are those of another chip [TPUMEM-E013]
// WINDOW: error: 'module.neuron_size' is 1099511627776, but a region of chip 'bm1688' has {{[0-9]+}} bytes at most [TPUMEM-E013]
// DYNAMIC: error: 'module.dynamic_coeff_offset' is 8192, which is after the weights: they have 4096 bytes [TPUMEM-E013]
// NOREGION: error: 'module.addr_mode' is 'io_{{alone|reloc}}', but the module has no region for inputs and outputs: 'module.io_addr' and 'module.io_size' are missing [TPUMEM-E013]
// REGION: error: 'module.addr_mode' is 'basic', but the module has a region for inputs and outputs [TPUMEM-E013]
// SMALL: error: {{.*}}'y' at {{[0-9]+}} lies outside the region for inputs and outputs, where I/O mode 'io_alone' puts it [TPUMEM-E013]
// HALF: error: of 'module.io_addr' and 'module.io_size' one is missing [TPUMEM-E013]
// MODE: error: 'module.addr_mode' is 'io_tag', which chip 'bm1684x' does not have [TPUMEM-E007]
// NOTAG: error: 'module.addr_mode' is 'io_tag', but no input or output has a memory tag of its own [TPUMEM-E013]
// TAG: error: {{.*}}'x' at {{.*}} lies in no region for results [TPUMEM-E013]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}
