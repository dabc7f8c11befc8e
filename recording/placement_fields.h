// The fields of placements and taints, for recordings of a scheduler. recording/policy_fields.h
// omits them from pods and nodes, because agents do not read them.
#pragma once

#include <array>
#include <string_view>

#include "policy/model/placement.h"
#include "recording/policy_fields.h"

namespace elbowroom::recording {

template <>
struct Names<policy::NodeOperator> {
  static constexpr std::array kAll = {"In"sv,           "NotIn"sv, "Exists"sv,
                                      "DoesNotExist"sv, "Gt"sv,    "Lt"sv};
};
template <>
struct Names<policy::TaintEffect> {
  static constexpr std::array kAll = {"NoSchedule"sv, "PreferNoSchedule"sv, "NoExecute"sv};
};
template <>
struct Names<policy::TolerationOperator> {
  static constexpr std::array kAll = {"Equal"sv, "Exists"sv, "Comparison"sv};
};
template <>
struct Names<policy::Protocol> {
  static constexpr std::array kAll = {"TCP"sv, "UDP"sv, "SCTP"sv};
};
template <>
struct Fields<policy::NodeExpression> {
  static void list(auto& io, auto& of) {
    auto& [key, op, values] = of;
    io("key", key)("operator", op)("values", values);
  }
};
template <>
struct Fields<policy::NodeTerm> {
  static void list(auto& io, auto& of) {
    auto& [labels, names] = of;
    io("labels", labels)("names", names);
  }
};
template <>
struct Fields<policy::PreferredNodes> {
  static void list(auto& io, auto& of) {
    auto& [weight, term] = of;
    io("weight", weight)("term", term);
  }
};
template <>
struct Fields<policy::NodeImage> {
  static void list(auto& io, auto& of) {
    auto& [name, bytes] = of;
    io("name", name)("bytes", bytes);
  }
};
template <>
struct Fields<policy::Taint> {
  static void list(auto& io, auto& of) {
    auto& [key, value, effect] = of;
    io("key", key)("value", value)("effect", effect);
  }
};
template <>
struct Fields<policy::Toleration> {
  static void list(auto& io, auto& of) {
    auto& [key, op, value, effect] = of;
    io("key", key)("operator", op)("value", value)("effect", effect);
  }
};
template <>
struct Fields<policy::SpreadConstraint> {
  static void list(auto& io, auto& of) {
    auto& [max_skew, topology_key, required, selector, min_domains, honors_node_affinity,
           honors_taints] = of;
    io("maxSkew", max_skew)("topologyKey", topology_key)("required", required)(
        "selector", selector)("minDomains", min_domains)(
        "honorsNodeAffinity", honors_node_affinity)("honorsTaints", honors_taints);
  }
};
template <>
struct Fields<policy::PodTerm> {
  static void list(auto& io, auto& of) {
    auto& [selector, namespaces, namespace_selector, topology_key] = of;
    io("selector", selector)("namespaces", namespaces)("namespaceSelector", namespace_selector)(
        "topologyKey", topology_key);
  }
};
template <>
struct Fields<policy::PreferredPods> {
  static void list(auto& io, auto& of) {
    auto& [weight, term] = of;
    io("weight", weight)("term", term);
  }
};
template <>
struct Fields<policy::HostPort> {
  static void list(auto& io, auto& of) {
    auto& [ip, protocol, port] = of;
    io("ip", ip)("protocol", protocol)("port", port);
  }
};
template <>
struct Fields<policy::PodClaim> {
  static void list(auto& io, auto& of) {
    auto& [name, is_ephemeral] = of;
    io("name", name)("ephemeral", is_ephemeral);
  }
};
template <>
struct Fields<policy::Placement> {
  static void list(auto& io, auto& of) {
    auto& [node_selector, required_nodes, preferred_nodes, tolerations, spread, required_affinity,
           required_anti_affinity, preferred_affinity, preferred_anti_affinity, host_ports, gates,
           claims, has_local_storage, images] = of;
    io("nodeSelector", node_selector)("requiredNodes", required_nodes)(
        "preferredNodes", preferred_nodes)("tolerations", tolerations)("spread", spread)(
        "requiredNear", required_affinity)("requiredApart", required_anti_affinity)(
        "preferredNear", preferred_affinity)("preferredApart", preferred_anti_affinity)(
        "hostPorts", host_ports)("gates", gates)("volumeClaims", claims)(
        "localStorage", has_local_storage)("images", images);
  }
};

}  // namespace elbowroom::recording
