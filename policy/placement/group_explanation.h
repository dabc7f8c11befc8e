// Why a pod group waits, or does not: its pods, what it waits for, and the decision about its
// pending pods on a whole cluster at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/model/time.h"
#include "policy/placement/group_schedule.h"

namespace elbowroom::policy {

// A pod that names the group.
struct GroupMember {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  Phase phase = Phase::Pending;
  bool terminating = false;
  std::string node{};  // "": it has none
  std::string nominated_node{};
  std::int32_t priority = 0;  // its own; the group's counts
  std::string scheduler_name{};
  std::vector<std::string> gates{};  // that still keep it from being placed
  std::string message{};             // of its condition PodScheduled, while that is False

  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};

struct GroupExplanation {
  PodGroup group{};
  Time now{};
  std::string summary{};
  std::string waits_for{};             // "": for nothing
  std::vector<GroupMember> members{};  // by name
  // None: no pod of it is pending.
  std::optional<GroupSchedulingDecision> decision{};

  friend bool operator==(const GroupExplanation&, const GroupExplanation&) = default;
};

// `avoided`: as of ScheduleTerms.
[[nodiscard]] GroupExplanation explain_group(
    const ClusterMoment& moment, const PodGroup& group,
    const std::map<std::string, std::string, std::less<>>& avoided = {});

// What a group waits for, as far as its pods alone tell: "" for nothing. `pods` may hold others.
// For an explanation of one of its pods.
[[nodiscard]] std::string members_wait_for(std::span<const Pod> pods, const PodGroup& group);

// The members that say another priority than the group, by name.
[[nodiscard]] std::vector<const GroupMember*> other_priorities(const GroupExplanation& about);

}  // namespace elbowroom::policy
