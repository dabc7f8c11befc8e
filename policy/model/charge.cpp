#include "policy/model/charge.h"

#include <algorithm>

#include "policy/model/pod_sum.h"

namespace elbowroom::policy {
namespace {

const Resources kNothing;

// Pod-level figures of the status stand for the resources that the spec names at pod level. Without
// a pod-level spec they replace the container sums, but only when the node reports both of them.
void apply_pod_level(const Pod& pod, bool infeasible, Totals& totals) {
  const PodLevel& level = pod.pod_level;
  replace_by_pod_level(totals.desired, level.desired.requests);

  const Resources& unreported = infeasible ? kNothing : level.desired.requests;
  const Resources& allocated = level.allocated_requests ? *level.allocated_requests : unreported;
  const Resources& actual = level.actual_requests ? *level.actual_requests : allocated;
  if (is_zero(level.desired.requests)) {
    if (!level.allocated_requests || !level.actual_requests) return;
    replace_by_pod_level(totals.allocated, allocated);
    replace_by_pod_level(totals.actual, actual);
    return;
  }
  for_each_amount(level.desired.requests, [&](std::string_view name, std::int64_t) {
    if (!is_pod_level_resource(name)) return;
    set_amount(totals.allocated, name, amount_of(allocated, name));
    set_amount(totals.actual, name, amount_of(actual, name));
  });
}

const Resources& allocated_or(const Resources& fallback, const Container& container) {
  return container.allocated_requests ? *container.allocated_requests : fallback;
}

void add_claimed(const Pod& pod, Resources& total) {
  for (const ClaimedResources& each : pod.claimed) add_to(total, each.amounts);
}

// Sets allocated and actual in totals of which only `desired` is known.
void set_held(const Pod& pod, Totals& totals) {
  const bool infeasible = is_infeasible(pod);
  const auto allocated = [infeasible](const Container& c) -> const Resources& {
    return allocated_or(infeasible ? kNothing : c.desired.requests, c);
  };
  totals.allocated = sum_of_containers(pod.containers, allocated);
  totals.actual = sum_of_containers(pod.containers, [&](const Container& c) -> const Resources& {
    return c.actual_requests ? *c.actual_requests : allocated(c);
  });
  add_claimed(pod, totals.allocated);
  const bool is_reported = std::ranges::any_of(
      pod.containers, [](const Container& c) { return c.actual_requests.has_value(); });
  if (!is_reported) add_claimed(pod, totals.actual);
  apply_pod_level(pod, infeasible, totals);
  add_to(totals.allocated, pod.overhead);
  add_to(totals.actual, pod.overhead);
}

}  // namespace

const Resources& allocated_or_fallback(const Pod& pod, const Container& container) {
  return allocated_or(is_infeasible(pod) ? kNothing : container.desired.requests, container);
}

Totals totals_of(const Pod& pod) {
  Totals totals;
  totals.desired = sum_of_containers(
      pod.containers, [](const Container& c) -> const Resources& { return c.desired.requests; });
  add_claimed(pod, totals.desired);
  set_held(pod, totals);
  add_to(totals.desired, pod.overhead);
  return totals;
}

bool leaves_64_bits(const Pod& pod, std::string_view name) {
  __extension__ using Wide = unsigned __int128;
  const auto add = [&](Wide& total, const Resources& amounts) {
    total += static_cast<Wide>(amount_of(amounts, name));
  };
  Wide desired = 0;
  Wide allocated = 0;
  Wide actual = 0;
  for (const Container& container : pod.containers) {
    const Resources& promised = allocated_or_fallback(pod, container);
    add(desired, container.desired.requests);
    add(allocated, promised);
    add(actual, container.actual_requests.value_or(promised));
  }
  for (const ClaimedResources& each : pod.claimed) {
    add(desired, each.amounts);
    add(allocated, each.amounts);
  }
  add(desired, pod.overhead);
  add(allocated, pod.overhead);
  add(actual, pod.overhead);
  return std::max({desired, allocated, actual}) > static_cast<Wide>(kMaxAmount);
}

std::vector<ClaimedResources> shareable_claims(const Pod& pod) {
  std::vector<ClaimedResources> claims;
  for (const ClaimedResources& each : pod.claimed) {
    if (each.claim.empty()) continue;
    ClaimedResources& made = claims.emplace_back();
    made.claim = pod.ns + "/" + each.claim;
    // A request at pod level has the claim within it.
    for_each_amount(each.amounts, [&](std::string_view name, std::int64_t amount) {
      const bool is_within =
          is_pod_level_resource(name) && amount_of(pod.pod_level.desired.requests, name) > 0;
      if (!is_within) set_amount(made.amounts, name, amount);
    });
  }
  return claims;
}

Resources without(Resources charge, const std::vector<ClaimedResources>& claims) {
  for (const ClaimedResources& each : claims) {
    for_each_amount(each.amounts, [&](std::string_view name, std::int64_t amount) {
      const std::int64_t of = amount_of(charge, name);
      if (of != kMaxAmount) set_amount(charge, name, std::max<std::int64_t>(of - amount, 0));
    });
  }
  return charge;
}

void add_claims(Resources& total, std::vector<ClaimedResources>& counted,
                const std::vector<ClaimedResources>& claims) {
  for (const ClaimedResources& each : claims) {
    const auto known = std::ranges::find(counted, each.claim, &ClaimedResources::claim);
    if (known == counted.end()) {
      add_to(total, each.amounts);
      counted.push_back(each);
      continue;
    }
    Resources more;
    for_each_amount(each.amounts, [&](std::string_view name, std::int64_t amount) {
      const std::int64_t before = amount_of(known->amounts, name);
      if (amount <= before) return;
      set_amount(more, name, amount - before);
      set_amount(known->amounts, name, amount);
    });
    add_to(total, more);
  }
}

void ChargeSum::add(const Pod& pod, const Resources& charge) {
  if (pod.claimed.empty() || is_zero(charge)) return add_to(total_, charge);
  const std::vector<ClaimedResources> claims = shareable_claims(pod);
  add(without(charge, claims), claims);
}

void ChargeSum::leave_out(const std::vector<ClaimedResources>& claims) {
  Resources elsewhere;
  add_claims(elsewhere, counted_, claims);
}

Resources cluster_charge(const Totals& totals, bool infeasible) {
  return infeasible ? held_charge(totals) : resizing_charge(totals);
}

Resources held_charge(const Totals& totals) { return max_of(totals.allocated, totals.actual); }

Resources resizing_charge(const Totals& totals) {
  return max_of(totals.desired, held_charge(totals));
}

Resources cluster_charge(const Pod& pod) {
  return cluster_charge(totals_of(pod), is_infeasible(pod));
}
// Called for every pod of a node on each evaluation, so it sums only what it needs.
Resources held_charge(const Pod& pod) {
  Totals totals;
  set_held(pod, totals);
  return held_charge(totals);
}
Resources resizing_charge(const Pod& pod) { return resizing_charge(totals_of(pod)); }

bool is_infeasible(const Pod& pod) {
  const Condition* pending = find_condition(pod.conditions, kPodResizePending);
  return pending != nullptr && pending->reason == kReasonInfeasible;
}

bool is_deferred(const Pod& pod) {
  const Condition* pending = find_condition(pod.conditions, kPodResizePending);
  return pending != nullptr && pending->reason == kReasonDeferred && pending->status == "True" &&
         pending->observed_generation.value_or(pod.generation) == pod.generation;
}

bool all_containers_ended(const Pod& pod) {
  return std::ranges::all_of(pod.containers, [](const Container& container) {
    return container.kind == ContainerKind::Init ? container.state != RunState::Running
                                                 : container.state == RunState::Terminated;
  });
}

bool holds_room(const Pod& pod) {
  if (is_finished(pod)) return false;
  return !(is_terminating(pod) && all_containers_ended(pod));
}

bool raises(const Totals& totals, std::string_view resource) {
  return amount_of(totals.desired, resource) > amount_of(held_charge(totals), resource);
}

bool raises_any(const Totals& totals) {
  return exceeds_anywhere(totals.desired, held_charge(totals));
}

}  // namespace elbowroom::policy
