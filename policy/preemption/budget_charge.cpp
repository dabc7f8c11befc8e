#include "policy/preemption/budget_charge.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

// A count as it is; a percentage of `of`, rounded up. `of` is a number of pods, so nothing
// overflows. Percentages are capped at 10,000 times `of`.
std::int64_t resolve(const IntOrPercent& figure, std::int64_t of) {
  if (!figure.percent) return figure.value;
  return (std::min<std::int64_t>(figure.value, 1'000'000) * of + 99) / 100;
}

// The remaining allowance of one budget.
struct Account {
  const PodDisruptionBudget* upstream = nullptr;
  const DisruptionBudget* ours = nullptr;
  std::int64_t left = 0;
  std::set<std::string_view> debited{};  // uids
  bool spares_unhealthy = false;

  // And has not counted it yet.
  [[nodiscard]] bool covers_pod(const Pod& pod) const {
    if (spares_unhealthy && is_unhealthy(pod)) return false;
    if (ours != nullptr) {
      return covers(ours->ns, ours->selector, pod) && !debited.contains(pod.uid);
    }
    return covers(upstream->ns, upstream->selector, pod) &&
           !upstream->disrupted_pods.contains(pod.name);
  }
};

// By kind, namespace and name.
std::tuple<bool, std::string_view, std::string_view> order_of(const Account& each) {
  if (each.ours != nullptr) return {true, each.ours->ns, each.ours->name};
  return {false, each.upstream->ns, each.upstream->name};
}

// Sorted by name. Where charging stops at the first violated budget, the order of budgets decides
// which of the others are charged, so it must not depend on the order of input.
// By upstream's rules a PodDisruptionBudget spares no unhealthy pod.
std::vector<Account> open_accounts(const Budgets& budgets, RuleSet rules, Time now) {
  std::vector<Account> accounts;
  accounts.reserve(budgets.upstream.size() + budgets.ours.size());
  for (const PodDisruptionBudget& each : budgets.upstream) {
    accounts.push_back({.upstream = &each,
                        .left = each.disruptions_allowed,
                        .spares_unhealthy = rules != RuleSet::Upstream && spares_unhealthy(each)});
  }
  for (const DisruptionBudget& each : budgets.ours) {
    const auto at = static_cast<std::size_t>(&each - budgets.ours.data());
    const Strength strength = at < budgets.strengths.size()
                                  ? budgets.strengths[at]
                                  : strength_of(each, budgets.cluster_pods);
    accounts.push_back({.ours = &each,
                        .left = allowed_now(each, strength, now),
                        .spares_unhealthy = spares_unhealthy(each, strength)});
    for (const LedgerEntry& entry : each.recent) {
      if (is_charged(each, entry, now)) accounts.back().debited.insert(entry.uid);
    }
  }
  // What a snapshot returns is in order.
  if (!std::ranges::is_sorted(accounts, {}, order_of)) std::ranges::sort(accounts, {}, order_of);
  return accounts;
}

// A pod is compared with the budgets of its namespace alone.
void add_covering(const std::vector<Account>& accounts, const Pod& pod, BudgetAccounts& to) {
  const auto kind_and_namespace = [](const Account& each) {
    const auto [is_ours, ns, name] = order_of(each);
    return std::pair(is_ours, ns);
  };
  for (const bool is_ours : {false, true}) {
    const auto of_namespace = std::ranges::equal_range(
        accounts, std::pair(is_ours, std::string_view(pod.ns)), {}, kind_and_namespace);
    for (const Account& each : of_namespace) {
      if (each.covers_pod(pod)) {
        to.covering.push_back(static_cast<std::uint32_t>(&each - accounts.data()));
      }
    }
  }
}

BudgetAccounts charged_to(const std::vector<Account>& accounts,
                          const std::vector<Unit<Pod>>& victims, RuleSet rules) {
  BudgetAccounts made;
  for (const Account& each : accounts) {
    made.left.push_back(each.left);
    made.is_soft.push_back(rules != RuleSet::Upstream && each.ours != nullptr);
  }
  for (const Unit<Pod>& unit : victims) {
    for_each_pod(unit, [&](const Pod& pod) {
      add_covering(accounts, pod, made);
      made.end_pod();
    });
    made.end_unit();
  }
  return made;
}

}  // namespace

Strength strength_of(const DisruptionBudget& budget, std::span<const Pod> pods) {
  Strength strength;
  for (const Pod& pod : pods) {
    if (is_awaited(budget, pod)) ++strength.awaited;
    if (!is_covered(budget, pod)) continue;
    ++strength.covered;
    if (is_healthy(pod)) ++strength.healthy;
  }
  return strength;
}

