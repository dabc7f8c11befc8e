// The mark a victim carries before it is removed: its DisruptionTarget condition, whose message
// ends "(for uid U, generation G)". The mark is how an intent survives its author.
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
  std::string uid{};            // of the pod that room is made for
  std::int64_t generation = 0;  // of its resize

  friend bool operator==(const RemovalMark&, const RemovalMark&) = default;
};

// The mark in a pod's DisruptionTarget condition, if it is one of ours with status True.
[[nodiscard]] std::optional<RemovalMark> removal_mark(const Pod& pod);

// Marked to make room for that pod's resize as it stands now.
[[nodiscard]] bool is_marked_for(const Pod& victim, const Pod& preemptor);

// The condition that marks a victim. `reason` is kReasonPreemptionByScheduler or
// kReasonTerminationByKubelet; `message` says for whom in words.
[[nodiscard]] Condition marking_condition(const Pod& victim, std::string_view reason,
                                          std::string_view message, const RemovalMark& mark,
                                          Time now);

}  // namespace elbowroom::policy
