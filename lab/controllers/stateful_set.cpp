#include "lab/controllers/stateful_set.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "lab/controllers/pod_template.h"

namespace elbowroom::lab {
namespace {

constexpr std::int64_t kMostAtOnce = 500;
constexpr const char* kRevisionLabel = "controller-revision-hash";

const Kind& stateful_sets() { return controller_kind("statefulsets"); }

// The number at the end of the pod's name; nothing: it is none of the set's names.
std::optional<std::int64_t> ordinal_of(const std::string& set, const std::string& pod) {
  if (!pod.starts_with(set + "-")) return std::nullopt;
  const std::string_view digits = std::string_view(pod).substr(set.size() + 1);
  std::int64_t ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  return is_number && ordinal >= 0 ? std::optional(ordinal) : std::nullopt;
}

// One StatefulSet in one step.
class SetStep {
 public:
  SetStep(World& world, Object set, const std::vector<Object>& owned, policy::Time now)
      : world_(world),
        set_(std::move(set)),
        now_(now),
        name_(text_at(set_, {"metadata", "name"})),
        revision_(name_ + "-" + template_hash(map_at(set_, {"spec", "template"}))),
        first_(integer_at(set_, {"spec", "ordinals", "start"}).value_or(0)),
        end_(first_ + desired_replicas(set_)),
        in_order_(text_at(set_, {"spec", "podManagementPolicy"}) != "Parallel") {
    for (const Object& pod : owned) {
      const auto ordinal = ordinal_of(name_, text_at(pod, {"metadata", "name"}));
      if (ordinal) pods_.emplace(*ordinal, pod);
    }
  }

  ControllerStep run() {
    if (!is_leaving(set_)) {
      if (fill_places() && remove_surplus()) replace_old();
    }
    tell_status();
    return step_;
  }

 private:
  bool is_available(const Json& pod) {
    const auto since =
        available_since(pod, integer_at(set_, {"spec", "minReadySeconds"}).value_or(0));
    if (since && *since > now_) step_.due_at(*since);
    return since && *since <= now_ && is_active_pod(pod);
  }

  void remove(std::int64_t ordinal) {
    const bool removed = remove_object(world_, controlled_pods(), pods_.at(ordinal));
    step_.changed = step_.changed || removed;
    if (removed) reread(ordinal);
  }

  void reread(std::int64_t ordinal) {
    const Object* found = world_.find_stored_object(
        controlled_pods(), text_at(set_, {"metadata", "namespace"}), pod_name(ordinal));
    pods_.erase(ordinal);
    if (found != nullptr) pods_.emplace(ordinal, *found);
  }

  [[nodiscard]] std::string pod_name(std::int64_t ordinal) const {
    return name_ + "-" + std::to_string(ordinal);
  }

  // A pod of that name that belongs to others stays, and the place stays empty.
  void create(std::int64_t ordinal) {
    Json pod = pod_of_template(stateful_sets(), set_);
    pod["metadata"]["name"] = pod_name(ordinal);
    Json& labels = make_at(pod, {"metadata", "labels"});
    labels["statefulset.kubernetes.io/pod-name"] = pod_name(ordinal);
    labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
    labels[kRevisionLabel] = revision_;
    pod["spec"]["hostname"] = pod_name(ordinal);
    if (const std::string service = text_at(set_, {"spec", "serviceName"}); !service.empty()) {
      pod["spec"]["subdomain"] = service;
    }
    const auto made = world_.create(controlled_pods(), text_at(set_, {"metadata", "namespace"}),
                                    std::move(pod), {.manager = "kube-controller-manager"});
    if (!made) return;
    pods_.emplace(ordinal, *made);
    step_.changed = true;
  }

