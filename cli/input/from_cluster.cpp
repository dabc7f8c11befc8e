#include "cli/input/from_cluster.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/kubeconfig.h"
#include "base/document_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "daemon/config/suggestion.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

constexpr ClusterKind kNodes{.group = "", .version = "v1", .name = "Node", .plural = "nodes"};
constexpr ClusterKind kPods{.group = "", .version = "v1", .name = "Pod", .plural = "pods"};
constexpr ClusterKind kBudgets{.group = "policy",
                               .version = "v1",
                               .name = "PodDisruptionBudget",
                               .plural = "poddisruptionbudgets"};
constexpr ClusterKind kOurBudgets{.group = "elbowroom.dev",
                                  .version = "v1alpha1",
                                  .name = "DisruptionBudget",
                                  .plural = "disruptionbudgets"};
constexpr ClusterKind kClasses{.group = "scheduling.k8s.io",
                               .version = "v1",
                               .name = "PriorityClass",
                               .plural = "priorityclasses"};
constexpr ClusterKind kConfigMaps{
    .group = "", .version = "v1", .name = "ConfigMap", .plural = "configmaps"};

constexpr ClusterKind kEvents{.group = "", .version = "v1", .name = "Event", .plural = "events"};

constexpr std::array kOthers{
    kBudgets,
    kOurBudgets,
    kClasses,
    ClusterKind{.group = "", .version = "v1", .name = "Namespace", .plural = "namespaces"},
    ClusterKind{.group = "apps", .version = "v1", .name = "ReplicaSet", .plural = "replicasets"},
    ClusterKind{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"},
    ClusterKind{"", "v1", "PersistentVolume", "persistentvolumes"},
    ClusterKind{"storage.k8s.io", "v1", "StorageClass", "storageclasses"},
    ClusterKind{"storage.k8s.io", "v1", "CSINode", "csinodes"},
    ClusterKind{"storage.k8s.io", "v1", "CSIDriver", "csidrivers"},
    ClusterKind{"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities"},
    ClusterKind{.group = "apps", .version = "v1", .name = "StatefulSet", .plural = "statefulsets"},
    ClusterKind{.group = "", .version = "v1", .name = "Service", .plural = "services"},
    ClusterKind{.group = "",
                .version = "v1",
                .name = "ReplicationController",
                .plural = "replicationcontrollers"},
};
constexpr std::array kOwners{
    ClusterKind{.group = "apps", .version = "v1", .name = "Deployment", .plural = "deployments"},
};
// One version of a kind with several served versions is enough, the newest first.
constexpr std::array kPodGroups{
    ClusterKind{"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups"},
    ClusterKind{"scheduling.k8s.io", "v1alpha3", "PodGroup", "podgroups"},
    ClusterKind{"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"}};
constexpr std::array kWorkloads{
    ClusterKind{"scheduling.k8s.io", "v1beta1", "Workload", "workloads"},
    ClusterKind{"scheduling.k8s.io", "v1alpha3", "Workload", "workloads"},
    ClusterKind{"scheduling.k8s.io", "v1alpha2", "Workload", "workloads"}};

constexpr std::string_view kSystem = "kube-system";
constexpr std::string_view kReschedulerConfig = "elbowroom-rescheduler";
// More namespaces than these are read in one list. Each concurrent list is a connection for some
// servers, and many at once overflow a short accept queue, which costs a second.
constexpr std::size_t kNamespacesApart = 2;
constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kEventsShown = 5;

// Collects objects, each once, and the rights that were denied.
class Collection {
 public:
  // Denied and not served are not errors here.
  Result<void> take(Listed listed, const ListRequest& ask) {
    if (!listed && listed.error().code == Code::NotFound) return {};
    if (!listed && listed.error().code == Code::Denied) {
      deny(ask.kind, right_for(ask));
      return {};
    }
    if (!listed) return std::unexpected(std::move(listed).error());
    for (Value& each : *listed) add(std::move(each));
    return {};
  }

  void add(Value object) {
    const std::string kind(api::text_at(object, "kind"));
    if (seen_.insert(kind + " " + to_string(api::ref_of(object))).second) {
      all_.objects.push_back(std::move(object));
    }
  }

  void deny(const ClusterKind& kind, std::string right) {
    all_.denied.push_back({resource_of(kind), std::move(right)});
  }
  void miss(const ClusterKind& kind) { all_.absent.push_back(resource_of(kind)); }
  ClusterObjects take_all() { return std::move(all_); }
  [[nodiscard]] const ClusterObjects& all() const { return all_; }

 private:
  ClusterObjects all_;
  std::set<std::string> seen_;  // "Pod default/web"
};

Error with_remedy(Error error) {
  if (error.code == Code::Denied) {
    error.message += "; ask for a role with that right, or choose another context with --context";
  }
  if (error.code == Code::Unavailable) {
    const bool is_advised = error.message.contains("see that the ");
    error.message += is_advised ? "; is this the right context (--context)?"
                                : "; is the server up, and is this the right context (--context)?";
  }
  return error;
}

std::string text_in(const Value& object, std::string_view map, std::string_view key) {
  const Value* found = api::value_at(object, {map, key});
  return found != nullptr && found->kind == Value::Kind::String ? found->text : std::string();
}

// The namespaces of the pods that name a group: each one separately, or "" for all together.
std::set<std::string> grouped_namespaces(const std::vector<Value>& objects) {
  std::set<std::string> all;
  for (const Value& each : objects) {
    if (api::text_at(each, "kind") != "Pod") continue;
    const Value* group = api::value_at(each, {"spec", "schedulingGroup", "podGroupName"});
    if (group != nullptr && !group->text.empty()) all.insert(api::ref_of(each).ns);
  }
  if (all.size() > kNamespacesApart) return {""};
  return all;
}

// The objects of a kind in its first version that is served. False: none is.
Result<bool> take_first_served(ClusterReader& reader, std::span<const ClusterKind> versions,
                               const std::string& ns, Collection& into) {
  for (const ClusterKind& kind : versions) {
    const ListRequest ask{.kind = kind, .ns = ns};
    std::vector<Listed> listed = reader.list({ask});
    if (!listed[0] && listed[0].error().code == Code::NotFound) continue;
    RETURN_IF_ERROR(into.take(std::move(listed[0]), ask));
    return true;
  }
  return false;
}

// A cluster that serves no pod groups is not worth a word unless a pod names one.
Result<void> take_all_groups(ClusterReader& reader, Collection& into) {
  ASSIGN_OR_RETURN(const bool served, take_first_served(reader, kPodGroups, "", into));
  if (!served && !grouped_namespaces(into.all().objects).empty()) into.miss(kPodGroups.front());
  const auto workloads = take_first_served(reader, kWorkloads, "", into);
  if (!workloads) return std::unexpected(workloads.error());
  return {};
}

// The groups that the pods name, with all their members, wherever they run.
Result<void> take_groups_of_pods(ClusterReader& reader, Collection& into) {
  for (const std::string& ns : grouped_namespaces(into.all().objects)) {
    ASSIGN_OR_RETURN(const bool served, take_first_served(reader, kPodGroups, ns, into));
    if (!served) {
      into.miss(kPodGroups.front());
      return {};
    }
    const ListRequest members{.kind = kPods, .ns = ns};
    RETURN_IF_ERROR(into.take(std::move(reader.list({members})[0]), members));
  }
  return {};
}

// The pods that the user may mean: of that namespace by spelling, of others by name.
std::string near_names(ClusterReader& reader, const std::string& ns, const std::string& name) {
  const std::vector<Listed> listed = reader.list(
      {{.kind = kPods, .ns = ns}, {.kind = kPods, .field_selector = "metadata.name=" + name}});
  std::vector<std::string> found;
  if (listed[1]) {
    for (const Value& pod : *listed[1]) found.push_back(to_string(api::ref_of(pod)));
  }
  if (listed[0]) {
    std::vector<std::string> names;
    for (const Value& pod : *listed[0]) names.push_back(api::ref_of(pod).name);
    std::ranges::sort(names);
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const auto near = daemon::closest(name, views))
      found.push_back(ns + "/" + std::string(*near));
    // Pods of ReplicaSets: users write the first part.
    for (const std::string& each : names) {
      if (each.starts_with(name + "-")) found.push_back(ns + "/" + each);
    }
  }
  std::string words;
  std::set<std::string> told;
  for (const std::string& each : found) {
    if (told.size() == kNamesShown || !told.insert(each).second) continue;
    words += (words.empty() ? "; did you mean " : " or ") + each;
  }
  return words.empty() ? words : words + "?";
}

