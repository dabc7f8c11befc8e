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

std::optional<std::string> compare_condition(const Expectation& expectation,
                                             const policy::Pod& pod) {
  if (!expectation.condition) return std::nullopt;
  const ExpectedCondition& wanted = *expectation.condition;
  const policy::Condition* is = policy::find_condition(pod.conditions, wanted.type);
  const std::string what = "condition " + wanted.type;
  if (wanted.absent) {
    if (is == nullptr) return std::nullopt;
    return what + ": expected none, is " + is->status + " " + is->reason;
  }
  if (is == nullptr) return what + ": expected, and there is none";
  if (auto differs = compare(what + " status", wanted.status, is->status)) return differs;
  return compare(what + " reason", wanted.reason, is->reason);
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
  return compare_condition(expectation, pod);
}

}  // namespace

std::optional<std::string> unmet_reason(const Expectation& expectation, const PodMoment& moment) {
  const bool wanted = expectation.exists.value_or(true);
  if (wanted != (moment.pod != nullptr)) {
    return wanted ? "exists: there is no such pod" : "exists: expected to be gone";
  }
  if (moment.pod != nullptr) {
    if (auto differs = compare_pod(expectation, *moment.pod)) return differs;
  }
  if (auto differs = compare_events(expectation, moment)) return differs;
  return compare_judgement(expectation, moment);
}

}  // namespace elbowroom::cli
