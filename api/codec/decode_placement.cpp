#include "api/codec/decode_placement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/decode_common.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_taint.h"

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

constexpr std::size_t kMaxLabelValueBytes = 63;
constexpr std::size_t kMaxGatesKept = 10;  // the pod is placed nowhere in any case

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

// The code for terms that servers accept but no scheduler can use.
constexpr Code kServed = Code::Exhausted;

std::unexpected<Error> refuse_served(const Field& at, std::string_view key, std::string_view why) {
  std::unexpected<Error> refused = at.refuse(key, why);
  refused.error().code = kServed;
  return refused;
}

// Collects the unreadable terms.
class Odd {
 public:
  explicit Odd(UnreadableTerms* all) : all_(all) {}

  // True if the term was readable; otherwise records it.
  template <class T>
  bool understood(const Result<T>& one) {
    if (!one) note(one.error());
    return one.has_value();
  }
  void note(const Error& error) {
    const bool is_told = all_ == nullptr || (!all_->empty() && all_->back().why == error.message);
    if (!is_told) all_->push_back({error.message, error.code == kServed});
  }
  void note_too_many(const Field& at, std::string_view key) {
    has_too_many_ = true;
    note(refuse_served(at, key,
                       "has more than " + std::to_string(kMaxPlacementTerms) +
                           " terms and expressions in all: no node matches")
             .error());
  }
  [[nodiscard]] bool has_too_many() const { return has_too_many_; }

 private:
  UnreadableTerms* all_;
  bool has_too_many_ = false;
};

// Calls take(Field) for each item of the list. False if the list is malformed or too long.
template <class Take>
bool each_item(Odd& odd, const Field& parent, std::string_view key, Take take) {
  const Result<Field> list = parent.get(key);
  if (!odd.understood(list)) return false;
  const Result<std::size_t> count = list->size();
  if (!odd.understood(count)) return false;
  if (*count > kMaxPlacementTerms) {
    odd.note_too_many(parent, key);
    return false;
  }
  for (std::size_t i = 0; i < *count; ++i) take(list->item(i));
  return true;
}

// The readable items.
template <class T, class Decode>
std::vector<T> understood_of(Odd& odd, const Field& parent, std::string_view key,
                             Decode decode_item) {
  std::vector<T> all;
  each_item(odd, parent, key, [&](const Field& at) {
    Result<T> one = decode_item(at);
    if (odd.understood(one)) all.push_back(*std::move(one));
  });
  return all;
}

// Decodes each item of a list with `decode_item(Field)`. Fails if any item is unreadable.
template <class T, class Decode>
Result<std::vector<T>> decode_list(const Field& parent, std::string_view key, Decode decode_item) {
  ASSIGN_OR_RETURN(const Field list, parent.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(T one, decode_item(list.item(i)));
    all.push_back(std::move(one));
  }
  return all;
}

// ---- nodes ----

// As upstream's labels.NewRequirement, which servers do not apply to every value.
bool is_label_value(std::string_view text) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto allowed = [&](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return text.empty() || (text.size() <= kMaxLabelValueBytes && is_alphanumeric(text.front()) &&
                          is_alphanumeric(text.back()) && std::ranges::all_of(text, allowed));
}

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
        return refuse_served(at, "values", "must be one integer for Gt and Lt");
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

Result<NodeExpression> decode_label_expression(const Field& at) {
  ASSIGN_OR_RETURN(NodeExpression made, decode_node_expression(at));
  if (!is_label_key(made.key)) return refuse_served(at, "key", "can be no label's name");
  if (!std::ranges::all_of(made.values, is_label_value)) {
    return refuse_served(at, "values", "can be no label's values");
  }
  return made;
}

}  // namespace

Result<NodeTerm> decode_node_term(const Field& at) {
  NodeTerm term;
  ASSIGN_OR_RETURN(term.labels,
                   decode_list<NodeExpression>(at, "matchExpressions", decode_label_expression));
  ASSIGN_OR_RETURN(term.names,
                   decode_list<NodeExpression>(at, "matchFields", decode_name_expression));
  return term;
}

