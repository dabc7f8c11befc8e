// The objects that a simulation starts from, read from files. They are sorted by name, so that the
// order of files and objects changes nothing.
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
#include "policy/model/time.h"

namespace elbowroom::cli {

struct Manifests {
  std::vector<policy::Node> nodes{};
  std::vector<policy::Pod> pods{};
  std::vector<policy::PodDisruptionBudget> pod_disruption_budgets{};
  std::vector<policy::DisruptionBudget> disruption_budgets{};
  std::map<std::string, policy::Labels, std::less<>> namespaces{};  // labels by name
  std::optional<policy::Time> newest{};  // of all times in the objects above
  std::set<std::string> unknown_kinds{};
  std::set<std::string> odd_terms{};  // of placement, that cannot be understood; pod and field
};

// A text under the name that errors call it by.
struct NamedText {
  std::string_view name{};
  std::string_view text{};
};

// Every object of the texts. Priorities and preemption policies that pods leave open come from the
// priority classes among them. Invalid: what is not YAML or JSON, no Kubernetes object, no sound
// object, or given twice; messages name text, object and field.
[[nodiscard]] Result<Manifests> read_manifests(const std::vector<NamedText>& texts);

// The same of objects at hand; `source` is what errors call the place they are from.
[[nodiscard]] Result<Manifests> manifests_of(const std::vector<Value>& objects,
                                             std::string_view source);

// The same of objects that a cluster serves, where any pod may be anybody's: see
// decode_cluster_pod.h.
[[nodiscard]] Result<Manifests> served_manifests_of(const std::vector<Value>& objects,
                                                    std::string_view source);

// The same for the arguments of -f.
[[nodiscard]] Result<Manifests> load_manifests(const std::vector<std::string>& paths);

// What the objects say, and the objects themselves: of the kinds that are understood, each with a
// uid, by kind and name. For those who make a world of them.
struct ObjectSet {
  Manifests manifests{};
  std::vector<Value> objects{};
};

// Objects at hand (`source` as above), and those of the arguments of -f. An object at hand without
// a uid has NAMESPACE/NAME for one.
[[nodiscard]] Result<ObjectSet> load_objects(const std::vector<Value>& given,
                                             std::string_view source,
                                             const std::vector<std::string>& paths);

// The same of objects at hand and those of a cluster that `reader` (for messages) has read, each
// with a uid.
[[nodiscard]] Result<ObjectSet> join_objects(const std::vector<Value>& given,
                                             std::string_view source,
                                             const std::vector<Value>& read,
                                             std::string_view reader);

// By name ("NAMESPACE/NAME" for pods), or nullptr. Live as long as `manifests` unchanged.
[[nodiscard]] const policy::Pod* find_pod(const Manifests& manifests, std::string_view key);
[[nodiscard]] const policy::Node* find_node(const Manifests& manifests, std::string_view name);

}  // namespace elbowroom::cli
