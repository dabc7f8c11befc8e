// `elbowroom simulate reschedule`: the moves that one pass of the rescheduler would make now, by
// the policies of its ConfigMap in the input. It reads files or a cluster and writes only standard
// output.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "cli/input/manifests.h"
#include "cli/output/output_format.h"
#include "policy/model/time.h"
#include "policy/moves/move_plan.h"
#include "policy/moves/move_rules.h"

namespace elbowroom::cli {

struct RescheduleQuery {
  std::optional<policy::Time> now{};  // none: the newest time in the input
  // Nodes that no pod leaves or comes to, each with the reason.
  policy::AvoidedByName left_alone{};
  std::optional<policy::MoveRules> rules{};  // in place of the input's
};

// Without the ConfigMap no policy is on, and there are no moves.
[[nodiscard]] policy::MovePlan answer(const Manifests& manifests, const RescheduleQuery& query);

[[nodiscard]] std::string printed(const policy::MovePlan& plan, OutputFormat format);

void add_simulate_reschedule(CLI::App& simulate);

}  // namespace elbowroom::cli
