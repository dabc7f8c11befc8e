#include "policy/placement/gang_messages.h"

#include <vector>

#include "policy/placement/gang_seating.h"
#include "policy/placement/placement_messages.h"

namespace elbowroom::policy {

std::string too_few_in_words(const Gang& gang, std::size_t placed, std::size_t remaining) {
  return "minCount (" + std::to_string(gang.standing.min_count.value_or(1)) +
         ") cannot be satisfied: " + std::to_string(gang.bound + placed) + " scheduled, " +
         std::to_string(remaining) + " remaining";
}

std::string unplaced_in_words(const Gang& gang, const GangTrial& trial, std::size_t placed) {
  std::string text;
  if (placed < needed_members(gang)) {
    text = too_few_in_words(gang, placed, trial.members() - placed) + "; ";
  }
  for (std::size_t member = 0; member < trial.members(); ++member) {
    if (trial.node_of(member) != GangTrial::kNone) continue;
    std::vector<RefusedNode> refused;
    for (const std::uint32_t node : trial.nodes()) {
      refused.push_back({node, trial.refusal(member, node)});
    }
    return text + key_of(trial.pod(member)) + ": " + unavailable(trial.filter_of(member), refused);
  }
  return text;
}

std::string gave_up_in_words(const GangTrial& trial) {
  const std::string why =
      !keeps_seats(trial) ? "its pods differ in " + std::to_string(trial.classes()) + " ways"
      : trial.members() > kMostSearched
          ? "the group has more than " + std::to_string(kMostSearched) + " pods to place"
          : "the search ended after " + std::to_string(kMostChecks) + " looks at a node";
  return " Not every placement was tried: " + why + ".";
}

}  // namespace elbowroom::policy
