#include "lab/node/pod_plan.h"

#include <algorithm>
#include <utility>

#include "cri/convert.h"
#include "lab/node/fake_runtime.h"
#include "policy/model/charge.h"

namespace elbowroom::lab {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirstWait = 10;
constexpr std::int64_t kLongestWait = 300;
constexpr std::int64_t kForgivenAfter = 600;
constexpr std::chrono::seconds kOverdue{30};
constexpr std::string_view kLabPrefix = "lab.elbowroom.dev/";

// The container as the runtime has it. A container of a removed sandbox counts as ended.
struct Seen {
  const cri::RuntimeContainer* container = nullptr;
  bool runs = false;
  bool ended = false;
};

Seen seen(const cri::RuntimePod* runtime, const std::string& name) {
  if (runtime == nullptr) return {};
  const auto it = runtime->containers.find(name);
  if (it == runtime->containers.end()) return {};
  const bool lost = it->second.sandbox_id != runtime->sandbox_id ||
                    runtime->sandbox_state != cri::SandboxState::Ready;
  return {.container = &it->second,
          .runs = it->second.state == cri::ContainerState::Running && !lost,
          .ended = it->second.state == cri::ContainerState::Exited || lost};
}

// How many restarts in a row the back-off counts: none after a long run.
std::uint32_t counted_restarts(const cri::RuntimeContainer& ended) {
  if (ended.finished_at_ns - ended.started_at_ns >= kForgivenAfter * kSecond) return 0;
  return ended.attempt - std::min(ended.attempt, ended.resize_restarts);
}

std::int64_t due_of(const cri::RuntimeContainer& ended) {
  const std::uint32_t restarts = counted_restarts(ended);
  if (restarts == 0) return ended.finished_at_ns;
  const std::uint32_t doublings = std::min(restarts - 1, 5U);
  const std::int64_t wait = std::min(kFirstWait << doublings, kLongestWait);
  return ended.finished_at_ns + wait * kSecond;
}

bool is_due(const cri::RuntimeContainer& ended, std::int64_t now_ns) {
  return counted_restarts(ended) == 0 || now_ns >= due_of(ended);
}

bool ended_for_resize(const PodOrders& orders, const cri::RuntimeContainer& ended) {
  const auto at = orders.ends.find(ended.id);
  return at != orders.ends.end() && at->second;
}

// The step that starts a container that should run and does not; nothing while it must wait.
std::optional<StartContainer> start_of(const NodePod& pod, const policy::Container& container,
                                       const Seen& now, std::int64_t now_ns,
                                       const PodOrders& orders) {
  if (now.container == nullptr) return StartContainer{.name = container.name};
  const cri::RuntimeContainer& there = *now.container;
  StartContainer start{.name = container.name,
                       .attempt = there.attempt + 1,
                       .replaces = there.id,
                       .resize_restarts = there.resize_restarts};
  if (!now.ended) {
    // One that never started is no attempt.
    start.attempt = there.attempt;
    const bool is_new = there.state == cri::ContainerState::Created;
    return is_new ? std::optional(start) : std::nullopt;
  }
  if (ended_for_resize(orders, there)) {
    ++start.resize_restarts;
    return start;
  }
  if (!restarts(pod.object, container, there.exit_code) || !is_due(there, now_ns)) {
    return std::nullopt;
  }
  start.resize_restarts = there.attempt - counted_restarts(there);
  return start;
}

// Compares only what requires a restart: the rest may have changed in place.
bool was_created_with_another(const policy::Container& container,
                              const policy::Requirements& created,
                              const policy::Requirements& starts) {
  const bool cpu =
      created.requests.cpu != starts.requests.cpu || created.limits.cpu != starts.limits.cpu;
  const bool memory = created.requests.memory != starts.requests.memory ||
                      created.limits.memory != starts.limits.memory;
  return (cpu && container.cpu_resize == policy::ResizePolicy::RestartContainer) ||
         (memory && container.memory_resize == policy::ResizePolicy::RestartContainer);
}

// The containers that exist and have not ended.
std::vector<std::string> alive(const cri::RuntimePod& runtime) {
  std::vector<std::string> ids;
  for (const auto& [name, container] : runtime.containers) {
    if (container.state == cri::ContainerState::Running) ids.push_back(container.id);
  }
  return ids;
}

// The status reports that every container ended or never began.
bool is_reported_ended(const Json& object) {
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& status : list_at(object, {"status", list})) {
      if (find_at(status, {"state", "running"}) != nullptr) return false;
    }
  }
  return true;
}

