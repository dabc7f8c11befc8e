// What a scenario does to its world: the objects it begins with, and its steps. Objects and patches
// are taken as a file has them, status included; only a resize goes by the rules of the API server.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/scenario/scenario.h"
#include "lab/virtual/virtual_cluster.h"
#include "lab/world/world.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

// Puts the objects there. Invalid: the API server would not have one of them.
[[nodiscard]] Result<void> load_world(lab::World& world, const std::vector<Value>& objects);

// What a step came to.
struct StepOutcome {
  std::string words{};    // what it did, for the timeline
  bool is_event = false;  // it changes no pod, which would be one anyway
  std::string pod{};      // NAMESPACE/NAME and
  std::string node{};     // node that the event is about; "" for none
  std::string refusal{};  // the API server said no; "": it did not
};

// Applies one step at the world's time. Errors: it is about what is not there, or makes an object
// that cannot be.
// `used_uids` are those of all pods so far: one that is made anew under its old name is another.
[[nodiscard]] Result<StepOutcome> apply_step(lab::VirtualCluster& cluster, const Step& step,
                                             const std::set<std::string, std::less<>>& used_uids);

// Each PodDisruptionBudget of that pod allows one disruption less, never below 0.
void charge_budgets(lab::World& world, const policy::Pod& pod);

}  // namespace elbowroom::cli
