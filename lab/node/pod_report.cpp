#include "lab/node/pod_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "api/codec/timestamp.h"
#include "lab/node/runtime_rules.h"

namespace elbowroom::lab {
namespace {

constexpr std::array kLists{"containerStatuses", "initContainerStatuses"};

std::string timestamp(std::int64_t ns) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::nanoseconds(std::max<std::int64_t>(ns, 0)));
  return api::format_timestamp(
      policy::Time(std::chrono::duration_cast<std::chrono::seconds>(since)));
}

const Json* status_of(const Json& pod, const char* list, const std::string& name) {
  for (const Json& status : list_at(pod, {"status", list})) {
    if (text_at(status, {"name"}) == name) return &status;
  }
  return nullptr;
}

Json terminated(const cri::RuntimeContainer& container) {
  return {
      {"exitCode", container.exit_code},
      {"reason", container.reason.empty() ? exit_reason(container.exit_code) : container.reason},
      {"startedAt", timestamp(container.started_at_ns)},
      {"finishedAt", timestamp(container.finished_at_ns)},
      {"containerID", "containerd://" + container.id}};
}

Json state_of(const cri::RuntimeContainer& container, bool waits_to_restart, bool at_once) {
  switch (container.state) {
    case cri::ContainerState::Running:
      return {{"running", {{"startedAt", timestamp(container.started_at_ns)}}}};
    case cri::ContainerState::Exited:
      if (waits_to_restart && !at_once) return {{"waiting", {{"reason", "CrashLoopBackOff"}}}};
      if (waits_to_restart) break;
      return {{"terminated", terminated(container)}};
    default:
      break;
  }
  return {{"waiting", {{"reason", "ContainerCreating"}}}};
}

// One container's status, based on its present status (nullptr: none yet).
Json container_status(const NodePod& pod, const policy::Container& container, const Json& spec,
                      const Json* before, const cri::RuntimeContainer* running,
                      const PodOrders& orders) {
  Json status;
  if (before != nullptr) {
    status = *before;
  } else {
    const Json resources = map_at(spec, {"resources"});
    status = {{"name", container.name},
              {"image", text_at(spec, {"image"})},
              {"imageID", ""},
              {"restartCount", 0},
              {"lastState", Json::object()},
              {"state", {{"waiting", {{"reason", "ContainerCreating"}}}}},
              {"allocatedResources", map_at(resources, {"requests"})},
              {"resources", resources}};
  }
  if (running != nullptr) {
    const bool ended = running->state == cri::ContainerState::Exited;
    const bool waits = ended && !policy::is_terminating(pod.value) &&
                       !policy::is_finished(pod.value) &&
                       comes_back(pod, container, *running, orders);
    const std::string id = "containerd://" + running->id;
    if (waits) {
      status["lastState"] = {{"terminated", terminated(*running)}};
    } else if (const Json* was = find_at(status, {"state", "terminated"});
               was != nullptr && text_at(status, {"containerID"}) != id) {
      status["lastState"] = {{"terminated", *was}};
    }
    const auto end = orders.ends.find(running->id);
    status["state"] = state_of(*running, waits, end != orders.ends.end() && end->second);
    status["containerID"] = id;
    status["restartCount"] = running->attempt;
  } else if (find_at(status, {"state", "running"}) != nullptr) {
    status["state"] = {{"terminated",
                        {{"exitCode", kKilledExit},
                         {"reason", "ContainerStatusUnknown"},
                         {"message", "the container could not be found"}}}};
  }
  const bool runs = find_at(status, {"state", "running"}) != nullptr;
  const bool done = integer_at(status, {"state", "terminated", "exitCode"}) == 0;
  status["started"] = runs;
  status["ready"] = container.kind == policy::ContainerKind::Init ? done : runs;
  return status;
}

Json statuses(const NodePod& pod, const char* list, const cri::RuntimePod* runtime,
              const PodOrders& orders) {
  Json all = Json::array();
  const bool init = std::string_view(list) == "initContainerStatuses";
  for (const Json& spec : list_at(pod.object, {"spec", init ? "initContainers" : "containers"})) {
    const std::string name = text_at(spec, {"name"});
    const auto value = std::ranges::find(pod.value.containers, name, &policy::Container::name);
    if (value == pod.value.containers.end()) continue;
    const cri::RuntimeContainer* running = nullptr;
    if (runtime != nullptr) {
      const auto it = runtime->containers.find(name);
      if (it != runtime->containers.end()) running = &it->second;
    }
    const Json* before = status_of(pod.object, list, name);
    all.push_back(container_status(pod, *value, spec, before, running, orders));
  }
  return all;
}

struct Counts {
  std::size_t all = 0;
  std::size_t running = 0;
  std::size_t restarting = 0;  // ended, and waits to start again
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t ready = 0;

  [[nodiscard]] bool ended() const { return all > 0 && succeeded + failed == all; }
};

Counts count(const Json& list) {
  Counts counts;
  for (const Json& status : list) {
    ++counts.all;
    if (find_at(status, {"state", "running"}) != nullptr) ++counts.running;
    const bool waits = find_at(status, {"state", "waiting"}) != nullptr;
    if (waits && find_at(status, {"lastState", "terminated"}) != nullptr) ++counts.restarting;
    if (const auto code = integer_at(status, {"state", "terminated", "exitCode"})) {
      ++(*code == 0 ? counts.succeeded : counts.failed);
    }
    if (truth_at(status, {"ready"})) ++counts.ready;
  }
  return counts;
}

