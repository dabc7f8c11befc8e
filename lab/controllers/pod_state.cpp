#include "lab/controllers/pod_state.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <tuple>

#include "api/codec/timestamp.h"

namespace elbowroom::lab {
namespace {

const Json* ready_condition(const Json& pod) {
  for (const Json& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "Ready") return &condition;
  }
  return nullptr;
}

std::int64_t deletion_cost(const Json& pod) {
  const std::string text =
      text_at(pod, {"metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost"});
  std::int64_t cost = 0;
  std::from_chars(text.data(), text.data() + text.size(), cost);
  return cost;
}

// Grows with how much the pod is wanted.
auto wanted_rank(const Json& pod) {
  return std::tuple(present_at(pod, {"spec", "nodeName"}),
                    text_at(pod, {"status", "phase"}) == "Running", is_ready_pod(pod),
                    deletion_cost(pod));
}

}  // namespace

bool is_finished_pod(const Json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool is_active_pod(const Json& pod) {
  return !is_finished_pod(pod) && !present_at(pod, {"metadata", "deletionTimestamp"});
}

bool is_ready_pod(const Json& pod) {
  const Json* ready = ready_condition(pod);
  return ready != nullptr && text_at(*ready, {"status"}) == "True";
}

std::optional<policy::Time> available_since(const Json& pod, std::int64_t min_ready_seconds) {
  if (!is_ready_pod(pod)) return std::nullopt;
  if (min_ready_seconds <= 0) return policy::Time{};
  const auto since = api::parse_timestamp(text_at(*ready_condition(pod), {"lastTransitionTime"}));
  if (!since) return policy::Time{};
  return *since + std::chrono::seconds(min_ready_seconds);
}

PodCounts count_pods(const std::vector<Object>& pods, std::int64_t min_ready_seconds,
                     policy::Time now, ControllerStep& step) {
  PodCounts counts;
  for (const Object& pod : pods) {
    const auto since = available_since(pod, min_ready_seconds);
    if (!since) continue;
    ++counts.ready;
    if (*since <= now) {
      ++counts.available;
    } else {
      step.due_at(*since);
    }
  }
  return counts;
}

void sort_least_wanted_first(std::vector<Object>& pods) {
  std::ranges::sort(pods, [](const Object& a, const Object& b) {
    const auto of_a = wanted_rank(a);
    const auto of_b = wanted_rank(b);
    if (of_a != of_b) return of_a < of_b;
    // Texts of one length and form: the later one is the greater.
    const auto age = [](const Object& pod) {
      return std::pair(text_at(pod, {"metadata", "creationTimestamp"}),
                       text_at(pod, {"metadata", "uid"}));
    };
    return age(a) > age(b);
  });
}

}  // namespace elbowroom::lab
