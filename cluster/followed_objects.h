// How the daemons that keep a snapshot follow nodes, pods and budgets: what they make of an object,
// and how much of all of them is kept.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "api/watch/watcher.h"
#include "base/result.h"
#include "control/collection.h"
#include "control/followed_collections.h"
#include "policy/model/namespace.h"
#include "policy/model/node.h"

namespace elbowroom::cluster {

// What a snapshot keeps of pods, beside the bytes: where each one is.
inline constexpr std::size_t kBesidePod = 300;
// What no pod is made small for, however much is kept.
inline constexpr std::size_t kUsualPodBytes = std::size_t{16} << 10;
// Some 375,000 usual pods, or 215,000 with labels and terms of their own, which take three times as
// much with their indexes. The units have 1 GiB, and while a list comes both are kept.
inline constexpr std::size_t kMostPodBytes = std::size_t{192} << 20;

// Room for 15,000 nodes with twenty labels and a hundred image names each, for 100,000 budgets, and
// for as many namespaces, of which what places pods keeps a copy.
inline constexpr std::size_t kMostNodeBytes = std::size_t{192} << 20;
// Those with more labels or images lose their images first where there are very many.
inline constexpr std::size_t kUsualNodeBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMostBudgetBytes = std::size_t{80} << 20;
inline constexpr std::size_t kMostNamespaceBytes = std::size_t{56} << 20;
// Those with a larger selector are dropped first where there are very many.
inline constexpr std::size_t kUsualBudgetBytes = 2048;

// `part`: Sizes where no pods are placed; then nodes come without their images.
[[nodiscard]] inline control::Following<policy::Node> followed_nodes(
    const control::CollectionRow& row, api::Part part) {
  api::WatchTarget target = control::target_of(row);
  target.part = part;
  return {.row = row,
          .target = std::move(target),
          .decode = api::decode_node,
          .bounds = {.weigh = [](const policy::Node& node) { return api::weight_of(node); },
                     .make_small = [](policy::Node node) -> Result<policy::Node> {
                       node.images = {};
                       return node;
                     },
                     .usual_bytes = kUsualNodeBytes,
                     .most_bytes = kMostNodeBytes}};
}

[[nodiscard]] inline control::Following<policy::Namespace> followed_namespaces(
    const control::CollectionRow& row) {
  return {.row = row,
          .target = control::target_of(row),
          .decode = api::decode_namespace,
          .bounds = {.weigh = [](const policy::Namespace& seen) { return api::weight_of(seen); },
                     .most_bytes = kMostNamespaceBytes}};
}

template <class Budget, class Decode>
[[nodiscard]] control::Following<Budget> followed_budgets(const control::CollectionRow& row,
                                                          Decode decode) {
  return {
      .row = row,
      .target = control::target_of(row),
      .decode = decode,
      .bounds = {.weigh = [](const Budget& budget) { return api::weight_of(budget); },
                 .make_small = [](const Budget& budget) -> Result<Budget> {
                   return failure(
                       Code::Exhausted,
                       "budget " + budget.ns + "/" + budget.name +
                           ": its selector is large, and there are too many budgets to keep it");
                 },
                 .usual_bytes = kUsualBudgetBytes,
                 .most_bytes = kMostBudgetBytes}};
}

}  // namespace elbowroom::cluster
