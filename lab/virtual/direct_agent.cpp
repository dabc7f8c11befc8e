#include "lab/virtual/direct_agent.h"

#include <chrono>
#include <set>
#include <utility>

#include "api/codec/decode_cluster_pod.h"
#include "api/codec/decode_node.h"
#include "api/write/pod_status.h"
#include "lab/world/world_result.h"

namespace elbowroom::lab {
namespace {

using std::chrono::milliseconds;

const Kind& pod_kind() {
  static const Kind& kind = *find_kind("", "v1", "pods");
  return kind;
}

const Kind& node_kind() {
  static const Kind& kind = *find_kind("", "v1", "nodes");
  return kind;
}

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

agent::ReactorOptions options_of(const std::string& node_name, AgentRole role, policy::Time now) {
  agent::ReactorOptions options;
  options.node_name = node_name;
  options.authority = role != AgentRole::Companion;
  options.critical_preemption = role == AgentRole::Authority;
  options.kubelet = role == AgentRole::Kubelet;
  options.boot = {.id = "virtual",
                  .at_start = std::chrono::floor<milliseconds>(now.time_since_epoch())};
  return options;
}

api::PodStatusChange change_of(const agent::WriteStatus& write) {
  api::PodStatusChange change{.set = write.set, .clear = write.remove, .read_at = write.read_at};
  for (const auto& [name, figures] : write.containers) {
    change.containers.push_back(
        {.name = name, .allocated = figures.allocated, .actual = figures.actual});
  }
  if (write.pod_level) {
    change.pod_allocated = write.pod_level->allocated;
    change.pod_actual = write.pod_level->actual;
  }
  return change;
}

}  // namespace

DirectAgent::DirectAgent(World& world, PodsByNode& pods, VirtualNode& node, std::string node_name,
                         AgentRole role)
    : world_(world), placed_(pods), node_(node), node_name_(std::move(node_name)), role_(role) {}

void DirectAgent::restart() {
  reactor_.reset();
  has_begun_ = false;
}

bool DirectAgent::step(policy::Time now) {
  now_ = now;
  if (!has_begun_) return begin();
  bool told = poll_runtime();
  if (world_.version() != world_version_) {
    told = look_at_node() || told;
    told = look_at_pods() || told;
  }
  return told ? true : wake();
}

bool DirectAgent::begin() {
  born_ = now_;
  agent::Checkpoint restored;
  bool rebuilt = false;
  if (!disk_.empty()) {
    auto read = agent::decode_checkpoint(disk_);
    rebuilt = !read;
    if (read) restored = std::move(*read);
  }
  reactor_ = std::make_unique<agent::Reactor>(options_of(node_name_, role_, now_),
                                              std::move(restored), rebuilt);
  has_begun_ = true;
  node_version_.clear();
  runtime_version_ = 0;
  (void)look_at_node();
  (void)list_pods();
  (void)poll_runtime();
  return true;
}

std::optional<policy::Time> DirectAgent::next_due() const {
  if (!has_begun_) return now_;
  const auto wake = reactor_->next_wake();
  if (!wake) return std::nullopt;
  return born_ + *wake;
}

// ---- observations ----

void DirectAgent::tell(Seen seen) {
  std::deque<agent::Observation> queue;
  const agent::Moment at{std::chrono::floor<milliseconds>(now_ - born_), now_};
  queue.push_back({at, std::move(seen)});
  while (!queue.empty()) {
    const agent::Observation next = std::move(queue.front());
    queue.pop_front();
    for (const agent::Effect& effect : reactor_->handle(next)) {
      if (const auto* event = std::get_if<agent::EmitEvent>(&effect.what)) {
        note(*event);
        continue;
      }
      auto size = perform(effect);
      if (size) {
        queue.push_back({at, agent::Done{.effect = effect.id, .size = *size}});
      } else {
        queue.push_back({at, agent::Failed{.effect = effect.id, .error = size.error()}});
      }
    }
  }
}

// The kubelet's stand-in records no events: a kubelet's events are different.
void DirectAgent::note(const agent::EmitEvent& event) {
  if (role_ == AgentRole::Kubelet) return;
  events_.push_back({.by = "agent",
                     .pod = event.ns.empty() ? "" : event.ns + "/" + event.pod,
                     .warning = event.warning,
                     .reason = event.reason,
                     .note = event.note});
}

bool DirectAgent::look_at_node() {
  const Json* object = world_.peek(node_kind(), "", node_name_);
  const std::string version =
      object == nullptr ? "none" : text_at(*object, {"metadata", "resourceVersion"});
  if (version == node_version_) return false;
  node_version_ = version;
  if (object == nullptr) {
    tell(agent::NodeGone{"there is no Node " + node_name_});
    return true;
  }
  auto node = api::decode_node(to_value(*object));
  if (!node) {
    tell(agent::NodeGone{node.error().message});
    return true;
  }
  if (role_ == AgentRole::Kubelet) {
    node->critical_preemption_by_node = false;
    node->resize_preemption_owners.clear();
  }
  tell(agent::NodeSeen{std::move(*node)});
  return true;
}

Result<policy::Pod> DirectAgent::pod_of(const Json& object) const {
  ASSIGN_OR_RETURN(policy::Pod pod, api::decode_placed_pod(to_value(object)));
  if (role_ == AgentRole::Kubelet) {
    std::erase_if(pod.conditions, [](const policy::Condition& condition) {
      return condition.type == policy::kPodResizePreemptionDisabled;
    });
  }
  return pod;
}

bool DirectAgent::look_at_pods() {
  const auto changed = placed_.changed_after(node_name_, world_version_);
  if (!changed) return list_pods();
  world_version_ = world_.version();
  // Each object once, in the order of its last change, as after a delay of the watch.
  std::vector<ChangedObject> latest;
  std::set<std::pair<std::string_view, std::string_view>> taken;
  for (auto it = changed->rbegin(); it != changed->rend(); ++it) {
    if (taken.emplace(it->ns, it->name).second) latest.push_back(*it);
  }
  for (auto it = latest.rbegin(); it != latest.rend(); ++it) look_at_pod(it->ns, it->name);
  return !latest.empty();
}

void DirectAgent::look_at_pod(const std::string& ns, const std::string& name) {
  const std::string key = key_of(ns, name);
  const Json* object = world_.peek(pod_kind(), ns, name);
  const bool is_ours = object != nullptr && text_at(*object, {"spec", "nodeName"}) == node_name_;
  const std::string uid = is_ours ? text_at(*object, {"metadata", "uid"}) : "";
  if (const auto known = uids_.find(key); known != uids_.end() && known->second != uid) {
    const std::string gone = known->second;
    uids_.erase(known);
    tell(agent::PodGone{gone});
  }
  if (!is_ours) return;
  auto pod = pod_of(*object);
  if (!pod) {
    tell(agent::PodUnreadable{key, pod.error().message});
    return;
  }
  uids_[key] = uid;
  tell(agent::PodSeen{std::move(*pod)});
}

bool DirectAgent::list_pods() {
  world_version_ = world_.version();
  agent::PodsListed list;
  uids_.clear();
  for (const Json* object : placed_.pods_of(node_name_)) {
    auto pod = pod_of(*object);
    const std::string key =
        key_of(text_at(*object, {"metadata", "namespace"}), text_at(*object, {"metadata", "name"}));
    if (!pod) {
      list.unreadable.push_back({key, pod.error().message});
      continue;
    }
    uids_[key] = pod->uid;
    list.pods.push_back(std::move(*pod));
  }
  tell(std::move(list));
  return true;
}

bool DirectAgent::poll_runtime() {
  if (node_.runtime_version() == runtime_version_) return false;
  runtime_version_ = node_.runtime_version();
  tell(node_.runtime());
  return true;
}

bool DirectAgent::wake() {
  const auto due = next_due();
  if (!due || *due > now_) return false;
  tell(agent::TimePassed{});
  return true;
}

// ---- effects ----

Result<DirectAgent::Size> DirectAgent::perform(const agent::Effect& effect) {
  return std::visit(
      [this](const auto& what) -> Result<Size> {
        if constexpr (std::is_same_v<std::decay_t<decltype(what)>, agent::EmitEvent>) {
          return Size();
        } else {
          return perform_one(what);
        }
      },
      effect.what);
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::SaveCheckpoint& save) {
  disk_ = agent::encode(save.checkpoint);
  return Size();
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::Actuate& actuate) {
  auto size = node_.perform(actuate);
  if (!size) return std::unexpected(size.error().with("pod " + actuate.pod));
  return size;
}

Result<void> DirectAgent::patch_status(const std::string& ns, const std::string& name,
                                       const std::string& patch) {
  ASSIGN_OR_RETURN(const Json body, parse_object(patch));
  return outcome_of(world_.patch(
      {.kind = &pod_kind(), .ns = ns, .name = name, .subresource = Subresource::Status},
      PatchType::StrategicMerge, body));
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::WriteStatus& write) {
  const Json* object = world_.peek(pod_kind(), write.ns, write.name);
  if (object == nullptr) return failure(Code::NotFound, "pod " + key_of(write.ns, write.name));
  ASSIGN_OR_RETURN(const auto patch, api::status_patch({write.ns, write.name, write.pod_uid},
                                                       change_of(write), to_value(*object)));
  if (patch) RETURN_IF_ERROR(patch_status(write.ns, write.name, *patch));
  return Size();
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::MarkVictim& mark) {
  api::PodStatusChange change;
  if (mark.clear) {
    change.clear.emplace_back(policy::kDisruptionTarget);
  } else {
    change.set.push_back(mark.condition);
  }
  RETURN_IF_ERROR(patch_status(mark.victim.ns, mark.victim.name,
                               api::conditions_patch(mark.victim.uid, change)));
  return Size();
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::DeleteVictim& removal) {
  RETURN_IF_ERROR(outcome_of(
      world_.remove({.kind = &pod_kind(), .ns = removal.victim.ns, .name = removal.victim.name},
                    {.uid = removal.victim.uid, .dry_run = removal.dry_run})));
  return Size();
}

Result<DirectAgent::Size> DirectAgent::perform_one(const agent::AnnotateNode& annotate) {
  const Json value = annotate.critical_preemption ? Json("node") : Json();
  RETURN_IF_ERROR(outcome_of(world_.patch(
      {.kind = &node_kind(), .name = annotate.node}, PatchType::Merge,
      {{"metadata", {{"annotations", {{std::string(api::kCriticalPreemption), value}}}}}})));
  return Size();
}

}  // namespace elbowroom::lab