// The API already knows that nothing is left here, and a finalizer keeps the object. Deleting again
// would change nothing.
bool waits_for_finalizers(const Json& object) {
  return integer_at(object, {"metadata", "deletionGracePeriodSeconds"}) == 0 &&
         present_at(object, {"metadata", "finalizers"});
}

std::vector<PodStep> ending(const NodePod& pod, const cri::RuntimePod* runtime) {
  if (runtime != nullptr) {
    if (auto ids = alive(*runtime); !ids.empty()) {
      return {StopContainers{.ids = std::move(ids),
                             .grace_seconds = policy::is_terminating(pod.value)
                                                  ? pod.value.deletion_grace_seconds
                                                  : pod.value.termination_grace_seconds}};
    }
    // The end of each container is reported to the API before the runtime forgets it.
    if (!is_reported_ended(pod.object)) return {};
    return {RemoveSandbox{.id = runtime->sandbox_id}};
  }
  if (policy::is_terminating(pod.value) && !waits_for_finalizers(pod.object)) {
    return {DeleteObject{}};
  }
  return {};
}

}  // namespace

Admitted admit(const policy::Node& node, const policy::Pod& pod,
               const std::vector<const policy::Pod*>& others, std::chrono::milliseconds waited,
               policy::Time now) {
  if (policy::never_fits(node, pod)) {
    const auto never = policy::rejection_of(node, pod, {});
    return {Admission::Reject, never.value_or(policy::Rejection{})};
  }
  if (pod.started) return {};
  const auto beside = [&](policy::Resources (*charge)(const policy::Pod&)) {
    policy::ChargeSum sum;
    sum.leave_out(policy::shareable_claims(pod));
    for (const policy::Pod* other : others) sum.add(*other, charge(*other));
    const auto pods = static_cast<std::int64_t>(others.size());
    return policy::rejection_of(node, pod, {.amounts = sum.total(), .pods = pods});
  };
  if (!beside(&policy::cluster_charge)) return {};
  const auto rejection = beside(&policy::held_charge);
  if (waited < kAdmissionPatience) return {Admission::Wait, {}};
  if (!rejection) return {};
  const bool is_room_on_its_way = std::ranges::any_of(others, [&](const policy::Pod* other) {
    return other->deletion && now < *other->deletion + kOverdue;
  });
  if (is_room_on_its_way) return {Admission::Wait, {}};
  return {Admission::Reject, *rejection};
}

Json rejected_status(const NodePod& pod, const policy::Rejection& rejection) {
  Json status = map_at(pod.object, {"status"});
  status["phase"] = "Failed";
  status["reason"] = rejection.reason;
  status["message"] = "Pod was rejected: " + rejection.message;
  return status;
}

bool may_restart_for_resize(const policy::Container& container) {
  return container.kind != policy::ContainerKind::Init &&
         (container.cpu_resize == policy::ResizePolicy::RestartContainer ||
          container.memory_resize == policy::ResizePolicy::RestartContainer);
}

void judge_ends(const NodePod& pod, const cri::RuntimePod* runtime, PodOrders& orders) {
  std::map<std::string, bool, std::less<>> ends;
  for (const policy::Container& container : pod.value.containers) {
    const Seen now = seen(runtime, container.name);
    if (!now.ended) continue;
    const auto known = orders.ends.find(now.container->id);
    const bool is_for_resize =
        known != orders.ends.end()
            ? known->second
            : may_restart_for_resize(container) && now.container->created &&
                  was_created_with_another(container, *now.container->created,
                                           starting_size(pod.value, container));
    ends.emplace(now.container->id, is_for_resize);
  }
  orders.ends = std::move(ends);
}

