// What the rescheduler's own values are made of, for its recordings. See
// recording/policy_fields.h, and cluster/recording_fields.h for nodes, pods and budgets.
#pragma once

#include <array>

#include "cluster/recording_fields.h"
#include "control/recording_fields.h"
#include "rescheduler/collections.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"
#include "rescheduler/reactor_options.h"

namespace elbowroom::recording {

template <>
struct Fields<rescheduler::ReactorOptions> {
  static void list(auto& io, auto& of) {
    auto& [dry_run, leader_elect, elector] = of;
    io("dryRun", dry_run)("leaderElect", leader_elect)("elector", elector);
  }
};
template <>
struct Names<rescheduler::Collection> {
  static constexpr auto kAll = control::names_of(rescheduler::kCollectionTable);
};
template <>
struct Names<decltype(rescheduler::Observation::what)> {
  static constexpr auto kAll = with_shared_names(std::array<std::string_view, 9>{
      "nodesListed"sv, "nodeSeen"sv, "nodeGone"sv, "podsListed"sv, "podSeen"sv, "podGone"sv,
      "budgetsListed"sv, "budgetSeen"sv, "budgetGone"sv});
};
template <>
struct Fields<rescheduler::WriteBudget> {
  static void list(auto& io, auto& of) {
    auto& [budget, version, status, ledger] = of;
    io("budget", budget)("resourceVersion", version)("status", status)("ledger", ledger);
  }
};
template <>
struct Fields<rescheduler::ReportOdd> {
  static void list(auto& io, auto& of) {
    auto& [budget, why, now] = of;
    io("budget", budget)("why", why)("now", now);
  }
};
template <>
struct Fields<rescheduler::DropAvoided> {
  static void list(auto& io, auto& of) {
    auto& [node, now] = of;
    io("node", node)("now", now);
  }
};
template <>
struct Names<decltype(rescheduler::Effect::what)> {
  static constexpr std::array kAll = {"writeLease"sv, "giveUpWrites"sv, "writeBudget"sv,
                                      "reportOdd"sv, "dropAvoided"sv};
};
template <>
struct Fields<rescheduler::Effect> {
  static void list(auto& io, auto& of) {
    auto& [id, not_after, what] = of;
    io("id", id)("notAfterMs", not_after)("what", what);
  }
};

}  // namespace elbowroom::recording