std::int64_t desired_healthy(const DisruptionBudget& budget, std::int64_t expected) {
  std::int64_t desired = 0;
  if (budget.min_available) desired = resolve(*budget.min_available, expected);
  if (budget.max_unavailable) {
    desired = std::max(desired, expected - resolve(*budget.max_unavailable, expected));
  }
  return desired;
}

bool spares_unhealthy(const DisruptionBudget& budget, const Strength& strength) {
  switch (budget.unhealthy) {
    case UnhealthyPodEviction::AlwaysAllow:
      return true;
    case UnhealthyPodEviction::IfHealthyBudget: {
      const std::int64_t desired = desired_healthy(budget, strength.expected());
      return desired > 0 && strength.healthy >= desired;
    }
    case UnhealthyPodEviction::Unknown:
      break;
  }
  return false;
}

bool spares_unhealthy(const PodDisruptionBudget& budget) {
  if (budget.unhealthy == UnhealthyPodEviction::AlwaysAllow) return true;
  return budget.unhealthy == UnhealthyPodEviction::IfHealthyBudget && budget.desired_healthy > 0 &&
         budget.current_healthy >= budget.desired_healthy;
}

std::int64_t allowed_now(const DisruptionBudget& budget, std::span<const Pod> cluster_pods,
                         Time now) {
  return allowed_now(budget, strength_of(budget, cluster_pods), now);
}

std::int64_t allowed_now(const DisruptionBudget& budget, const Strength& strength, Time now) {
  const std::int64_t expected = strength.expected();
  std::int64_t allowed = kUnlimited;
  if (budget.min_available) {
    allowed = strength.healthy - std::min(resolve(*budget.min_available, expected), kUnlimited / 2);
  }
  if (budget.max_unavailable) {
    const std::int64_t most = std::min(resolve(*budget.max_unavailable, expected), kUnlimited / 2);
    allowed = std::min(allowed, strength.healthy - expected + most);
  }
  if (budget.rate_disruptions) {
    const auto recent = std::ranges::count_if(
        budget.recent, [&](const LedgerEntry& each) { return now - each.time < budget.rate_per; });
    allowed = std::min(allowed, *budget.rate_disruptions - static_cast<std::int64_t>(recent));
  }
  return std::max<std::int64_t>(allowed, 0);
}

bool is_charged(const DisruptionBudget& budget, const LedgerEntry& entry, Time now) {
  return now - entry.time < (budget.rate_disruptions ? budget.rate_per : kTimeToRemove);
}

std::optional<Time> next_allowed_time(const Budgets& budgets, Time now) {
  std::optional<Time> next;
  for (const DisruptionBudget& budget : budgets.ours) {
    if (!budget.hard) continue;
    const auto consider = [&](Time at) {
      if (at > now) next = std::min(next.value_or(at), at);
    };
    for (const LedgerEntry& each : budget.recent) {
      if (budget.rate_disruptions) consider(each.time + budget.rate_per);
      consider(each.time + kTimeToRemove);  // it may be refunded then
    }
  }
  return next;
}

std::vector<const DisruptionBudget*> forbidding_budgets(const std::vector<Unit<Pod>>& victims,
                                                        const Budgets& budgets, Time now) {
  std::vector<const DisruptionBudget*> budgets_by(victims.size(), nullptr);
  if (std::ranges::none_of(budgets.ours, &DisruptionBudget::hard)) return budgets_by;
  std::vector<Account> hard = open_accounts(budgets, RuleSet::Elbowroom, now);
  std::erase_if(hard, [](const Account& each) { return each.ours == nullptr || !each.ours->hard; });
  const auto by = forbidding(charged_to(hard, victims, RuleSet::Elbowroom));
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i]) budgets_by[i] = hard[*by[i]].ours;
  }
  return budgets_by;
}

bool has_too_many_walls(const Unit<Pod>& unit, const Budgets& budgets) {
  bool has = false;
  for_each_pod(unit, [&](const Pod& pod) {
    const auto walls = std::ranges::count_if(budgets.ours, [&](const DisruptionBudget& each) {
      return each.hard && covers(each.ns, each.selector, pod);
    });
    has = has || static_cast<std::size_t>(walls) > kMostBudgetsOverPod;
  });
  return has;
}

std::vector<Violations> violating(const std::vector<Unit<Pod>>& victims, const Budgets& budgets,
                                  RuleSet rules, Time now) {
  return breaking(charged_to(open_accounts(budgets, rules, now), victims, rules), rules);
}

}  // namespace elbowroom::policy
