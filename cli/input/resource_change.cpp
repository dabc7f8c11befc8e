#include "cli/input/resource_change.h"

#include <algorithm>

#include "api/codec/container_fields.h"
#include "api/codec/quantity.h"
#include "base/text.h"
#include "daemon/config/suggestion.h"
#include "policy/model/charge.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kLimits = "limits.";
constexpr std::string_view kShape =
    "write CONTAINER:RESOURCE=QUANTITY or CONTAINER:limits.RESOURCE=QUANTITY";

std::unexpected<Error> refused(std::string_view item, std::string_view why) {
  return failure(Code::Invalid, "--set \"" + clipped(item, 200) + "\": " + std::string(why));
}

bool can_be_resized(std::string_view name) {
  return name == policy::kCpu || name == policy::kMemory;
}

Result<ResourceChange> parse_change(std::string_view item) {
  const std::size_t colon = item.find(':');
  if (colon == 0 || colon == std::string_view::npos) return refused(item, kShape);
  const std::size_t equals = item.find('=', colon);
  if (equals == std::string_view::npos) return refused(item, kShape);

  ResourceChange change{.container = std::string(item.substr(0, colon))};
  std::string_view resource = item.substr(colon + 1, equals - colon - 1);
  change.limit = resource.starts_with(kLimits);
  if (change.limit) resource.remove_prefix(kLimits.size());
  if (!can_be_resized(resource)) {
    return refused(
        item, "the resource must be cpu or memory: the API server refuses a resize of another");
  }
  change.resource = resource;
  const auto amount = api::parse_quantity(item.substr(equals + 1), api::unit_of(resource));
  if (!amount) return refused(item, amount.error().message);
  change.amount = *amount;
  return change;
}

std::string nearest_container(const policy::Pod& pod, std::string_view name) {
  std::vector<std::string> names;
  for (const policy::Container& each : pod.containers) {
    if (each.kind != policy::ContainerKind::Init) names.push_back(each.name);
  }
  return daemon::did_you_mean(name, names);
}

void keep_allocation(const policy::Pod& pod, policy::Container& container) {
  if (!container.allocated_requests && !is_infeasible(pod)) {
    container.allocated_requests = container.desired.requests;
  }
}

void apply(const policy::Pod& pod, const ResourceChange& change, policy::Container& container) {
  if (!change.limit) {
    keep_allocation(pod, container);
    policy::set_amount(container.desired.requests, change.resource, change.amount);
    return;
  }
  if (!container.actual_limits) container.actual_limits = container.desired.limits;
  policy::set_amount(container.desired.limits, change.resource, change.amount);
}

// Whether the changes leave the request to the limit.
bool leaves_request(const std::vector<ResourceChange>& changes, const ResourceChange& limit) {
  return std::ranges::none_of(changes, [&](const ResourceChange& each) {
    return !each.limit && each.container == limit.container && each.resource == limit.resource;
  });
}

}  // namespace

Result<std::vector<ResourceChange>> parse_changes(std::string_view text) {
  std::vector<ResourceChange> changes;
  for (;;) {
    const std::size_t comma = text.find(',');
    ASSIGN_OR_RETURN(ResourceChange change, parse_change(text.substr(0, comma)));
    changes.push_back(std::move(change));
    if (comma == std::string_view::npos) return changes;
    text.remove_prefix(comma + 1);
  }
}

Result<policy::Pod> with_changes(policy::Pod pod, const std::vector<ResourceChange>& changes) {
  for (const ResourceChange& change : changes) {
    const auto at = std::ranges::find_if(pod.containers, [&](const policy::Container& each) {
      return each.name == change.container && each.kind != policy::ContainerKind::Init;
    });
    if (at == pod.containers.end()) {
      return failure(Code::Invalid, "--set: pod " + key_of(pod) +
                                        " has no container or sidecar \"" +
                                        clipped(change.container, 200) + "\"" +
                                        nearest_container(pod, change.container));
    }
    apply(pod, change, *at);
    if (change.limit && leaves_request(changes, change)) {
      keep_allocation(pod, *at);
      api::default_request(at->desired, change.resource);
    }
  }
  return pod;
}

}  // namespace elbowroom::cli