// An init container that failed and is not restarted makes the pod fail.
bool init_failed(const NodePod& pod, const Json& list) {
  return std::ranges::any_of(list, [&](const Json& status) {
    const std::string name = text_at(status, {"name"});
    const auto value = std::ranges::find(pod.value.containers, name, &policy::Container::name);
    const auto code = integer_at(status, {"state", "terminated", "exitCode"});
    return value != pod.value.containers.end() && value->kind == policy::ContainerKind::Init &&
           code.value_or(0) != 0 && !restarts(pod.object, *value, 1);
  });
}

// Source: kubelet_pods.go getPhase.
std::string phase_of(const NodePod& pod, const Counts& regular, bool has_failed) {
  if (policy::is_finished(pod.value)) return std::string(policy::to_string(pod.value.phase));
  if (has_failed) return "Failed";
  if (regular.ended()) return regular.failed > 0 ? "Failed" : "Succeeded";
  if (regular.running + regular.restarting > 0 || pod.value.phase == policy::Phase::Running)
    return "Running";
  return "Pending";
}

// Whether the condition is among those. An API server before 1.34 keeps none of their generations.
bool stands(const Json& conditions, const Json& condition) {
  Json undated = condition;
  undated.erase("observedGeneration");
  return std::ranges::any_of(
      conditions, [&](const Json& there) { return there == condition || there == undated; });
}

}  // namespace

void set_pod_condition(Json& status, const std::string& type, bool holds, const std::string& reason,
                       std::int64_t generation, std::int64_t now_ns) {
  Json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  const auto it = std::ranges::find_if(
      conditions, [&](const Json& there) { return text_at(there, {"type"}) == type; });
  const std::string verdict = holds ? "True" : "False";
  if (it != conditions.end() && text_at(*it, {"status"}) == verdict &&
      text_at(*it, {"reason"}) == reason) {
    // kubectl wait accepts a condition only for the generation that it was computed for.
    (*it)["observedGeneration"] = generation;
    return;
  }
  Json condition = {{"type", type},
                    {"status", verdict},
                    {"observedGeneration", generation},
                    {"lastTransitionTime", timestamp(now_ns)}};
  if (!reason.empty()) condition["reason"] = reason;
  if (it != conditions.end())
    *it = std::move(condition);
  else
    conditions.push_back(std::move(condition));
}

Json reported_status(const NodePod& pod, const cri::RuntimePod* runtime, std::int64_t now_ns,
                     const PodOrders& orders) {
  Json status = map_at(pod.object, {"status"});
  for (const char* list : kLists) {
    Json all = statuses(pod, list, runtime, orders);
    if (!all.empty()) status[list] = std::move(all);
  }
  const Counts regular = count(list_at(status, {"containerStatuses"}));
  const Counts init = count(list_at(status, {"initContainerStatuses"}));
  const bool failed = init_failed(pod, list_at(status, {"initContainerStatuses"}));
  const std::string phase = phase_of(pod, regular, failed);
  status["phase"] = phase;
  if (text_at(status, {"startTime"}).empty()) status["startTime"] = timestamp(now_ns);

  const bool finished = phase == "Succeeded" || phase == "Failed";
  const bool ready = !finished && regular.all > 0 && regular.ready == regular.all;
  const std::string why = ready ? "" : (finished ? "PodCompleted" : "ContainersNotReady");
  const bool initialized = init.ready == init.all || regular.running > 0 || finished;
  const std::int64_t generation = pod.value.generation;
  set_pod_condition(status, "Initialized", initialized,
                    initialized ? "" : "ContainersNotInitialized", generation, now_ns);
  set_pod_condition(status, "ContainersReady", ready, why, generation, now_ns);
  set_pod_condition(status, "Ready", ready, why, generation, now_ns);
  return status;
}

void add_pod_level(const NodePod& pod, Json& status) {
  const Json& resources = map_at(pod.object, {"spec", "resources"});
  const bool is_first = list_at(pod.object, {"status", "containerStatuses"}).empty();
  if (!is_first || resources.empty()) return;
  status["allocatedResources"] = map_at(resources, {"requests"});
  status["resources"] = resources;
}

std::optional<Json> status_patch(const Json& pod, const Json& status) {
  const Json& live = map_at(pod, {"status"});
  Json changes = Json::object();
  for (const auto& [name, value] : status.items()) {
    const auto it = live.find(name);
    if (it != live.end() && *it == value) continue;
    if (name != "conditions") {
      changes[name] = value;
      continue;
    }
    // Only those that differ: the others may belong to another writer.
    for (const Json& condition : value) {
      if (stands(list_at(live, {"conditions"}), condition)) continue;
      Json whole = condition;
      // The patch merges, so a removed reason must be set to null.
      if (!whole.contains("reason")) whole["reason"] = nullptr;
      changes[name].push_back(std::move(whole));
    }
  }
  if (changes.empty()) return std::nullopt;
  if (const auto generation = integer_at(pod, {"metadata", "generation"})) {
    changes["observedGeneration"] = *generation;
  }
  return Json{{"metadata",
               {{"uid", text_at(pod, {"metadata", "uid"})},
                {"resourceVersion", text_at(pod, {"metadata", "resourceVersion"})}}},
              {"status", std::move(changes)}};
}

}  // namespace elbowroom::lab
