#include "api/codec/encode_group_explanation.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/encode_resize_report.h"
#include "api/codec/encode_scheduling_decision.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

using report::text;
using report::texts;

Value optional_time(const std::optional<policy::Time>& time) {
  return time ? text_value(format_timestamp(*time)) : Value{};
}

Value encode_member(const policy::GroupMember& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("uid", text(each.uid)),
      member("phase", text(to_string(each.phase))),
      member("terminating", bool_value(each.terminating)),
      member("node", text(each.node)),
      member("nominatedNode", text(each.nominated_node)),
      member("priority", number_value(each.priority)),
      member("schedulerName", text(each.scheduler_name)),
      member("schedulingGates", texts(each.gates)),
      member("message", text(each.message)),
  });
}

std::vector<std::string> names_of(const std::vector<const policy::GroupMember*>& members) {
  std::vector<std::string> names;
  for (const policy::GroupMember* each : members) names.push_back(each->pod);
  return names;
}

// What a pod waits for beside its group's decision.
policy::SchedulingDecision decision_of(const policy::Pod& pod,
                                       const policy::GroupExplanation* about) {
  if (about != nullptr && about->decision) return policy::decision_for(pod, *about->decision);
  const std::string key = policy::group_key_of(pod);
  return {.pod = policy::key_of(pod),
          .message = about == nullptr ? "pod group " + key + " does not exist"
                                      : "pod group " + key + " waits for " + about->waits_for};
}

Value pending_document(const policy::Pod& pod, const policy::SchedulingDecision& decision,
                       policy::Time now, const std::string& waits) {
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("PodExplanation")),
      member("pod", text(policy::key_of(pod))),
      member("uid", text(pod.uid)),
      member("node", text("")),
      member("decision", encode_scheduling_decision(decision)),
      member("time", optional_time(now)),
      member("summary", text("pod " + policy::key_of(pod) + " " + waits)),
      member("since", optional_time(pod.created)),
      member("priority", number_value(policy::priority_of(pod))),
      member("ownPriority", number_value(policy::own_priority_of(pod))),
  });
}

}  // namespace

Value encode_group_explanation(const policy::GroupExplanation& about) {
  const policy::PodGroup& group = about.group;
  const policy::GroupStanding& says = group.standing;
  std::vector<Value> members;
  for (const policy::GroupMember& each : about.members) members.push_back(encode_member(each));
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("GroupExplanation")),
      member("group", text(policy::key_of(group))),
      member("uid", text(says.uid)),
      member("time", optional_time(about.now)),
      member("summary", text(about.summary)),
      member("waitsFor", text(about.waits_for)),
      member("priority", number_value(says.priority)),
      member("otherPriorities", texts(names_of(policy::other_priorities(about)))),
      member("preemptionPolicy", text(report::name_of(says.preemption_policy))),
      member("disruptionMode", text(to_string(says.mode))),
      member("minCount", says.min_count ? number_value(*says.min_count) : Value{}),
      member("workload", text(group.workload)),
      member("obstacle", text(to_string(says.obstacle))),
      member("trouble", text(group.trouble)),
      member("deletionTimestamp", optional_time(group.deletion)),
      member("conditions", encode_conditions(group.conditions)),
      member("members", list_value(std::move(members))),
      member("decision",
             about.decision ? encode_group_scheduling_decision(*about.decision) : Value{}),
  });
}

Value encode_pending_member(const policy::Pod& pod, const policy::GroupExplanation* about,
                            policy::Time now) {
  const std::string group = policy::group_key_of(pod);
  const std::string waits = about == nullptr ? "the group, which does not exist" : about->waits_for;
  Value document = pending_document(pod, decision_of(pod, about), now,
                                    "waits for a node with its pod group " + group);
  document.members.push_back(
      member("group", encode_membership(policy::GroupMembership{
                          .group = group, .standing = pod.group, .waits_for = waits})));
  return document;
}

Value encode_pending_pod(const policy::Pod& pod, const policy::SchedulingDecision& decision,
                         policy::Time now) {
  return pending_document(pod, decision, now, "waits for a node");
}

}  // namespace elbowroom::api
