// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --tpu-assign-pools %s

module attributes {module.pools = ["name=sram"]} {
  func.func @unknown_candidate() {
    // expected-error @+1 {{attribute 'candidate_pools' names 'srma'; pools that can be written: sram [TPUMEM-E005]}}
    %a = memref.alloc() {candidate_pools = ["srma"]} : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    return
  }
}

// -----

module attributes {module.pools = ["name=sram", "name=flash,access=ro"]} {
  func.func @read_only_candidate() {
    // expected-error @+1 {{attribute 'candidate_pools' names 'flash'; pools that can be written: sram [TPUMEM-E005]}}
    %a = memref.alloc() {candidate_pools = ["sram", "flash"]} : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    return
  }
}

// -----

func.func @no_list() {
  // expected-error @+1 {{attribute 'candidate_pools' has to be an array of names of pools [TPUMEM-E005]}}
  %a = memref.alloc() {candidate_pools = "workspace"} : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @twice() {
  // expected-error @+1 {{attribute 'candidate_pools' names 'workspace' twice [TPUMEM-E005]}}
  %a = memref.alloc() {candidate_pools = ["workspace", "workspace"]} : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-error @+3 {{the module does not fit: pool 'sram' needs 512 B, has 256 B, over by 256 B [TPUMEM-E001]}}
// expected-note @+2 {{what has to be there at once sums to 512 B, so no layout can fit}}
// expected-note @+1 {{it fits when pool 'sram' has 512 bytes instead of 256}}
module attributes {module.pools = ["name=sram,size=256,align=16"]} {
  func.func @too_small() {
    // expected-note @+1 {{256 B in use there: 'too_small/buffer0'}}
    %a = memref.alloc() : memref<64xf32>
    // expected-note @+1 {{256 B in use there: 'too_small/buffer1'}}
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}
