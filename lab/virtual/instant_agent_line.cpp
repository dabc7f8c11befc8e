#include "lab/virtual/instant_agent_line.h"

#include <set>
#include <utility>
#include <vector>

#include "agent/worker/api_worker.h"
#include "agent/worker/budget_answers.h"
#include "api/codec/decode_node.h"
#include "api/transport/http_date.h"
#include "lab/virtual/pod_writes.h"
#include "lab/virtual/stored_pod.h"
#include "lab/world/world_result.h"

namespace elbowroom::lab {
namespace {

api::ObjectRef ref_of(const agent::Victim& pod) { return {pod.ns, pod.name, pod.uid}; }

const Kind& own_budgets_kind() {
  return *find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
}

// As the API server would send the object.
api::Response answer(const World& world, const Json& object) {
  return {.status = 200,
          .date = api::format_http_date(std::chrono::floor<std::chrono::seconds>(world.time())),
          .body = object.dump()};
}

std::string name_in(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

}  // namespace

InstantAgentLine::InstantAgentLine(World& world, PodsByNode& pods, Options options, Tell tell)
    : world_(world), placed_(pods), options_(std::move(options)), tell_(std::move(tell)) {}

// ---- what is seen ----

bool InstantAgentLine::look() {
  if (!is_behind()) return false;
  const bool is_first = !std::exchange(has_looked_, true);
  const bool node_changed = look_at_node(is_first);
  return (is_first ? list_pods() : look_at_pods()) || node_changed;
}

bool InstantAgentLine::look_at_node(bool is_first) {
  const Object* object = world_.find_stored_object(nodes_kind(), "", options_.node_name);
  // A stored object does not change: another state is another object.
  const Json* seen = node_ ? &node_->json() : nullptr;
  if (!is_first && seen == (object == nullptr ? nullptr : &object->json())) return false;
  node_ = object == nullptr ? std::nullopt : std::optional(*object);
  if (object == nullptr) {
    tell_(agent::NodeGone{"there is no Node " + options_.node_name});
    return true;
  }
  auto node = api::decode_node(to_value(*object));
  if (!node) {
    tell_(agent::NodeGone{node.error().message});
    return true;
  }
  if (options_.is_kubelet) {
    node->critical_preemption_by_node = false;
    node->resize_preemption_owners.clear();
  }
  tell_(agent::NodeSeen{std::move(*node)});
  return true;
}

Result<policy::Pod> InstantAgentLine::pod_of(const Object& object) const {
  ASSIGN_OR_RETURN(policy::Pod pod, placed_pod(object));
  if (options_.is_kubelet) {
    std::erase_if(pod.conditions, [](const policy::Condition& condition) {
      return condition.type == policy::kPodResizePreemptionDisabled;
    });
  }
  return pod;
}

bool InstantAgentLine::look_at_pods() {
  const auto changed = placed_.changed_after(options_.node_name, version_);
  if (!changed) return list_pods();
  version_ = world_.version();
  // Each object once, in the order of its last change, as after a delay of the watch.
  std::vector<ChangedObject> latest;
  std::set<std::pair<std::string_view, std::string_view>> taken;
  for (auto it = changed->rbegin(); it != changed->rend(); ++it) {
    if (taken.emplace(it->ns, it->name).second) latest.push_back(*it);
  }
  for (auto it = latest.rbegin(); it != latest.rend(); ++it) look_at_pod(it->ns, it->name);
  return !latest.empty();
}

void InstantAgentLine::look_at_pod(const std::string& ns, const std::string& name) {
  const std::string key = name_in(ns, name);
  const Object* object = world_.find_stored_object(pods_kind(), ns, name);
  const bool is_ours =
      object != nullptr && text_at(*object, {"spec", "nodeName"}) == options_.node_name;
  const std::string uid = is_ours ? text_at(*object, {"metadata", "uid"}) : "";
  if (const auto known = uids_.find(key); known != uids_.end() && known->second != uid) {
    const std::string gone = known->second;
    uids_.erase(known);
    tell_(agent::PodGone{gone});
  }
  if (!is_ours) return;
  auto pod = pod_of(*object);
  if (!pod) {
    tell_(agent::PodUnreadable{key, pod.error().message});
    return;
  }
  uids_[key] = uid;
  tell_(agent::PodSeen{std::move(*pod)});
}

bool InstantAgentLine::list_pods() {
  version_ = world_.version();
  agent::PodsListed list;
  uids_.clear();
  for (const Json* object : placed_.pods_of(options_.node_name)) {
    auto pod = pod_of(stored_pod(world_, *object));
    const std::string key = name_in(text_at(*object, {"metadata", "namespace"}),
                                    text_at(*object, {"metadata", "name"}));
    if (!pod) {
      list.unreadable.push_back({key, pod.error().message});
      continue;
    }
    uids_[key] = pod->uid;
    list.pods.push_back(std::move(*pod));
  }
  tell_(std::move(list));
  return true;
}

// ---- what is written ----

Result<void> InstantAgentLine::perform(const agent::Effect& effect) {
  return std::visit(
      [this](const auto& what) -> Result<void> {
        if constexpr (requires { this->write(what); }) {
          return this->write(what);
        } else {
          return {};
        }
      },
      effect.what);
}

Result<void> InstantAgentLine::write(const agent::WriteStatus& status) {
  const api::ObjectRef pod{status.ns, status.name, status.pod_uid};
  const Json* object = world_.peek(pods_kind(), status.ns, status.name);
  if (object == nullptr) return failure(Code::NotFound, "pod " + name_in(status.ns, status.name));
  ASSIGN_OR_RETURN(const auto patch,
                   api::status_patch(pod, agent::change_of(status), to_value(*object)));
  return patch ? patch_status(world_, pod, *patch) : Result<void>();
}

Result<void> InstantAgentLine::write(const agent::MarkVictim& mark) {
  return mark_victim(world_, ref_of(mark.victim), mark.clear, mark.condition);
}

Result<void> InstantAgentLine::write(const agent::DeleteVictim& removal) {
  return delete_victim(world_, ref_of(removal.victim), removal.dry_run);
}

Result<void> InstantAgentLine::write(const agent::AnnotateNode& annotate) {
  const Json value = annotate.critical_preemption ? Json("node") : Json();
  return outcome_of(world_.patch(
      {.kind = &nodes_kind(), .name = annotate.node}, PatchType::Merge,
      {{"metadata", {{"annotations", {{std::string(api::kCriticalPreemption), value}}}}}}));
}

Result<agent::BudgetsRead> InstantAgentLine::read(const agent::ReadBudgets& read) const {
  const auto list = world_.list({.kind = &own_budgets_kind(), .ns = read.ns});
  if (!list) return std::unexpected(outcome_of(list).error());
  return agent::budgets_of(answer(world_, *list), read.ns);
}

Result<void> InstantAgentLine::write(const agent::EnterVictim& enter) {
  const auto& [ns, name, uid] = enter.budget;
  const Json* budget = world_.peek(own_budgets_kind(), ns, name);
  if (budget == nullptr) return failure(Code::NotFound, "DisruptionBudget " + name_in(ns, name));
  ASSIGN_OR_RETURN(const api::Request request, agent::debit_of(answer(world_, *budget), enter));
  return outcome_of(world_.patch(
      {.kind = &own_budgets_kind(), .ns = ns, .name = name, .subresource = Subresource::Status},
      PatchType::Merge, Json::parse(request.body)));
}

}  // namespace elbowroom::lab
