// What a scenario does to its world: its initial objects and its steps. Objects and patches are
// taken as a file has them, status included; only a resize follows the rules of the API server.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/scenario/scenario.h"
#include "lab/world/world.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

class ScenarioCluster;

// Creates the objects; those of apps/v1 only where there are controllers. Invalid: the API server
// would refuse one of them.
[[nodiscard]] Result<void> load_world(lab::World& world, const std::vector<Value>& objects,
                                      bool has_controllers = false);

// The outcome of a step.
struct StepOutcome {
  std::string words{};    // what it did, for the timeline
  bool is_event = false;  // it changes no pod; a changed pod is an event anyway
  std::string pod{};      // NAMESPACE/NAME and
  std::string node{};     // node that the event is about; "" for none
  std::string refusal{};  // the API server said no; "": it did not
};

// Applies one step at the world's time. Errors: the step refers to a missing object, or makes an
// invalid one. `used_uids` are those of all pods so far: a pod that is created again under the same
// name gets another uid.
[[nodiscard]] Result<StepOutcome> apply_step(ScenarioCluster& cluster, const Step& step,
                                             const std::set<std::string, std::less<>>& used_uids);

// Lowers the allowed disruptions of each PodDisruptionBudget that covers the pod by one, never
// below 0.
void charge_budgets(lab::World& world, const policy::Pod& pod);

}  // namespace elbowroom::cli
