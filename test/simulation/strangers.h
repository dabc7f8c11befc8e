// Objects of other users in a cluster: odd pods, big pods, and conditions of another writer. None
// of them may change decisions about other pods, and a condition of another writer stays as
// written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "lab/virtual/simulation.h"
#include "policy/model/condition.h"
#include "test/odd_pods.h"

namespace elbowroom::test {

// What an odd pod that runs holds, in millicores; it holds no memory.
inline constexpr std::int64_t kOddPodHolds = 100;
inline constexpr const char* kOddPodPrefix = "odd-";
inline constexpr const char* kBigPodPrefix = "big-";

// What no resize can change was given to the pod when it began.
inline void give_extended(lab::Json& pod) {
  const lab::Json& container = lab::list_at(pod, {"spec", "containers"}).at(0);
  const lab::Json asked = lab::map_at(container, {"resources", "requests"});
  if (lab::list_at(pod, {"status", "containerStatuses"}).empty()) return;
  lab::Json& status = pod["status"]["containerStatuses"][0];
  for (const auto& [name, amount] : asked.items()) {
    if (name == "cpu" || name == "memory") continue;
    status["allocatedResources"][name] = amount;
    status["resources"]["requests"][name] = amount;
  }
}

// All oddities as objects of the lab; the name, uid and node are to be set.
[[nodiscard]] inline const std::vector<std::pair<OddPod, lab::Json>>& odd_pod_objects() {
  static const auto all = [] {
    std::vector<std::pair<OddPod, lab::Json>> made;
    for (OddPod& odd : odd_pods()) {
      const auto read = parse_yaml(manifest_of(odd, "n"));
      lab::Json object = lab::to_tree(read.value().back());
      object["apiVersion"] = "v1";
      give_extended(object);
      made.emplace_back(std::move(odd), std::move(object));
    }
    return made;
  }();
  return all;
}

inline void name_stranger(lab::Json& pod, const std::string& name, const std::string& node) {
  pod["metadata"]["name"] = name;
  pod["metadata"]["namespace"] = "default";
  pod["metadata"]["uid"] = "uid-" + name;
  pod["spec"]["nodeName"] = node;
}

// The oddity of that number is a pod whose grace period never ends.
[[nodiscard]] inline bool may_stay_for_ever(std::int64_t number) {
  const auto& all = odd_pod_objects();
  return all[static_cast<std::size_t>(number) % all.size()].first.name == "a huge grace period";
}

// The oddity of that number, modulo their count. `is_run`: the node begins every pod that has not
// begun, so one that must not begin there has finished.
[[nodiscard]] inline lab::Json odd_pod(const std::string& name, const std::string& node,
                                       std::int64_t number, bool finished, bool is_run) {
  const auto& all = odd_pod_objects();
  const auto& [odd, object] = all[static_cast<std::size_t>(number) % all.size()];
  lab::Json pod = object;
  name_stranger(pod, name, node);
  if (finished || (is_run && !odd.has_begun)) {
    pod["status"] = {{"phase", number % 2 == 0 ? "Failed" : "Succeeded"}};
  }
  return pod;
}

// One of so many containers of 1m and 1Mi each.
[[nodiscard]] inline lab::Json big_pod(const std::string& name, const std::string& node,
                                       std::int64_t containers, bool finished) {
  lab::Json spec = lab::Json::array();
  lab::Json statuses = lab::Json::array();
  for (std::int64_t i = 0; i < containers; ++i) {
    const std::string each = "c" + std::to_string(i);
    const lab::Json holds = {{"cpu", "1m"}, {"memory", "1Mi"}};
    spec.push_back({{"name", each}, {"image", "pause"}, {"resources", {{"requests", holds}}}});
    lab::Json state = {{"running", lab::Json::object()}};
    if (finished) state = {{"terminated", {{"exitCode", 0}}}};
    statuses.push_back({{"name", each},
                        {"state", std::move(state)},
                        {"allocatedResources", holds},
                        {"resources", {{"requests", holds}}}});
  }
  lab::Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["spec"]["containers"] = std::move(spec);
  pod["status"] = {{"phase", finished ? "Succeeded" : "Running"},
                   {"containerStatuses", std::move(statuses)}};
  name_stranger(pod, name, node);
  return pod;
}

// PodResizePreemptionDisabled as another writer says it of pods in the namespace default.
class ForeignConditions {
 public:
  explicit ForeignConditions(lab::Simulation& simulation) : simulation_(simulation) {}

  // True where it is set now.
  bool set(const std::string& pod) {
    write(pod, {{"type", policy::kPodResizePreemptionDisabled},
                {"status", "True"},
                {"reason", "OwnedByExample"},
                {"message", "the quota of example.com"}});
    const lab::Json* stands = condition_of(pod);
    if (stands != nullptr) set_[pod] = {uid_of(pod), *stands};
    return stands != nullptr;
  }

  // Its writer removes it, where it is still that one.
  void take(const std::string& pod) {
    const auto at = set_.find(pod);
    if (at == set_.end()) return;
    const bool is_there = at->second.first == uid_of(pod);
    set_.erase(at);
    if (is_there) {
      write(pod, {{"type", policy::kPodResizePreemptionDisabled}, {"$patch", "delete"}});
    }
  }

  // What another writer changed of them; "": nothing.
  [[nodiscard]] std::string changed() {
    std::erase_if(set_, [&](const auto& each) { return each.second.first != uid_of(each.first); });
    for (const auto& [pod, stood] : set_) {
      const lab::Json* stands = condition_of(pod);
      if (stands == nullptr) return "another writer's condition of " + pod + " is gone";
      if (*stands != stood.second) {
        return "another writer's condition of " + pod + " is now " + lab::to_text(*stands);
      }
    }
    return "";
  }

 private:
  [[nodiscard]] const lab::Json* object_of(const std::string& pod) const {
    return simulation_.world().peek(*lab::find_kind("", "v1", "pods"), "default", pod);
  }
  [[nodiscard]] std::string uid_of(const std::string& pod) const {
    const lab::Json* object = object_of(pod);
    return object == nullptr ? "" : lab::text_at(*object, {"metadata", "uid"});
  }
  [[nodiscard]] const lab::Json* condition_of(const std::string& pod) const {
    const lab::Json* object = object_of(pod);
    if (object == nullptr) return nullptr;
    const lab::Json& all = lab::list_at(*object, {"status", "conditions"});
    const auto at = std::ranges::find_if(all, [](const lab::Json& each) {
      return lab::text_at(each, {"type"}) == policy::kPodResizePreemptionDisabled;
    });
    return at == all.end() ? nullptr : &*at;
  }
  void write(const std::string& pod, lab::Json condition) {
    (void)simulation_.world().patch(
        {.kind = lab::find_kind("", "v1", "pods"),
         .ns = "default",
         .name = pod,
         .subresource = lab::Subresource::Status},
        lab::PatchType::StrategicMerge,
        {{"status", {{"conditions", lab::Json::array({std::move(condition)})}}}});
  }

  lab::Simulation& simulation_;
  std::map<std::string, std::pair<std::string, lab::Json>> set_{};  // by pod: its uid, what is set
};

}  // namespace elbowroom::test