Result<Value> find_pod_object(ClusterReader& reader, const std::string& ns,
                              const std::string& name) {
  Result<Value> pod = reader.get(kPods, ns, name);
  if (pod) return pod;
  if (pod.error().code != Code::NotFound) return std::unexpected(with_remedy(pod.error()));
  return failure(Code::NotFound, "there is no pod " + ns + "/" + name + " at " + reader.server() +
                                     near_names(reader, ns, name));
}

// Pods may name a group that does not exist: they wait for it.
std::unexpected<Error> no_such_group(ClusterReader& reader, const std::string& ns,
                                     const std::string& name, std::vector<std::string> names) {
  std::string message = "there is no pod group " + ns + "/" + name + " at " + reader.server();
  std::ranges::sort(names);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto near = daemon::closest(name, views)) {
    message += "; did you mean " + ns + "/" + std::string(*near) + "?";
  }
  const Listed pods = std::move(reader.list({{.kind = kPods, .ns = ns}})[0]);
  if (!pods) return failure(Code::NotFound, message);
  const auto waiting = std::ranges::count_if(*pods, [&](const Value& pod) {
    const Value* group = api::value_at(pod, {"spec", "schedulingGroup", "podGroupName"});
    return group != nullptr && group->text == name;
  });
  if (waiting > 0) {
    message += "; " + std::to_string(waiting) + (waiting == 1 ? " pod names" : " pods name") +
               " it, and none of them is placed before it exists";
  }
  return failure(Code::NotFound, message);
}

