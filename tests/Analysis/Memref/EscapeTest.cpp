//===- EscapeTest.cpp - Memrefs whose end is not known, and their sizes ---===//

#include "tests/Analysis/Memref/MarkedFunction.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

TEST(MemrefEscape, OfWhatALoopHandsOn) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %r = scf.for %i = %lb to %ub step %s iter_args(%x = %a) -> !t {
      %b = memref.alloc() {n = "b"} : !t
      %v = memref.cast %b : !t to !t
      "test.use"(%x, %v) : (!t, !t) -> ()
      %y = scf.if %p -> !t {
        scf.yield %v : !t
      } else {
        scf.yield %x : !t
      }
      scf.yield %y : !t
    }
    "test.use"(%r) : (!t) -> ()
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.reason("a"), StayReason::LoopYield);
  EXPECT_EQ(f.reason("b"), StayReason::LoopYield);
}

TEST(MemrefEscape, OfWhatIsAliveWhenItsAllocRunsAgain) {
  Function f(R"(
    %c = memref.alloc() {n = "c"} : !t
    cf.br ^loop(%outer, %c : !t, !t)
  ^loop(%x: !t, %y: !t):
    %a = memref.alloc() {n = "a"} : !t
    "test.use"(%a, %x) : (!t, !t) -> ()
    "test.use"(%y) : (!t) -> ()
    cf.cond_br %p, ^loop(%a, %c : !t, !t), ^end
  ^end:
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.reason("a"), StayReason::Outlives);
  // Allocated once, carried for good: that is no reason.
  EXPECT_EQ(f.reason("c"), std::nullopt);
}

TEST(MemrefEscape, OfAsynchronousOps) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : memref<4xf32>
    %b = memref.alloc() {n = "b"} : memref<4xf32, 3>
    %c = memref.alloc() {n = "c"} : !t
    %z = arith.constant 0 : index
    %token = nvgpu.device_async_copy %a[%z], %b[%z], 4 : memref<4xf32> to memref<4xf32, 3>
    omp.parallel {
      "test.use"(%c) : (!t) -> ()
      omp.terminator
    }
    %d = memref.alloc() {n = "d"} : !t
    omp.task {
      "test.use"(%d) : (!t) -> ()
      omp.terminator
    }
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.reason("a"), StayReason::Asynchronous);
  EXPECT_EQ(f.reason("b"), StayReason::Asynchronous);
  EXPECT_EQ(f.reason("c"), std::nullopt);
  EXPECT_EQ(f.reason("d"), StayReason::Asynchronous);
}

TEST(MemrefEscape, OfWhatAnOpMayKeep) {
  Function f(R"(
    %a = memref.alloc() {n = "float"} : !t
    %0 = "test.read"(%a) : (!t) -> f32
    %b = memref.alloc() {n = "index"} : !t
    %1 = "test.read"(%b) : (!t) -> index
    %c = memref.alloc() {n = "memref"} : !t
    %2 = "test.read"(%c) : (!t) -> !t
    %d = memref.alloc() {n = "tensor"} : !t
    %3 = "test.read"(%d) : (!t) -> tensor<4xf32>
    %e = memref.alloc() {n = "box"} : !t
    "test.put"(%e, %3) : (!t, tensor<4xf32>) -> ()
    %g = memref.alloc() {n = "cast"} : !t
    %4 = builtin.unrealized_conversion_cast %g : !t to !llvm.ptr
    %h = memref.alloc() {n = "argument"} : !t
    "test.region"(%h) ({
    ^bb0(%x: !t):
      "test.use"(%x) : (!t) -> ()
    }) : (!t) -> ()
    return)");
  ASSERT_TRUE(f.module);
  EXPECT_EQ(f.reason("float"), std::nullopt);
  EXPECT_EQ(f.reason("index"), StayReason::UnknownResult);
  EXPECT_EQ(f.reason("memref"), StayReason::UnknownResult);
  EXPECT_EQ(f.reason("tensor"), StayReason::Tensor);
  EXPECT_EQ(f.reason("box"), StayReason::Stored);
  EXPECT_EQ(f.reason("cast"), StayReason::UnknownResult);
  EXPECT_EQ(f.reason("argument"), StayReason::UnknownResult);
}

TEST(MemrefEscape, NamesTheFirstReason) {
  Function f(R"(
    %a = memref.alloc() {n = "a"} : !t
    %b = memref.realloc %a {t = "realloc"} : !t to memref<8xf32>
    %i = memref.extract_aligned_pointer_as_index %a : !t -> index
    return)");
  ASSERT_TRUE(f.module);
  MemrefUses uses = f.uses("a");
  ASSERT_TRUE(uses.escape);
  EXPECT_EQ(uses.escape->reason, StayReason::Freed);
  EXPECT_EQ(uses.escape->op, f.marks["realloc"]);
  EXPECT_EQ(describe(*uses.escape), "'memref.realloc' frees it");
}

TEST(MemrefSizes, AreThoseOfTheLowering) {
  MLIRContext context;
  DataLayout layout;
  auto bytes = [&](const std::string &text) -> std::optional<int64_t> {
    auto type = cast<MemRefType>(parseType("memref<" + text + ">", &context));
    auto size = memrefSize(type, layout);
    return size ? std::optional(size->sizeBytes) : std::nullopt;
  };
  EXPECT_EQ(bytes("10xf32"), 40);
  EXPECT_EQ(bytes("f64"), 8);
  EXPECT_EQ(bytes("10xi1"), 10);
  EXPECT_EQ(bytes("10xi4"), 10);
  EXPECT_EQ(bytes("10xi12"), 20);
  EXPECT_EQ(bytes("10xi24"), 40);
  EXPECT_EQ(bytes("10xi65"), 160);
  EXPECT_EQ(bytes("10xindex"), 80);
  EXPECT_EQ(bytes("10xcomplex<f32>"), 80);
  EXPECT_EQ(bytes("10xvector<4xf32>"), 160);
  EXPECT_EQ(bytes("10xvector<3xf32>"), 160);
  EXPECT_EQ(bytes("0x5xf32"), 0);
  EXPECT_EQ(bytes("4611686018427387904x0xf32"), 0);
  EXPECT_EQ(bytes("4611686018427387904x4xf32"), std::nullopt);
  EXPECT_EQ(bytes("10xvector<[4]xf32>"), std::nullopt);
  EXPECT_EQ(bytes("10xmemref<4xf32>"), std::nullopt);
  EXPECT_EQ(bytes("?xf32"), std::nullopt);
}

} // namespace
} // namespace tpu_mlir
