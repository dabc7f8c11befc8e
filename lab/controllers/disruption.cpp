#include "lab/controllers/disruption.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/timestamp.h"
#include "lab/controllers/expected_pods.h"
#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "lab/world/condition.h"
#include "lab/world/selector.h"

namespace elbowroom::lab {
namespace {

// How long an eviction may take until the pod terminates; upstream's DeletionTimeout.
constexpr std::chrono::minutes kMostUnderWay{2};

const Kind& budgets() { return *find_kind("policy", "v1", "poddisruptionbudgets"); }

std::vector<Object> covered_pods(const Json& budget, const std::vector<Object>& pods) {
  const auto selector = selector_in(budget, {"spec", "selector"});
  const std::string ns = text_at(budget, {"metadata", "namespace"});
  std::vector<Object> covered;
  for (const Object& pod : pods) {
    if (selector && text_at(pod, {"metadata", "namespace"}) == ns &&
        policy::matches(*selector, labels_of(pod))) {
      covered.push_back(pod);
    }
  }
  return covered;
}

// status.disruptedPods without those that terminate, are gone or took too long.
Json evictions_under_way(const Json& budget, const std::vector<Object>& pods, policy::Time now,
                         ControllerStep& step) {
  Json under_way = Json::object();
  const Json& known = map_at(budget, {"status", "disruptedPods"});
  for (const Object& pod : pods) {
    const auto entry = known.find(text_at(pod, {"metadata", "name"}));
    if (entry == known.end() || is_leaving(pod) || !entry->is_string()) continue;
    const auto since = api::parse_timestamp(entry->get_ref<const std::string&>());
    if (!since || *since + kMostUnderWay <= now) continue;
    step.due_at(*since + kMostUnderWay);
    under_way[entry.key()] = *entry;
  }
  return under_way;
}

std::int64_t count_healthy(const std::vector<Object>& pods, const Json& under_way) {
  return std::ranges::count_if(pods, [&](const Object& pod) {
    return !is_leaving(pod) && is_ready_pod(pod) &&
           !under_way.contains(text_at(pod, {"metadata", "name"}));
  });
}

struct Allowance {
  bool is_allowed = false;
  std::string reason{};
  std::string message{};
};

void set_allowance(Json& budget, const Allowance& wanted, policy::Time now) {
  std::string since = api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now));
  const std::string is = wanted.is_allowed ? "True" : "False";
  for (const Json& there : list_at(budget, {"status", "conditions"})) {
    if (text_at(there, {"type"}) == "DisruptionAllowed" && text_at(there, {"status"}) == is) {
      since = text_at(there, {"lastTransitionTime"});
    }
  }
  set_condition(budget,
                {{"type", "DisruptionAllowed"},
                 {"status", is},
                 {"reason", wanted.reason},
                 {"message", wanted.message},
                 {"observedGeneration", integer_at(budget, {"metadata", "generation"}).value_or(0)},
                 {"lastTransitionTime", since}});
}

// What cannot be counted allows nothing.
bool tell_failure(World& world, const Json& budget, const std::string& why, policy::Time now) {
  Json told = budget;
  make_at(told, {"status"})["disruptionsAllowed"] = 0;
  set_allowance(told, {.reason = "SyncFailed", .message = why}, now);
  return write_status(world, budgets(), budget, told["status"]);
}

ControllerStep step_one(World& world, const Json& budget, const std::vector<Object>& all,
                        policy::Time now) {
  ControllerStep step;
  const std::vector<Object> pods = covered_pods(budget, all);
  const auto expected = expected_pods(world, budget, pods);
  if (!expected) {
    step.changed = tell_failure(world, budget, expected.error().message, now);
    return step;
  }
  Json told = budget;
  Json& status = make_at(told, {"status"});
  Json under_way = evictions_under_way(budget, pods, now, step);
  const std::int64_t healthy = count_healthy(pods, under_way);
  const std::int64_t allowed =
      expected->count <= 0 ? 0 : std::max<std::int64_t>(healthy - expected->healthy, 0);
  status["currentHealthy"] = healthy;
  status["desiredHealthy"] = expected->healthy;
  status["expectedPods"] = expected->count;
  status["disruptionsAllowed"] = allowed;
  status["observedGeneration"] = integer_at(budget, {"metadata", "generation"}).value_or(0);
  status.erase("disruptedPods");
  if (!under_way.empty()) status["disruptedPods"] = std::move(under_way);
  set_allowance(
      told,
      {.is_allowed = allowed > 0, .reason = allowed > 0 ? "SufficientPods" : "InsufficientPods"},
      now);
  step.changed = write_status(world, budgets(), budget, told["status"]);
  return step;
}

}  // namespace

ControllerStep step_disruption(World& world, policy::Time now) {
  ControllerStep step;
  const auto all = stored_objects(world, budgets());
  if (all.empty()) return step;
  const auto pods = stored_objects(world, controlled_pods());
  for (const Object& budget : all) step.add(step_one(world, budget, pods, now));
  return step;
}

}  // namespace elbowroom::lab