// FailedScheduling of elbowroom-scheduler counts: no room is made. That of other schedulers is part
// of how the pod was placed.
bool concerns_resizes(const Value& event) {
  const std::string_view reason = api::text_at(event, "reason");
  if (reason == "FailedScheduling") {
    return api::text_at(event, "reportingComponent") == "elbowroom.dev/scheduler";
  }
  return reason.starts_with("Resize") || reason.starts_with("Preempt");
}

// Events have their time in one of several fields.
Value event_of(const Value& event) {
  std::string time;
  for (const char* key : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (time.empty()) time = api::text_at(event, key);
  }
  if (const Value* last = api::value_at(event, {"series", "lastObservedTime"})) time = last->text;
  const std::int64_t count = api::integer_at(event, "count", 1);
  return map_value({member("time", text_value(time)),
                    member("reason", text_value(std::string(api::text_at(event, "reason")))),
                    member("message", text_value(std::string(api::text_at(event, "message")))),
                    member("count", number_value(count))});
}

std::optional<Error> error_in(const Listed& listed) {
  return listed ? std::nullopt : std::optional(listed.error());
}

bool is_denied(const Listed& listed) { return !listed && listed.error().code == Code::Denied; }

// The rules of moves. With owners they are asked for, so it is said where they may not be read.
void take_move_rules(ClusterReader& reader, Owners owners, Collection& into) {
  Result<Value> config =
      reader.get(kConfigMaps, std::string(kSystem), std::string(kReschedulerConfig));
  if (config) return into.add(std::move(*config));
  if (owners == Owners::No || config.error().code != Code::Denied) return;
  into.deny(kConfigMaps, "get configmaps " + std::string(kReschedulerConfig) + " in namespace " +
                             std::string(kSystem));
}

// `fails`: the error, given the lists of Nodes and of Pods, if it cannot do without.
template <class Fails>
Result<ClusterObjects> read_all(ClusterReader& reader, Owners owners, const Fails& fails) {
  std::vector<ListRequest> asks = {{.kind = kNodes}, {.kind = kPods}};
  for (const ClusterKind& kind : kOthers) asks.push_back({.kind = kind});
  if (owners == Owners::Yes) {
    for (const ClusterKind& kind : kOwners) asks.push_back({.kind = kind});
  }
  std::vector<Listed> listed = reader.list(asks);
  const std::optional<Error> error = fails(listed[0], listed[1]);
  if (error) return std::unexpected(with_remedy(*error));
  Collection all;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    RETURN_IF_ERROR(all.take(std::move(listed[i]), asks[i]));
  }
  RETURN_IF_ERROR(take_all_groups(reader, all));
  take_move_rules(reader, owners, all);
  return all.take_all();
}

// The namespaces whose budgets matter: each one separately, or "" for all of them together.
std::vector<std::string> namespaces_of(const std::vector<Value>& objects) {
  std::set<std::string> all;
  for (const Value& each : objects) {
    if (api::text_at(each, "kind") == "Pod") all.insert(api::ref_of(each).ns);
  }
  if (all.size() > kNamespacesApart) return {""};
  return {all.begin(), all.end()};
}

