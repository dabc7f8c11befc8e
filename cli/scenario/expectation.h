// Whether an expectation of a scenario, about a pod or a pod group, holds. It holds when every
// condition it names holds. A condition on a missing pod does not hold; events outlive their pod.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/scenario/decision_log.h"
#include "cli/scenario/scenario.h"
#include "lab/world/json.h"
#include "lab/world/reported_event.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// All that is known of a pod at one moment.
struct PodMoment {
  const policy::Pod* pod = nullptr;              // nullptr: no such pod
  std::span<const lab::ReportedEvent> events{};  // about the pod, so far
  std::optional<Judgement> judgement{};
  policy::Time start{};  // start of the scenario
};

// Why it does not hold; nothing if it holds.
[[nodiscard]] std::optional<std::string> unmet_reason(const Expectation& expectation,
                                                      const PodMoment& moment);

// The same for an expectation about a pod group, whose object is nullptr where there is none.
[[nodiscard]] std::optional<std::string> unmet_reason_of_group(const Expectation& expectation,
                                                               const lab::Json* group);

}  // namespace elbowroom::cli
