// The mark that a victim carries before it is removed: its DisruptionTarget condition, whose
// message ends "(for uid U, generation G)". The mark lets the intent survive the process that wrote
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/condition.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

struct RemovalMark {
  std::string uid{};            // of the preemptor
  std::int64_t generation = 0;  // of its resize

  friend bool operator==(const RemovalMark&, const RemovalMark&) = default;
};

// The mark in a pod's DisruptionTarget condition, if the condition is ours and has status True.
[[nodiscard]] std::optional<RemovalMark> removal_mark(const Pod& pod);

// The victim is marked for the preemptor's resize at its present generation.
[[nodiscard]] bool is_marked_for(const Pod& victim, const Pod& preemptor);

// The condition that marks a victim. `reason` is kReasonPreemptionByScheduler or
// kReasonTerminationByKubelet; `message` describes the preemptor.
[[nodiscard]] Condition marking_condition(const Pod& victim, std::string_view reason,
                                          std::string_view message, const RemovalMark& mark,
                                          Time now);

}  // namespace elbowroom::policy
