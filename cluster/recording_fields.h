// What nodes, pods and budgets are made of in the recordings of the daemons that keep a snapshot.
// Pods are recorded as they come out of being packed, with their placement, and nodes with their
// taints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/debit_queue.h"
#include "cluster/packed_pod.h"
#include "control/listed.h"
#include "control/recording_fields.h"
#include "policy/model/namespace.h"
#include "recording/placement_fields.h"
#include "recording/policy_fields.h"

namespace elbowroom::recording {

// A pod with what it asks of its node, in one map.
struct PlacedPod {
  policy::Pod pod{};
  policy::Placement placement{};
};
template <>
struct Fields<PlacedPod> {
  static void list(auto& io, auto& of) {
    auto& [pod, placement] = of;
    Fields<policy::Pod>::list(io, pod);
    io("placement", placement);
  }
};
template <>
struct Special<cluster::PackedPod> {
  static void write(FieldWriter& to, const cluster::PackedPod& of) {
    PlacedPod placed{.pod = of.unpacked()};
    placed.placement = std::move(placed.pod.placement);
    to.write(placed);
  }
  static void read(FieldReader& by, const Value& from, cluster::PackedPod& of) {
    PlacedPod placed;
    by.read(from, placed);
    placed.pod.placement = std::move(placed.placement);
    of = cluster::PackedPod::packed(placed.pod);
  }
};

// An entry without a time is the uid alone, as in recordings of older versions.
struct TimedAvoidance {
  std::string uid{};
  std::optional<policy::Time> until{};
};
template <>
struct Fields<TimedAvoidance> {
  static void list(auto& io, auto& of) {
    auto& [uid, until] = of;
    io("uid", uid)("until", until);
  }
};
template <>
struct Special<policy::AvoidedController> {
  static void write(FieldWriter& to, const policy::AvoidedController& of) {
    if (!of.until) return to.write(of.uid);
    to.write(TimedAvoidance{.uid = of.uid, .until = of.until});
  }
  static void read(FieldReader& by, const Value& from, policy::AvoidedController& of) {
    if (from.kind == Value::Kind::String) return by.read(from, of.uid);
    TimedAvoidance timed;
    by.read(from, timed);
    of = {.uid = std::move(timed.uid), .until = timed.until};
  }
};

// What recordings of agents leave out of a node, by its name.
struct NodeTerms {
  std::vector<policy::Taint> taints{};
  std::vector<policy::AvoidedController> avoided_controllers{};
  std::vector<policy::NodeImage> images{};
};
template <>
struct Fields<NodeTerms> {
  static void list(auto& io, auto& of) {
    auto& [taints, avoided_controllers, images] = of;
    io("taints", taints)("avoidedControllers", avoided_controllers)("images", images);
  }
};
using TermsByNode = std::map<std::string, NodeTerms, std::less<>>;

[[nodiscard]] inline TermsByNode terms_of(const std::vector<policy::Node>& nodes) {
  TermsByNode terms;
  for (const policy::Node& each : nodes) {
    if (each.taints.empty() && each.avoided_controllers.empty() && each.images.empty()) continue;
    terms[each.name] = {.taints = each.taints,
                        .avoided_controllers = each.avoided_controllers,
                        .images = each.images};
  }
  return terms;
}
inline void give_terms(const TermsByNode& /*terms*/, const std::vector<policy::Node>& /*to*/) {}
inline void give_terms(const TermsByNode& terms, std::vector<policy::Node>& to) {
  for (policy::Node& each : to) {
    const auto at = terms.find(each.name);
    if (at == terms.end()) continue;
    each.taints = at->second.taints;
    each.avoided_controllers = at->second.avoided_controllers;
    each.images = at->second.images;
  }
}

// ---- what is seen: a reactor reads no uid of what is gone but a pod, and recordings hold none;
// nor do they hold the unreadable nodes and namespaces, which count as gone ----

// A name with its namespace, which recordings hold apart.
using control::NameParts;
template <>
struct Fields<NameParts> {
  static void list(auto& io, auto& of) {
    auto& [ns, name] = of;
    io("namespace", ns)("name", name);
  }
};
[[nodiscard]] inline std::vector<NameParts> parts_of(const std::vector<std::string>& keys) {
  std::vector<NameParts> parts;
  for (const std::string& key : keys) parts.push_back(control::name_parts(key));
  return parts;
}
inline void give_key(const NameParts& /*parts*/, const std::string& /*to*/) {}
inline void give_key(const NameParts& parts, std::string& to) { to = parts.ns + "/" + parts.name; }
inline void give_keys(const std::vector<NameParts>& /*parts*/,
                      const std::vector<std::string>& /*to*/) {}
inline void give_keys(const std::vector<NameParts>& parts, std::vector<std::string>& to) {
  to.clear();
  for (const NameParts& each : parts) to.push_back(each.ns + "/" + each.name);
}

template <class T>
concept IsBudget =
    std::is_same_v<T, policy::PodDisruptionBudget> || std::is_same_v<T, policy::DisruptionBudget>;

template <>
struct Fields<control::Listed<policy::Node>> {
  static void list(auto& io, auto& of) {
    auto& [nodes, unreadable] = of;
    io("nodes", nodes);
    TermsByNode terms = terms_of(nodes);
    io("terms", terms);
    give_terms(terms, nodes);
  }
};
template <>
struct Fields<control::Seen<policy::Node>> {
  static void list(auto& io, auto& of) {
    auto& [node] = of;
    io("node", node)("taints", node.taints)("avoidedControllers", node.avoided_controllers)(
        "images", node.images);
  }
};
template <>
struct Fields<control::Gone<policy::Node>> {
  static void list(auto& io, auto& of) {
    auto& [name, uid] = of;
    io("name", name);
  }
};
template <>
struct Fields<control::Listed<cluster::PackedPod>> {
  static void list(auto& io, auto& of) {
    auto& [pods, unreadable] = of;
    io("pods", pods)("unreadable", unreadable);
  }
};
template <>
struct Fields<control::Seen<cluster::PackedPod>> {
  static void list(auto& io, auto& of) {
    auto& [pod] = of;
    io("pod", pod);
  }
};
template <>
struct Fields<control::Gone<cluster::PackedPod>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    io("pod", key)("uid", uid);
  }
};
template <IsBudget T>
struct Fields<control::Listed<T>> {
  static void list(auto& io, auto& of) {
    auto& [budgets, unreadable] = of;
    std::vector<NameParts> parts = parts_of(unreadable);
    io("budgets", budgets)("unreadable", parts);
    give_keys(parts, unreadable);
  }
};
template <IsBudget T>
struct Fields<control::Seen<T>> {
  static void list(auto& io, auto& of) {
    auto& [budget] = of;
    io("budget", budget);
  }
};
template <IsBudget T>
struct Fields<control::Gone<T>> {
  static void list(auto& io, auto& of) {
    auto& [key, uid] = of;
    NameParts parts = control::name_parts(key);
    io("namespace", parts.ns)("name", parts.name);
    give_key(parts, key);
  }
};
template <>
struct Fields<policy::Namespace> {
  static void list(auto& io, auto& of) {
    auto& [name, labels] = of;
    io("name", name)("labels", labels);
  }
};
template <>
struct Fields<control::Listed<policy::Namespace>> {
  static void list(auto& io, auto& of) {
    auto& [namespaces, unreadable] = of;
    io("namespaces", namespaces);
  }
};
template <>
struct Fields<control::Seen<policy::Namespace>> {
  static void list(auto& io, auto& of) {
    auto& [seen] = of;
    io("namespace", seen);
  }
};
template <>
struct Fields<control::Gone<policy::Namespace>> {
  static void list(auto& io, auto& of) {
    auto& [name, uid] = of;
    io("name", name);
  }
};
template <>
struct Fields<cluster::BudgetName> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid] = of;
    io("namespace", ns)("name", name)("uid", uid);
  }
};
template <>
struct Fields<cluster::DebitQueue::Read> {
  static void list(auto& io, auto& of) {
    auto& [budget, at_once] = of;
    io("budget", budget)("atOnce", at_once);
  }
};
template <>
struct Fields<cluster::DebitQueue::Write> {
  static void list(auto& io, auto& of) {
    auto& [budget, version, ledger, at_once] = of;
    io("budget", budget)("resourceVersion", version)("ledger", ledger)("atOnce", at_once);
  }
};
}  // namespace elbowroom::recording
