// Whether an expectation of a scenario holds. It holds when everything it names does, and what it
// says of a pod that is not there does not; events outlive their pod.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/scenario/scenario.h"
#include "lab/virtual/direct_scheduler.h"
#include "lab/world/reported_event.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// What there is to know of a pod at one moment.
struct PodMoment {
  const policy::Pod* pod = nullptr;              // nullptr: there is none
  std::span<const lab::ReportedEvent> events{};  // about it, so far
  std::optional<lab::Judgement> judgement{};
  policy::Time start{};  // of the scenario
};

// Why it does not hold; nothing: it does.
[[nodiscard]] std::optional<std::string> disappointment(const Expectation& expectation,
                                                        const PodMoment& moment);

}  // namespace elbowroom::cli
