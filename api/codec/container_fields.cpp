#include "api/codec/container_fields.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/codec/decode_common.h"
#include "policy/model/pod_sum.h"

namespace elbowroom::api {
namespace {

using policy::Container;
using policy::ContainerKind;
using policy::Pod;
using policy::Resources;

void default_requests(policy::Requirements& requirements) {
  policy::for_each_amount(requirements.limits, [&](std::string_view name, std::int64_t) {
    default_request(requirements, name);
  });
}

// A request that is written as zero stays zero.
bool names(const Field& resources, std::string_view list, std::string_view name) {
  const Value* amounts = resources.present() ? resources.value().find(list) : nullptr;
  return amounts != nullptr && amounts->find(name) != nullptr;
}

Result<policy::Requirements> decode_container_requirements(const Field& at) {
  ASSIGN_OR_RETURN(policy::Requirements requirements, decode_requirements(at));
  policy::Requirements filled = requirements;
  default_requests(filled);
  policy::for_each_amount(requirements.limits, [&](std::string_view name, std::int64_t) {
    if (names(at, "requests", name)) {
      policy::set_amount(filled.requests, name, policy::amount_of(requirements.requests, name));
    }
  });
  return filled;
}

Result<void> decode_resize_policy(const Field& at, Container& container) {
  ASSIGN_OR_RETURN(const Field list, at.get("resizePolicy"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = list.item(i);
    ASSIGN_OR_RETURN(const std::string resource, entry.text("resourceName"));
    ASSIGN_OR_RETURN(const std::string restart, entry.text("restartPolicy"));
    if (restart != "RestartContainer") continue;
    if (resource == policy::kCpu) container.cpu_resize = policy::ResizePolicy::RestartContainer;
    if (resource == policy::kMemory) {
      container.memory_resize = policy::ResizePolicy::RestartContainer;
    }
  }
  return {};
}

Result<Container> decode_container(const Field& at, bool init) {
  Container container;
  ASSIGN_OR_RETURN(container.name, at.text("name"));
  if (container.name.empty()) return at.refuse("name", "must not be empty");
  if (container.name.size() > kMaxNameBytes) {
    return at.refuse("name", "must be no longer than 253 characters");
  }
  if (init) {
    ASSIGN_OR_RETURN(const std::string restart, at.text("restartPolicy"));
    container.kind = restart == "Always" ? ContainerKind::Sidecar : ContainerKind::Init;
  }
  ASSIGN_OR_RETURN(const Field resources, at.get("resources"));
  ASSIGN_OR_RETURN(container.desired, decode_container_requirements(resources));
  RETURN_IF_ERROR(decode_resize_policy(at, container));
  return container;
}

Result<void> decode_list(const Field& spec, std::string_view key, bool init,
                         const std::vector<Container>* more, Pod& pod) {
  ASSIGN_OR_RETURN(const Field list, spec.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(Container container, decode_container(at, init));
    pod.containers.push_back(std::move(container));
  }
  if (more != nullptr) pod.containers.insert(pod.containers.end(), more->begin(), more->end());
  if (!init && count == 0) return spec.refuse(key, "must name at least one container");
  return {};
}

Result<void> check_container_names(const Field& spec, const Pod& pod) {
  std::set<std::string_view> names;
  for (const Container& container : pod.containers) {
    if (!names.insert(container.name).second) {
      return spec.refuse("containers", "container name \"" + container.name + "\" is given twice");
    }
  }
  return {};
}

Result<policy::RunState> decode_state(const Field& status) {
  ASSIGN_OR_RETURN(const Field state, status.get("state"));
  if (!state.present()) return policy::RunState::Waiting;
  ASSIGN_OR_RETURN(const Field running, state.get("running"));
  if (running.present()) return policy::RunState::Running;
  ASSIGN_OR_RETURN(const Field terminated, state.get("terminated"));
  return terminated.present() ? policy::RunState::Terminated : policy::RunState::Waiting;
}

// Of two statuses of one container, the one that holds more counts, so that their order does not
// matter.
policy::RunState less_ended(policy::RunState a, policy::RunState b) {
  const auto rank = [](policy::RunState state) {
    if (state == policy::RunState::Running) return 3;
    if (state == policy::RunState::Waiting) return 2;
    return state == policy::RunState::Terminated ? 1 : 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

void take_larger(std::optional<Resources>& into, const std::optional<Resources>& one) {
  if (!one) return;
  into = into ? policy::max_of(*into, *one) : *one;
}

Result<ContainerStatusFields> decode_shown(const Field& at) {
  ContainerStatusFields shown;
  ASSIGN_OR_RETURN(shown.state, decode_state(at));
  ASSIGN_OR_RETURN(shown.allocated_requests, at.resources("allocatedResources"));
  ASSIGN_OR_RETURN(const Field resources, at.get("resources"));
  ASSIGN_OR_RETURN(shown.actual_requests, resources.resources("requests"));
  ASSIGN_OR_RETURN(shown.actual_limits, resources.resources("limits"));
  return shown;
}

// The containers of a pod by name: either init containers, or the others.
class ByName {
 public:
  ByName(Pod& pod, bool init) : pod_(pod), init_(init) {
    if (pod.containers.size() <= kFew) return;
    for (Container& each : pod.containers) {
      if (is_one(each)) known_.emplace(each.name, &each);
    }
  }

  [[nodiscard]] Container* find(std::string_view name) const {
    if (pod_.containers.size() > kFew) {
      const auto at = known_.find(name);
      return at == known_.end() ? nullptr : at->second;
    }
    const auto found = std::ranges::find_if(
        pod_.containers, [&](const Container& each) { return each.name == name && is_one(each); });
    return found == pod_.containers.end() ? nullptr : &*found;
  }

 private:
  static constexpr std::size_t kFew = 16;

  [[nodiscard]] bool is_one(const Container& each) const {
    return (each.kind != ContainerKind::Regular) == init_;
  }

  Pod& pod_;
  bool init_;
  std::map<std::string_view, Container*> known_{};  // used when there are many
};

void lay(const ContainerStatusFields& shown, Container& on) {
  on.state = less_ended(on.state, shown.state);
  take_larger(on.allocated_requests, shown.allocated_requests);
  take_larger(on.actual_requests, shown.actual_requests);
  take_larger(on.actual_limits, shown.actual_limits);
}

// Servers and clients drop empty maps. Where a status reports allocations at all, a container that
// runs without one has nothing allocated; a container that has not started yet is reported without.
void settle_absent(Pod& pod) {
  const auto reports = [](const Container& each) { return each.allocated_requests.has_value(); };
  if (!pod.pod_level.allocated_requests && std::ranges::none_of(pod.containers, reports)) return;
  for (Container& each : pod.containers) {
    const bool is_empty = each.state == policy::RunState::Running && !each.allocated_requests &&
                          !each.actual_requests;
    if (is_empty) each.allocated_requests = Resources{};
  }
}

// A container may have a status although the spec does not list it, or have two, only through
// another program's error.
Result<void> decode_statuses(const Field& status, std::string_view key, bool init,
                             const std::vector<ContainerStatusFields>* more, Pod& pod) {
  ASSIGN_OR_RETURN(const Field list, status.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  const ByName containers(pod, init);
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(const std::string name, at.text("name"));
    Container* const found = containers.find(name);
    if (found == nullptr) continue;
    ASSIGN_OR_RETURN(const ContainerStatusFields shown, decode_shown(at));
    lay(shown, *found);
  }
  if (more == nullptr) return {};
  for (const ContainerStatusFields& shown : *more) {
    if (Container* const found = containers.find(shown.name)) lay(shown, *found);
  }
  return {};
}

template <class T>
void add(std::vector<T>& to, Result<T> made, std::string_view list, std::optional<Error>& error) {
  if (made) {
    to.push_back(std::move(*made));
  } else if (!error) {
    error = made.error().with(list);
  }
}

Result<ContainerStatusFields> decode_named(const Field& at) {
  ASSIGN_OR_RETURN(ContainerStatusFields shown, decode_shown(at));
  ASSIGN_OR_RETURN(shown.name, at.text("name"));
  return shown;
}

}  // namespace

void default_request(policy::Requirements& requirements, std::string_view name) {
  if (policy::amount_of(requirements.requests, name) != 0) return;
  policy::set_amount(requirements.requests, name, policy::amount_of(requirements.limits, name));
}

void ContainerParts::take(std::string_view list, const Value& item) {
  const Field at(item, Source::Server);
  if (list == "containers") add(containers, decode_container(at, false), list, error);
  if (list == "initContainers") add(init_containers, decode_container(at, true), list, error);
  if (list == "containerStatuses") add(statuses, decode_named(at), list, error);
  if (list == "initContainerStatuses") add(init_statuses, decode_named(at), list, error);
}

Result<policy::Requirements> decode_requirements(const Field& at) {
  policy::Requirements requirements;
  ASSIGN_OR_RETURN(const auto requests, at.resources("requests"));
  ASSIGN_OR_RETURN(const auto limits, at.resources("limits"));
  requirements.requests = requests.value_or(Resources{});
  requirements.limits = limits.value_or(Resources{});
  return requirements;
}

Result<void> decode_containers(const Field& spec, const ContainerParts* parts, Pod& pod) {
  if (parts != nullptr && parts->error) return std::unexpected(*parts->error);
  RETURN_IF_ERROR(decode_list(spec, "initContainers", true,
                              parts == nullptr ? nullptr : &parts->init_containers, pod));
  RETURN_IF_ERROR(
      decode_list(spec, "containers", false, parts == nullptr ? nullptr : &parts->containers, pod));
  return check_container_names(spec, pod);
}

void default_pod_level(const Field& resources, Pod& pod) {
  policy::Requirements& level = pod.pod_level.desired;
  if (policy::is_zero(level.limits)) return;
  // Hugepages cannot be overcommitted, so their request is the limit.
  const auto fill = [&](std::string_view name, std::int64_t amount, bool overcommits) {
    const bool is_open = policy::amount_of(level.requests, name) == 0 &&
                         !names(resources, "requests", name) && policy::is_pod_level_resource(name);
    if (is_open && (!overcommits || !name.starts_with("hugepages-"))) {
      policy::set_amount(level.requests, name, amount);
    }
  };
  const Resources containers = policy::sum_of_containers(
      pod.containers,
      [](const Container& each) -> const Resources& { return each.desired.requests; });
  policy::for_each_amount(containers,
                          [&](std::string_view name, std::int64_t sum) { fill(name, sum, true); });
  policy::for_each_amount(
      level.limits, [&](std::string_view name, std::int64_t limit) { fill(name, limit, false); });
}

Result<void> decode_container_statuses(const Field& status, const ContainerParts* parts, Pod& pod) {
  RETURN_IF_ERROR(decode_statuses(status, "initContainerStatuses", true,
                                  parts == nullptr ? nullptr : &parts->init_statuses, pod));
  RETURN_IF_ERROR(decode_statuses(status, "containerStatuses", false,
                                  parts == nullptr ? nullptr : &parts->statuses, pod));
  settle_absent(pod);
  return {};
}

}  // namespace elbowroom::api
