#include "policy/preemption/budget_account.h"

#include <cstddef>
#include <span>

namespace elbowroom::policy {
namespace {

// A part of a list that ends divide.
struct Part {
  std::size_t first = 0;
  std::size_t last = 0;
};
Part part(const std::vector<std::uint32_t>& ends, std::size_t i) {
  return {i == 0 ? 0 : ends[i - 1], ends[i]};
}

std::span<const std::uint32_t> covering_of(const BudgetAccounts& accounts, Part pods) {
  if (pods.first == pods.last) return {};
  const std::size_t first = part(accounts.pod_ends, pods.first).first;
  const std::size_t last = accounts.pod_ends[pods.last - 1];
  return std::span(accounts.covering).subspan(first, last - first);
}

// Charges one pod, and counts it where some account falls below zero.
void charge(BudgetAccounts& accounts, std::size_t pod, bool stop_at_first, Violations& to) {
  bool breaks_firm = false;
  bool breaks_soft = false;
  for (const std::uint32_t number : covering_of(accounts, {pod, pod + 1})) {
    std::int64_t& left = accounts.left[number];
    if (left == kUnlimited) continue;
    --left;
    if (left >= 0) continue;
    (accounts.is_soft[number] ? breaks_soft : breaks_firm) = true;
    if (stop_at_first) break;
  }
  to.any += breaks_firm || breaks_soft ? 1 : 0;
  to.firm += breaks_firm ? 1 : 0;
  to.soft += breaks_soft ? 1 : 0;
}

// Charges the accounts if all of them allow it. Otherwise charges none and returns the first that
// does not.
std::optional<std::uint32_t> charge_or_none(std::vector<std::int64_t>& left,
                                            std::span<const std::uint32_t> covering) {
  for (std::size_t i = 0; i < covering.size(); ++i) {
    std::int64_t& of = left[covering[i]];
    if (of == kUnlimited) continue;
    if (of > 0) {
      --of;
      continue;
    }
    for (const std::uint32_t charged : covering.first(i)) {
      if (left[charged] != kUnlimited) ++left[charged];
    }
    return covering[i];
  }
  return std::nullopt;
}

// The last account over a pod that too many cover.
std::optional<std::uint32_t> one_too_many(const BudgetAccounts& accounts, Part pods) {
  for (std::size_t pod = pods.first; pod < pods.last; ++pod) {
    const auto covering = covering_of(accounts, {pod, pod + 1});
    if (covering.size() > kMostBudgetsOverPod) return covering.back();
  }
  return std::nullopt;
}

}  // namespace

std::vector<Violations> breaking(BudgetAccounts accounts, RuleSet rules) {
  std::vector<Violations> breaks;
  charge_all(accounts, rules, breaks);
  return breaks;
}

void charge_all(BudgetAccounts& accounts, RuleSet rules, std::vector<Violations>& breaks) {
  const bool from_the_top = rules == RuleSet::Upstream;
  const std::size_t count = accounts.unit_ends.size();
  breaks.assign(count, {});
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t i = from_the_top ? step : count - 1 - step;
    const auto [first, last] = part(accounts.unit_ends, i);
    for (std::size_t pod = first; pod < last; ++pod) {
      charge(accounts, pod, from_the_top, breaks[i]);
    }
  }
}

std::vector<std::optional<std::uint32_t>> forbidding(BudgetAccounts accounts) {
  std::vector<std::optional<std::uint32_t>> by(accounts.unit_ends.size());
  for (std::size_t i = by.size(); i-- > 0;) {
    const auto pods = part(accounts.unit_ends, i);
    by[i] = one_too_many(accounts, pods);
    if (!by[i]) by[i] = charge_or_none(accounts.left, covering_of(accounts, pods));
  }
  return by;
}

}  // namespace elbowroom::policy