bool comes_back(const NodePod& pod, const policy::Container& container,
                const cri::RuntimeContainer& ended, const PodOrders& orders) {
  return ended_for_resize(orders, ended) || restarts(pod.object, container, ended.exit_code);
}

bool has_exited(const Json& pod) {
  return text_at(pod, {"metadata", "annotations", kHasExited}) == "true";
}

NodePod never_restarted(const NodePod& pod) {
  Json object = pod.object;
  object["spec"]["restartPolicy"] = "Never";
  return {.object = Object(std::move(object)), .value = pod.value};
}

bool restarts(const Json& pod, const policy::Container& container, std::int32_t exit_code) {
  if (container.kind == policy::ContainerKind::Sidecar) return true;
  const std::string rule = text_at(pod, {"spec", "restartPolicy"});
  if (rule == "Never") return false;
  if (rule == "OnFailure" || container.kind == policy::ContainerKind::Init) return exit_code != 0;
  return true;
}

std::vector<PodStep> next_steps(const NodePod& pod, const cri::RuntimePod* runtime,
                                std::int64_t now_ns, const PodOrders& orders) {
  if (orders.has_exited && !policy::is_finished(pod.value)) return {};
  if (policy::is_terminating(pod.value) || policy::is_finished(pod.value)) {
    return ending(pod, runtime);
  }
  if (runtime == nullptr || runtime->sandbox_id.empty()) return {RunSandbox{}};
  if (runtime->sandbox_state != cri::SandboxState::Ready) {
    // Ended for good, with only the status left to write: no sandbox is needed.
    const bool any_comes_back =
        std::ranges::any_of(pod.value.containers, [&](const auto& container) {
          const Seen now = seen(runtime, container.name);
          return now.container == nullptr || comes_back(pod, container, *now.container, orders);
        });
    if (any_comes_back) return {RunSandbox{.attempt = 1}};
    return {};
  }
  std::vector<PodStep> steps;
  for (const policy::Container& container : pod.value.containers) {
    const Seen now = seen(runtime, container.name);
    if (now.runs && container.kind != policy::ContainerKind::Init) continue;
    if (container.kind == policy::ContainerKind::Init) {
      if (now.ended && now.container->exit_code == 0) continue;
      if (auto start = start_of(pod, container, now, now_ns, orders)) steps.emplace_back(*start);
      return steps;  // all later containers wait for it
    }
    if (auto start = start_of(pod, container, now, now_ns, orders)) steps.emplace_back(*start);
    // A sidecar runs before the next container starts.
    if (container.kind == policy::ContainerKind::Sidecar) return steps;
  }
  return steps;
}

std::optional<std::int64_t> next_start(const NodePod& pod, const cri::RuntimePod& runtime,
                                       std::int64_t now_ns, const PodOrders& orders) {
  if (policy::is_terminating(pod.value) || policy::is_finished(pod.value) || orders.has_exited) {
    return std::nullopt;
  }
  std::optional<std::int64_t> next;
  const auto consider = [&](std::int64_t due) {
    if (due > now_ns) next = std::min(next.value_or(due), due);
  };
  for (const policy::Container& container : pod.value.containers) {
    const Seen now = seen(&runtime, container.name);
    if (!now.ended || !restarts(pod.object, container, now.container->exit_code)) continue;
    if (!ended_for_resize(orders, *now.container)) consider(due_of(*now.container));
  }
  return next;
}

std::vector<PodStep> steps_without_object(const cri::RuntimePod& runtime) {
  if (auto ids = alive(runtime); !ids.empty()) {
    return {StopContainers{.ids = std::move(ids), .grace_seconds = 1}};
  }
  return {RemoveSandbox{.id = runtime.sandbox_id}};
}

