#include "lab/virtual/virtual_node.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/codec/decode_node.h"
#include "cri/convert.h"
#include "cri/pod_cgroup.h"
#include "lab/node/pod_report.h"
#include "lab/world/pod_rules.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"

namespace elbowroom::lab {
namespace {

using std::chrono::seconds;

constexpr std::chrono::seconds kLookAgain{1};

const Kind& node_kind() {
  static const Kind& kind = *find_kind("", "v1", "nodes");
  return kind;
}

const Kind& pod_kind() {
  static const Kind& kind = *find_kind("", "v1", "pods");
  return kind;
}

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

seconds bounded(std::int64_t grace) {
  return seconds(std::clamp<std::int64_t>(grace, 0, 1'000'000'000));
}

std::optional<std::chrono::milliseconds> terminates_after(const Json& pod) {
  return termination_time(text_at(pod, {"metadata", "annotations", kTerminatesAfter}));
}

bool has_container_status(const policy::Pod& pod) {
  return std::ranges::any_of(pod.containers, [](const policy::Container& container) {
    return container.state != policy::RunState::None;
  });
}

// Returns the size a container runs at according to its status. What the status omits is as
// allocated, and otherwise as requested.
policy::Requirements actual_size(const policy::Pod& pod, const policy::Container& container) {
  policy::Requirements size = starting_size(pod, container);
  if (container.actual_requests) size.requests = *container.actual_requests;
  return size;
}

policy::PodBounds actual_bounds(const policy::Pod& pod) {
  policy::PodToActuate all{.qos = policy::qos_of(pod), .overhead = pod.overhead};
  for (const policy::Container& container : pod.containers) {
    const policy::Requirements size = actual_size(pod, container);
    all.containers.push_back(
        {.name = container.name, .kind = container.kind, .actuated = size, .allocated = size});
  }
  const policy::PodLevel& level = pod.pod_level;
  all.pod_level_actuated = {
      level.actual_requests.value_or(level.allocated_requests.value_or(level.desired.requests)),
      level.actual_limits.value_or(level.desired.limits)};
  all.pod_level_allocated = all.pod_level_actuated;
  return policy::actuated_bounds(all);
}

std::string container_id(const policy::Pod& pod, const std::string& name, std::uint32_t attempt) {
  return pod.uid + "." + name + "." + std::to_string(attempt);
}

cri::RuntimePod sandbox_of(const policy::Pod& pod, std::uint32_t attempt) {
  return {.uid = pod.uid,
          .ns = pod.ns,
          .name = pod.name,
          .sandbox_id = pod.uid + "." + std::to_string(attempt),
          .sandbox_state = cri::SandboxState::Ready};
}

std::int64_t to_ns(policy::Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

policy::Time from_ns(std::int64_t ns) {
  return policy::Time(std::chrono::ceil<std::chrono::microseconds>(std::chrono::nanoseconds(ns)));
}

}  // namespace

VirtualNode::VirtualNode(World& world, PodsByNode& pods, VirtualNodeOptions options)
    : world_(world), placed_(pods), options_(std::move(options)), runtime_(options_.cgroups) {}

std::int64_t VirtualNode::now_ns() const { return to_ns(now_); }

bool VirtualNode::step(policy::Time now) {
  now_ = now;
  take_news();
  if (touched_.empty() && !(next_due_ && *next_due_ <= now_)) return false;
  std::set<std::string, std::less<>> keys = std::exchange(touched_, {});
  for (const auto& [key, known] : pods_) {
    const bool waits = known.waits_since && !known.has_begun;
    if (waits || (known.due && *known.due <= now_)) keys.insert(key);
  }
  bool changed = false;
  for (const std::string& key : keys) {
    const auto at = pods_.find(key);
    if (at != pods_.end() && look_after(*at)) changed = true;
  }
  next_due_.reset();
  for (const auto& [key, known] : pods_) {
    if (known.due) next_due_ = std::min(next_due_.value_or(*known.due), *known.due);
  }
  return changed;
}

// ---- from the world ----

void VirtualNode::take_news() {
  if (listed_ && world_.version() == seen_version_) return;
  const auto changed = placed_.changed_after(options_.node_name, seen_version_);
  if (listed_ && changed) {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const ChangedObject& each : *changed) names.emplace(each.ns, each.name);
    for (const auto& [ns, name] : names) learn(ns, name);
  } else {
    std::set<std::pair<std::string, std::string>> names;
    for (const auto& [key, known] : pods_) names.emplace(known.pod.value.ns, known.pod.value.name);
    for (const Json* pod : placed_.pods_of(options_.node_name)) {
      names.emplace(text_at(*pod, {"metadata", "namespace"}), text_at(*pod, {"metadata", "name"}));
    }
    for (const auto& [ns, name] : names) learn(ns, name);
    for (auto& [key, known] : pods_) known.has_begun = known.has_begun || !listed_;
  }
  listed_ = true;
  seen_version_ = world_.version();
}

void VirtualNode::learn(std::string_view ns, std::string_view name) {
  const std::string key = key_of(ns, name);
  const Object* object = world_.find_stored_object(pod_kind(), ns, name);
  if (object == nullptr || text_at(*object, {"spec", "nodeName"}) != options_.node_name) {
    return forget(key);
  }
  const policy::Pod* value = object->pod();
  if (value == nullptr) return;  // the world holds only pods that decode
  const auto there = pods_.find(key);
  if (there != pods_.end() && there->second.pod.value.uid != value->uid) forget(key);
  const auto [at, is_new] = pods_.try_emplace(key);
  Known& known = at->second;
  known.pod = {.object = *object, .value = *value};
  if (is_new) adopt(known);
  note_end(known, is_new);
  touched_.insert(key);
}

// Containers with a status run as it says. A terminating pod without any runs as requested, because
// nothing would start it.
void VirtualNode::adopt(Known& known) {
  const policy::Pod& pod = known.pod.value;
  const bool is_given = has_container_status(pod);
  if (policy::is_finished(pod) || (!is_given && !policy::is_terminating(pod))) return;
  known.unsaid = !is_given;
  VirtualPod runs{.view = sandbox_of(pod, 0)};
  if (options_.manages_pod_cgroups) runs.group = cri::pod_settings(actual_bounds(pod));
  for (const policy::Container& container : pod.containers) {
    if (is_given && container.state == policy::RunState::None) continue;
    const bool ended = container.state == policy::RunState::Terminated ||
                       container.kind == policy::ContainerKind::Init;
    runs.view.containers.emplace(
        container.name,
        cri::RuntimeContainer{
            .id = container_id(pod, container.name, 0),
            .sandbox_id = runs.view.sandbox_id,
            .pod_uid = pod.uid,
            .ns = pod.ns,
            .pod_name = pod.name,
            .name = container.name,
            .state = ended ? cri::ContainerState::Exited : cri::ContainerState::Running,
            .created_at_ns = now_ns(),
            .created = actual_size(pod, container),
            .started_at_ns = now_ns(),
            .finished_at_ns = ended ? now_ns() : 0,
            .resources = cri::resources_for(actual_size(pod, container))});
  }
  runtime_.run_sandbox(std::move(runs));
}

// The pod is gone from the API: what remains of it ends at once.
void VirtualNode::forget(const std::string& key) {
  const auto at = pods_.find(key);
  if (at == pods_.end()) return;
  runtime_.remove_sandbox(at->second.pod.value.uid);
  pods_.erase(at);
  touched_.erase(key);
}

// Sets when the pod's grace period ends. A shorter grace period set later takes effect when it is
// set.
void VirtualNode::note_end(Known& known, bool is_new) {
  const policy::Pod& pod = known.pod.value;
  if (!pod.deletion) return;
  const bool shortened = known.ends && pod.deletion_grace_seconds < known.grace;
  if (known.ends && !shortened) return;
  const seconds grace = bounded(pod.deletion_grace_seconds);
  const policy::Time asked = is_new ? *pod.deletion - grace : now_;
  const policy::Time ends = asked + terminates_after(known.pod.object).value_or(grace);
  known.grace = pod.deletion_grace_seconds;
  known.ends = std::min(known.ends.value_or(ends), ends);
}

// ---- due steps ----

const cri::RuntimePod* VirtualNode::runtime_of(const Known& known) const {
  const VirtualPod* pod = runtime_.find(known.pod.value.uid);
  return pod == nullptr ? nullptr : &pod->view;
}

// As PodRunner does it.
Admitted VirtualNode::admission_of(Known& known) const {
  const policy::Pod& pod = known.pod.value;
  const Object* object = world_.find_stored_object(node_kind(), "", options_.node_name);
  if (object == nullptr) return {};
  const auto node = api::decode_node(to_value(object->json()));
  if (!node) return {};
  std::vector<const policy::Pod*> others;
  for (const auto& [key, each] : pods_) {
    const policy::Pod& other = each.pod.value;
    if (other.uid == pod.uid || !policy::holds_room(other)) continue;
    const bool comes_after = !each.has_begun && policy::awaits_admission(other) &&
                             !policy::is_admitted_before(other, pod);
    if (!comes_after) others.push_back(&other);
  }
  if (!known.waits_since) known.waits_since = now_;
  return admit(*node, pod, others,
               std::chrono::duration_cast<std::chrono::milliseconds>(now_ - *known.waits_since),
               now_);
}

// Returns whether the pod may begin here. `changed`: it was rejected now.
bool VirtualNode::admits(Known& known, bool& changed) {
  const policy::Pod& pod = known.pod.value;
  known.has_begun = !admits_ || known.has_begun || runtime_of(known) != nullptr ||
                    !policy::has_not_begun(pod) || policy::is_terminating(pod);
  if (known.has_begun) return true;
  const Admitted admitted = admission_of(known);
  known.has_begun = admitted.verdict == Admission::Start;
  if (known.has_begun) return true;
  known.due = now_ + kLookAgain;
  if (admitted.verdict == Admission::Wait) return false;
  const auto patch = status_patch(known.pod.object, rejected_status(known.pod, admitted.rejection));
  changed =
      patch &&
      world_.patch(
          {.kind = &pod_kind(), .ns = pod.ns, .name = pod.name, .subresource = Subresource::Status},
          PatchType::StrategicMerge, *patch);
  return false;
}

bool VirtualNode::look_after(Entry& entry) {
  Known& known = entry.second;
  bool changed = false;
  if (!admits(known, changed)) return changed;
  bool is_gone = false;
  for (bool moved = true; moved && !is_gone;) {
    moved = false;
    judge_ends(known.pod, runtime_of(known), known.orders);
    const auto steps = next_steps(known.pod, runtime_of(known), now_ns(), known.orders);
    for (const PodStep& step : steps) {
      is_gone = is_gone || std::holds_alternative<DeleteObject>(step);
      moved = carry_out(known, step) || moved;
    }
    changed = changed || moved;
  }
  if (is_gone) return changed;
  changed = report(known) || changed;
  find_due(known);
  return changed;
}

bool VirtualNode::carry_out(Known& known, const PodStep& step) {
  if (const auto* sandbox = std::get_if<RunSandbox>(&step)) {
    start_sandbox(known, sandbox->attempt);
    return true;
  }
  if (const auto* start = std::get_if<StartContainer>(&step)) {
    start_container(known, *start);
    return true;
  }
  if (std::holds_alternative<StopContainers>(step)) return end_if_over(known);
  if (std::holds_alternative<RemoveSandbox>(step)) {
    runtime_.remove_sandbox(known.pod.value.uid);
    return true;
  }
  return take_object_away(known);
}

void VirtualNode::start_sandbox(const Known& known, std::uint32_t attempt) {
  const policy::Pod& pod = known.pod.value;
  VirtualPod starts{.view = sandbox_of(pod, attempt)};
  if (options_.manages_pod_cgroups) starts.group = cri::pod_settings(starting_bounds(pod));
  runtime_.run_sandbox(std::move(starts));
}

// An init container completes at once: nothing is computed here.
void VirtualNode::start_container(Known& known, const StartContainer& start) {
  const policy::Pod& pod = known.pod.value;
  const auto value = std::ranges::find(pod.containers, start.name, &policy::Container::name);
  const cri::RuntimePod* sandbox = runtime_of(known);
  if (value == pod.containers.end() || sandbox == nullptr) return;
  const bool is_done = value->kind == policy::ContainerKind::Init;
  cri::RuntimeContainer container{
      .id = container_id(pod, start.name, start.attempt),
      .sandbox_id = sandbox->sandbox_id,
      .pod_uid = pod.uid,
      .ns = pod.ns,
      .pod_name = pod.name,
      .name = start.name,
      .attempt = start.attempt,
      .state = is_done ? cri::ContainerState::Exited : cri::ContainerState::Running,
      .created_at_ns = now_ns(),
      .created = starting_size(pod, *value),
      .resize_restarts = start.resize_restarts,
      .started_at_ns = now_ns(),
      .finished_at_ns = is_done ? now_ns() : 0,
      .resources = cri::resources_for(starting_size(pod, *value))};
  if (is_done) container.reason = "Completed";
  runtime_.start_container(pod.uid, std::move(container));
  known.unsaid = true;
}

// Ends the containers of a terminating pod after its grace period.
bool VirtualNode::end_if_over(Known& known) {
  const policy::Pod& pod = known.pod.value;
  const bool finished = policy::is_finished(pod);
  if (!finished && known.ends && now_ < *known.ends) return false;
  const auto needed = terminates_after(known.pod.object);
  const bool obeyed = finished || (needed && *needed < bounded(pod.deletion_grace_seconds));
  const cri::RuntimePod* runtime = runtime_of(known);
  std::vector<std::string> names;
  for (const auto& [name, container] : runtime->containers) {
    if (container.state == cri::ContainerState::Running) names.push_back(name);
  }
  for (const std::string& name : names) {
    runtime_.end_container(pod.uid, name, obeyed ? 0 : kKilledExit, now_ns());
  }
  known.unsaid = true;
  return true;
}

bool VirtualNode::take_object_away(const Known& known) {
  const policy::Pod& pod = known.pod.value;
  return world_
      .remove({.kind = &pod_kind(), .ns = pod.ns, .name = pod.name},
              {.grace_seconds = 0, .uid = pod.uid})
      .has_value();
}

bool VirtualNode::report(Known& known) {
  if (!known.unsaid) return false;
  known.unsaid = false;
  const cri::RuntimePod* runtime = runtime_of(known);
  Json status = known.orders.has_exited
                    ? reported_status(never_restarted(known.pod), runtime, now_ns())
                    : reported_status(known.pod, runtime, now_ns(), known.orders);
  add_pod_level(known.pod, status);
  const auto patch = status_patch(known.pod.object, status);
  if (!patch) return false;
  const policy::Pod& pod = known.pod.value;
  const auto written = world_.patch(
      {.kind = &pod_kind(), .ns = pod.ns, .name = pod.name, .subresource = Subresource::Status},
      PatchType::StrategicMerge, *patch);
  // Another writer was faster: the next step reads again and repeats the report.
  known.unsaid = !written;
  return written.has_value();
}

void VirtualNode::find_due(Known& known) {
  known.due.reset();
  const auto consider = [&](policy::Time at) {
    if (at > now_) known.due = std::min(known.due.value_or(at), at);
  };
  const cri::RuntimePod* runtime = runtime_of(known);
  if (runtime == nullptr) return;
  if (known.ends) consider(*known.ends);
  const auto start = next_start(known.pod, *runtime, now_ns(), known.orders);
  if (start) consider(from_ns(*start));
}

// ---- calls from outside ----

Result<std::optional<cri::RuntimeResources>> VirtualNode::perform(const agent::Actuate& actuate) {
  const std::size_t killed = runtime_.killed();
  auto size = runtime_.perform(actuate, now_ns());
  const auto* restart = std::get_if<policy::RestartContainer>(&actuate.step);
  const bool is_killed = runtime_.killed() != killed;
  if (!is_killed && (!size || restart == nullptr)) return size;
  for (auto& [key, known] : pods_) {
    if (known.pod.value.uid != actuate.pod_uid) continue;
    known.unsaid = true;
    touched_.insert(key);
  }
  return size;
}

VirtualNode::Known* VirtualNode::running(std::string_view ns, std::string_view name) {
  const auto at = pods_.find(key_of(ns, name));
  if (at == pods_.end() || runtime_of(at->second) == nullptr) return nullptr;
  touched_.insert(at->first);
  return &at->second;
}

Result<void> VirtualNode::exit(std::string_view ns, std::string_view name, std::int32_t exit_code) {
  Known* known = running(ns, name);
  if (known == nullptr) {
    return failure(Code::NotFound,
                   "pod " + key_of(ns, name) + " does not run on node " + options_.node_name);
  }
  known->orders.has_exited = true;
  known->unsaid = true;
  std::vector<std::string> names;
  for (const auto& [each, container] : runtime_of(*known)->containers) names.push_back(each);
  for (const std::string& each : names) {
    runtime_.end_container(known->pod.value.uid, each, exit_code, now_ns());
  }
  return {};
}

Result<void> VirtualNode::crash(std::string_view ns, std::string_view name,
                                std::string_view container, std::int32_t exit_code) {
  Known* known = running(ns, name);
  if (known == nullptr || !runtime_of(*known)->containers.contains(container)) {
    return failure(Code::NotFound, "container " + std::string(container) + " of pod " +
                                       key_of(ns, name) + " does not run on node " +
                                       options_.node_name);
  }
  known->unsaid = true;
  runtime_.end_container(known->pod.value.uid, container, exit_code, now_ns());
  return {};
}

Result<void> VirtualNode::use_memory(std::string_view ns, std::string_view name,
                                     std::string_view container, std::int64_t bytes) {
  const Known* known = running(ns, name);
  if (known == nullptr || !runtime_.use_memory(known->pod.value.uid, container, bytes)) {
    return failure(Code::NotFound, "container " + std::string(container) + " of pod " +
                                       key_of(ns, name) + " does not run on node " +
                                       options_.node_name);
  }
  return {};
}

}  // namespace elbowroom::lab
