#include "scheduler/placing/pod_signature.h"

#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/charge.h"

namespace elbowroom::scheduler {
namespace {

using policy::Placement;

// Prefixes every part with its length, so that different lists of parts give different texts.
class Text {
 public:
  std::string made{};

  void add(std::string_view part) {
    made += std::to_string(part.size());
    made += ':';
    made += part;
  }
  void add_number(std::int64_t number) {
    made += std::to_string(number);
    made += ';';
  }
  template <class E>
  void add_choice(E choice) {
    add_number(std::to_underlying(choice));
  }
};

void add(Text& to, const policy::Labels& labels) {
  to.add_number(static_cast<std::int64_t>(labels.size()));
  for (const auto& [key, value] : labels) to.add(key), to.add(value);
}

void add(Text& to, const std::vector<policy::NodeExpression>& expressions) {
  to.add_number(static_cast<std::int64_t>(expressions.size()));
  for (const policy::NodeExpression& each : expressions) {
    to.add(each.key);
    to.add_choice(each.op);
    to.add_number(static_cast<std::int64_t>(each.values.size()));
    for (const std::string& value : each.values) to.add(value);
  }
}

void add(Text& to, const Placement& placement) {
  add(to, placement.node_selector);
  to.add_number(
      placement.required_nodes ? static_cast<std::int64_t>(placement.required_nodes->size()) : -1);
  if (placement.required_nodes) {
    for (const policy::NodeTerm& each : *placement.required_nodes) {
      add(to, each.labels);
      add(to, each.names);
    }
  }
  to.add_number(static_cast<std::int64_t>(placement.tolerations.size()));
  for (const policy::Toleration& each : placement.tolerations) {
    to.add(each.key);
    to.add_choice(each.op);
    to.add(each.value);
    to.add_number(each.effect ? std::to_underlying(*each.effect) : -1);
  }
  to.add_number(static_cast<std::int64_t>(placement.host_ports.size()));
  for (const policy::HostPort& each : placement.host_ports) {
    to.add(each.ip);
    to.add_choice(each.protocol);
    to.add_number(each.port);
  }
  to.add_number(placement.has_unbound_volumes ? 1 : 0);
}

}  // namespace

bool looks_around(const Placement& placement) {
  return !placement.spread.empty() || !placement.required_affinity.empty() ||
         !placement.required_anti_affinity.empty();
}

std::optional<std::string> pod_signature(const policy::Pod& pod, bool labels_matter) {
  if (looks_around(pod.placement) || !pod.nominated_node.empty() || !pod.placement.gates.empty()) {
    return std::nullopt;
  }
  Text text;
  text.add_number(policy::priority_of(pod));
  text.add_choice(policy::preemption_policy_of(pod));
  text.add(policy::group_key_of(pod));
  text.add_number(pod.has_resource_claims ? 1 : 0);
  policy::for_each_amount(policy::totals_of(pod).desired,
                          [&](std::string_view name, std::int64_t amount) {
                            text.add(name);
                            text.add_number(amount);
                          });
  add(text, pod.placement);
  if (labels_matter) {
    text.add(pod.ns);
    add(text, pod.labels);
  }
  return std::move(text.made);
}

}  // namespace elbowroom::scheduler
