#include "agent/program/metric_families.h"

#include <utility>

#include "control/server_metrics.h"

namespace elbowroom::agent {
namespace {

using daemon::MetricFamilies;
using daemon::MetricLabel;
using enum daemon::MetricType;

MetricFamilies of_resizes() {
  const MetricLabel resource{"resource", {"cpu", "memory"}};
  return {
      {"elbowroom_mode_info",
       Gauge,
       "",
       {{"mode", {"companion", "authority"}}},
       "The mode the agent runs in, always 1"},
      {"elbowroom_ready",
       Gauge,
       "",
       {{"check", {"api", "node", "pods", "writes", "runtime", "disk", "contention", "crashes"}}},
       "Whether a part is ready, 1 or 0"},
      {"elbowroom_contended",
       Gauge,
       "",
       {},
       "1 while the agent writes nothing, because somebody else writes what is its own; else 0"},
      {"elbowroom_safe_mode",
       Gauge,
       "",
       {},
       "1 where the agent observes only, because it ended abnormally again and again; else 0"},
      {"elbowroom_undone_writes_total",
       Counter,
       "",
       {},
       "Writes of this agent that somebody else undid"},
      {"elbowroom_pods", Gauge, "", {}, "Pods of this node"},
      {"elbowroom_quarantined_objects",
       Gauge,
       "",
       {},
       "Pods of this node that cannot be understood: while there is one, nothing grows"},
      {"elbowroom_resize_requests_total",
       Counter,
       "",
       {resource,
        {"requirement", {"requests", "limits"}},
        {"operation", {"increase", "decrease", "add", "remove"}}},
       "Changes that resizes asked for, one for each container, resource and bound"},
      {"elbowroom_resize_outcomes_total",
       Counter,
       "",
       {{"outcome", {"completed", "deferred", "infeasible", "error", "contended"}}},
       "Resizes by what became of them; one that waits and then fits counts twice. In mode "
       "companion "
       "as the kubelet's conditions show it"},
      {"elbowroom_resize_judgements_total",
       Counter,
       "",
       {},
       "Judgements of resizes, repeated ones included; in mode authority alone"},
      {"elbowroom_resize_duration_seconds",
       Histogram,
       "seconds",
       {{"phase", {"decide", "durable", "actuate", "verify"}}},
       "Time a resize took until it was first judged, until its allocation was on the disk, until "
       "the "
       "runtime had accepted all of it, and until what is read back was the size allocated; in "
       "mode "
       "authority alone"},
      {"elbowroom_pending_resizes",
       Gauge,
       "",
       {{"reason", {"Deferred", "Infeasible"}}},
       "Resizes that wait, by reason"},
      {"elbowroom_deferred_age_seconds",
       Gauge,
       "seconds",
       {},
       "How long the resize that is Deferred longest has waited; 0 when none is"},
      {"elbowroom_actuation_mismatch",
       Gauge,
       "",
       {resource},
       "Pods whose actual size is not the allocated one"},
      {"elbowroom_node_resource_cpu_cores",
       Gauge,
       "cores",
       {{"state", {"allocatable", "desired", "allocated", "actual"}}},
       "Cpu of this node: what it has for pods, and what its pods desire, are allocated and have"},
      {"elbowroom_node_resource_memory_bytes",
       Gauge,
       "bytes",
       {{"state", {"allocatable", "desired", "allocated", "actual"}}},
       "Memory of this node: what it has for pods, and what its pods desire, are allocated and "
       "have"},
      {"elbowroom_disruptions_total",
       Counter,
       "",
       {{"kind", {"stop"}}, {"reason", {"critical"}}, {"dry_run", {"false"}}},
       "Pods removed to make room for critical pods"},
      {"elbowroom_disruption_blocked_total",
       Counter,
       "",
       {{"by", {"budget", "refused", "disk"}}},
       "Removals that were not begun or not gone through with: by the circuit breaker, by the API "
       "server's answer, by a disk that did not take the intent"},
      {"elbowroom_disruption_budget_remaining",
       Gauge,
       "",
       {{"kind", {"stop"}}},
       "Pods the circuit breaker would still let go now"},
  };
}

MetricFamilies of_dependencies() {
  const MetricLabel resource{"resource", {"nodes", "pods"}};
  return {
      {"elbowroom_watch_events_total",
       Counter,
       "",
       {resource, {"type", {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}}},
       "Events that watches brought"},
      {"elbowroom_watch_restarts_total",
       Counter,
       "",
       {resource, {"cause", {"410", "timeout", "eof", "error"}}},
       "Watches that ended: history gone, time over as agreed, connection lost, failed"},
      control::staleness_family({"nodes", "pods"}),
      {"elbowroom_cri_requests_total",
       Counter,
       "",
       {{"method",
         {"Version", "Status", "RuntimeConfig", "ListPodSandbox", "ListContainers",
          "ContainerStatus", "PodSandboxStatus", "UpdateContainerResources",
          "UpdatePodSandboxResources", "StopContainer"}},
        {"code",
         {"OK", "Invalid", "NotFound", "Conflict", "Gone", "Denied", "Unavailable", "Exhausted",
          "Internal"}}},
       "Calls of the container runtime by what came of them"},
      {"elbowroom_cri_request_duration_seconds",
       Histogram,
       "seconds",
       {},
       "Time a call of the container runtime took"},
  };
}

MetricFamilies of_state() {
  return {
      {"elbowroom_state_write_duration_seconds",
       Histogram,
       "seconds",
       {},
       "Time to make the checkpoint durable"},
      {"elbowroom_state_write_errors_total",
       Counter,
       "",
       {{"errno_class", {"passing", "denied", "missing"}}},
       "Checkpoints that could not be written: the disk may do so later (full, read-only, broken), "
       "no "
       "right, no such folder"},
      {"elbowroom_state_corruptions_total",
       Counter,
       "",
       {{"file", {"allocations"}}},
       "State files that could not be read at the start and were set aside"},
      {"elbowroom_checkpoint_overruled_total",
       Counter,
       "",
       {},
       "Allocations of the checkpoint that were older than what API server or runtime show"},
      {"elbowroom_state_bytes",
       Gauge,
       "bytes",
       {},
       "Size of the checkpoint as it was written last"},
      {"elbowroom_rejected_inputs_total",
       Counter,
       "",
       {{"source", {"api", "runtime", "state"}},
        {"reason", {"pod", "node", "too_large", "corrupt"}}},
       "What came from outside and could not be understood"},
      {"elbowroom_foreign_objects_total",
       Counter,
       "",
       {{"resource", {"nodes", "pods"}}},
       "Objects of other nodes that the API server sent all the same, and that were dropped"},
      {"elbowroom_recording", Gauge, "", {}, "1 while a recording is being written, else 0"},
      control::certificate_family(),
      control::dropped_events_family(),
  };
}

}  // namespace

MetricFamilies agent_families() {
  MetricFamilies all = daemon::daemon_families({"reactor", "api", "runtime"});
  for (MetricFamilies more :
       {of_resizes(), daemon::apiserver_families({"nodes", "pods", "events", "version"}),
        of_dependencies(), of_state()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace elbowroom::agent
