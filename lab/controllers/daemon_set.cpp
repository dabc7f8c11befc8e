#include "lab/controllers/daemon_set.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/controllers/amount_of_replicas.h"
#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "lab/controllers/pod_template.h"
#include "lab/world/selector.h"

namespace elbowroom::lab {
namespace {

constexpr const char* kRevisionLabel = "controller-revision-hash";

const Kind& daemon_sets() { return controller_kind("daemonsets"); }

enum class Place { Wanted, Tolerated, Unwanted };

Place place_on(const Json& node, const Json& set) {
  const policy::Labels labels = labels_of(node);
  for (const auto& [key, value] :
       map_at(set, {"spec", "template", "spec", "nodeSelector"}).items()) {
    const auto has = labels.find(key);
    if (has == labels.end() || value != has->second) return Place::Unwanted;
  }
  const bool is_closed = truth_at(node, {"spec", "unschedulable"}) || is_leaving(node);
  return is_closed ? Place::Tolerated : Place::Wanted;
}

// One DaemonSet in one step.
class SetStep {
 public:
  SetStep(World& world, Object set, const std::vector<Object>& nodes,
          const std::vector<Object>& owned, policy::Time now)
      : world_(world),
        set_(std::move(set)),
        nodes_(nodes),
        now_(now),
        hash_(template_hash(map_at(set_, {"spec", "template"}))) {
    for (const Object& pod : owned) pods_[text_at(pod, {"spec", "nodeName"})].push_back(pod);
    min_ready_ = integer_at(set_, {"spec", "minReadySeconds"}).value_or(0);
  }

  ControllerStep run() {
    if (!is_leaving(set_)) {
      for (const Object& node : nodes_) keep_on(node);
      replace_old();
    }
    tell_status();
    return step_;
  }

 private:
  void remove(const Json& pod) {
    const bool removed = remove_object(world_, controlled_pods(), pod);
    step_.changed = step_.changed || removed;
  }

  void create_on(const std::string& node) {
    Json pod = pod_of_template(daemon_sets(), set_);
    pod["metadata"]["generateName"] = text_at(set_, {"metadata", "name"}) + "-";
    make_at(pod, {"metadata", "labels"})[kRevisionLabel] = hash_;
    pod["spec"]["nodeName"] = node;
    const auto made = world_.create(controlled_pods(), text_at(set_, {"metadata", "namespace"}),
                                    std::move(pod), {.manager = "kube-controller-manager"});
    step_.changed = step_.changed || made.has_value();
  }

  // A pod that terminates keeps its place until it is gone; one that finished is replaced.
  void keep_on(const Object& node) {
    const std::string name = text_at(node, {"metadata", "name"});
    const Place place = place_on(node, set_);
    bool is_taken = false;
    for (const Object& pod : pods_[name]) {
      if (is_leaving(pod)) {
        is_taken = true;
      } else if (place == Place::Unwanted || is_finished_pod(pod) || is_taken) {
        remove(pod);
        is_taken = true;
      } else {
        is_taken = true;
      }
    }
    if (!is_taken && place == Place::Wanted) create_on(name);
  }

  [[nodiscard]] bool is_updated(const Json& pod) const {
    return text_at(pod, {"metadata", "labels", kRevisionLabel}) == hash_;
  }

  // The active pod on a node that should have one; nullptr: there is none.
  [[nodiscard]] const Object* pod_on(const Object& node) const {
    const auto pods = pods_.find(text_at(node, {"metadata", "name"}));
    if (pods == pods_.end()) return nullptr;
    const auto active =
        std::ranges::find_if(pods->second, [](const Object& pod) { return is_active_pod(pod); });
    return active == pods->second.end() ? nullptr : &*active;
  }

  bool is_available(const Json& pod) {
    const auto since = available_since(pod, min_ready_);
    if (since && *since > now_) step_.due_at(*since);
    return since && *since <= now_;
  }

  // Rolling update: pods that are not available go at once, others as far as maxUnavailable allows.
  void replace_old() {
    if (step_.changed || text_at(set_, {"spec", "updateStrategy", "type"}) == "OnDelete") return;
    std::int64_t wanted = 0;
    std::int64_t unavailable = 0;
    std::vector<Object> old;
    for (const Object& node : nodes_) {
      if (place_on(node, set_) != Place::Wanted) continue;
      ++wanted;
      const Object* pod = pod_on(node);
      const bool serves = pod != nullptr && is_available(*pod);
      if (!serves) ++unavailable;
      if (pod == nullptr || is_updated(*pod)) continue;
      if (serves) {
        old.push_back(*pod);
      } else {
        remove(*pod);
      }
    }
    const std::int64_t most =
        amount_of_replicas(set_, {"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"},
                           wanted, Round::Up)
            .value_or(1);
    for (const Object& pod : old) {
      if (unavailable++ >= most) return;
      remove(pod);
    }
  }

  void tell_status() {
    std::map<std::string, std::int64_t> counts;
    for (const Object& node : nodes_) {
      const Object* pod = pod_on(node);
      if (place_on(node, set_) != Place::Wanted) {
        if (pod != nullptr) ++counts["numberMisscheduled"];
        continue;
      }
      ++counts["desiredNumberScheduled"];
      if (pod == nullptr) continue;
      ++counts["currentNumberScheduled"];
      if (is_ready_pod(*pod)) ++counts["numberReady"];
      if (is_available(*pod)) ++counts["numberAvailable"];
      if (is_updated(*pod)) ++counts["updatedNumberScheduled"];
    }
    Json status = {
        {"observedGeneration", integer_at(set_, {"metadata", "generation"}).value_or(0)}};
    for (const char* name : {"currentNumberScheduled", "desiredNumberScheduled",
                             "numberMisscheduled", "numberReady"}) {
      status[name] = counts[name];
    }
    put_count(status, "numberAvailable", counts["numberAvailable"]);
    put_count(status, "updatedNumberScheduled", counts["updatedNumberScheduled"]);
    put_count(status, "numberUnavailable",
              counts["desiredNumberScheduled"] - counts["numberAvailable"]);
    if (step_.changed) return;  // it tells what is there after the next step
    step_.changed = write_status(world_, daemon_sets(), set_, std::move(status));
  }

  World& world_;
  Object set_;
  const std::vector<Object>& nodes_;
  policy::Time now_;
  std::string hash_;
  std::int64_t min_ready_ = 0;
  std::map<std::string, std::vector<Object>> pods_{};  // by node
  ControllerStep step_{};
};

}  // namespace

ControllerStep step_daemon_sets(World& world, policy::Time now) {
  ControllerStep step;
  const auto sets = stored_objects(world, daemon_sets());
  if (sets.empty()) return step;
  const auto nodes = stored_objects(world, *find_kind("", "v1", "nodes"));
  const Dependants pods = controlled_objects(world, controlled_pods());
  for (const Object& set : sets) {
    step.add(SetStep(world, set, nodes, dependants_of(pods, set), now).run());
  }
  return step;
}

}  // namespace elbowroom::lab
