//===- SkylineSearchTest.cpp - Sections and the search on them ------------===//

#include "lib/Planning/Search/SkylineSearch.h"
#include "lib/Planning/Kit/Packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

Item item(std::vector<Interval> lifespans, int64_t sizeBytes,
          int64_t alignment = 1) {
  Item result;
  result.sizeBytes = sizeBytes;
  result.alignment = alignment;
  result.lifespans = std::move(lifespans);
  result.readSteps = {result.lifespans.back().end - 1};
  return result;
}

PackingProblem packingOf(std::vector<Item> items) {
  PackingProblem packing;
  packing.items = std::move(items);
  packing.lowerBoundBytes =
      boundOfItems(packing.items, packing.forbiddenSharing).bytes;
  return packing;
}

/// The least is 6, although no more than 5 bytes are alive at a step.
PackingProblem tangle() {
  return packingOf({item({{0, 1}}, 3), item({{0, 2}}, 2), item({{1, 3}}, 1),
                    item({{2, 3}}, 1), item({{1, 4}}, 2), item({{2, 4}}, 1),
                    item({{3, 5}}, 2), item({{4, 5}}, 3)});
}

/// Gaps, alignments, pins, items without bytes and pairs.
PackingProblem randomPacking(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  auto below = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
  PackingProblem packing;
  for (int i = 0; i < count; ++i) {
    std::vector<Interval> spans;
    for (int64_t k = 1 + below(3); k > 0; --k) {
      const int64_t begin = below(12);
      spans.push_back({begin, begin + 1 + below(4)});
    }
    const int64_t alignment = int64_t(1) << below(3);
    packing.items.push_back(
        item(normalize(spans), below(8) == 0 ? 0 : 1 + below(9), alignment));
  }
  packing.items[0].pinOffset = packing.items[0].alignment * below(8);
  packing.forbiddenSharing = {{1, 2}, {0, 3}};
  packing.lowerBoundBytes =
      boundOfItems(packing.items, packing.forbiddenSharing).bytes;
  return packing;
}

bool isAliveAt(const Item &item, int64_t step) {
  return std::any_of(item.lifespans.begin(), item.lifespans.end(),
                     [&](const Interval &span) { return span.contains(step); });
}

std::set<int32_t> setOf(const IndexLists &lists, size_t list) {
  return {lists.begin(list), lists.end(list)};
}

/// The piece that an item is; -1 when it has no bytes.
std::vector<int32_t> piecesOf(const PackingProblem &p,
                              const SectionedProblem &sections) {
  std::vector<int32_t> pieces(p.items.size(), -1);
  for (size_t i = 0; i < sections.itemOf.size(); ++i)
    pieces[sections.itemOf[i]] = int32_t(i);
  return pieces;
}

TEST(Sections, EachStepIsInASectionThatHoldsWhatIsAlive) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const PackingProblem p = randomPacking(seed, 10);
    const auto sections = SectionedProblem::build(p);
    ASSERT_TRUE(sections);
    const std::vector<int32_t> pieces = piecesOf(p, *sections);
    // Steps one by one: a new section begins where some life does or ends.
    std::vector<std::set<int32_t>> expected;
    std::set<int64_t> cuts;
    for (size_t id = 0; id < p.items.size(); ++id)
      for (const Interval &span : p.items[id].lifespans)
        if (pieces[id] >= 0)
          cuts.insert({span.begin, span.end});
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      std::set<int32_t> alive;
      for (size_t id = 0; id < p.items.size(); ++id)
        if (pieces[id] >= 0 && isAliveAt(p.items[id], *cut))
          alive.insert(pieces[id]);
      expected.push_back(alive);
    }
    ASSERT_EQ(sections->load.size(), expected.size());
    for (size_t s = 0; s < expected.size(); ++s) {
      EXPECT_EQ(setOf(sections->live, s), expected[s]);
      int64_t load = 0;
      for (int32_t piece : expected[s])
        load += sections->pieces[size_t(piece)].paddedBytes;
      EXPECT_EQ(sections->load[s], load);
    }
  }
}

