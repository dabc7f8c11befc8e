#include "cli/input/refused_change.h"

#include <algorithm>
#include <string>

#include "api/codec/quantity.h"
#include "policy/model/charge.h"

namespace elbowroom::cli {
namespace {

// --set writes containers alone.
constexpr std::string_view kRaiseThePods =
    "raise spec.resources of the pod in the file, or by kubectl patch --subresource resize";

// What would be, of which resource, and how much is allowed.
struct Excess {
  std::string what{};
  std::string resource{};
  std::int64_t amount = 0;
  std::string above{};
  std::int64_t most = 0;
  std::string remedy{};
};

std::unexpected<Error> refused(const Excess& excess) {
  const auto shown = [&](std::int64_t amount) {
    return api::format_quantity(excess.resource, amount);
  };
  return failure(Code::Invalid, "--set: " + excess.what + " would be " + shown(excess.amount) +
                                    ", above " + excess.above + " of " + shown(excess.most) +
                                    ", which the API server refuses: " + excess.remedy);
}

Result<void> check_kind(const policy::Pod& pod, bool is_windows) {
  const std::string_view kind = pod.is_static || pod.is_mirror ? "static" : "windows";
  if (kind == "windows" && !is_windows) return {};
  return failure(Code::Invalid, "--set: pod " + key_of(pod) + ": " + std::string(kind) +
                                    " pods cannot be resized: the API server refuses it");
}

// A limit of 0 in a change is a limit; else there is none.
Result<void> check_limit(const policy::Container& container, const ResourceChange& change) {
  const std::string& resource = change.resource;
  const std::int64_t request = policy::amount_of(container.desired.requests, resource);
  const std::int64_t limit = policy::amount_of(container.desired.limits, resource);
  if ((limit == 0 && !change.limit) || request <= limit) return {};
  return refused({.what = "requests." + resource + " of container " + container.name,
                  .resource = resource,
                  .amount = request,
                  .above = "its limit",
                  .most = limit,
                  .remedy = "set " + container.name + ":limits." + resource + " as well"});
}

Result<void> check_limit_of_pod(const policy::Pod& pod, const policy::Container& container,
                                const std::string& resource) {
  const std::int64_t limit = policy::amount_of(container.desired.limits, resource);
  const std::int64_t most = policy::amount_of(pod.pod_level.desired.limits, resource);
  if (most == 0 || limit <= most) return {};
  return refused({.what = "limits." + resource + " of container " + container.name,
                  .resource = resource,
                  .amount = limit,
                  .above = "the pod-level limit",
                  .most = most,
                  .remedy = std::string(kRaiseThePods)});
}

Result<void> check_requests_of_pod(const policy::Pod& pod, const std::string& resource) {
  const std::int64_t most = policy::amount_of(pod.pod_level.desired.requests, resource);
  if (most == 0) return {};
  policy::Pod containers = pod;
  containers.pod_level = {};
  containers.overhead = {};
  containers.claimed = {};
  const std::int64_t together = policy::amount_of(policy::totals_of(containers).desired, resource);
  if (together <= most) return {};
  return refused({.what = "requests." + resource + " of all containers together",
                  .resource = resource,
                  .amount = together,
                  .above = "the pod-level request",
                  .most = most,
                  .remedy = std::string(kRaiseThePods)});
}

// Of the resources alone: what the status of a file says may be older.
policy::Qos class_of(policy::Pod pod) {
  pod.qos_in_status.reset();
  return policy::qos_of(pod);
}

Result<void> check_class(const policy::Pod& before, const policy::Pod& after) {
  const policy::Qos was = class_of(before);
  const policy::Qos is = class_of(after);
  if (was == is) return {};
  std::string remedy = was == policy::Qos::Guaranteed
                           ? ": set the request and the limit of each resource to the same amount"
                           : "";
  return failure(Code::Invalid,
                 "--set: pod " + key_of(after) + " would be " + std::string(to_string(is)) +
                     ", and is " + std::string(to_string(was)) +
                     "; the API server refuses a resize that changes the QoS class" + remedy);
}

}  // namespace

Result<void> check_with_api_server_rules(const policy::Pod& before, const policy::Pod& after,
                                         bool is_windows,
                                         const std::vector<ResourceChange>& changes) {
  RETURN_IF_ERROR(check_kind(before, is_windows));
  for (const ResourceChange& change : changes) {
    const auto at = std::ranges::find(after.containers, change.container, &policy::Container::name);
    if (at == after.containers.end()) continue;
    RETURN_IF_ERROR(check_limit(*at, change));
    RETURN_IF_ERROR(check_limit_of_pod(after, *at, change.resource));
    RETURN_IF_ERROR(check_requests_of_pod(after, change.resource));
  }
  return check_class(before, after);
}

}  // namespace elbowroom::cli
