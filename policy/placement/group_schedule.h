// Where the pending pods of a pod group are placed, and which victims that costs, on a whole
// cluster at one moment: a gang as one, the pods of any other group one after the other.
#pragma once

#include <map>
#include <string>

#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/placement/gang_schedule.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

// `avoided`: as of ScheduleTerms. A group that is not supported is not placed; the message says
// why.
[[nodiscard]] GroupSchedulingDecision schedule_group(
    const ClusterMoment& moment, const PodGroup& group,
    const std::map<std::string, std::string, std::less<>>& avoided = {});

// What the group's decision means for one of its pods: its own node, and all victims.
[[nodiscard]] SchedulingDecision decision_for(const Pod& member,
                                              const GroupSchedulingDecision& decision);

}  // namespace elbowroom::policy