TEST(Sections, NeighboursAreThoseThatMustNotShareBytes) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const PackingProblem p = randomPacking(seed, 10);
    const auto sections = SectionedProblem::build(p);
    ASSERT_TRUE(sections);
    const std::vector<int32_t> pieces = piecesOf(p, *sections);
    std::vector<std::set<int32_t>> expected(sections->pieces.size());
    for (size_t a = 0; a < p.items.size(); ++a)
      for (size_t b = 0; b < p.items.size(); ++b) {
        bool keepApart = false;
        for (int64_t step = 0; step < 20; ++step)
          keepApart |=
              isAliveAt(p.items[a], step) && isAliveAt(p.items[b], step);
        for (const auto &[x, y] : p.forbiddenSharing)
          keepApart |= (int64_t(a) == x && int64_t(b) == y) ||
                       (int64_t(a) == y && int64_t(b) == x);
        if (a != b && keepApart && pieces[a] >= 0 && pieces[b] >= 0)
          expected[size_t(pieces[a])].insert(pieces[b]);
      }
    for (size_t piece = 0; piece < expected.size(); ++piece)
      EXPECT_EQ(setOf(sections->neighbours, piece), expected[piece])
          << "seed " << seed << ", piece " << piece;
  }
}

TEST(Sections, PaddingUpToTheCommonAlignment) {
  const auto sections = SectionedProblem::build(
      packingOf({item({{0, 2}}, 5, 12), item({{0, 1}}, 9, 8)}));
  ASSERT_TRUE(sections);
  EXPECT_EQ(sections->pieces[0].paddedBytes, 8);
  EXPECT_EQ(sections->pieces[1].paddedBytes, 12);
  EXPECT_EQ(sections->maxPaddingBytes, 3);
  EXPECT_EQ(sections->load, (std::vector<int64_t>{20, 8}));
}

TEST(Sections, TwinsAreInARow) {
  PackingProblem p =
      packingOf({item({{0, 2}}, 4), item({{0, 2}}, 5), item({{0, 2}}, 4),
                 item({{0, 2}}, 4, 2), item({{0, 2}}, 4), item({{0, 2}}, 4),
                 item({{0, 2}}, 4)});
  p.items[4].pinOffset = 8;
  p.forbiddenSharing = {{1, 5}};
  const auto sections = SectionedProblem::build(p);
  ASSERT_TRUE(sections);
  std::vector<int32_t> twins;
  for (const Piece &piece : sections->pieces)
    twins.push_back(piece.twin);
  // Not the pinned one, not the one with a partner, not the other alignment.
  EXPECT_EQ(twins, (std::vector<int32_t>{-1, -1, 0, -1, -1, -1, 2}));
}

TEST(Sections, SaysNoToWhatIsTooLarge) {
  std::vector<Item> many(20, item({{0, 2}}, 1));
  EXPECT_TRUE(SectionedProblem::build(packingOf(many), 20, 190));
  EXPECT_FALSE(SectionedProblem::build(packingOf(many), 19, 190));
  EXPECT_FALSE(SectionedProblem::build(packingOf(many), 20, 189));
  const int64_t huge = int64_t(1) << 62;
  EXPECT_TRUE(SectionedProblem::build(
      packingOf({item({{0, 2}}, huge), item({{0, 2}}, huge - 1)})));
  EXPECT_FALSE(SectionedProblem::build(
      packingOf({item({{0, 2}}, huge), item({{0, 2}}, huge)})));
}

constexpr RankKey kKeys[] = {RankKey::WAT, RankKey::TAW, RankKey::TWA,
                             RankKey::TRootWSize, RankKey::Area};
constexpr int64_t kMany = 10'000'000;

/// Offsets of the items.
std::vector<int64_t> offsetsOf(const PackingProblem &p,
                               const SectionedProblem &sections,
                               const SearchResult &found) {
  std::vector<int64_t> offsets;
  for (const Item &each : p.items)
    offsets.push_back(each.pinOffset.value_or(0));
  for (size_t i = 0; i < sections.itemOf.size(); ++i)
    offsets[sections.itemOf[i]] = found.offsets[i];
  return offsets;
}

TEST(SkylineSearch, TheTangleNeedsSix) {
  const PackingProblem p = tangle();
  ASSERT_EQ(p.lowerBoundBytes, 5);
  const auto sections = SectionedProblem::build(p);
  for (RankKey key : kKeys)
    for (double noise : {0.0, 0.5}) {
      auto below = [&](int64_t target) {
        return searchBelow(*sections, {}, target, {key, noise, 3}, kMany);
      };
      EXPECT_EQ(below(5).outcome, SearchOutcome::Exhausted);
      EXPECT_GT(below(5).nodes, 0);
      // Below the loads there is nothing to place.
      EXPECT_EQ(below(4).outcome, SearchOutcome::Exhausted);
      EXPECT_EQ(below(4).nodes, 0);
      const SearchResult found = below(6);
      ASSERT_EQ(found.outcome, SearchOutcome::Found);
      const std::vector<int64_t> offsets = offsetsOf(p, *sections, found);
      EXPECT_TRUE(isValidPacking(p, offsets));
      EXPECT_EQ(p.highWater(offsets), 6);
    }
}

