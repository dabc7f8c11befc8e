#include "policy/moves/move_budgets.h"

#include <algorithm>
#include <string_view>

#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

constexpr std::string_view kMover = "elbowroom-rescheduler";

void add(std::string& to, const std::string& ns, const std::string& name, std::string_view why) {
  if (!to.empty()) to += "; ";
  to += "budget " + ns + "/" + name + ": " + std::string(why);
}

// It has been charged, or the API server evicts it without a charge.
bool needs_no_charge(const PodDisruptionBudget& budget, const Pod& pod) {
  if (is_unhealthy(pod) && spares_unhealthy(budget)) return true;
  return budget.disrupted_pods.contains(pod.name);
}

}  // namespace

MoveBudgets::Known& MoveBudgets::known(const std::string& ns) {
  const auto [at, is_new] = by_namespace_.try_emplace(ns);
  if (is_new) {
    Budgets budgets = scene_.budgets_of(ns);
    at->second = {.upstream = std::move(budgets.upstream),
                  .ours = std::move(budgets.ours),
                  .strengths = std::move(budgets.strengths)};
  }
  return at->second;
}

std::vector<Pod> MoveBudgets::named_by(const DisruptionBudget& budget, const Known& known) const {
  std::vector<Pod> pods = scene_.named_by(budget.recent, budget.ns);
  for (const Pod& each : known.moved) {
    if (std::ranges::find(pods, each.uid, &Pod::uid) == pods.end()) pods.push_back(each);
  }
  return pods;
}

std::string MoveBudgets::why_blocked(const Pod& pod) {
  const Known& now = known(pod.ns);
  const std::string_view none = reserve_ > 0 ? "it allows no disruption beside the reserve now"
                                             : "it allows no disruption now";
  std::string why;
  std::size_t upstream = 0;
  for (const PodDisruptionBudget& each : now.upstream) {
    if (!covers(each.ns, each.selector, pod)) continue;
    ++upstream;
    if (upstream > 1) add(why, each.ns, each.name, "the second one, and no such pod is evicted");
    if (each.disruptions_allowed <= reserve_ && !needs_no_charge(each, pod)) {
      add(why, each.ns, each.name, none);
    }
  }
  for (std::size_t i = 0; i < now.ours.size(); ++i) {
    const DisruptionBudget& each = now.ours[i];
    if (!is_covered(each, pod)) continue;
    const std::vector<Pod> pods = named_by(each, now);
    const LedgerState state{
        .budget = each, .strength = now.strengths[i], .pods = pods, .now = scene_.now};
    const Debit asked = debit(state, {&pod, 1}, kMover);
    const bool is_reserved = asked.charged > 0 && asked.allowed <= reserve_;
    if (!asked.is_allowed || is_reserved) add(why, each.ns, each.name, none);
  }
  return why;
}

void MoveBudgets::charge(const Pod& pod) {
  Known& now = known(pod.ns);
  for (PodDisruptionBudget& each : now.upstream) {
    if (!covers(each.ns, each.selector, pod) || needs_no_charge(each, pod)) continue;
    --each.disruptions_allowed;
    --each.current_healthy;
  }
  for (std::size_t i = 0; i < now.ours.size(); ++i) {
    DisruptionBudget& each = now.ours[i];
    if (!is_covered(each, pod)) continue;
    const std::vector<Pod> pods = named_by(each, now);
    const LedgerState state{
        .budget = each, .strength = now.strengths[i], .pods = pods, .now = scene_.now};
    each.recent = debit(state, {&pod, 1}, kMover).ledger;
  }
  now.moved.push_back(pod);
}

}  // namespace elbowroom::policy