Result<void> take_budgets(ClusterReader& reader, Collection& into) {
  std::vector<ListRequest> asks = {{.kind = kClasses}};
  for (const std::string& ns : namespaces_of(into.all().objects)) {
    asks.push_back({.kind = kBudgets, .ns = ns});
    asks.push_back({.kind = kOurBudgets, .ns = ns});
  }
  std::vector<Listed> listed = reader.list(asks);
  std::vector<ListRequest> strength;  // the pods that DisruptionBudgets count, on any node
  std::set<std::string> counted;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (asks[i].kind == kOurBudgets && listed[i]) {
      for (const Value& budget : *listed[i]) {
        const std::string ns = api::ref_of(budget).ns;
        if (counted.insert(ns).second) strength.push_back({.kind = kPods, .ns = ns});
      }
    }
    RETURN_IF_ERROR(into.take(std::move(listed[i]), asks[i]));
  }
  std::vector<Listed> pods = reader.list(strength);
  for (std::size_t i = 0; i < strength.size(); ++i) {
    RETURN_IF_ERROR(into.take(std::move(pods[i]), strength[i]));
  }
  return {};
}

}  // namespace

void add_cluster_options(CLI::App& verb) {
  add_valued(verb, "--kubeconfig", "how to reach the cluster; default: KUBECONFIG, ~/.kube/config")
      ->type_name("FILE");
  add_valued(verb, "--context", "the kubeconfig's context; default: its current one")
      ->type_name("NAME");
}

Result<ClusterAccess> open_cluster(const CLI::App& verb) {
  ASSIGN_OR_RETURN(const api::Access access,
                   api::user_access(value_of(verb, "--kubeconfig", ""), api::api_environment(),
                                    value_of(verb, "--context", "")));
  if (access.skip_verification) {
    complain(
        "the kubeconfig has insecure-skip-tls-verify: who answers is not verified, and may be "
        "anybody; "
        "name the server's certificate-authority instead");
  }
  return ClusterAccess{
      .reader = std::make_unique<ClusterReader>(access), .ns = access.ns, .access = access};
}

Result<ClusterObjects> read_cluster(ClusterReader& reader, Owners owners) {
  return read_all(reader, owners, [](const Listed& nodes, const Listed& pods) {
    return nodes ? error_in(pods) : error_in(nodes);
  });
}

Result<ClusterObjects> read_what_is_permitted(ClusterReader& reader) {
  return read_all(reader, Owners::Yes,
                  [](const Listed& nodes, const Listed& pods) -> std::optional<Error> {
                    if (is_denied(nodes) && !pods) return error_in(pods);
                    if (is_denied(nodes) || is_denied(pods)) return std::nullopt;
                    return nodes ? error_in(pods) : error_in(nodes);
                  });
}

Result<ClusterObjects> read_for_resizes(ClusterReader& reader, NodesRefused refused) {
  const std::vector<ListRequest> asks = {{.kind = kNodes},
                                         {.kind = kPods},
                                         {.kind = kBudgets},
                                         {.kind = kOurBudgets},
                                         {.kind = kClasses}};
  std::vector<Listed> listed = reader.list(asks);
  Collection all;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    const bool is_noted = refused == NodesRefused::IsNoted && is_denied(listed[i]);
    const bool needed = asks[i].kind == kPods || (asks[i].kind == kNodes && !is_noted);
    if (needed && !listed[i]) return std::unexpected(with_remedy(listed[i].error()));
    RETURN_IF_ERROR(all.take(std::move(listed[i]), asks[i]));
  }
  for (const std::string& ns : grouped_namespaces(all.all().objects)) {
    ASSIGN_OR_RETURN(const bool served, take_first_served(reader, kPodGroups, ns, all));
    if (!served) {
      all.miss(kPodGroups.front());
      break;
    }
  }
  return all.take_all();
}

Listed read_pods(ClusterReader& reader) {
  Listed pods = std::move(reader.list({{.kind = kPods}})[0]);
  if (!pods) return std::unexpected(with_remedy(pods.error()));
  return pods;
}

// The pods of a deleted Node remain for a while.
std::unexpected<Error> no_such_node(const std::string& ns, const std::string& name,
                                    const std::string& node) {
  return failure(Code::NotFound,
                 "pod " + ns + "/" + name + " is bound to node " + node +
                     ", and there is no such Node (any more): without it nobody can say what "
                     "room there is, and nobody resizes the pod");
}

bool reads_nodes(const ClusterObjects& read) {
  return std::ranges::find(read.denied, resource_of(kNodes), &DeniedRight::resource) ==
         read.denied.end();
}

