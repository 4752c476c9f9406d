// The report to look at: page, image, table. Weights are one band, and names
// are text whatever is in them.
// RUN: tpuc-opt %s --tpu-global-memory=gmem-bytes=65536 "--tpu-memory-report=format=html gmem-bytes=65536" -o /dev/null 2> %t.html
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: not grep '</script><b' %t.html
// RUN: tpuc-opt %s --tpu-global-memory --tpu-memory-report=format=svg -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG
// RUN: tpuc-opt %s --tpu-global-memory "--tpu-memory-report=format=csv file=%t.csv" -o /dev/null
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// RUN: not tpuc-opt %s --tpu-global-memory "--tpu-memory-report=format=svg local-map=x.html" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINK

// Too little room: no plan, or one as if there were more.
// RUN: not tpuc-opt %s --tpu-global-memory=gmem-bytes=20480 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tpuc-opt %s "--tpu-global-memory=gmem-bytes=20480 unlimited" "--tpu-memory-report=format=html gmem-bytes=20480" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVER
// A memory of the user: what lies beyond its end, over the next one, too, is its own.
// RUN: tpuc-opt %s "--tpu-global-memory=pools={name=sram,base=0x20000000,size=4KiB;name=next,base=0x20002000,size=64KiB} pins={b=sram;c=sram;y=next} pool-io unlimited verify=false" --mlir-print-debuginfo -o %t.beyond.mlir
// RUN: tpuc-opt %t.beyond.mlir --tpu-memory-report=format=csv -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: tpuc-opt %t.beyond.mlir --tpu-memory-report=format=html -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROOM
// BEYOND-DAG: b,1,3,8192,{{[0-9]+}},sram,activation,
// BEYOND-DAG: c,2,4,8192,{{[0-9]+}},sram,activation,
// BEYOND-DAG: y,3,5,4096,0,next,output,536879104,
// ROOM: <td>sram</td><td class="n" data-v="28672">28.0 KiB</td><td class="n" data-v="4096">4.0 KiB</td><td class="n"><span class="over">over by 24.0 KiB</span>
// What fits is as it was.
// RUN: tpuc-opt %s --tpu-global-memory=gmem-bytes=65536 -o %t.limited.mlir
// RUN: tpuc-opt %s "--tpu-global-memory=gmem-bytes=65536 unlimited" -o %t.unlimited.mlir
// RUN: cmp %t.limited.mlir %t.unlimited.mlir

// HTML: <title>memory of net - memory map</title>
// HTML: <h2>Peak</h2><div class="big">28.0 KiB</div>of neuron, in step
// HTML: Room left on the board</h2><div class="big">28.0 KiB</div>all regions take 36.0 KiB of 64.0 KiB
// HTML: &lt;/script&gt;&lt;b
// HTML: What each byte at the peak of neuron is there for
// HTML: in use up to step 1, next read in step 3
// HTML: id="map-data">{
// HTML-SAME: \u003c/script>\u003cb
// SVG: <?xml
// SVG: memory of net
// SVG: <title>2 weights
// CSV: id,lower,upper,size,offset,region,kind,address,alias_of
// CSV-NEXT: w,0,5,16,0,coeff,weight,4294967296,
// CSV-DAG: x,0,5,8192,{{[0-9]+}},neuron,input,{{[0-9]+}},
// CSV-DAG: y,3,5,4096,{{[0-9]+}},neuron,output,{{[0-9]+}},
// CSV-DAG: </script><b>,0,4,4096,{{[0-9]+}},neuron,activation,{{[0-9]+}},
// LINK: error: 'local-map' is for 'format=html', the page that has links [TPUMEM-E005]
// ERROR: [TPUMEM-E001]
// OVER: <span class="over">over by 16.0 KiB</span>
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<8192xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %v = "top.Weight"() : () -> tensor<16xi8> loc("v")
    %x = "top.Input"(%arg0) : (tensor<8192xi8>) -> tensor<8192xi8> loc("x")
    %a = "tpu.Custom"(%x, %w) {name = "f", params = []} : (tensor<8192xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("</script><b>")
    %b = "tpu.Custom"(%a, %v) {name = "f", params = []} : (tensor<4096xi8>, tensor<16xi8>) -> tensor<8192xi8> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("c")
    %y = "tpu.Custom"(%c, %a) {name = "f", params = []} : (tensor<8192xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}
