#include "policy/budget_charge.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

bool covers(const std::string& ns, const std::optional<LabelSelector>& selector, const Pod& pod) {
  return pod.ns == ns && selector && matches(*selector, pod.labels);
}

bool is_healthy(const Pod& pod) { return has_true(pod.conditions, kReady) && !is_terminating(pod); }

// A count as it is; a percentage of `of`, rounded up. `of` is a number of pods, so nothing
// overflows; a percentage beyond 10,000 times is as good as that.
std::int64_t resolve(const IntOrPercent& figure, std::int64_t of) {
  if (!figure.percent) return figure.value;
  return (std::min<std::int64_t>(figure.value, 1'000'000) * of + 99) / 100;
}

// One budget's allowance while it is being charged.
struct Account {
  const PodDisruptionBudget* upstream = nullptr;
  const DisruptionBudget* ours = nullptr;
  std::int64_t left = 0;

  [[nodiscard]] bool covers_pod(const Pod& pod) const {
    if (ours != nullptr) return covers(ours->ns, ours->selector, pod);
    return covers(upstream->ns, upstream->selector, pod) &&
           !upstream->disrupted_pods.contains(pod.name);
  }
};

// By name: where charging stops at the first budget that breaks, their order decides which of the
// others are charged, and the order of input must not.
std::vector<Account> open_accounts(const Budgets& budgets, Time now) {
  std::vector<Account> accounts;
  for (const PodDisruptionBudget& each : budgets.upstream) {
    accounts.push_back({.upstream = &each, .left = each.disruptions_allowed});
  }
  for (const DisruptionBudget& each : budgets.ours) {
    accounts.push_back({.ours = &each, .left = allowed_now(each, budgets.cluster_pods, now)});
  }
  std::ranges::sort(accounts, {}, [](const Account& each) {
    return each.ours != nullptr ? std::tuple(true, std::string_view(each.ours->ns),
                                             std::string_view(each.ours->name))
                                : std::tuple(false, std::string_view(each.upstream->ns),
                                             std::string_view(each.upstream->name));
  });
  return accounts;
}

// True when charging the pod takes some account below zero.
bool charge(std::vector<Account>& accounts, const Pod& pod, bool stop_at_first) {
  bool broke = false;
  for (Account& account : accounts) {
    if (account.left == kUnlimited || !account.covers_pod(pod)) continue;
    --account.left;
    if (account.left >= 0) continue;
    broke = true;
    if (stop_at_first) return true;
  }
  return broke;
}

}  // namespace

std::int64_t allowed_now(const DisruptionBudget& budget, std::span<const Pod> cluster_pods,
                         Time now) {
  std::int64_t covered = 0;
  std::int64_t healthy = 0;
  for (const Pod& pod : cluster_pods) {
    if (pod.node.empty() || is_finished(pod) || !covers(budget.ns, budget.selector, pod)) continue;
    ++covered;
    if (is_healthy(pod)) ++healthy;
  }
  std::int64_t allowed = kUnlimited;
  if (budget.min_available) {
    allowed = healthy - std::min(resolve(*budget.min_available, covered), kUnlimited / 2);
  }
  if (budget.max_unavailable) {
    const std::int64_t most = std::min(resolve(*budget.max_unavailable, covered), kUnlimited / 2);
    allowed = std::min(allowed, healthy - covered + most);
  }
  if (budget.rate_disruptions) {
    const auto recent = std::ranges::count_if(budget.recent, [&](const RecentDisruption& each) {
      return now - each.time < budget.rate_per;
    });
    allowed = std::min(allowed, *budget.rate_disruptions - static_cast<std::int64_t>(recent));
  }
  return std::max<std::int64_t>(allowed, 0);
}

std::vector<const DisruptionBudget*> forbidding_budgets(const std::vector<const Pod*>& victims,
                                                        const Budgets& budgets, Time now) {
  std::vector<Account> hard = open_accounts(budgets, now);
  std::erase_if(hard, [](const Account& each) { return each.ours == nullptr || !each.ours->hard; });
  std::vector<const DisruptionBudget*> forbidding(victims.size(), nullptr);
  for (std::size_t i = victims.size(); i-- > 0;) {
    const Pod& pod = *victims[i];
    const auto empty = std::ranges::find_if(
        hard, [&](const Account& each) { return each.left <= 0 && each.covers_pod(pod); });
    if (empty != hard.end()) {
      forbidding[i] = empty->ours;
    } else {
      charge(hard, pod, false);
    }
  }
  return forbidding;
}

std::vector<bool> violating(const std::vector<const Pod*>& victims, const Budgets& budgets,
                            RuleSet rules, Time now) {
  std::vector<Account> accounts = open_accounts(budgets, now);
  std::vector<bool> breaks(victims.size(), false);
  for (std::size_t step = 0; step < victims.size(); ++step) {
    const bool from_the_top = rules == RuleSet::Upstream;
    const std::size_t i = from_the_top ? step : victims.size() - 1 - step;
    breaks[i] = charge(accounts, *victims[i], from_the_top);
  }
  return breaks;
}

}  // namespace elbowroom::policy