// The pod's node, the pods on it and those nominated to it.
Result<void> take_node(ClusterReader& reader, const std::string& node, const std::string& ns,
                       const std::string& name, Collection& into) {
  Result<Value> object = reader.get(kNodes, "", node);
  if (!object && object.error().code == Code::NotFound) return no_such_node(ns, name, node);
  if (!object) return std::unexpected(with_remedy(object.error()));
  into.add(std::move(*object));
  const std::vector<ListRequest> asks = {
      {.kind = kPods, .field_selector = "spec.nodeName=" + node},
      {.kind = kPods, .field_selector = "spec.nodeName=,status.nominatedNodeName=" + node}};
  std::vector<Listed> listed = reader.list(asks);
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (!listed[i]) return std::unexpected(with_remedy(listed[i].error()));
    RETURN_IF_ERROR(into.take(std::move(listed[i]), asks[i]));
  }
  return {};
}

Result<ClusterObjects> read_around_pod(ClusterReader& reader, const std::string& ns,
                                       const std::string& name, NodesRefused refused) {
  ASSIGN_OR_RETURN(Value pod, find_pod_object(reader, ns, name));
  const std::string node = text_in(pod, "spec", "nodeName");
  Collection all;
  if (!node.empty()) {
    const Result<void> taken = take_node(reader, node, ns, name, all);
    if (!taken && taken.error().code == Code::Denied && refused == NodesRefused::IsNoted) {
      Collection alone;
      alone.deny(kNodes, "get node " + node + " and list its pods");
      alone.add(std::move(pod));
      return alone.take_all();
    }
    if (!taken) return std::unexpected(taken.error());
  }
  all.add(std::move(pod));  // if it is gone by now, its last known state
  Result<void> taken = take_groups_of_pods(reader, all);
  if (taken) taken = take_budgets(reader, all);
  if (!taken) return std::unexpected(with_remedy(taken.error()));
  return all.take_all();
}

Result<ClusterObjects> read_around_group(ClusterReader& reader, const std::string& ns,
                                         const std::string& name) {
  for (const ClusterKind& kind : kPodGroups) {
    Listed groups = std::move(reader.list({{.kind = kind, .ns = ns}})[0]);
    if (!groups && groups.error().code == Code::NotFound) continue;
    if (!groups) return std::unexpected(with_remedy(groups.error()));
    std::vector<std::string> names;
    for (const Value& each : *groups) names.push_back(api::ref_of(each).name);
    if (std::ranges::find(names, name) != names.end()) return read_cluster(reader);
    return no_such_group(reader, ns, name, std::move(names));
  }
  return failure(Code::NotFound,
                 reader.server() + " serves no podgroups.scheduling.k8s.io: there is no pod group");
}

std::vector<std::string> lacks_of(const ClusterObjects& read, const Manifests& manifests) {
  const std::set<std::string> of_budgets = {resource_of(kBudgets), resource_of(kOurBudgets),
                                            resource_of(kPods)};  // that a budget of ours counts
  // A class decides only what priority a group has: each pod says its own.
  const std::set<std::string> of_groups = {resource_of(kPodGroups[0]), resource_of(kClasses)};
  const bool has_groups = std::ranges::any_of(manifests.pods, policy::is_grouped);
  std::vector<std::string> lacks;
  for (const auto& [resource, right] : read.denied) {
    if (of_budgets.contains(resource) || (has_groups && of_groups.contains(resource))) {
      lacks.push_back("what \"" + right + "\" shows, which is not permitted");
    }
  }
  return lacks;
}

std::unexpected<Error> depends_on(const std::string& answer,
                                  const std::vector<std::string>& lacks) {
  return std::unexpected(
      with_remedy({Code::Denied, answer + " depends on " + policy::listed(lacks)}));
}

Result<void> check_victims_are_known(bool removes, const std::vector<std::string>& lacks) {
  if (!removes || lacks.empty()) return {};
  return depends_on("pods would have to go, and which ones", lacks);
}

Result<std::vector<Value>> read_events(ClusterReader& reader, const std::string& ns,
                                       const std::string& uid) {
  std::vector<Listed> listed =
      reader.list({{.kind = kEvents, .ns = ns, .field_selector = "involvedObject.uid=" + uid}});
  if (!listed[0]) return std::unexpected(std::move(listed[0]).error());
  std::vector<Value> events;
  for (const Value& each : *listed[0]) {
    if (concerns_resizes(each)) events.push_back(event_of(each));
  }
  std::ranges::sort(events, {}, [](const Value& each) {
    return std::tuple(api::text_at(each, "time"), api::text_at(each, "reason"),
                      api::text_at(each, "message"));
  });
  if (events.size() > kEventsShown) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kEventsShown));
  }
  return events;
}

int exit_status_of(const Error& error) {
  if (error.code == Code::Unavailable) return kExitUnreachable;
  return error.code == Code::Denied ? kExitNotPermitted : kExitFailure;
}

}  // namespace elbowroom::cli
