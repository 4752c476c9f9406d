// Names are any bytes (GBK here): what is not UTF-8 is replaced where people and other programs read it.
// RUN: tpuc-opt %s --tpu-global-memory "--tpu-memory-report=format=html file=%t.html" -o /dev/null
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// RUN: iconv -f UTF-8 -t UTF-8 %t.html -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory "--tpu-memory-report=format=svg file=%t.svg" -o /dev/null
// RUN: FileCheck %s --check-prefix=SVG < %t.svg
// RUN: iconv -f UTF-8 -t UTF-8 %t.svg -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory "--tpu-memory-report=format=text file=%t.txt" -o /dev/null
// RUN: FileCheck %s --check-prefix=TEXT < %t.txt
// RUN: iconv -f UTF-8 -t UTF-8 %t.txt -o /dev/null
// The plan in a file has such names, too, and is known again.
// RUN: tpuc-opt %s --tpu-assign-weight-address --tpu-assign-global-address=problem-file=%t.json --tpu-verify-plan=problem-file=%t.json -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory=gmem-bytes=4096 -o /dev/null 2> %t.err
// RUN: FileCheck %s --check-prefix=ERROR < %t.err

// PAGE: <title>memory of net� - memory map</title>
// PAGE: �
// SVG: aria-label="memory plan of memory of net�"
// TEXT: module net�, chip bm1684x
// TEXT: �{{.*}} 256 B
// ERROR: '��<��' (output)
module @"net\BE" attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("\BE\ED\BB\FD")
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode SILU>} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("\BE\ED<\BB\FD")
    return %y : tensor<1x64xf32>
  }
}