namespace {

Result<std::int32_t> decode_weight(const Field& at) {
  // Protobuf omits a zero, so a zero is reported like a missing value.
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

void decode_node_affinity(Odd& odd, const Field& affinity, Placement& placement) {
  const Result<Field> nodes = affinity.get("nodeAffinity");
  const Result<Field> required = nodes ? nodes->get(kRequired) : nodes;
  if (!odd.understood(required)) {
    placement.required_nodes.emplace();
    return;
  }
  if (required->present()) {
    placement.required_nodes =
        understood_of<NodeTerm>(odd, *required, "nodeSelectorTerms", decode_node_term);
  }
  placement.preferred_nodes =
      understood_of<policy::PreferredNodes>(odd, *nodes, kPreferred, decode_preferred_nodes);
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

// Applies matchLabelKeys and mismatchLabelKeys of a term to this pod. A server has already done so,
// and doing it again does not change what matches. Source: kubernetes
// pkg/registry/core/pod/strategy.go, applyMatchLabelKeysAndMismatchLabelKeys.
Result<void> add_label_keys(const Field& at, std::string_view list, LabelOperator op,
                            const Pod& pod, std::optional<LabelSelector>& selector) {
  ASSIGN_OR_RETURN(const std::vector<std::string> keys, at.texts(list));
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

// An unreadable required pod affinity term matches no pod, so the pod fits nowhere.
void add_required_pods(Odd& odd, const Field& pods, const Pod& pod, bool matches_nothing,
                       std::vector<PodTerm>& required) {
  const bool listed = each_item(odd, pods, kRequired, [&](const Field& at) {
    Result<PodTerm> one = decode_pod_term(at, pod);
    if (odd.understood(one)) {
      required.push_back(*std::move(one));
    } else if (matches_nothing) {
      required.emplace_back();
    }
  });
  if (!listed && matches_nothing) required.emplace_back();
}

// `matches_nothing`: an unreadable required term is kept as one that matches no pod.
void decode_pod_affinity(Odd& odd, const Field& affinity, std::string_view key, const Pod& pod,
                         bool matches_nothing, std::vector<PodTerm>& required,
                         std::vector<policy::PreferredPods>& preferred) {
  const Result<Field> pods = affinity.get(key);
  if (!odd.understood(pods)) {
    if (matches_nothing) required.emplace_back();
    return;
  }
  add_required_pods(odd, *pods, pod, matches_nothing, required);
  const auto decode_preferred = [&](const Field& at) -> Result<policy::PreferredPods> {
    policy::PreferredPods made;
    ASSIGN_OR_RETURN(made.weight, decode_weight(at));
    ASSIGN_OR_RETURN(const Field term, at.get("podAffinityTerm"));
    ASSIGN_OR_RETURN(made.term, decode_pod_term(term, pod));
    return made;
  };
  preferred = understood_of<policy::PreferredPods>(odd, *pods, kPreferred, decode_preferred);
}

// Honor or Ignore; `fallback` if absent.
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

void decode_host_ports(Odd& odd, const Field& spec, std::string_view containers, bool host_network,
                       std::vector<policy::HostPort>& ports) {
  const auto take = [&](const Field& port) {
    const auto found = decode_host_port(port, host_network);
    if (odd.understood(found) && *found) ports.push_back(**found);
  };
  const Result<Field> list = spec.get(containers);
  const auto count = list ? list->size() : Result<std::size_t>(0);
  if (!odd.understood(list) || !odd.understood(count)) return;
  for (std::size_t i = 0; i < *count; ++i) {
    const Field container = list->item(i);
    const Result<std::string> restart = container.text("restartPolicy");
    // An init container's ports are free again once the pod runs.
    if (containers == "initContainers" && restart != "Always") continue;
    each_item(odd, container, "ports", take);
  }
}

void decode_all_host_ports(Odd& odd, const Field& spec, Placement& placement) {
  const Result<bool> host_network = spec.boolean("hostNetwork");
  const bool on_host = odd.understood(host_network) && *host_network;
  for (const std::string_view key : {"initContainers", "containers"}) {
    decode_host_ports(odd, spec, key, on_host, placement.host_ports);
  }
  std::ranges::sort(placement.host_ports);
  const auto repeated = std::ranges::unique(placement.host_ports);
  placement.host_ports.erase(repeated.begin(), repeated.end());
}

// The claims that the volumes name, in order. Source: component-helpers storage/ephemeral,
// VolumeClaimName.
Result<std::vector<policy::PodClaim>> decode_claims(const Field& spec, const Pod& pod) {
  ASSIGN_OR_RETURN(const Field volumes, spec.get("volumes"));
  ASSIGN_OR_RETURN(const std::size_t count, volumes.size());
  std::vector<policy::PodClaim> claims;
  for (std::size_t i = 0; i < count; ++i) {
    const Field volume = volumes.item(i);
    ASSIGN_OR_RETURN(const Field claim, volume.get("persistentVolumeClaim"));
    ASSIGN_OR_RETURN(const Field ephemeral, volume.get("ephemeral"));
    if (claim.present()) {
      ASSIGN_OR_RETURN(std::string name, claim.text("claimName"));
      claims.push_back({.name = std::move(name)});
    } else if (ephemeral.present()) {
      ASSIGN_OR_RETURN(const std::string name, volume.text("name"));
      claims.push_back({.name = pod.name + "-" + name, .is_ephemeral = true});
    }
  }
  return claims;
}

// As cluster-autoscaler counts it: memory is no storage. Source: autoscaler
// cluster-autoscaler/utils/drain/drain.go.
Result<bool> has_local_storage(const Field& spec) {
  ASSIGN_OR_RETURN(const Field volumes, spec.get("volumes"));
  ASSIGN_OR_RETURN(const std::size_t count, volumes.size());
  bool found = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Field volume = volumes.item(i);
    ASSIGN_OR_RETURN(const Field path, volume.get("hostPath"));
    ASSIGN_OR_RETURN(const Field directory, volume.get("emptyDir"));
    ASSIGN_OR_RETURN(const std::string medium, directory.text("medium"));
    found = found || path.present() || (directory.present() && medium != "Memory");
  }
  return found;
}

Result<std::vector<policy::ImageName>> decode_wanted_images(const Field& spec) {
  std::vector<policy::ImageName> images;
  for (const std::string_view key : {"initContainers", "containers"}) {
    ASSIGN_OR_RETURN(const Field list, spec.get(key));
    ASSIGN_OR_RETURN(const std::size_t count, list.size());
    for (std::size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const std::string name, list.item(i).text("image"));
      images.push_back(policy::wanted_image(name));
    }
  }
  ASSIGN_OR_RETURN(const Field volumes, spec.get("volumes"));
  ASSIGN_OR_RETURN(const std::size_t count, volumes.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const Field image, volumes.item(i).get("image"));
    if (!image.present()) continue;
    ASSIGN_OR_RETURN(const std::string name, image.text("reference"));
    images.push_back(policy::wanted_image(name));
  }
  if (images.size() > kMaxPlacementTerms) images.resize(kMaxPlacementTerms);
  return images;
}

// The number of expressions and labels that a decision evaluates.
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
  std::ranges::for_each(placement.required_affinity, add_pods);
  std::ranges::for_each(placement.required_anti_affinity, add_pods);
  for (const policy::PreferredPods& each : placement.preferred_affinity) add_pods(each.term);
  for (const policy::PreferredPods& each : placement.preferred_anti_affinity) add_pods(each.term);
  for (const policy::SpreadConstraint& each : placement.spread) add_selector(each.selector);
  return sum + placement.spread.size() + placement.claims.size();
}

