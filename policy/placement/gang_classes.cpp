#include "policy/placement/gang_classes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/selector.h"
#include "policy/placement/pod_tally.h"

namespace elbowroom::policy {
namespace {

// What reads the labels of members, which are of one namespace: the terms of pods in the cluster,
// and those of the members.
class Readers {
 public:
  Readers(const ClusterRoom& room, std::span<const Pod* const> members)
      : room_(room), ns_(members.empty() ? std::string_view() : members.front()->ns) {
    for (const PodTerms& each : room.kinds().terms()) add(each);
    const Placement* last = nullptr;
    for (const Pod* each : members) {
      if (last != nullptr && *last == each->placement) continue;
      last = &each->placement;
      add(*last);
      for (const SpreadConstraint& spread : last->spread) selectors_.push_back(&spread.selector);
    }
  }

  // For each reader, whether it is about the pod.
  [[nodiscard]] std::vector<bool> about(const Pod& pod) const {
    std::vector<bool> about;
    about.reserve(terms_.size() + selectors_.size());
    for (const PodTerm* each : terms_) {
      about.push_back(is_about(room_, *each, pod.ns, pod.labels));
    }
    for (const auto* each : selectors_) {
      about.push_back(each->has_value() && matches(**each, pod.labels));
    }
    return about;
  }

 private:
  template <class Of>
  void add(const Of& of) {
    for (const PodTerm& each : of.required_affinity) add_term(each);
    for (const PodTerm& each : of.required_anti_affinity) add_term(each);
    for (const PreferredPods& each : of.preferred_affinity) add_term(each.term);
    for (const PreferredPods& each : of.preferred_anti_affinity) add_term(each.term);
  }
  void add_term(const PodTerm& term) {
    const bool may_be_about =
        term.namespace_selector || std::ranges::find(term.namespaces, ns_) != term.namespaces.end();
    if (may_be_about) terms_.push_back(&term);
  }

  const ClusterRoom& room_;
  std::string_view ns_;
  std::vector<const PodTerm*> terms_{};
  std::vector<const std::optional<LabelSelector>*> selectors_{};
};

bool avoid_the_same(const Pod& a, const Pod& b, const ScheduleTerms& terms) {
  const AvoidedByName* of_a = avoided_besides(terms, a);
  const AvoidedByName* of_b = avoided_besides(terms, b);
  return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
}

}  // namespace

std::vector<std::size_t> classes_of(const ClusterRoom& room, std::span<const Pod* const> members,
                                    const ScheduleTerms& terms) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::string_view, bool, bool, std::string_view,
                         std::vector<bool>>;
  struct Class {
    const Pod* first = nullptr;
    Resources asks{};
    std::size_t number = 0;
  };
  const Readers readers(room, members);
  std::map<std::pair<std::string_view, Labels>, std::vector<bool>> about;  // by labels
  std::map<Key, std::vector<Class>> classes;
  std::vector<std::size_t> found;
  std::size_t count = 0;
  for (const Pod* pod : members) {
    const auto [read, added] = about.try_emplace({pod->ns, pod->labels});
    if (added) read->second = readers.about(*pod);
    const Resources asks = totals_of(*pod).desired;
    const bool is_avoided = pod->controller && room.is_avoided_somewhere(pod->controller->uid);
    const std::string_view owner = is_avoided ? std::string_view(pod->controller->uid) : "";
    std::vector<Class>& similar =
        classes[{asks.cpu.value, asks.memory.value, pod->ns, pod->has_resource_claims,
                 is_terminating(*pod), owner, read->second}];
    const auto same = std::ranges::find_if(similar, [&](const Class& each) {
      return each.asks == asks && each.first->placement == pod->placement &&
             room.selecting().selector_of(*each.first) == room.selecting().selector_of(*pod) &&
             avoid_the_same(*each.first, *pod, terms);
    });
    if (same != similar.end()) {
      found.push_back(same->number);
    } else {
      similar.push_back({pod, asks, count});
      found.push_back(count++);
    }
  }
  return found;
}

}  // namespace elbowroom::policy