policy::Requirements starting_size(const policy::Pod& pod, const policy::Container& container) {
  const bool reports = container.state != policy::RunState::None &&
                       (pod.pod_level.allocated_requests ||
                        std::ranges::any_of(pod.containers, [](const policy::Container& each) {
                          return each.allocated_requests.has_value();
                        }));
  policy::Requirements size = reports ? policy::Requirements{} : container.desired;
  if (container.allocated_requests) size.requests = *container.allocated_requests;
  // A status may say what is allocated, and not what is actual.
  const bool has_no_actual = !policy::is_zero(size.requests) && !container.actual_requests;
  if (has_no_actual) size.limits = container.desired.limits;
  if (container.actual_limits) size.limits = *container.actual_limits;
  return size;
}

policy::PodBounds starting_bounds(const policy::Pod& pod) {
  policy::PodToActuate all{.qos = policy::qos_of(pod), .overhead = pod.overhead};
  for (const policy::Container& container : pod.containers) {
    const policy::Requirements size = starting_size(pod, container);
    all.containers.push_back(
        {.name = container.name, .kind = container.kind, .actuated = size, .allocated = size});
  }
  all.pod_level_allocated = pod.pod_level.desired;
  if (pod.pod_level.allocated_requests) {
    all.pod_level_allocated.requests = *pod.pod_level.allocated_requests;
  }
  if (pod.pod_level.actual_limits) all.pod_level_allocated.limits = *pod.pod_level.actual_limits;
  all.pod_level_actuated = all.pod_level_allocated;
  return policy::allocated_bounds(all);
}

cri::SandboxSpec sandbox_spec(const NodePod& pod, std::uint32_t attempt,
                              std::string cgroup_parent) {
  return {.pod_uid = pod.value.uid,
          .ns = pod.value.ns,
          .name = pod.value.name,
          .attempt = attempt,
          .cgroup_parent = std::move(cgroup_parent),
          .host_network = truth_at(pod.object, {"spec", "hostNetwork"})};
}

std::optional<cri::ContainerSpec> container_spec(const NodePod& pod, const StartContainer& start) {
  const std::string& name = start.name;
  const auto value = std::ranges::find(pod.value.containers, name, &policy::Container::name);
  const Json* object = nullptr;
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& candidate : list_at(pod.object, {"spec", list})) {
      if (text_at(candidate, {"name"}) == name) object = &candidate;
    }
  }
  if (value == pod.value.containers.end() || object == nullptr) return std::nullopt;

  const policy::Requirements size = starting_size(pod.value, *value);
  cri::ContainerSpec spec{.name = name,
                          .attempt = start.attempt,
                          .image = text_at(*object, {"image"}),
                          .resources = cri::resources_for(size)};
  spec.annotations = {{std::string(cri::kCreatedSize), cri::text_of_size(size)},
                      {std::string(cri::kResizeRestarts), std::to_string(start.resize_restarts)}};
  for (const Json& word : list_at(*object, {"command"})) {
    if (word.is_string()) spec.command.push_back(word.get<std::string>());
  }
  for (const Json& word : list_at(*object, {"args"})) {
    if (word.is_string()) spec.args.push_back(word.get<std::string>());
  }
  for (const Json& variable : list_at(*object, {"env"})) {
    spec.env.emplace_back(text_at(variable, {"name"}), text_at(variable, {"value"}));
  }
  if (policy::qos_of(pod.value) == policy::Qos::BestEffort) spec.oom_score_adj = 1000;
  for (const auto& [key, text] : map_at(pod.object, {"metadata", "annotations"}).items()) {
    if (key.starts_with(kLabPrefix) && text.is_string()) {
      spec.annotations.emplace(key, text.get<std::string>());
    }
  }
  // The lab computes nothing, so an init container completes the moment it starts.
  if (value->kind == policy::ContainerKind::Init) {
    spec.annotations.emplace(std::string(kEndsAtOnce), "true");
  }
  return spec;
}

}  // namespace elbowroom::lab
