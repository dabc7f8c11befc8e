// What the removal of pods means for their pod groups: which group goes whole, and which gang keeps
// fewer pods than it needs. This is told to people; no victim is chosen by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

// A pod group that is removed whole.
struct RemovedGroup {
  std::string group{};  // NAMESPACE/NAME
  std::string uid{};
  std::size_t pods = 0;
  std::vector<std::string> nodes{};  // of its pods, sorted

  friend bool operator==(const RemovedGroup&, const RemovedGroup&) = default;
};

// By name.
[[nodiscard]] std::vector<RemovedGroup> whole_groups(std::span<const ChosenVictim> victims);

// A gang of which fewer pods than minCount run once the victims are gone.
struct DepletedGang {
  std::string group{};  // NAMESPACE/NAME
  std::string uid{};
  std::int32_t min_count = 0;
  std::size_t left = 0;  // pods that run then

  friend bool operator==(const DepletedGang&, const DepletedGang&) = default;
};

// The number of pods of each group that run: they have a node, have not finished, and do not
// terminate.
using RunningMembers = std::map<std::string, std::size_t, std::less<>>;  // by group
void count_running(std::span<const Pod> pods, RunningMembers& to);

// By name. `running` counts all pods of the victims' groups, the victims included.
[[nodiscard]] std::vector<DepletedGang> depleted_gangs(std::span<const ChosenVictim> victims,
                                                       const RunningMembers& running);

// "; pod group default/train goes whole (3 pods on nodes n1 and n2)", with at most five nodes by
// name, and for each gang "; pod group default/train keeps 1 of minCount (3)", for a pod of
// namespace `reader`. "" for nothing.
[[nodiscard]] PodText removed_groups_in_words(const std::vector<RemovedGroup>& whole,
                                              const std::vector<DepletedGang>& depleted,
                                              std::string_view reader);

}  // namespace elbowroom::policy
