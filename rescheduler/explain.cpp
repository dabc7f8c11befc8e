#include "rescheduler/explain.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/ledger_entries.h"
#include "api/codec/timestamp.h"

namespace elbowroom::rescheduler {
namespace {

using api::json_bool;
using api::json_list;
using api::json_map;
using api::json_number;
using api::json_text;

constexpr const char* kApiVersion = "elbowroom.dev/v1alpha1";

Value time_text(const std::optional<policy::Time>& time) {
  return json_text(time ? api::format_timestamp(std::chrono::floor<std::chrono::seconds>(*time))
                        : std::string());
}

std::string reason_of(const policy::BudgetKeeping& is) {
  const policy::Condition* allowed =
      policy::find_condition(is.status.conditions, policy::kDisruptionAllowed);
  return allowed != nullptr ? allowed->reason : "";
}

Value allowed_by(const ClusterState& cluster, const policy::DisruptionBudget& budget,
                 policy::Time server) {
  const policy::BudgetKeeping is = BudgetKeeper::keeping(cluster, budget, server);
  return json_map({{"budget", json_text(budget.ns + "/" + budget.name)},
                   {"hard", json_bool(budget.hard)},
                   {"disruptionsAllowed", json_number(is.status.disruptions_allowed)},
                   {"nextAllowedTime", time_text(is.status.next_allowed_time)},
                   {"reason", json_text(reason_of(is))}});
}

// Whether the pod is moved, and until when its owner rests.
Value move_of(const Reactor& reactor, const policy::Pod& pod, const Moment& now) {
  const policy::Time server = reactor.server_time(now.since_start);
  Value made = json_map({{"why", json_text(reactor.why_moved(pod, now.since_start))}});
  if (!pod.controller) return made;
  const policy::TopOwner owner = reactor.moves().pass().owner_of(pod);
  api::set_member(made, "owner", json_text(owner.name));
  api::set_member(made, "ownerRestsUntil",
                  time_text(reactor.moves().rests().rests_until(owner.uid, server)));
  return made;
}

std::string odd_budget(std::string_view key, const std::string& why) {
  return api::to_json(json_map({{"apiVersion", json_text(kApiVersion)},
                                {"kind", json_text("BudgetExplanation")},
                                {"budget", json_text(std::string(key))},
                                {"reason", json_text(std::string(policy::kReasonNotUnderstood))},
                                {"message", json_text(why)}}));
}

}  // namespace

std::string explain_budget(const Reactor& reactor, std::string_view key, const Moment& now,
                           bool is_dry_run) {
  const ClusterState& cluster = reactor.cluster();
  const policy::DisruptionBudget* budget = cluster.budget(key);
  if (budget == nullptr) {
    const auto odd = cluster.odd_budgets().find(key);
    return odd == cluster.odd_budgets().end() ? "" : odd_budget(key, odd->second);
  }
  const policy::Time server = reactor.server_time(now.since_start);
  const policy::BudgetKeeping is = BudgetKeeper::keeping(cluster, *budget, server);
  const std::string idle = reactor.idle_because();
  return api::to_json(json_map(
      {{"apiVersion", json_text(kApiVersion)},
       {"kind", json_text("BudgetExplanation")},
       {"budget", json_text(std::string(key))},
       {"hard", json_bool(budget->hard)},
       {"sparesUnhealthy",
        json_bool(policy::spares_unhealthy(
            *budget, {.covered = is.status.expected_pods, .healthy = is.status.current_healthy}))},
       {"time", time_text(server)},
       {"expectedPods", json_number(is.status.expected_pods)},
       {"currentHealthy", json_number(is.status.current_healthy)},
       {"desiredHealthy", json_number(is.status.desired_healthy)},
       {"disruptionsAllowed", json_number(is.status.disruptions_allowed)},
       {"nextAllowedTime", time_text(is.status.next_allowed_time)},
       {"reason", json_text(reason_of(is))},
       {"recentDisruptions", api::encode_ledger(is.ledger)},
       {"statusIsCurrent", json_bool(!is.is_due)},
       {"lookedAtAgain", time_text(is.look_again)},
       {"keptBy", json_text(is_dry_run     ? "nobody: a dry run"
                            : idle.empty() ? "this replica"
                                           : "not this replica: " + idle)}}));
}

std::string explain_pod(const Reactor& reactor, std::string_view key, const Moment& now) {
  const ClusterState& cluster = reactor.cluster();
  const auto pod = cluster.snapshot().pod(key);
  if (!pod) return "";
  const policy::Time server = reactor.server_time(now.since_start);
  std::vector<Value> budgets;
  for (const policy::DisruptionBudget* each : cluster.snapshot().own_budgets_over(*pod)) {
    budgets.push_back(allowed_by(cluster, *each, server));
  }
  return api::to_json(json_map({{"apiVersion", json_text(kApiVersion)},
                                {"kind", json_text("BudgetsOfPod")},
                                {"pod", json_text(std::string(key))},
                                {"uid", json_text(pod->uid)},
                                {"time", time_text(server)},
                                {"budgets", json_list(std::move(budgets))},
                                {"move", move_of(reactor, *pod, now)}}));
}

}  // namespace elbowroom::rescheduler
