// `elbowroom simulate schedule`: the node that a pending pod would get, and which pods would be
// victims. It reads files or a cluster and writes only standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/input/manifests.h"
#include "cli/output/schedule_table.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/placement/group_schedule.h"
#include "policy/placement/schedule.h"

namespace elbowroom::cli {

struct ScheduleQuery {
  std::string pod{};    // NAMESPACE/NAME
  std::string group{};  // the same; one of the two
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  std::optional<policy::Time> now{};  // nothing: the newest time in the input
  // Nodes that accept no pod now, each with the reason that filters give.
  std::map<std::string, std::string, std::less<>> avoided{};
  ShownNodes shown = ShownNodes::Best;
};

// NotFound: the pod is not in the input. Invalid: it has a node already, or has finished.
[[nodiscard]] Result<policy::SchedulingDecision> answer(const Manifests& manifests,
                                                        const ScheduleQuery& query);

// The same for the pending pods of a pod group. NotFound: the group is not in the input.
[[nodiscard]] Result<policy::GroupSchedulingDecision> answer_for_group(const Manifests& manifests,
                                                                       const ScheduleQuery& query);

void add_simulate_schedule(CLI::App& simulate);

}  // namespace elbowroom::cli
