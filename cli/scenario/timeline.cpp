#include "cli/scenario/timeline.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/codec/encode_resize_report.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "base/duration.h"
#include "base/text.h"
#include "cli/output/joined.h"
#include "cli/output/table.h"
#include "policy/model/charge.h"

namespace elbowroom::cli {
namespace {

// A running pod has these conditions; they add nothing while they are True, or after the pod has
// finished.
constexpr std::array<std::string_view, 5> kHousekeeping = {
    "Initialized", "ContainersReady", "Ready", "PodScheduled", "PodReadyToStartContainers"};

using api::report::text;
using api::report::texts;

Value encode_event(const TimelineEvent& event) {
  return map_value({member("at", text(format_duration(event.at))),
                    member("actor", text(event.actor)), member("action", text(event.action)),
                    member("pod", text(event.pod)), member("node", text(event.node)),
                    member("victims", texts(event.victims)), member("why", text(event.why))});
}

bool is_shown(const policy::Pod& pod, const policy::Condition& condition) {
  const bool as_usual = condition.status == "True" || policy::is_finished(pod);
  return !as_usual || std::ranges::find(kHousekeeping, condition.type) == kHousekeeping.end();
}

policy::Conditions shown_conditions(const policy::Pod& pod) {
  policy::Conditions shown;
  for (const policy::Condition& condition : pod.conditions) {
    if (is_shown(pod, condition)) shown.push_back(condition);
  }
  std::ranges::stable_sort(shown, {}, &policy::Condition::type);
  return shown;
}

Value encode_condition(const policy::Condition& condition) {
  return map_value({
      member("type", text(condition.type)),
      member("status", text(condition.status)),
      member("reason", text(condition.reason)),
      member("message", text(condition.message)),
      member("observedGeneration", condition.observed_generation
                                       ? number_value(*condition.observed_generation)
                                       : Value{}),
      member("lastTransitionTime", condition.last_transition
                                       ? text(api::format_timestamp(*condition.last_transition))
                                       : Value{}),
  });
}

Value encode_pod(const policy::Pod& pod) {
  const policy::Totals totals = policy::totals_of(pod);
  std::vector<Value> conditions;
  for (const policy::Condition& each : shown_conditions(pod)) {
    conditions.push_back(encode_condition(each));
  }
  return map_value({
      member("pod", text(policy::key_of(pod))),
      member("phase", text(policy::to_string(pod.phase))),
      member("node", text(pod.node)),
      member("nominatedNode", text(pod.nominated_node)),
      member("requests", map_value({
                             member("desired", api::encode_resources(totals.desired)),
                             member("allocated", api::encode_resources(totals.allocated)),
                             member("actual", api::encode_resources(totals.actual)),
                         })),
      member("conditions", list_value(std::move(conditions))),
  });
}

std::string events_table(const Timeline& timeline) {
  std::vector<std::vector<std::string>> rows = {{"AT", "ACTOR", "ACTION", "POD", "NODE", "WHY"}};
  for (const TimelineEvent& event : timeline.events) {
    const std::string victims =
        event.victims.empty() ? "" : "removes " + joined(event.victims) + ": ";
    rows.push_back({format_duration(event.at), event.actor, event.action, event.pod, event.node,
                    victims + event.why});
  }
  return to_table(rows);
}

std::string amounts(const policy::Resources& of) {
  std::string all;
  for (const Member& amount : api::encode_resources(of).members) {
    all += (all.empty() ? "" : ",") + amount.key + "=" + amount.value.text;
  }
  return all.empty() ? "-" : all;
}

std::string pods_table(const Timeline& timeline) {
  std::vector<std::vector<std::string>> rows = {
      {"POD", "PHASE", "NODE", "DESIRED", "ALLOCATED", "ACTUAL", "CONDITIONS"}};
  for (const policy::Pod& pod : timeline.pods) {
    const policy::Totals totals = policy::totals_of(pod);
    std::vector<std::string> conditions;
    for (const policy::Condition& each : shown_conditions(pod)) {
      conditions.push_back(each.type + "=" + (each.reason.empty() ? each.status : each.reason));
    }
    rows.push_back({policy::key_of(pod), std::string(policy::to_string(pod.phase)),
                    pod.node.empty() ? "-" : pod.node, amounts(totals.desired),
                    amounts(totals.allocated), amounts(totals.actual), joined(conditions)});
  }
  return to_table(rows);
}

std::string expectations_text(const Timeline& timeline) {
  const std::size_t all = timeline.passed + timeline.failed.size();
  if (all == 0) return "";
  std::string told = "\nexpectations: " + std::to_string(timeline.passed) + " of " +
                     std::to_string(all) + " hold\n";
  for (const UnmetExpectation& each : timeline.failed) {
    const std::string about = each.group.empty() ? "pod " + each.pod : "group " + each.group;
    told += "  at " + sanitize_line(each.at) + " " + sanitize_line(about) + ": " +
            sanitize_line(each.why) + "\n";
  }
  return told;
}

// "group" only where it is about one.
Value encode_unmet(const UnmetExpectation& unmet) {
  std::vector<Member> members = {member("at", text(unmet.at)), member("pod", text(unmet.pod))};
  if (!unmet.group.empty()) members.push_back(member("group", text(unmet.group)));
  members.push_back(member("why", text(unmet.why)));
  return map_value(std::move(members));
}

}  // namespace

Value encode_timeline(const Timeline& timeline) {
  std::vector<Value> events;
  for (const TimelineEvent& event : timeline.events) events.push_back(encode_event(event));
  std::vector<Value> pods;
  for (const policy::Pod& pod : timeline.pods) pods.push_back(encode_pod(pod));
  std::vector<Value> failed;
  for (const UnmetExpectation& each : timeline.failed) failed.push_back(encode_unmet(each));
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("Timeline")),
      member("scenario", text(timeline.scenario)),
      member("events", list_value(std::move(events))),
      member("final", map_value({member("at", text(format_duration(timeline.ended))),
                                 member("pods", list_value(std::move(pods)))})),
      member("expectations",
             map_value({member("passed", number_value(static_cast<std::int64_t>(timeline.passed))),
                        member("failed", list_value(std::move(failed)))})),
  });
}

std::string printed(const Timeline& timeline, OutputFormat format) {
  switch (format) {
    case OutputFormat::Json:
      return to_json(encode_timeline(timeline));
    case OutputFormat::Yaml:
      return to_yaml(encode_timeline(timeline));
    case OutputFormat::Table:
      return events_table(timeline) + "\nat the end, " + format_duration(timeline.ended) + ":\n" +
             pods_table(timeline) + expectations_text(timeline);
  }
  return {};
}

}  // namespace elbowroom::cli
