//===- CellPlans.cpp - Cells that search has found ----------------------===//

#include "lib/ModelBuilder/Graphs/CellPlans.h"

namespace tpu_mlir::graphs {

static constexpr BranchKind id = BranchKind::Identity,
                            s3 = BranchKind::Separable3,
                            s5 = BranchKind::Separable5,
                            s7 = BranchKind::Separable7,
                            d3 = BranchKind::Dilated3,
                            m3 = BranchKind::MaxPool3,
                            a3 = BranchKind::AveragePool3,
                            x7 = BranchKind::Row7Column7;

static constexpr int kJoin2To5[] = {2, 3, 4, 5};
static constexpr int kJoin2To6[] = {2, 3, 4, 5, 6};
static constexpr int kJoin3To6[] = {3, 4, 5, 6};
static constexpr int kJoin4To6[] = {4, 5, 6};
static constexpr int kJoin3And5And6[] = {3, 5, 6};
static constexpr int kJoin0And2To6[] = {0, 2, 3, 4, 5, 6};

static constexpr Pair kDartsNormal[] = {{{s3, 0}, {s3, 1}},
                                        {{s3, 0}, {s3, 1}},
                                        {{s3, 1}, {id, 0}},
                                        {{id, 0}, {d3, 2}}};
static constexpr Pair kDartsReduction[] = {{{m3, 0}, {m3, 1}},
                                           {{id, 2}, {m3, 1}},
                                           {{m3, 0}, {id, 2}},
                                           {{id, 2}, {m3, 1}}};
const CellPlans kDartsV2 = {{kDartsNormal, kJoin2To5},
                            {kDartsReduction, kJoin2To5}};

static constexpr Pair kNasNormal[] = {{{s5, 1}, {s3, 0}},
                                      {{s5, 0}, {s3, 0}},
                                      {{a3, 1}, {id, 0}},
                                      {{a3, 0}, {a3, 0}},
                                      {{s3, 1}, {id, 1}}};
static constexpr Pair kNasReduction[] = {{{s5, 1}, {s7, 0}},
                                         {{m3, 1}, {s7, 0}},
                                         {{a3, 1}, {s5, 0}},
                                         {{id, 3}, {a3, 2}},
                                         {{s3, 2}, {m3, 1}}};
const CellPlans kNasNetA = {{kNasNormal, kJoin0And2To6},
                            {kNasReduction, kJoin3To6}};

static constexpr Pair kAmoebaNormal[] = {{{a3, 0}, {m3, 0}},
                                         {{id, 0}, {a3, 1}},
                                         {{s5, 2}, {s3, 1}},
                                         {{s3, 2}, {id, 1}},
                                         {{a3, 4}, {s3, 0}}};
static constexpr Pair kAmoebaReduction[] = {{{a3, 0}, {s3, 1}},
                                            {{m3, 1}, {m3, 0}},
                                            {{m3, 0}, {s7, 2}},
                                            {{s7, 0}, {a3, 1}},
                                            {{s3, 3}, {x7, 0}}};
const CellPlans kAmoebaNetA = {{kAmoebaNormal, kJoin3And5And6},
                               {kAmoebaReduction, kJoin4To6}};

static constexpr Pair kPnas[] = {{{s5, 0}, {m3, 0}},
                                 {{s7, 1}, {m3, 1}},
                                 {{s5, 1}, {s3, 1}},
                                 {{s3, 4}, {m3, 1}},
                                 {{s3, 0}, {id, 1}}};
const CellPlans kPnasNet5 = {{kPnas, kJoin2To6}, {kPnas, kJoin2To6}};

} // namespace tpu_mlir::graphs
