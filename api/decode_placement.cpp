#include "api/decode_placement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode_common.h"
#include "api/decode_taint.h"

namespace elbowroom::api {
namespace {

using policy::LabelOperator;
using policy::LabelSelector;
using policy::NodeExpression;
using policy::NodeOperator;
using policy::NodeTerm;
using policy::Placement;
using policy::Pod;
using policy::PodTerm;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

// Each item of a list, taken by `decode_item(Field)` into the result.
template <class T, class Decode>
Result<std::vector<T>> decode_list(const Field& parent, std::string_view key, Decode decode_item) {
  ASSIGN_OR_RETURN(const Field list, parent.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMaxPlacementTerms) {
    return parent.refuse(key,
                         "must have at most " + std::to_string(kMaxPlacementTerms) + " entries");
  }
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(T one, decode_item(list.item(i)));
    all.push_back(std::move(one));
  }
  return all;
}

// ---- nodes ----

bool is_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Result<NodeOperator> decode_node_operator(const Field& at) {
  static constexpr std::array<std::pair<std::string_view, NodeOperator>, 6> kAll{
      {{"In", NodeOperator::In},
       {"NotIn", NodeOperator::NotIn},
       {"Exists", NodeOperator::Exists},
       {"DoesNotExist", NodeOperator::DoesNotExist},
       {"Gt", NodeOperator::Gt},
       {"Lt", NodeOperator::Lt}}};
  ASSIGN_OR_RETURN(const std::string text, at.text("operator"));
  const auto found = std::ranges::find(kAll, text, [](const auto& each) { return each.first; });
  if (found != kAll.end()) return found->second;
  return at.refuse("operator", "must be In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

Result<NodeExpression> decode_node_expression(const Field& at) {
  NodeExpression made;
  ASSIGN_OR_RETURN(made.key, at.text("key"));
  if (made.key.empty()) return at.refuse("key", "must not be empty");
  ASSIGN_OR_RETURN(made.op, decode_node_operator(at));
  ASSIGN_OR_RETURN(made.values, at.texts("values"));
  switch (made.op) {
    case NodeOperator::In:
    case NodeOperator::NotIn:
      if (made.values.empty()) return at.refuse("values", "must not be empty for In and NotIn");
      break;
    case NodeOperator::Exists:
    case NodeOperator::DoesNotExist:
      if (!made.values.empty()) {
        return at.refuse("values", "must be empty for Exists and DoesNotExist");
      }
      break;
    case NodeOperator::Gt:
    case NodeOperator::Lt:
      if (made.values.size() != 1 || !is_integer(made.values[0])) {
        return at.refuse("values", "must be one integer for Gt and Lt");
      }
      break;
  }
  return made;
}

Result<NodeExpression> decode_name_expression(const Field& at) {
  ASSIGN_OR_RETURN(NodeExpression made, decode_node_expression(at));
  if (made.key != "metadata.name") return at.refuse("key", "must be metadata.name");
  if (made.op != NodeOperator::In && made.op != NodeOperator::NotIn) {
    return at.refuse("operator", "must be In or NotIn");
  }
  return made;
}

Result<NodeTerm> decode_node_term(const Field& at) {
  NodeTerm term;
  ASSIGN_OR_RETURN(term.labels,
                   decode_list<NodeExpression>(at, "matchExpressions", decode_node_expression));
  ASSIGN_OR_RETURN(term.names,
                   decode_list<NodeExpression>(at, "matchFields", decode_name_expression));
  return term;
}

Result<std::int32_t> decode_weight(const Field& at) {
  // Protobuf leaves a zero out: it is told like one that is missing.
  ASSIGN_OR_RETURN(const auto weight, at.integer("weight", 0, 100));
  if (weight.value_or(0) == 0) return at.refuse("weight", "must be 1 to 100");
  return static_cast<std::int32_t>(*weight);
}

Result<policy::PreferredNodes> decode_preferred_nodes(const Field& at) {
  policy::PreferredNodes made;
  ASSIGN_OR_RETURN(made.weight, decode_weight(at));
  ASSIGN_OR_RETURN(const Field preference, at.get("preference"));
  ASSIGN_OR_RETURN(made.term, decode_node_term(preference));
  return made;
}

Result<void> decode_node_affinity(const Field& affinity, Placement& placement) {
  ASSIGN_OR_RETURN(const Field nodes, affinity.get("nodeAffinity"));
  ASSIGN_OR_RETURN(const Field required, nodes.get(kRequired));
  if (required.present()) {
    ASSIGN_OR_RETURN(placement.required_nodes,
                     decode_list<NodeTerm>(required, "nodeSelectorTerms", decode_node_term));
  }
  ASSIGN_OR_RETURN(placement.preferred_nodes,
                   decode_list<policy::PreferredNodes>(nodes, kPreferred, decode_preferred_nodes));
  return {};
}

// ---- tolerations ----

Result<policy::Toleration> decode_toleration(const Field& at) {
  policy::Toleration made;
  ASSIGN_OR_RETURN(made.key, at.text("key"));
  ASSIGN_OR_RETURN(made.value, at.text("value"));
  ASSIGN_OR_RETURN(const std::string op, at.text("operator"));
  if (op == "Exists") {
    made.op = policy::TolerationOperator::Exists;
  } else if (op == "Gt" || op == "Lt") {
    made.op = policy::TolerationOperator::Comparison;
  } else if (!op.empty() && op != "Equal") {
    return at.refuse("operator", "must be Equal or Exists");
  }
  if (made.key.empty() && made.op != policy::TolerationOperator::Exists) {
    return at.refuse("operator", "must be Exists where there is no key");
  }
  ASSIGN_OR_RETURN(const std::string effect, at.text("effect"));
  if (!effect.empty()) {
    ASSIGN_OR_RETURN(made.effect, decode_taint_effect(at));
  }
  return made;
}

// ---- other pods ----

// What matchLabelKeys and mismatchLabelKeys of a term mean for this pod. A server has done so
// already, and doing it again changes nothing that matches. Source: kubernetes
// pkg/registry/core/pod/strategy.go, applyMatchLabelKeysAndMismatchLabelKeys.
Result<void> add_label_keys(const Field& at, std::string_view list, LabelOperator op,
                            const Pod& pod, std::optional<LabelSelector>& selector) {
  ASSIGN_OR_RETURN(const std::vector<std::string> keys, at.texts(list));
  if (keys.size() > kMaxPlacementTerms) return at.refuse(list, "has too many entries");
  if (!selector) return {};
  for (const std::string& key : keys) {
    const auto label = pod.labels.find(key);
    if (label == pod.labels.end()) continue;
    const policy::LabelExpression more{.key = key, .op = op, .values = {label->second}};
    if (std::ranges::find(selector->expressions, more) == selector->expressions.end()) {
      selector->expressions.push_back(more);
    }
  }
  return {};
}

Result<std::string> decode_topology_key(const Field& at) {
  ASSIGN_OR_RETURN(std::string key, at.text("topologyKey"));
  if (key.empty()) return at.refuse("topologyKey", "must not be empty");
  return key;
}

Result<PodTerm> decode_pod_term(const Field& at, const Pod& pod) {
  PodTerm term;
  ASSIGN_OR_RETURN(term.selector, decode_selector(at, "labelSelector"));
  RETURN_IF_ERROR(add_label_keys(at, "matchLabelKeys", LabelOperator::In, pod, term.selector));
  RETURN_IF_ERROR(
      add_label_keys(at, "mismatchLabelKeys", LabelOperator::NotIn, pod, term.selector));
  ASSIGN_OR_RETURN(term.namespaces, at.texts("namespaces"));
  std::ranges::sort(term.namespaces);
  const auto repeated = std::ranges::unique(term.namespaces);
  term.namespaces.erase(repeated.begin(), repeated.end());
  ASSIGN_OR_RETURN(term.namespace_selector, decode_selector(at, "namespaceSelector"));
  if (term.namespaces.empty() && !term.namespace_selector) term.namespaces = {pod.ns};
  ASSIGN_OR_RETURN(term.topology_key, decode_topology_key(at));
  return term;
}

Result<void> decode_pod_affinity(const Field& affinity, std::string_view key, const Pod& pod,
                                 std::vector<PodTerm>& required,
                                 std::vector<policy::PreferredPods>& preferred) {
  ASSIGN_OR_RETURN(const Field pods, affinity.get(key));
  ASSIGN_OR_RETURN(required, decode_list<PodTerm>(pods, kRequired, [&](const Field& at) {
                     return decode_pod_term(at, pod);
                   }));
  const auto decode_preferred = [&](const Field& at) -> Result<policy::PreferredPods> {
    policy::PreferredPods made;
    ASSIGN_OR_RETURN(made.weight, decode_weight(at));
    ASSIGN_OR_RETURN(const Field term, at.get("podAffinityTerm"));
    ASSIGN_OR_RETURN(made.term, decode_pod_term(term, pod));
    return made;
  };
  ASSIGN_OR_RETURN(preferred,
                   decode_list<policy::PreferredPods>(pods, kPreferred, decode_preferred));
  return {};
}

// Honor or Ignore; `fallback` where it is left open.
Result<bool> decode_honors(const Field& at, std::string_view key, bool fallback) {
  ASSIGN_OR_RETURN(const std::string text, at.text(key));
  if (text.empty()) return fallback;
  if (text != "Honor" && text != "Ignore") return at.refuse(key, "must be Honor or Ignore");
  return text == "Honor";
}

Result<policy::SpreadConstraint> decode_spread(const Field& at, const Pod& pod) {
  policy::SpreadConstraint made;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  ASSIGN_OR_RETURN(const auto skew, at.integer("maxSkew", 0, kMost));
  if (skew.value_or(0) == 0) return at.refuse("maxSkew", "must be at least 1");
  made.max_skew = static_cast<std::int32_t>(*skew);
  ASSIGN_OR_RETURN(made.topology_key, decode_topology_key(at));
  ASSIGN_OR_RETURN(const std::string unsatisfiable, at.text("whenUnsatisfiable"));
  made.required = unsatisfiable == "DoNotSchedule";
  if (!made.required && unsatisfiable != "ScheduleAnyway") {
    return at.refuse("whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway");
  }
  ASSIGN_OR_RETURN(made.selector, decode_selector(at, "labelSelector"));
  RETURN_IF_ERROR(add_label_keys(at, "matchLabelKeys", LabelOperator::In, pod, made.selector));
  ASSIGN_OR_RETURN(const auto domains, at.integer("minDomains", 1, kMost));
  made.min_domains = static_cast<std::int32_t>(domains.value_or(1));
  ASSIGN_OR_RETURN(made.honors_node_affinity, decode_honors(at, "nodeAffinityPolicy", true));
  ASSIGN_OR_RETURN(made.honors_taints, decode_honors(at, "nodeTaintsPolicy", false));
  return made;
}

// ---- ports and volumes ----

Result<std::optional<policy::HostPort>> decode_host_port(const Field& at, bool host_network) {
  constexpr std::int64_t kMost = 65'535;
  ASSIGN_OR_RETURN(const auto asked, at.integer("hostPort", 0, kMost));
  ASSIGN_OR_RETURN(const auto own, at.integer("containerPort", 0, kMost));
  ASSIGN_OR_RETURN(const std::string protocol, at.text("protocol"));
  policy::HostPort made;
  ASSIGN_OR_RETURN(made.ip, at.text("hostIP"));
  if (made.ip == "0.0.0.0") made.ip.clear();
  if (protocol == "UDP") {
    made.protocol = policy::Protocol::Udp;
  } else if (protocol == "SCTP") {
    made.protocol = policy::Protocol::Sctp;
  } else if (!protocol.empty() && protocol != "TCP") {
    return at.refuse("protocol", "must be TCP, UDP or SCTP");
  }
  // Source: kubernetes pkg/apis/core/v1/defaults.go, defaultHostNetworkPorts.
  const std::int64_t port =
      asked.value_or(0) == 0 && host_network ? own.value_or(0) : asked.value_or(0);
  if (port == 0) return std::nullopt;
  made.port = static_cast<std::int32_t>(port);
  return made;
}

Result<void> decode_host_ports(const Field& spec, std::string_view containers, bool host_network,
                               std::vector<policy::HostPort>& ports) {
  ASSIGN_OR_RETURN(const Field list, spec.get(containers));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field container = list.item(i);
    ASSIGN_OR_RETURN(const std::string restart, container.text("restartPolicy"));
    // An init container's ports are free again when the pod runs.
    if (containers == "initContainers" && restart != "Always") continue;
    const auto decode_port = [&](const Field& at) { return decode_host_port(at, host_network); };
    ASSIGN_OR_RETURN(const auto found,
                     decode_list<std::optional<policy::HostPort>>(container, "ports", decode_port));
    for (const auto& port : found) {
      if (port) ports.push_back(*port);
    }
  }
  return {};
}

Result<void> decode_all_host_ports(const Field& spec, Placement& placement) {
  ASSIGN_OR_RETURN(const bool host_network, spec.boolean("hostNetwork"));
  for (const std::string_view key : {"initContainers", "containers"}) {
    RETURN_IF_ERROR(decode_host_ports(spec, key, host_network, placement.host_ports));
  }
  std::ranges::sort(placement.host_ports);
  const auto repeated = std::ranges::unique(placement.host_ports);
  placement.host_ports.erase(repeated.begin(), repeated.end());
  return {};
}

Result<bool> has_unbound_volumes(const Field& spec) {
  ASSIGN_OR_RETURN(const Field volumes, spec.get("volumes"));
  ASSIGN_OR_RETURN(const std::size_t count, volumes.size());
  bool found = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Field volume = volumes.item(i);
    ASSIGN_OR_RETURN(const Field claim, volume.get("persistentVolumeClaim"));
    ASSIGN_OR_RETURN(const Field ephemeral, volume.get("ephemeral"));
    found = found || claim.present() || ephemeral.present();
  }
  return found;
}

// All expressions and labels that a decision has to look at.
std::size_t expressions_of(const Placement& placement) {
  std::size_t sum = placement.node_selector.size();
  const auto add_nodes = [&](const NodeTerm& term) {
    sum += 1 + term.labels.size() + term.names.size();
  };
  const auto add_selector = [&](const std::optional<LabelSelector>& selector) {
    if (selector) sum += selector->match_labels.size() + selector->expressions.size();
  };
  const auto add_pods = [&](const PodTerm& term) {
    ++sum;
    add_selector(term.selector);
    add_selector(term.namespace_selector);
  };
  std::ranges::for_each(placement.required_nodes.value_or(std::vector<NodeTerm>{}), add_nodes);
  for (const policy::PreferredNodes& each : placement.preferred_nodes) add_nodes(each.term);
  std::ranges::for_each(placement.required_near, add_pods);
  std::ranges::for_each(placement.required_apart, add_pods);
  for (const policy::PreferredPods& each : placement.preferred_near) add_pods(each.term);
  for (const policy::PreferredPods& each : placement.preferred_apart) add_pods(each.term);
  for (const policy::SpreadConstraint& each : placement.spread) add_selector(each.selector);
  return sum + placement.spread.size();
}

Result<std::string> decode_gate(const Field& at) {
  ASSIGN_OR_RETURN(std::string name, at.text("name"));
  if (name.empty()) return at.refuse("name", "must not be empty");
  return name;
}

}  // namespace

