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
  add(desired, pod.overhead);
  add(allocated, pod.overhead);
  add(actual, pod.overhead);
  return std::max({desired, allocated, actual}) > static_cast<Wide>(kMaxAmount);
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
