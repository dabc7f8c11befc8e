// What a pod requires of its node and of the pods beside it. It is self-contained: selectors
// include what matchLabelKeys and mismatchLabelKeys add, and pod affinity terms name their
// namespaces (the pod's own where the manifest names none).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/image.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

enum class NodeOperator { In, NotIn, Exists, DoesNotExist, Gt, Lt };

struct NodeExpression {
  std::string key{};
  NodeOperator op = NodeOperator::Exists;
  std::vector<std::string> values{};  // for Gt and Lt: one integer

  friend bool operator==(const NodeExpression&, const NodeExpression&) = default;
};

// All expressions must hold. A term without expressions matches no node.
struct NodeTerm {
  std::vector<NodeExpression> labels{};
  std::vector<NodeExpression> names{};  // matchFields metadata.name: In or NotIn

  friend bool operator==(const NodeTerm&, const NodeTerm&) = default;
};

struct PreferredNodes {
  std::int32_t weight = 1;  // 1 to 100
  NodeTerm term{};

  friend bool operator==(const PreferredNodes&, const PreferredNodes&) = default;
};

enum class TaintEffect { NoSchedule, PreferNoSchedule, NoExecute };

struct Taint {
  std::string key{};
  std::string value{};
  TaintEffect effect = TaintEffect::NoSchedule;

  friend auto operator<=>(const Taint&, const Taint&) = default;
};

// Comparison: Gt and Lt of newer releases, which tolerate nothing here.
enum class TolerationOperator { Equal, Exists, Comparison };

struct Toleration {
  std::string key{};  // "": every key
  TolerationOperator op = TolerationOperator::Equal;
  std::string value{};
  std::optional<TaintEffect> effect{};  // none: every effect

  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

// How evenly pods must spread over the values of a node label.
struct SpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key{};
  bool required = true;                     // DoNotSchedule; else ScheduleAnyway
  std::optional<LabelSelector> selector{};  // none: no pod
  std::int32_t min_domains = 1;
  bool honors_node_affinity = true;
  bool honors_taints = false;

  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// Selects pods that share the value of a node label.
struct PodTerm {
  std::optional<LabelSelector> selector{};  // none: no pod
  std::vector<std::string> namespaces{};
  std::optional<LabelSelector> namespace_selector{};  // further namespaces, by their labels
  std::string topology_key{};

  friend bool operator==(const PodTerm&, const PodTerm&) = default;
};

struct PreferredPods {
  std::int32_t weight = 1;  // 1 to 100
  PodTerm term{};

  friend bool operator==(const PreferredPods&, const PreferredPods&) = default;
};

enum class Protocol { Tcp, Udp, Sctp };

struct HostPort {
  std::string ip{};  // "": every address of the node
  Protocol protocol = Protocol::Tcp;
  std::int32_t port = 0;

  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// A claim that one of the pod's volumes names, in the pod's namespace.
struct PodClaim {
  std::string name{};
  bool is_ephemeral = false;  // made for the pod, which must be its controller

  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

struct Placement {
  Labels node_selector{};
  // None: any node. Otherwise one of the terms must match.
  std::optional<std::vector<NodeTerm>> required_nodes{};
  std::vector<PreferredNodes> preferred_nodes{};
  std::vector<Toleration> tolerations{};
  std::vector<SpreadConstraint> spread{};
  std::vector<PodTerm> required_affinity{};       // pod affinity
  std::vector<PodTerm> required_anti_affinity{};  // pod anti-affinity
  std::vector<PreferredPods> preferred_affinity{};
  std::vector<PreferredPods> preferred_anti_affinity{};
  std::vector<HostPort> host_ports{};  // sorted, each once
  std::vector<std::string> gates{};    // names of the remaining scheduling gates
  std::vector<PodClaim> claims{};      // in the order of the volumes
  bool has_local_storage = false;  // emptyDir on disk, or hostPath: data that does not move along
  // Of all containers and image volumes, each as often as it is named. Only of a pod without a
  // node: others are placed already.
  std::vector<ImageName> images{};

  friend bool operator==(const Placement&, const Placement&) = default;
};

// Source: k8s.io/component-helpers scheduling/corev1, ToleratesTaint.
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint);
[[nodiscard]] bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

}  // namespace elbowroom::policy
