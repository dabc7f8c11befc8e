// The steps of a history of moves as objects of the lab.
#pragma once

#include <string>

#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "test/simulation/moves/move_history.h"

namespace elbowroom::test {

[[nodiscard]] const lab::Kind& pod_kind();
[[nodiscard]] const lab::Kind& node_kind();
[[nodiscard]] const lab::Kind& config_kind();
[[nodiscard]] const lab::Kind& own_budget_kind();
// Deployment, ReplicaSet, StatefulSet or DaemonSet.
[[nodiscard]] const lab::Kind& workload_kind(const std::string& kind);

[[nodiscard]] lab::Json moved_node_object(const MoveHistoryStep& step);
[[nodiscard]] lab::Json workload_object(const MoveHistoryStep& step);
[[nodiscard]] lab::Json bare_pod_object(const MoveHistoryStep& step);
[[nodiscard]] lab::Json pod_budget_object(const MoveHistoryStep& step);
[[nodiscard]] lab::Json disruption_budget_object(const MoveHistoryStep& step);
[[nodiscard]] lab::Json config_map(const std::string& name, const std::string& key,
                                   const std::string& text);
[[nodiscard]] lab::Json ready_condition(bool is);

}  // namespace elbowroom::test
