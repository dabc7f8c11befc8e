#include "policy/model/capped_pod.h"

#include <algorithm>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/pod_sum.h"

namespace elbowroom::policy {
namespace {

RunState state_of_all(const Pod& pod) {
  if (all_containers_ended(pod)) return RunState::Terminated;
  for (const RunState state : {RunState::Running, RunState::Waiting}) {
    if (std::ranges::find(pod.containers, state, &Container::state) != pod.containers.end()) {
      return state;
    }
  }
  return RunState::None;
}

}  // namespace

void cap_containers(Pod& pod) {
  const auto allocated = [&](const Container& each) -> const Resources& {
    return allocated_or_fallback(pod, each);
  };
  const auto actual = [&](const Container& each) -> const Resources& {
    return each.actual_requests ? *each.actual_requests : allocated(each);
  };
  const auto desired = [](const Container& each) -> const Resources& {
    return each.desired.requests;
  };
  Container whole;
  whole.desired.requests = sum_of_containers(pod.containers, desired);
  const auto shows = [&](auto member) {
    return std::ranges::any_of(pod.containers,
                               [&](const Container& each) { return (each.*member).has_value(); });
  };
  if (shows(&Container::allocated_requests)) {
    whole.allocated_requests = sum_of_containers(pod.containers, allocated);
  }
  if (shows(&Container::actual_requests)) {
    whole.actual_requests = sum_of_containers(pod.containers, actual);
  }
  whole.state = state_of_all(pod);
  pod.qos_in_status = qos_of(pod);
  pod.containers.clear();
  pod.containers.shrink_to_fit();
  pod.containers.push_back(std::move(whole));
}

bool is_capped(const Pod& pod) {
  return pod.containers.size() == 1 && pod.containers.front().name.empty();
}

}  // namespace elbowroom::policy
