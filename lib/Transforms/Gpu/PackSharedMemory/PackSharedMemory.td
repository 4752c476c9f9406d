#ifndef TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY
#define TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY

include "mlir/Pass/PassBase.td"

def PackSharedMemory : Pass<"gpu-pack-shared-memory"> {
  let summary = "Pack the workgroup memory of GPU kernels, with barriers where bytes change hands";
  let description = [{
    A kernel declares its workgroup memory buffer by buffer, as attributions or
    as `memref.alloc`s. This pass gives those that are never in use together the
    same bytes of one buffer:

    ```mlir
    gpu.func @k(%i: index) workgroup(
        %a : memref<64xf32, #gpu.address_space<workgroup>>,
        %b : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      "test.use"(%a) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
      "test.use"(%b) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
      gpu.return
    }
    // becomes
    gpu.func @k(%i: index) workgroup(
        %bytes : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
      %a = memref.view %bytes[%c0][] : ...
      %b = memref.view %bytes[%c0][] : ...
      "test.use"(%a) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
      gpu.barrier
      "test.use"(%b) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
      gpu.return
    }
    ```

    The threads of a workgroup share the buffers and run apart. So a barrier
    has to lie between the uses of two buffers that have bytes in common, on
    every way from the one to the other, round loops, too. One is added where
    none is yet, at a place where all threads come: where nothing that differs
    from thread to thread decides about coming there. What is used inside a
    branch or a loop that such a value decides about counts for all of it, and
    no barrier goes in there.

    Only kernels are packed. Nothing is changed where packing saves nothing.
    Legal IR never makes the pass fail, only a capacity that cannot be met
    (E001) or an option without sense (E016, E018).
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
           "How to pack: a name of the strategy registry">,
    Option<"capacity", "capacity", "int64_t", /*default=*/"-1",
           "Bytes of workgroup memory a kernel has: an error where it needs more; -1: no limit">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"16",
           "Bytes that the memory and every buffer in it is aligned to; a power of two">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say what each kernel saves, and why a buffer is left alone">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

#endif // TPU_MLIR_TRANSFORMS_PACKSHAREDMEMORY
