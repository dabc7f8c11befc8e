#include "cli/scenario/expectation.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "api/codec/quantity.h"
#include "api/codec/timestamp.h"
#include "policy/model/charge.h"
#include "policy/model/condition.h"

namespace elbowroom::cli {
namespace {

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

std::optional<std::string> compare(std::string_view what, const std::optional<std::string>& wanted,
                                   std::string_view is) {
  if (!wanted || *wanted == is) return std::nullopt;
  return std::string(what) + ": expected " + in_quotes(*wanted) + ", is " + in_quotes(is);
}

std::optional<std::string> compare_allocated(const Expectation& expectation,
                                             const policy::Pod& pod) {
  if (!expectation.allocated) return std::nullopt;
  const policy::Resources allocated = policy::totals_of(pod).allocated;
  for (const std::string& name : expectation.allocated_names) {
    const std::int64_t wanted = policy::amount_of(*expectation.allocated, name);
    const std::int64_t is = policy::amount_of(allocated, name);
    if (wanted == is) continue;
    return "allocated " + name + ": expected " + api::format_quantity(name, wanted) + ", is " +
           api::format_quantity(name, is);
  }
  return std::nullopt;
}

// What an object's condition says.
struct SaidCondition {
  std::string status{};
  std::string reason{};
  std::string message{};
};

std::optional<std::string> compare_condition(const ExpectedCondition& wanted,
                                             const std::optional<SaidCondition>& is) {
  const std::string what = "condition " + wanted.type;
  if (wanted.absent) {
    if (!is) return std::nullopt;
    return what + ": expected none, is " + is->status + " " + is->reason;
  }
  if (!is) return what + ": expected, and there is none";
  if (auto differs = compare(what + " status", wanted.status, is->status)) return differs;
  if (auto differs = compare(what + " reason", wanted.reason, is->reason)) return differs;
  if (!wanted.message || is->message.find(*wanted.message) != std::string::npos) {
    return std::nullopt;
  }
  return what + ": expected " + in_quotes(*wanted.message) + " in its message, is " +
         in_quotes(is->message);
}

std::optional<SaidCondition> condition_of(const policy::Pod& pod, std::string_view type) {
  const policy::Condition* is = policy::find_condition(pod.conditions, type);
  if (is == nullptr) return std::nullopt;
  return SaidCondition{is->status, is->reason, is->message};
}

std::optional<SaidCondition> condition_of(const lab::Json& object, std::string_view type) {
  for (const lab::Json& each : lab::list_at(object, {"status", "conditions"})) {
    if (lab::text_at(each, {"type"}) != type) continue;
    return SaidCondition{lab::text_at(each, {"status"}), lab::text_at(each, {"reason"}),
                         lab::text_at(each, {"message"})};
  }
  return std::nullopt;
}

// The first few events, for an error about a missing one.
std::string events_so_far(std::span<const lab::ReportedEvent> events) {
  constexpr std::size_t kNamed = 5;
  if (events.empty()) return "none was told";
  std::string words = "told were";
  for (std::size_t i = 0; i < std::min(events.size(), kNamed); ++i) {
    words += (i == 0 ? " " : ", ") + events[i].reason + " " + in_quotes(events[i].note);
  }
  if (events.size() > kNamed) words += " and " + std::to_string(events.size() - kNamed) + " more";
  return words;
}

std::optional<std::string> compare_events(const Expectation& expectation, const PodMoment& moment) {
  if (!expectation.event) return std::nullopt;
  const ExpectedEvent& wanted = *expectation.event;
  std::vector<std::string> parts;
  if (wanted.note) parts.push_back(*wanted.note);
  if (wanted.time) {
    const auto named = std::chrono::floor<std::chrono::seconds>(moment.start + *wanted.time);
    parts.push_back(api::format_timestamp(named));
  }
  const auto count = std::ranges::count_if(moment.events, [&](const lab::ReportedEvent& each) {
    return each.reason == wanted.reason && std::ranges::all_of(parts, [&](const auto& part) {
             return each.note.find(part) != std::string::npos;
           });
  });
  if (wanted.count ? count == *wanted.count : count > 0) return std::nullopt;
  std::string words = "event " + wanted.reason;
  for (const std::string& part : parts)
    words += (&part == &parts.front() ? " with " : " and ") + in_quotes(part);
  words += ": expected " + (wanted.count ? std::to_string(*wanted.count) + " times" : "");
  if (wanted.count) words += ", is " + std::to_string(count) + " times";
  return words + "; " + events_so_far(moment.events);
}

std::optional<std::string> compare_judgement(const Expectation& expectation,
                                             const PodMoment& moment) {
  if (!expectation.judgement) return std::nullopt;
  const ExpectedJudgement& wanted = *expectation.judgement;
  const auto& is = moment.judgement;
  if (wanted.absent) {
    if (!is) return std::nullopt;
    return "judgement: expected none, is " + is->result + ": " + is->message;
  }
  if (!is) return "judgement: the scheduler decides nothing about the pod";
  if (auto differs = compare("judgement", wanted.result, is->result))
    return *differs + ": " + is->message;
  if (!wanted.message || is->message.find(*wanted.message) != std::string::npos)
    return std::nullopt;
  return "judgement: expected " + in_quotes(*wanted.message) + " in its message, is " +
         in_quotes(is->message);
}

std::optional<std::string> compare_pod(const Expectation& expectation, const policy::Pod& pod) {
  if (auto differs = compare("node", expectation.node, pod.node)) return differs;
  if (auto differs = compare("nominatedNode", expectation.nominated_node, pod.nominated_node)) {
    return differs;
  }
  if (auto differs = compare("phase", expectation.phase, policy::to_string(pod.phase))) {
    return differs;
  }
  if (auto differs = compare_allocated(expectation, pod)) return differs;
  if (!expectation.condition) return std::nullopt;
  return compare_condition(*expectation.condition, condition_of(pod, expectation.condition->type));
}

// Whether it exists, or is gone.
std::optional<std::string> compare_presence(const Expectation& expectation, bool exists,
                                            const std::string& kind) {
  const bool wanted = expectation.exists.value_or(true);
  if (wanted == exists) return std::nullopt;
  return wanted ? "exists: there is no such " + kind : "exists: expected to be gone";
}

}  // namespace

std::optional<std::string> unmet_reason(const Expectation& expectation, const PodMoment& moment) {
  if (auto differs = compare_presence(expectation, moment.pod != nullptr, "pod")) return differs;
  if (moment.pod != nullptr) {
    if (auto differs = compare_pod(expectation, *moment.pod)) return differs;
  }
  if (auto differs = compare_events(expectation, moment)) return differs;
  return compare_judgement(expectation, moment);
}

std::optional<std::string> unmet_reason_of_group(const Expectation& expectation,
                                                 const lab::Json* group) {
  if (auto differs = compare_presence(expectation, group != nullptr, "group")) return differs;
  if (group == nullptr || !expectation.condition) return std::nullopt;
  return compare_condition(*expectation.condition,
                           condition_of(*group, expectation.condition->type));
}

}  // namespace elbowroom::cli