// A gate holds the pod back whatever its name.
std::vector<std::string> decode_gates(Odd& odd, const Field& spec) {
  std::vector<std::string> gates;
  const bool listed = each_item(odd, spec, "schedulingGates", [&](const Field& at) {
    Result<std::string> name = at.text("name");
    if (name && name->empty()) name = at.refuse("name", "must not be empty");
    gates.push_back(odd.understood(name) ? *name : "?");
  });
  if (!listed) gates.emplace_back("?");
  return gates;
}

void decode_affinity(Odd& odd, const Field& spec, const Pod& pod, Placement& placement) {
  const Result<Field> affinity = spec.get("affinity");
  if (!odd.understood(affinity)) {
    placement.required_nodes.emplace();
    return;
  }
  decode_node_affinity(odd, *affinity, placement);
  decode_pod_affinity(odd, *affinity, "podAffinity", pod, true, placement.required_affinity,
                      placement.preferred_affinity);
  // An unreadable anti-affinity term is ignored.
  decode_pod_affinity(odd, *affinity, "podAntiAffinity", pod, false,
                      placement.required_anti_affinity, placement.preferred_anti_affinity);
}

}  // namespace

Placement placed_nowhere(Placement of) {
  Placement made;
  made.required_nodes.emplace();
  made.host_ports = std::move(of.host_ports);
  made.gates = std::move(of.gates);
  made.host_ports.resize(std::min(made.host_ports.size(), kMaxPlacementTerms));
  made.gates.resize(std::min(made.gates.size(), kMaxGatesKept));
  made.claims = std::move(of.claims);
  made.claims.resize(std::min(made.claims.size(), kMaxPlacementTerms));
  made.has_local_storage = of.has_local_storage;
  return made;
}

Placement decode_placement(const Field& spec, const Pod& pod, UnreadableTerms* terms) {
  Odd odd(terms);
  Placement placement;
  Result<policy::Labels> selector = spec.labels("nodeSelector");
  const bool selects = odd.understood(selector);
  if (selects) placement.node_selector = *std::move(selector);
  decode_affinity(odd, spec, pod, placement);
  if (!selects) placement.required_nodes.emplace();
  placement.tolerations =
      understood_of<policy::Toleration>(odd, spec, "tolerations", decode_toleration);
  placement.spread = understood_of<policy::SpreadConstraint>(
      odd, spec, "topologySpreadConstraints",
      [&](const Field& at) { return decode_spread(at, pod); });
  decode_all_host_ports(odd, spec, placement);
  placement.gates = decode_gates(odd, spec);
  Result<std::vector<policy::PodClaim>> claims = decode_claims(spec, pod);
  if (odd.understood(claims)) {
    placement.claims = *std::move(claims);
  } else {
    placement.required_nodes.emplace();
  }
  const Result<bool> local = has_local_storage(spec);
  placement.has_local_storage = !local || *local;
  if (pod.node.empty()) {
    placement.images = decode_wanted_images(spec).value_or(std::vector<policy::ImageName>{});
  }
  if (!odd.has_too_many() && expressions_of(placement) > kMaxPlacementTerms) {
    odd.note_too_many(spec, "affinity");
  }
  return odd.has_too_many() ? placed_nowhere(std::move(placement)) : placement;
}

}  // namespace elbowroom::api