Result<Placement> decode_placement(const Field& spec, const Pod& pod) {
  Placement placement;
  ASSIGN_OR_RETURN(placement.node_selector, spec.labels("nodeSelector"));
  ASSIGN_OR_RETURN(const Field affinity, spec.get("affinity"));
  RETURN_IF_ERROR(decode_node_affinity(affinity, placement));
  RETURN_IF_ERROR(decode_pod_affinity(affinity, "podAffinity", pod, placement.required_near,
                                      placement.preferred_near));
  RETURN_IF_ERROR(decode_pod_affinity(affinity, "podAntiAffinity", pod, placement.required_apart,
                                      placement.preferred_apart));
  ASSIGN_OR_RETURN(placement.tolerations,
                   decode_list<policy::Toleration>(spec, "tolerations", decode_toleration));
  ASSIGN_OR_RETURN(placement.spread, decode_list<policy::SpreadConstraint>(
                                         spec, "topologySpreadConstraints",
                                         [&](const Field& at) { return decode_spread(at, pod); }));
  RETURN_IF_ERROR(decode_all_host_ports(spec, placement));
  ASSIGN_OR_RETURN(placement.gates, decode_list<std::string>(spec, "schedulingGates", decode_gate));
  ASSIGN_OR_RETURN(placement.has_unbound_volumes, has_unbound_volumes(spec));
  if (expressions_of(placement) > kMaxPlacementTerms) {
    return spec.refuse("affinity", "must have at most " + std::to_string(kMaxPlacementTerms) +
                                       " terms and expressions in all, nodeSelector and "
                                       "topologySpreadConstraints included");
  }
  return placement;
}

}  // namespace elbowroom::api
