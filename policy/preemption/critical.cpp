#include "policy/preemption/critical.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>

namespace elbowroom::policy {
namespace {

// floor(part * 2^63 / whole) for 0 <= part <= whole, whole > 0, by long division.
std::uint64_t fraction(std::int64_t part, std::int64_t whole) {
  const auto divisor = static_cast<std::uint64_t>(whole);
  auto rest = static_cast<std::uint64_t>(part);
  std::uint64_t quotient = rest / divisor;
  rest %= divisor;
  for (int bit = 0; bit < 63; ++bit) {
    rest <<= 1U;  // below 2^64, since rest < whole <= 2^63 - 1
    quotient <<= 1U;
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= 1U;
    }
  }
  return quotient;
}

// Adds factor^2, for factor <= 2^63, by long multiplication of 32-bit halves.
void add_square(Distance& to, std::uint64_t factor) {
  const std::uint64_t high = factor >> 32U;
  const std::uint64_t low = factor & 0xffffffffU;
  const std::uint64_t cross = high * low;  // counts twice, shifted by 32
  std::uint64_t upper = high * high + (cross >> 31U);
  const std::uint64_t shifted = cross << 33U;
  const std::uint64_t lower = low * low + shifted;
  if (lower < shifted) ++upper;

  to.bottom += lower;
  const std::uint64_t carry = to.bottom < lower ? 1 : 0;
  upper += carry;  // at most 2^62
  to.middle += upper;
  if (to.middle < upper) ++to.top;
}

Resources subtract(const Resources& needs, const Resources& held) {
  Resources rest = needs;
  for_each_amount(held, [&](std::string_view name, std::int64_t amount) {
    set_amount(rest, name, std::max<std::int64_t>(amount_of(rest, name) - amount, 0));
  });
  return rest;
}

// Picks units until the needs are covered or none is left. Among equals it picks the unit with the
// greater uid, so the lesser uid stays, as everywhere.
std::vector<Removable> pick(std::vector<Removable> from, Resources needs) {
  std::ranges::sort(from, std::greater<>{},
                    [](const Removable& each) { return uid_of(each.unit); });
  std::vector<Removable> picked;
  while (!is_zero(needs) && !from.empty()) {
    const auto nearest = std::ranges::min_element(from, {}, [&](const Removable& each) {
      return std::tuple(distance(needs, each.held), each.held.memory, each.held.cpu);
    });
    needs = subtract(needs, nearest->held);
    picked.push_back(*nearest);
    from.erase(nearest);
  }
  return picked;
}

Resources less_all(Resources needs, const std::vector<Removable>& of) {
  for (const Removable& each : of) needs = subtract(needs, each.held);
  return needs;
}

}  // namespace

bool preemptable(const Pod& preemptor, const Pod& victim) {
  if (is_critical(preemptor) && !is_critical(victim)) return true;
  return has_own_priority(preemptor) && has_own_priority(victim) &&
         own_priority_of(preemptor) > own_priority_of(victim);
}

bool preemptable(const Pod& preemptor, const Unit<Pod>& victim) {
  return !any_pod(victim, [&](const Pod& each) { return !preemptable(preemptor, each); });
}

Distance distance(const Resources& needs, const Resources& held) {
  Distance total;
  for_each_amount(needs, [&](std::string_view name, std::int64_t need) {
    const std::int64_t missing = need - std::min(amount_of(held, name), need);
    add_square(total, fraction(missing, need));
  });
  return total;
}

std::optional<std::vector<Unit<Pod>>> critical_victims(const std::vector<Removable>& candidates,
                                                       const Resources& needs) {
  if (!is_zero(less_all(needs, candidates))) return std::nullopt;
  std::vector<Removable> best_effort;
  std::vector<Removable> burstable;
  std::vector<Removable> guaranteed;
  for (const Removable& each : candidates) {
    const Qos qos = rank_of(each.unit).qos;
    (qos == Qos::BestEffort  ? best_effort
     : qos == Qos::Burstable ? burstable
                             : guaranteed)
        .push_back(each);
  }
  const auto picked_guaranteed =
      pick(guaranteed, less_all(less_all(needs, best_effort), burstable));
  const auto picked_burstable =
      pick(burstable, less_all(less_all(needs, best_effort), picked_guaranteed));
  const auto picked_best_effort =
      pick(best_effort, less_all(less_all(needs, picked_burstable), picked_guaranteed));

  std::vector<Unit<Pod>> victims;
  for (const auto* group : {&picked_best_effort, &picked_burstable, &picked_guaranteed}) {
    for (const Removable& each : *group) victims.push_back(each.unit);
  }
  return victims;
}

}  // namespace elbowroom::policy
