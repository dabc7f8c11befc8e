#include "test/simulation/whole_groups.h"

#include <optional>

#include "test/simulation/group_objects.h"

namespace elbowroom::test {
namespace {

using lab::Json;

const lab::Kind& pods() { return *lab::find_kind("", "v1", "pods"); }

std::string uid_of(const Json& object) { return lab::text_at(object, {"metadata", "uid"}); }
std::string name_of(const Json& object) { return lab::text_at(object, {"metadata", "name"}); }
std::string group_of(const Json& pod) {
  return lab::text_at(pod, {"spec", "schedulingGroup", "podGroupName"});
}

bool is_finished(const Json& pod) {
  const std::string phase = lab::text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool is_leaving(const Json& pod) {
  return lab::present_at(pod, {"metadata", "deletionTimestamp"}) || is_finished(pod);
}

bool goes_whole(const Json& group) {
  return lab::present_at(group, {"spec", "disruptionMode", "all"}) &&
         lab::text_at(group, {"spec", "parentCompositePodGroupName"}).empty() &&
         lab::integer_at(group, {"spec", "schedulingPolicy", "gang", "minCount"}) != 0;
}

}  // namespace

void WholeGroups::asked_to_remove(const std::string& uid) {
  Asked asked;
  for (const Json* pod : simulation_.world().all_stored_objects(pods())) {
    if (uid_of(*pod) == uid && !is_leaving(*pod)) {
      asked.group = group_of(*pod);
      asked.name = name_of(*pod);
    }
  }
  const Json* group = asked.group.empty()
                          ? nullptr
                          : simulation_.world().peek(pod_groups(), "default", asked.group);
  if (group == nullptr || !goes_whole(*group)) return;
  for (const Json* pod : simulation_.world().all_stored_objects(pods())) {
    const bool runs = !lab::text_at(*pod, {"spec", "nodeName"}).empty() && !is_finished(*pod);
    if (group_of(*pod) != asked.group || uid_of(*pod) == uid || !runs) continue;
    asked.others.push_back({name_of(*pod), uid_of(*pod)});
  }
  asked_[uid] = std::move(asked);
}

void WholeGroups::world_changed() {
  std::erase_if(asked_, [&](const auto& each) {
    const Json* pod = simulation_.world().peek(pods(), "default", each.second.name);
    const bool stays = pod != nullptr && uid_of(*pod) == each.first && !is_leaving(*pod);
    if (!stays) gone_.insert(each);
    return !stays;
  });
}

std::vector<std::string> WholeGroups::parts(const SchedulerMirror& mirror) const {
  std::vector<std::string> parts;
  for (const auto& [uid, asked] : gone_) {
    for (const Member& each : asked.others) {
      const Json* pod = simulation_.world().peek(pods(), "default", each.name);
      const bool stays = pod != nullptr && uid_of(*pod) == each.uid && !is_leaving(*pod);
      // Another group speaks for it by now, or none.
      const Json* group = simulation_.world().peek(pod_groups(), "default", asked.group);
      const bool is_still_one = group != nullptr && goes_whole(*group);
      if (!stays || !is_still_one || mirror.refused.contains(each.uid)) continue;
      parts.push_back("settled: of the group " + asked.group + " the pod " + asked.name +
                      " was removed, and " + each.name + " stays");
    }
  }
  return parts;
}

}  // namespace elbowroom::test
