#include "policy/placement/gang_messages.h"

#include <algorithm>
#include <vector>

#include "policy/placement/gang_seating.h"

namespace elbowroom::policy {

std::string too_few_in_words(const Gang& gang, std::size_t placed, std::size_t remaining) {
  return "minCount (" + std::to_string(gang.standing.min_count.value_or(1)) +
         ") cannot be satisfied: " + std::to_string(gang.bound + placed) + " scheduled, " +
         std::to_string(remaining) + " remaining";
}

std::string gated_in_words(const Gang& gang) {
  if (gang.gated.empty()) return {};
  return "; " + *std::ranges::min_element(gang.gated) + ": " + std::string(kBlockedByGates);
}

namespace {

// What every node says of the member; nothing where it fits on one, or company may help.
std::optional<StoppedMember> stopped_everywhere(const GangTrial& trial, std::size_t member) {
  StoppedMember made{.member = member};
  for (const std::uint32_t node : trial.nodes()) {
    const Refusal refusal = trial.refusal(member, node);
    if (refusal.code == NodeCode::Success || is_about_company(refusal)) return std::nullopt;
    made.is_room = made.is_room || refusal.code == NodeCode::Unschedulable;
    made.refused.push_back({node, refusal});
  }
  return made;
}

}  // namespace

std::optional<StoppedMember> stopped_member(const Gang& gang, const GangTrial& trial) {
  if (!keeps_seats(trial)) return std::nullopt;
  std::vector<std::optional<StoppedMember>> of_class(trial.classes());
  for (std::size_t kind = 0; kind < trial.classes(); ++kind) {
    of_class[kind] = stopped_everywhere(trial, trial.first_of_class(kind));
  }
  std::size_t fit = 0;
  std::size_t lack_room = 0;
  std::optional<StoppedMember> first;  // of those that no node admits
  std::optional<StoppedMember> first_by_room;
  for (std::size_t member = 0; member < trial.members(); ++member) {
    const std::optional<StoppedMember>& of = of_class[trial.class_of(member)];
    if (!of) {
      ++fit;
      continue;
    }
    if (of->is_room) ++lack_room;
    std::optional<StoppedMember>& found = of->is_room ? first_by_room : first;
    if (found) continue;
    found = of;
    found->member = member;
  }
  const std::size_t needed = needed_members(gang);
  if (fit + lack_room < needed) return first;
  return fit < needed ? first_by_room : std::nullopt;
}

std::string stopped_in_words(const Gang& gang, const GangTrial& trial,
                             const StoppedMember& stopped) {
  return too_few_in_words(gang, 0, trial.members()) + "; " + key_of(trial.pod(stopped.member)) +
         ": " + unavailable(trial.filter_of(stopped.member), stopped.refused);
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
