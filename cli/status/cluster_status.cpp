#include "cli/status/cluster_status.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/write/lease.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/unread_nodes.h"

namespace elbowroom::cli {
namespace {

constexpr ClusterKind kLeases{
    .group = "coordination.k8s.io", .version = "v1", .name = "Lease", .plural = "leases"};
constexpr std::string_view kNameLabel = "app.kubernetes.io/name";
constexpr std::string_view kAgent = "elbowroom-agent";
constexpr std::string_view kAgentLabel = "elbowroom.dev/agent";
constexpr std::string_view kCriticalPreemption = "elbowroom.dev/critical-preemption";

std::string_view text_in(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = api::value_at(object, path);
  return found == nullptr || found->kind != Value::Kind::String ? std::string_view()
                                                                : std::string_view(found->text);
}

bool is_kind(const Value& object, std::string_view kind) {
  return api::text_at(object, "kind") == kind;
}

// Other users choose the names and labels of their own pods, in their namespaces.
bool is_of_program(const Value& pod, std::string_view program, std::string_view ns) {
  return is_kind(pod, "Pod") && api::ref_of(pod).ns == ns &&
         text_in(pod, {"metadata", "labels", kNameLabel}) == program &&
         !text_in(pod, {"spec", "nodeName"}).empty();
}

bool is_of_daemon_set(const Value& pod) {
  const Value* owners = api::value_at(pod, {"metadata", "ownerReferences"});
  if (owners == nullptr) return false;
  return std::ranges::any_of(
      owners->items, [](const Value& each) { return api::text_at(each, "kind") == "DaemonSet"; });
}

// The tag of the first container's image: "registry:5000/name:0.1.0@sha256:..." has 0.1.0.
std::string version_of(const Value& pod) {
  const Value* containers = api::value_at(pod, {"spec", "containers"});
  if (containers == nullptr || containers->items.empty()) return "";
  std::string_view image = api::text_at(containers->items.front(), "image");
  image = image.substr(0, image.find('@'));
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return has_tag ? std::string(image.substr(colon + 1)) : "";
}

bool is_ready(const Value& pod) {
  const Value* conditions = api::value_at(pod, {"status", "conditions"});
  if (conditions == nullptr) return false;
  return std::ranges::any_of(conditions->items, [](const Value& each) {
    return api::text_at(each, "type") == "Ready" && api::text_at(each, "status") == "True";
  });
}

// A replica in a pod has the pod's name, and a part of its own, as its identity.
std::string version_of_holder(const std::vector<Value>& objects, const LeaderStatus& leader,
                              std::string_view ns) {
  for (const Value& each : objects) {
    if (!is_of_program(each, leader.program, ns)) continue;
    if (leader.holder.starts_with(api::ref_of(each).name + "_")) return version_of(each);
  }
  return "";
}

LeaderStatus leader_of(ClusterReader& reader, const std::string& program,
                       const std::string& lease_namespace, policy::Time now) {
  LeaderStatus leader{.program = program, .lease = lease_namespace + "/" + program};
  const Result<Value> read = reader.get(kLeases, lease_namespace, program);
  if (!read) {
    if (read.error().code != Code::NotFound) leader.unknown = read.error().message;
    return leader;
  }
  const Result<api::Lease> lease = api::decode_lease(*read);
  if (!lease) {
    leader.unknown = lease.error().message;
    return leader;
  }
  leader.exists = true;
  leader.holder = lease->holder;
  leader.renewed = lease->renewed;
  const std::chrono::seconds duration(lease->duration_seconds);
  leader.expired = lease->renewed + duration < now;
  leader.is_late = !leader.holder.empty() && lease->renewed + duration / 2 < now;
  return leader;
}

void count_agent(const Value& object, std::string_view ns,
                 std::map<std::pair<std::string, std::string>, AgentStatus>& of) {
  const auto at = [&](const char* how, const std::string& version) -> AgentStatus& {
    AgentStatus& agent = of[{how, version}];
    agent.how = how;
    agent.version = version;
    return agent;
  };
  if (is_of_program(object, kAgent, ns) && is_of_daemon_set(object)) {
    AgentStatus& agent = at("pod", version_of(object));
    ++agent.nodes;
    if (is_ready(object)) ++agent.ready;
  }
  if (!is_kind(object, "Node")) return;
  if (text_in(object, {"metadata", "annotations", kCriticalPreemption}) == "node") {
    ++at("authority", "").nodes;
  } else if (text_in(object, {"metadata", "labels", kAgentLabel}) == "package") {
    ++at("package", "").nodes;
  }
}

std::vector<AgentStatus> agents_in(const std::vector<Value>& objects, std::string_view ns) {
  std::map<std::pair<std::string, std::string>, AgentStatus> found;
  for (const Value& each : objects) count_agent(each, ns, found);
  std::vector<AgentStatus> agents;
  for (auto& [key, agent] : found) agents.push_back(std::move(agent));
  return agents;
}

policy::Overview overview_of(Manifests manifests, std::vector<std::string> lacks, policy::Time now,
                             bool sees_nodes) {
  policy::Overview alone;
  if (!sees_nodes) alone = overview_of_unread_nodes(manifests.pods, now);
  policy::Overview overview = policy::overview_of_cluster(
      {.nodes = std::move(manifests.nodes),
       .pods = std::move(manifests.pods),
       .budgets = {.upstream = std::move(manifests.pod_disruption_budgets),
                   .ours = std::move(manifests.disruption_budgets)},
       .now = now,
       .lacks = std::move(lacks)});
  if (sees_nodes) return overview;
  overview.waiting = std::move(alone.waiting);
  overview.leaving = std::move(alone.leaving);
  return overview;
}

std::vector<UnscheduledPod> pending_in(const std::vector<policy::Pod>& pods) {
  std::vector<UnscheduledPod> pending;
  for (const policy::Pod& each : pods) {
    if (!each.node.empty() || is_finished(each) || is_terminating(each)) continue;
    pending.push_back(
        {.pod = key_of(each), .scheduler = each.scheduler_name, .created = each.created});
  }
  std::ranges::sort(pending, {}, [](const UnscheduledPod& each) {
    return std::tuple(each.created.value_or(policy::Time::max()), std::string_view(each.pod));
  });
  return pending;
}

// No pod is removed on an unclear node.
void remove_none_where_unclear(policy::Overview& overview, const UndecodableObjects& left_out) {
  for (policy::WaitingResize& each : overview.waiting) {
    const auto why = left_out.unclear.find(each.node);
    if (why == left_out.unclear.end() || each.victims.empty()) continue;
    each.victims.clear();
    each.by = policy::RoomMaker::Nobody;
    each.outcome = to_string(policy::PreemptionOutcome::NoVictims);
    each.next = "nobody makes room: " + why->second;
  }
}

}  // namespace

std::vector<LeaderStatus> read_leaders(ClusterReader& reader, const std::string& lease_namespace,
                                       policy::Time now) {
  std::vector<LeaderStatus> leaders;
  for (const char* program : {"elbowroom-scheduler", "elbowroom-rescheduler"}) {
    leaders.push_back(leader_of(reader, program, lease_namespace, now));
  }
  return leaders;
}

Result<ClusterStatus> read_status(ClusterReader& reader, const std::string& lease_namespace,
                                  policy::Time now) {
  ASSIGN_OR_RETURN(ClusterObjects read, read_for_resizes(reader, NodesRefused::IsNoted));
  now = reader.server_time().value_or(now);
  ClusterStatus status{.server = reader.server(),
                       .agents = agents_in(read.objects, lease_namespace)};
  status.leaders = read_leaders(reader, lease_namespace, now);
  for (LeaderStatus& each : status.leaders) {
    each.version = version_of_holder(read.objects, each, lease_namespace);
  }
  for (const DeniedRight& each : read.denied)
    status.notes.push_back("not permitted: " + each.right);
  ASSIGN_OR_RETURN(DecodedObjects understood,
                   understand(std::move(read.objects), "", reader.server()));
  read.objects.clear();
  std::vector<std::string> lacks = lacks_of(read, understood.manifests);
  drop_rejected_pods(understood.manifests, "");
  for (const std::string& each : understood.left_out.lines) status.notes.push_back(each);
  status.pending = pending_in(understood.manifests.pods);
  status.overview =
      overview_of(std::move(understood.manifests), std::move(lacks), now, reads_nodes(read));
  remove_none_where_unclear(status.overview, understood.left_out);
  status.wrong = wrong_in(status);
  return status;
}

bool waits(const policy::Overview& overview) {
  return std::ranges::any_of(overview.waiting, [](const policy::WaitingResize& each) {
    return each.wait != policy::ResizeWait::Infeasible;
  });
}

Result<bool> still_waits(ClusterReader& reader) {
  ASSIGN_OR_RETURN(std::vector<Value> pods, read_pods(reader));
  ASSIGN_OR_RETURN(DecodedObjects understood, understand(std::move(pods), "", reader.server()));
  drop_rejected_pods(understood.manifests, "");
  return std::ranges::any_of(understood.manifests.pods, [](const policy::Pod& each) {
    const auto wait = each.node.empty() ? std::nullopt : policy::wait_of(each);
    return wait && *wait != policy::ResizeWait::Infeasible;
  });
}

}  // namespace elbowroom::cli
