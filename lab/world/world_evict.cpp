// World::evict: the eviction subresource of pods. Source: kubernetes
// pkg/registry/core/pod/storage/eviction.go.
#include <utility>
#include <vector>

#include "api/codec/timestamp.h"
#include "lab/world/condition.h"
#include "lab/world/world.h"

namespace elbowroom::lab {
namespace {

constexpr const char* kWouldViolate =
    "Cannot evict pod as it would violate the pod's disruption budget.";

ApiError too_many_requests(const std::string& cause, int retry_after_seconds) {
  ApiError error{.code = 429,
                 .reason = "TooManyRequests",
                 .message = kWouldViolate,
                 .retry_after_seconds = retry_after_seconds};
  error.details["causes"] = Json::array({{{"reason", "DisruptionBudget"}, {"message", cause}}});
  return error;
}

// Evicting a pod that is pending or already terminating disrupts nothing.
bool is_exempt_from_budgets(const Json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

bool is_ready(const Json& pod) {
  for (const Json& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "Ready") return text_at(condition, {"status"}) == "True";
  }
  return false;
}

// An unhealthy pod may be evicted without a charge to the budget.
bool is_exempt_from_charge(const Json& pod, const Json& budget) {
  if (is_ready(pod)) return false;
  if (text_at(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const std::int64_t desired = integer_at(budget, {"status", "desiredHealthy"}).value_or(0);
  return desired > 0 && integer_at(budget, {"status", "currentHealthy"}).value_or(0) >= desired;
}

std::string why_none(const Json& budget, const std::string& name) {
  const std::string begin = "The disruption budget " + name;
  const std::string none = begin + " does not allow evicting pods currently";
  const std::int64_t desired = integer_at(budget, {"status", "desiredHealthy"}).value_or(0);
  const std::int64_t current = integer_at(budget, {"status", "currentHealthy"}).value_or(0);
  const Json* told = nullptr;
  for (const Json& condition : list_at(budget, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "DisruptionAllowed" &&
        text_at(condition, {"status"}) == "False" && !text_at(condition, {"message"}).empty()) {
      told = &condition;
    }
  }
  if (told != nullptr && text_at(*told, {"reason"}) == "SyncFailed") {
    return none + " because it failed sync: " + text_at(*told, {"message"});
  }
  if (current <= desired) {
    return begin + " needs " + std::to_string(desired) + " healthy pods and has " +
           std::to_string(current) + " currently";
  }
  if (told != nullptr) {
    return none + " (" + text_at(*told, {"reason"}) + "): " + text_at(*told, {"message"});
  }
  return none;
}

// The budget with one disruption less, or why it allows none.
Answer<Json> charged(Json budget, const std::string& pod, const std::string& now) {
  const Kind& kind = *find_kind("policy", "v1", "poddisruptionbudgets");
  const std::string name = text_at(budget, {"metadata", "name"});
  if (integer_at(budget, {"status", "observedGeneration"}).value_or(0) <
      integer_at(budget, {"metadata", "generation"}).value_or(0)) {
    return std::unexpected(too_many_requests(
        "The disruption budget " + name + " is still being processed by the server.", 10));
  }
  const std::int64_t allowed = integer_at(budget, {"status", "disruptionsAllowed"}).value_or(0);
  if (allowed < 0) {
    return std::unexpected(forbidden(kind, name, "pdb disruptions allowed is negative"));
  }
  if (map_at(budget, {"status", "disruptedPods"}).size() > 2000) {
    return std::unexpected(forbidden(
        kind, name,
        "DisruptedPods map too big - too many evictions not confirmed by PDB controller"));
  }
  if (allowed == 0) return std::unexpected(too_many_requests(why_none(budget, name), 0));
  budget["status"]["disruptionsAllowed"] = allowed - 1;
  make_at(budget, {"status", "disruptedPods"})[pod] = now;
  if (allowed == 1) {
    set_condition(
        budget, {{"type", "DisruptionAllowed"},
                 {"status", "False"},
                 {"reason", "InsufficientPods"},
                 {"message", ""},
                 {"observedGeneration", integer_at(budget, {"metadata", "generation"}).value_or(0)},
                 {"lastTransitionTime", now}});
  }
  return budget;
}

}  // namespace

// Charges the eviction to the budget that covers the pod. Without a budget this does nothing.
std::optional<ApiError> World::charge_budget(const Json& pod, bool dry_run) {
  const Kind& kind = *find_kind("policy", "v1", "poddisruptionbudgets");
  const policy::Labels labels = labels_of(pod);
  std::vector<Object> covering;
  for (const auto& [key, budget] : objects_of(kind)) {
    if (text_at(budget, {"metadata", "namespace"}) != text_at(pod, {"metadata", "namespace"})) {
      continue;
    }
    const auto selector = selector_in(budget, {"spec", "selector"});
    if (selector && policy::matches(*selector, labels)) {
      covering.push_back(budget);
    }
  }
  if (covering.empty()) return std::nullopt;
  if (covering.size() > 1) {
    return ApiError{.code = 500,
                    .message =
                        "This pod has more than one PodDisruptionBudget, which the eviction "
                        "subresource does not support."};
  }
  const Object& before = covering.front();
  if (is_exempt_from_charge(pod, before)) return std::nullopt;
  const std::string now = api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_));
  auto after = charged(before, text_at(pod, {"metadata", "name"}), now);
  if (!after) return after.error();
  if (dry_run) return std::nullopt;
  const auto stored = commit(kind, before, *std::move(after));
  return stored ? std::nullopt : std::optional(stored.error());
}

Answer<Object> World::evict(const std::string& ns, const std::string& name, const Json& eviction,
                            bool dry_run) {
  const Kind& kind = *find_kind("", "v1", "pods");
  if (text_at(eviction, {"metadata", "name"}) != name) {
    return std::unexpected(bad_request("name in URL does not match name in Eviction object"));
  }
  const Json& asked = map_at(eviction, {"deleteOptions"});
  DeleteOptions options{.grace_seconds = integer_at(asked, {"gracePeriodSeconds"}),
                        .uid = text_at(asked, {"preconditions", "uid"}),
                        .resource_version = text_at(asked, {"preconditions", "resourceVersion"}),
                        .dry_run = dry_run || !list_at(asked, {"dryRun"}).empty()};
  const Object* found = find(kind, ns, name);
  if (found == nullptr) return std::unexpected(not_found(kind, name));
  const Object pod = *found;
  if (!is_exempt_from_budgets(pod)) {
    if (auto refused = charge_budget(pod, options.dry_run)) {
      return std::unexpected(*std::move(refused));
    }
  }
  // Upstream checks the preconditions only now: the budget is charged in any case.
  DeleteOptions probe = options;
  probe.dry_run = true;
  ASSIGN_OR_RETURN(const Object would_go, remove({.kind = &kind, .ns = ns, .name = name}, probe));
  if (options.dry_run) return Object(success_status(201));
  const std::string now = api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_));
  Json marked = pod;
  set_condition(marked,
                {{"type", "DisruptionTarget"},
                 {"status", "True"},
                 {"reason", "EvictionByEvictionAPI"},
                 {"message", "Eviction API: evicting"},
                 {"observedGeneration", integer_at(pod, {"metadata", "generation"}).value_or(0)},
                 {"lastTransitionTime", now}});
  ASSIGN_OR_RETURN(const Object stored, commit(kind, pod, std::move(marked)));
  options.resource_version.clear();  // it was right, and it is no longer the latest
  ASSIGN_OR_RETURN(const Object gone, remove({.kind = &kind, .ns = ns, .name = name}, options));
  return Object(success_status(201));
}

}  // namespace elbowroom::lab