  // Returns whether every place has a pod that is available; only then pods may go.
  bool fill_places() {
    bool is_full = true;
    std::int64_t writes = 0;
    for (std::int64_t ordinal = first_; ordinal < end_; ++ordinal) {
      const auto pod = pods_.find(ordinal);
      if (pod != pods_.end() && is_available(pod->second)) continue;
      is_full = false;
      if (pod == pods_.end()) {
        create(ordinal);
        ++writes;
      } else if (is_finished_pod(pod->second) && !is_leaving(pod->second)) {
        remove(ordinal);
        ++writes;
      }
      if (in_order_ || writes == kMostAtOnce) return false;
    }
    return is_full || !in_order_;
  }

  // The highest ordinal first, in order one after the other. Returns whether there is none left.
  bool remove_surplus() {
    std::vector<std::int64_t> surplus;
    for (const auto& [ordinal, pod] : pods_) {
      if (ordinal < first_ || ordinal >= end_) surplus.push_back(ordinal);
    }
    for (const std::int64_t ordinal : std::views::reverse(surplus)) {
      if (!is_leaving(pods_.at(ordinal))) remove(ordinal);
      if (in_order_) return false;
    }
    return surplus.empty();
  }

  [[nodiscard]] bool is_updated(const Json& pod) const {
    return text_at(pod, {"metadata", "labels", kRevisionLabel}) == revision_;
  }

  // Rolling update: one pod after the other, from the highest ordinal down to the partition.
  void replace_old() {
    if (text_at(set_, {"spec", "updateStrategy", "type"}) == "OnDelete") return;
    const std::int64_t partition =
        integer_at(set_, {"spec", "updateStrategy", "rollingUpdate", "partition"}).value_or(0);
    for (std::int64_t ordinal = end_ - 1; ordinal >= std::max(first_, partition); --ordinal) {
      const auto pod = pods_.find(ordinal);
      if (pod == pods_.end()) return;
      if (!is_updated(pod->second) && !is_leaving(pod->second)) return remove(ordinal);
      if (!is_available(pod->second)) return;
    }
  }

  void tell_status() {
    std::vector<Object> active;
    std::int64_t updated = 0;
    for (const auto& [ordinal, pod] : pods_) {
      if (!is_active_pod(pod)) continue;
      active.push_back(pod);
      if (is_updated(pod)) ++updated;
    }
    const auto counts =
        count_pods(active, integer_at(set_, {"spec", "minReadySeconds"}).value_or(0), now_, step_);
    const std::int64_t replicas = std::ssize(pods_);
    std::string current = text_at(set_, {"status", "currentRevision"});
    const bool is_done = updated == replicas && counts.ready == replicas;
    if (current.empty() || is_done) current = revision_;
    Json status = {
        {"replicas", replicas},
        {"availableReplicas", counts.available},
        {"collisionCount", 0},
        {"currentRevision", current},
        {"updateRevision", revision_},
        {"observedGeneration", integer_at(set_, {"metadata", "generation"}).value_or(0)}};
    put_count(status, "readyReplicas", counts.ready);
    put_count(status, "updatedReplicas", updated);
    put_count(status, "currentReplicas",
              current == revision_ ? updated : std::ssize(active) - updated);
    const bool told = write_status(world_, stateful_sets(), set_, std::move(status));
    step_.changed = step_.changed || told;
  }

  World& world_;
  Object set_;
  policy::Time now_;
  std::string name_;
  std::string revision_;
  std::int64_t first_;
  std::int64_t end_;
  bool in_order_;
  std::map<std::int64_t, Object> pods_{};  // by ordinal
  ControllerStep step_{};
};

}  // namespace

ControllerStep step_stateful_sets(World& world, policy::Time now) {
  ControllerStep step;
  const auto sets = stored_objects(world, stateful_sets());
  if (sets.empty()) return step;
  const Dependants pods = controlled_objects(world, controlled_pods());
  for (const Object& set : sets) {
    step.add(SetStep(world, set, dependants_of(pods, set), now).run());
  }
  return step;
}

}  // namespace elbowroom::lab
