//===- StorageFormTest.cpp - How elements lie at their address ------------===//

#include "lib/Interpreter/StorageForm.h"

#include <gtest/gtest.h>

using namespace tpu_mlir::interpreter;

namespace {

using Bytes = std::vector<uint8_t>;

/// Slots of 4 bytes, `elements` an image.
StorageForm inSlots(int64_t images, int64_t slots, int64_t elements) {
  StorageForm form;
  form.bytes = slots * elements * 4;
  form.images = images, form.elementBytes = 4 / images;
  form.imageElements = elements;
  return form;
}

TEST(StorageFormTest, FourImagesShareSlots) {
  const StorageForm form = inSlots(4, 2, 2);
  const Bytes elements = {1, 2, 11, 12, 21, 22, 31, 32, 41, 42};
  const Bytes stored = {1, 11, 21, 31, 2, 12, 22, 32, 41, 0, 0, 0, 42, 0, 0, 0};
  EXPECT_EQ(toStorage(form, elements), stored);
  EXPECT_EQ(fromStorage(form, stored, 10), elements);
}

TEST(StorageFormTest, TwoImagesOfTwoBytes) {
  const StorageForm form = inSlots(2, 1, 2);
  const Bytes elements = {1, 2, 3, 4, 5, 6, 7, 8};
  const Bytes stored = {1, 2, 5, 6, 3, 4, 7, 8};
  EXPECT_EQ(toStorage(form, elements), stored);
  EXPECT_EQ(fromStorage(form, stored, 8), elements);
}

TEST(StorageFormTest, WhatFollowsTheElementsIsZero) {
  StorageForm form;
  form.bytes = 5;
  EXPECT_EQ(toStorage(form, {1, 2, 3}), (Bytes{1, 2, 3, 0, 0}));
  EXPECT_EQ(fromStorage(form, {1, 2, 3, 9, 9}, 3), (Bytes{1, 2, 3}));
}

TEST(StorageFormTest, WhatHasNoPlaceIsLost) {
  StorageForm form;
  form.bytes = 2;
  EXPECT_EQ(toStorage(form, {1, 2, 3}), (Bytes{1, 2}));
  EXPECT_EQ(fromStorage(form, {1, 2}, 3), (Bytes{1, 2, 0}));
}

TEST(StorageFormTest, PartsAreFoundAtTheirPlaces) {
  StorageForm plain;
  plain.bytes = 64, plain.elementBytes = 2;
  // The third image of three is the first of its slot.
  EXPECT_EQ(offsetInForm(inSlots(2, 2, 3), inSlots(2, 1, 3), 12, 6), 12);
  EXPECT_EQ(offsetInForm(inSlots(2, 2, 3), inSlots(2, 1, 3), 6, 6),
            std::nullopt);
  EXPECT_EQ(offsetInForm(inSlots(2, 2, 3), inSlots(2, 1, 2), 2, 4), 4);
  EXPECT_EQ(offsetInForm(plain, plain, 6, 4), 6);
  // Images of one element are one after the other, either way.
  EXPECT_EQ(offsetInForm(plain, inSlots(2, 4, 1), 0, 16), 0);
  EXPECT_EQ(offsetInForm(plain, inSlots(2, 2, 3), 0, 6), std::nullopt);
}

} // namespace