TEST(SkylineSearch, WhatIsFoundIsValidAndBelowTheTarget) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PackingProblem p = randomPacking(seed, 9);
    const auto sections = SectionedProblem::build(p);
    int64_t least = -1, highestRuledOut = -1;
    for (int64_t target = 0; target <= 120; ++target) {
      const SearchResult found = searchBelow(
          *sections, {}, target, {kKeys[seed % 5], 0.3, seed}, kMany);
      ASSERT_NE(found.outcome, SearchOutcome::Stopped);
      if (found.outcome == SearchOutcome::Exhausted) {
        highestRuledOut = target;
        continue;
      }
      least = least < 0 ? target : least;
      const std::vector<int64_t> offsets = offsetsOf(p, *sections, found);
      EXPECT_TRUE(isValidPacking(p, offsets));
      for (int32_t i = 0; i < int32_t(sections->pieces.size()); ++i)
        EXPECT_LE(found.offsets[size_t(i)] +
                      sections->pieces[size_t(i)].sizeBytes,
                  target);
    }
    // More room never hurts: one answer up to the least, the other from there.
    EXPECT_EQ(highestRuledOut + 1, least);
  }
}

TEST(SkylineSearch, StopsAtTheNodeLimit) {
  const auto sections = SectionedProblem::build(tangle());
  const SearchResult whole = searchBelow(*sections, {}, 5, {}, kMany);
  ASSERT_EQ(whole.outcome, SearchOutcome::Exhausted);
  const int64_t needed = whole.nodes;
  ASSERT_GT(needed, 3);
  for (int64_t limit : {int64_t(0), int64_t(1), needed - 1}) {
    const SearchResult cut = searchBelow(*sections, {}, 5, {}, limit);
    EXPECT_EQ(cut.outcome, SearchOutcome::Stopped);
    EXPECT_LE(cut.nodes, limit);
    EXPECT_TRUE(cut.offsets.empty());
  }
}

TEST(SkylineSearch, StopsWhenToldTo) {
  // Each of 24 sizes is different, and two bytes are missing: no end in sight.
  std::vector<Item> items;
  for (int64_t i = 0; i < 24; ++i)
    items.push_back(item({{i % 5, i % 5 + 3}}, 100 + i * i, i % 2 ? 8 : 1));
  const PackingProblem p = packingOf(items);
  const auto sections = SectionedProblem::build(p);
  int64_t asked = 0;
  const SearchResult cut = searchBelow(*sections, {}, p.lowerBoundBytes, {},
                                       kMany, [&] { return ++asked >= 3; });
  EXPECT_EQ(cut.outcome, SearchOutcome::Stopped);
  EXPECT_GE(asked, 3);
  EXPECT_LT(cut.nodes, 5 * 1024);
}

TEST(SkylineSearch, TheOrderAloneDecides) {
  const PackingProblem p = randomPacking(5, 30);
  const auto sections = SectionedProblem::build(p);
  auto run = [&](const SearchOrder &order) {
    const SearchResult found =
        searchBelow(*sections, {}, 2 * p.lowerBoundBytes, order, kMany);
    EXPECT_EQ(found.outcome, SearchOutcome::Found);
    return found.offsets;
  };
  std::set<std::vector<int64_t>> different;
  for (RankKey key : kKeys)
    for (uint64_t seed : {1, 2}) {
      const SearchOrder order{key, 0.5, seed};
      EXPECT_EQ(run(order), run(order));
      different.insert(run(order));
    }
  EXPECT_GT(different.size(), 1u);
}

TEST(SkylineSearch, NothingToPlace) {
  const auto sections = SectionedProblem::build(packingOf({item({{0, 1}}, 0)}));
  ASSERT_TRUE(sections);
  const SearchResult found = searchBelow(*sections, {}, 0, {}, 0);
  EXPECT_EQ(found.outcome, SearchOutcome::Found);
  EXPECT_TRUE(found.offsets.empty());
}

} // namespace
