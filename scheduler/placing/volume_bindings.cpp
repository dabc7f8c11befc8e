#include "scheduler/placing/volume_bindings.h"

#include <algorithm>
#include <utility>

#include "policy/placement/node_terms.h"

namespace elbowroom::scheduler {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;

std::vector<std::string> second_of(const Pairs& pairs, std::string_view first) {
  std::vector<std::string> found;
  const std::string key(first);
  for (auto at = pairs.lower_bound({key, ""}); at != pairs.end() && at->first == key; ++at) {
    found.push_back(at->second);
  }
  return found;
}

}  // namespace

std::uint64_t VolumeBindings::begin(const std::string& pod, const std::string& uid,
                                    const std::string& node, const policy::VolumePlan& plan,
                                    policy::VolumeRoom& volumes, Time now) {
  end(pod, volumes);
  Binding& made = pods_[pod];
  made = {.uid = uid, .number = ++tries_, .node = node, .deadline = now + kTimeout};
  for (const policy::VolumePlan::Binding& each : plan.bindings) {
    const policy::VolumeClaim& claim = *volumes.claim(each.claim);
    made.chosen.push_back({.claim = each.claim,
                           .claim_uid = claim.uid,
                           .volume = each.volume,
                           .version = volumes.volume(each.volume)->resource_version});
    volumes.assume_bound(each.volume, claim);
    by_volume_.emplace(each.volume, pod);
  }
  for (const std::string& each : plan.provisions) {
    const policy::VolumeClaim& claim = *volumes.claim(each);
    made.chosen.push_back(
        {.claim = each, .claim_uid = claim.uid, .version = claim.resource_version});
    volumes.assume_selected(each, node);
  }
  for (const Chosen& each : made.chosen) by_claim_.emplace(each.claim, pod);
  return made.number;
}

void VolumeBindings::failed(std::string_view pod, std::uint64_t number, std::string why) {
  const auto at = pods_.find(pod);
  if (at == pods_.end() || at->second.number != number || !at->second.failure.empty()) return;
  at->second.failure = std::move(why);
}

// Another pod may wait for the same claim: what it has chosen stays assumed.
void VolumeBindings::end(std::string_view pod, policy::VolumeRoom& volumes) {
  const auto at = pods_.find(pod);
  if (at == pods_.end()) return;
  const Binding binding = std::move(at->second);
  const std::string key = at->first;
  pods_.erase(at);
  for (const Chosen& each : binding.chosen) {
    by_claim_.erase({each.claim, key});
    if (!each.volume.empty()) by_volume_.erase({each.volume, key});
  }
  for (const Chosen& each : binding.chosen) {
    if (!each.volume.empty()) {
      if (of_volume(each.volume).empty()) volumes.take_back_bound(each.volume);
    } else if (of_claim(each.claim).empty()) {
      volumes.take_back_selected(each.claim);
    }
  }
}

bool VolumeBindings::is_waiting(std::string_view pod, std::string_view uid) const {
  const auto at = pods_.find(pod);
  return at != pods_.end() && at->second.uid == uid;
}

VolumeBindings::Time VolumeBindings::deadline_of(std::string_view pod) const {
  return pods_.find(pod)->second.deadline;
}

std::vector<std::string> VolumeBindings::of_claim(std::string_view claim) const {
  return second_of(by_claim_, claim);
}
std::vector<std::string> VolumeBindings::of_volume(std::string_view volume) const {
  return second_of(by_volume_, volume);
}

// ---- what the watch shows ----

VolumeBindings::Status VolumeBindings::look(std::string_view pod, const policy::ClusterRoom& room,
                                            Time now) {
  Binding& binding = pods_.find(pod)->second;
  const auto fails = [](std::string why) { return Status{State::Failed, std::move(why)}; };
  if (!binding.failure.empty()) return fails(binding.failure);
  const auto number = room.find_node(binding.node);
  if (!number) return fails("node " + binding.node + " does not exist any more");
  const policy::Node& node = room.nodes()[*number].node;
  bool all_bound = true;
  for (const Chosen& each : binding.chosen) {
    if (std::string why = trouble_of(each, room, node); !why.empty()) return fails(std::move(why));
    const policy::VolumeClaim& claim = *room.volumes().claim(each.claim);
    // The volume may be seen later than the claim, and may turn out to be of no use on the node.
    all_bound = all_bound && claim.is_bound() && room.volumes().volume(claim.volume) != nullptr;
  }
  if (all_bound) return {State::Bound, ""};
  if (now >= binding.deadline) return fails("its claims were not bound in time");
  return {};
}

std::string VolumeBindings::trouble_of(const Chosen& chosen, const policy::ClusterRoom& room,
                                       const policy::Node& node) {
  const policy::VolumeRoom& volumes = room.volumes();
  const policy::VolumeClaim* claim = volumes.claim(chosen.claim);
  if (claim == nullptr || claim->uid != chosen.claim_uid) {
    return "claim " + chosen.claim + " does not exist any more";
  }
  std::string why = chosen.volume.empty() ? trouble_of_selected(chosen, *claim, node)
                                          : trouble_of_reserved(chosen, volumes, *claim);
  if (!why.empty() || claim->volume.empty()) return why;
  const policy::PersistentVolume* bound = volumes.volume(claim->volume);
  if (bound == nullptr || !bound->nodes || policy::matches_any(*bound->nodes, node)) return "";
  return "volume " + bound->name + " cannot be used on node " + node.name;
}

std::string VolumeBindings::trouble_of_reserved(const Chosen& chosen,
                                                const policy::VolumeRoom& volumes,
                                                const policy::VolumeClaim& claim) {
  const policy::PersistentVolume* volume = volumes.volume(chosen.volume);
  if (volume == nullptr) return "volume " + chosen.volume + " does not exist any more";
  const bool is_ours = volume->claim && policy::refers_to(*volume->claim, claim);
  if (volume->claim && !is_ours) return "volume " + chosen.volume + " was given to another claim";
  if (is_ours || volume->resource_version == chosen.version) return "";
  return "volume " + chosen.volume + " was taken from the claim";
}

// A provisioner that cannot make the volume takes the annotation away.
std::string VolumeBindings::trouble_of_selected(const Chosen& chosen,
                                                const policy::VolumeClaim& claim,
                                                const policy::Node& node) {
  if (claim.is_bound()) return "";
  const bool is_ours = claim.selected_node && *claim.selected_node == node.name;
  if (claim.selected_node && !is_ours) {
    return "the volume of claim " + chosen.claim + " is made for node " + *claim.selected_node;
  }
  if (is_ours || claim.resource_version == chosen.version) return "";
  return "no volume could be made for claim " + chosen.claim + " on node " + node.name;
}

}  // namespace elbowroom::scheduler
