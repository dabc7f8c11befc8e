// READY, STATUS and RESTARTS of a pod, computed as upstream's printPod does.
#include <array>
#include <string>

#include "api/codec/timestamp.h"
#include "lab/apiserver/human_duration.h"
#include "lab/apiserver/table_columns.h"

namespace elbowroom::lab {
namespace {

constexpr std::array kColumns{
    Column{.name = "Name", .description = "Name must be unique within a namespace."},
    Column{.name = "Ready",
           .description = "The aggregate readiness state of this pod for accepting traffic."},
    Column{.name = "Status", .description = "The aggregate status of the containers in this pod."},
    Column{.name = "Restarts",
           .description = "The number of times the containers in this pod have been restarted and "
                          "when the last container in this pod has restarted."},
    Column{.name = "Age", .description = "When the server created this object."},
    Column{.name = "IP", .description = "IP address allocated to the pod.", .priority = 1},
    Column{.name = "Node", .description = "The node that the pod is bound to.", .priority = 1},
    Column{.name = "Nominated Node",
           .description = "The node that is promised to the pod.",
           .priority = 1},
    Column{.name = "Readiness Gates",
           .description = "How many of the pod's readiness gates are true.",
           .priority = 1}};

struct Summary {
  std::string reason{};
  std::int64_t restarts = 0;
  std::int64_t ready = 0;
  std::int64_t containers = 0;
  std::string last_restart{};  // RFC 3339; "" for never

  void count_restarts(const Json& status) {
    restarts += integer_at(status, {"restartCount"}).value_or(0);
    const std::string at = text_at(status, {"lastState", "terminated", "finishedAt"});
    const auto is = api::parse_timestamp(at);
    const auto was = api::parse_timestamp(last_restart);
    if (is && (!was || *was < *is)) last_restart = at;
  }
};

bool has_state(const Json& status, std::string_view state) {
  const Json* found = find_at(status, {"state", state});
  return found != nullptr && found->is_object();
}

bool is_condition_true(const Json& pod, std::string_view type) {
  for (const Json& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == type) return text_at(condition, {"status"}) == "True";
  }
  return false;
}

// "Error", "Signal:9" or "ExitCode:3".
std::string end_of(const Json& status) {
  const std::string reason = text_at(status, {"state", "terminated", "reason"});
  if (!reason.empty()) return reason;
  const auto signal = integer_at(status, {"state", "terminated", "signal"}).value_or(0);
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" +
         std::to_string(integer_at(status, {"state", "terminated", "exitCode"}).value_or(0));
}

bool is_sidecar(const Json& pod, const std::string& name) {
  for (const Json& container : list_at(pod, {"spec", "initContainers"})) {
    if (text_at(container, {"name"}) == name) {
      return text_at(container, {"restartPolicy"}) == "Always";
    }
  }
  return false;
}

// Sets the status from the init containers; true while they are not done.
bool is_initializing(const Json& pod, Summary& all, Summary& sidecars) {
  const Json& statuses = list_at(pod, {"status", "initContainerStatuses"});
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const Json& status = statuses[i];
    const bool sidecar = is_sidecar(pod, text_at(status, {"name"}));
    all.count_restarts(status);
    if (sidecar) sidecars.count_restarts(status);
    const bool ended = has_state(status, "terminated");
    if (ended && integer_at(status, {"state", "terminated", "exitCode"}).value_or(0) == 0) continue;
    if (sidecar && truth_at(status, {"started"})) {
      if (truth_at(status, {"ready"})) ++all.ready;
      continue;
    }
    const std::string waits = text_at(status, {"state", "waiting", "reason"});
    if (ended) {
      all.reason = "Init:" + end_of(status);
    } else if (!waits.empty() && waits != "PodInitializing") {
      all.reason = "Init:" + waits;
    } else {
      all.reason = "Init:" + std::to_string(i) + "/" +
                   std::to_string(list_at(pod, {"spec", "initContainers"}).size());
    }
    return true;
  }
  return false;
}

void sum_containers(const Json& pod, Summary& all) {
  bool runs = false;
  std::string error;
  const Json& statuses = list_at(pod, {"status", "containerStatuses"});
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const Json& status = statuses[i];
    all.count_restarts(status);
    const std::string waits = text_at(status, {"state", "waiting", "reason"});
    if (!waits.empty()) {
      all.reason = waits;
    } else if (has_state(status, "terminated")) {
      all.reason = end_of(status);
      if (integer_at(status, {"state", "terminated", "exitCode"}).value_or(0) != 0) {
        error = all.reason;
      }
    } else if (truth_at(status, {"ready"}) && has_state(status, "running")) {
      runs = true;
      ++all.ready;
    }
  }
  // One container is done and another still runs: the pod runs.
  if (all.reason != "Completed") return;
  if (runs && is_condition_true(pod, "Ready")) {
    all.reason = "Running";
  } else if (!error.empty()) {
    all.reason = error;
  } else if (runs) {
    all.reason = "NotReady";
  }
}

Summary summary_of(const Json& pod) {
  Summary all;
  const std::string phase = text_at(pod, {"status", "phase"});
  const std::string own_reason = text_at(pod, {"status", "reason"});
  all.reason = own_reason.empty() ? phase : own_reason;
  for (const Json& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "PodScheduled" &&
        text_at(condition, {"reason"}) == "SchedulingGated") {
      all.reason = "SchedulingGated";
    }
  }
  all.containers = static_cast<std::int64_t>(list_at(pod, {"spec", "containers"}).size());
  for (const Json& container : list_at(pod, {"spec", "initContainers"})) {
    if (text_at(container, {"restartPolicy"}) == "Always") ++all.containers;
  }
  Summary sidecars;
  const bool initializing = is_initializing(pod, all, sidecars);
  if (!initializing || is_condition_true(pod, "Initialized")) {
    // Restarts of completed init containers no longer count.
    all.restarts = sidecars.restarts;
    all.last_restart = sidecars.last_restart;
    sum_containers(pod, all);
  }
  if (!text_at(pod, {"metadata", "deletionTimestamp"}).empty()) {
    if (own_reason == "NodeLost") {
      all.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      all.reason = "Terminating";
    }
  }
  return all;
}

std::string or_none(const std::string& text) { return text.empty() ? "<none>" : text; }

std::string readiness_gates(const Json& pod) {
  const Json& gates = list_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const Json& gate : gates) {
    if (is_condition_true(pod, text_at(gate, {"conditionType"}))) ++open;
  }
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

Json cells(const Json& pod, policy::Time now) {
  const Summary summary = summary_of(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += " (" + human_age(summary.last_restart, now) + " ago)";
  }
  const Json& ips = list_at(pod, {"status", "podIPs"});
  const std::string ip = ips.empty() ? text_at(pod, {"status", "podIP"}) : text_at(ips[0], {"ip"});
  return {text_at(pod, {"metadata", "name"}),
          std::to_string(summary.ready) + "/" + std::to_string(summary.containers),
          summary.reason,
          restarts,
          human_age(text_at(pod, {"metadata", "creationTimestamp"}), now),
          or_none(ip),
          or_none(text_at(pod, {"spec", "nodeName"})),
          or_none(text_at(pod, {"status", "nominatedNodeName"})),
          readiness_gates(pod)};
}

}  // namespace

Columns pod_columns() { return {.columns = kColumns, .cells = cells}; }

}  // namespace elbowroom::lab
