// Reads the objects that a simulation starts from. They are sorted by name, so the order of files
// and objects does not matter.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/model/selecting.h"
#include "policy/model/time.h"
#include "policy/model/volume.h"
#include "policy/moves/move_owner.h"
#include "policy/moves/move_rules.h"

namespace elbowroom::cli {

struct Manifests {
  std::vector<policy::Node> nodes{};
  std::vector<policy::Pod> pods{};
  std::vector<policy::PodDisruptionBudget> pod_disruption_budgets{};
  std::vector<policy::DisruptionBudget> disruption_budgets{};
  std::vector<policy::PodGroup> groups{};  // every pod of one says so: policy::Pod::group
  std::set<std::string> workloads{};       // NAMESPACE/NAME
  std::map<std::string, policy::Labels, std::less<>> namespaces{};  // labels by name
  policy::VolumeObjects volumes{};             // claims, volumes, classes, and what drivers publish
  std::vector<policy::Selecting> selecting{};  // Services and controllers: which pods they select
  std::vector<policy::MoveOwner> owners{};     // Deployments, ReplicaSets, StatefulSets
  std::optional<policy::Time> newest{};        // of all times in the objects above
  std::optional<policy::MoveRules> move_rules{};  // of the rescheduler's ConfigMap
  std::set<std::string> unknown_kinds{};
  // Deployment and StatefulSet, where the input is neither a cluster nor a dump of one.
  std::set<std::string> makers{};
  std::set<std::string> other_versions{};  // of dumps that were not made by this version
  std::set<std::string> windows_pods{};    // NAMESPACE/NAME of those with spec.os.name windows
  std::set<std::string> odd_terms{};       // placement terms that cannot be decoded; pod and field
  std::set<std::string> odd_groups{};      // groups that cannot be understood; group and field
};

// A text with its name in errors.
struct NamedText {
  std::string_view name{};
  std::string_view text{};
};

// Every object of the texts. Priorities and preemption policies that pods and pod groups leave out
// come from the priority classes in the input. Invalid: not YAML or JSON, not a Kubernetes object,
// an invalid object, or a duplicate; messages name text, object and field.
[[nodiscard]] Result<Manifests> read_manifests(const std::vector<NamedText>& texts);

// The same for parsed objects; `source` names their origin in errors.
[[nodiscard]] Result<Manifests> manifests_of(const std::vector<Value>& objects,
                                             std::string_view source);

// The same for objects that a cluster serves, whose pods may come from any user: see
// decode_cluster_pod.h.
[[nodiscard]] Result<Manifests> served_manifests_of(const std::vector<Value>& objects,
                                                    std::string_view source);

// The same for the arguments of -f.
[[nodiscard]] Result<Manifests> load_manifests(const std::vector<std::string>& paths);

// The decoded values and the objects themselves: those of known kinds, each with a uid, by kind and
// name. For callers that build a world from them.
struct ObjectSet {
  Manifests manifests{};
  std::vector<Value> objects{};
};

// Parsed objects (`source` as above), and those of the arguments of -f. A parsed object without a
// uid gets NAMESPACE/NAME.
[[nodiscard]] Result<ObjectSet> load_objects(const std::vector<Value>& given,
                                             std::string_view source,
                                             const std::vector<std::string>& paths);

// The same for parsed objects and those that `reader` (for messages) has read from a cluster, each
// with a uid.
[[nodiscard]] Result<ObjectSet> join_objects(const std::vector<Value>& given,
                                             std::string_view source,
                                             const std::vector<Value>& read,
                                             std::string_view reader);

// By name ("NAMESPACE/NAME" for pods), or nullptr. Valid as long as `manifests` is unchanged.
[[nodiscard]] const policy::Pod* find_pod(const Manifests& manifests, std::string_view key);
[[nodiscard]] const policy::Node* find_node(const Manifests& manifests, std::string_view name);
[[nodiscard]] const policy::PodGroup* find_group(const Manifests& manifests, std::string_view key);

// What to say of a pod that is not among them, with the nearest name that is.
[[nodiscard]] std::string not_in_input(const Manifests& manifests, std::string_view key);
// The same for a pod group.
[[nodiscard]] std::string group_not_in_input(const Manifests& manifests, std::string_view key);

}  // namespace elbowroom::cli
