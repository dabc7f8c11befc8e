#include "cli/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/write/event_table.h"
#include "api/codec/field.h"
#include "base/duration.h"
#include "cli/input/completed_object.h"
#include "daemon/config/suggestion.h"
#include "rescheduler/event_table.h"
#include "scheduler/event_table.h"
#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::cli {
namespace {

using api::Field;
using std::chrono::milliseconds;

constexpr std::string_view kApiVersion = "elbowroom.dev/v1alpha1";
constexpr std::size_t kMostSteps = 100'000;

std::string one_of(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  const auto meant = daemon::closest(word, known);
  return meant ? "did you mean " + std::string(*meant) + "?" : "known are " + one_of(known);
}

// Requires that every key of the mapping is one of these.
Result<void> check_keys(const Field& at, std::span<const std::string_view> known) {
  if (!at.present()) return {};
  RETURN_IF_ERROR(at.get(""));  // a mapping
  for (const Member& member : at.value().members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    return at.refuse(member.key, "unknown key: " + hint(member.key, known));
  }
  return {};
}

Result<std::string> word_of(const Field& at, std::string_view key,
                            std::span<const std::string_view> allowed, std::string_view fallback) {
  ASSIGN_OR_RETURN(std::string word, at.text(key));
  if (word.empty()) return std::string(fallback);
  if (std::ranges::find(allowed, word) == allowed.end()) {
    return at.refuse(key, "\"" + word.substr(0, 40) + "\": " + hint(word, allowed));
  }
  return word;
}

Result<std::optional<milliseconds>> duration_of(const Field& at, std::string_view key,
                                                std::string_view none) {
  ASSIGN_OR_RETURN(const Field field, at.get(key));
  if (!field.present()) return std::nullopt;
  if (field.value().kind == Value::Kind::Number && field.value().text == "0") {
    return std::optional(milliseconds(0));
  }
  ASSIGN_OR_RETURN(const std::string text, field.as_text());
  if (text == none) return std::nullopt;
  const auto length = parse_duration(text);
  if (!length) return field.refuse(length.error().message);
  return std::optional(*length);
}

Result<ObjectName> pod_name_of(const Field& at, std::string_view key,
                               const std::string& noun = "pod") {
  ASSIGN_OR_RETURN(const std::string text, at.text(key));
  const std::size_t slash = text.find('/');
  const bool sound = slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
                     text.find('/', slash + 1) == std::string::npos;
  if (!sound) {
    return at.refuse(key, text.empty() ? "is missing: write NAMESPACE/NAME"
                                       : "names no " + noun + ": write NAMESPACE/NAME");
  }
  return ObjectName{text.substr(0, slash), text.substr(slash + 1)};
}

Result<const lab::Kind*> kind_of(const Field& at) {
  ASSIGN_OR_RETURN(const std::string name, at.text("kind"));
  std::vector<std::string_view> names;
  for (const lab::Kind& kind : lab::all_kinds()) {
    if (kind.name == name) return &kind;
    if (std::ranges::find(names, kind.name) == names.end()) names.push_back(kind.name);
  }
  if (name.empty()) return at.refuse("kind", "is missing");
  return at.refuse("kind",
                   "\"" + name.substr(0, 40) + "\" is no kind of the lab: " + hint(name, names));
}

Result<ObjectName> object_name_of(const Field& at, const lab::Kind& kind) {
  if (kind.namespaced) return pod_name_of(at, "name");
  ASSIGN_OR_RETURN(std::string name, at.text("name"));
  if (name.empty()) return at.refuse("name", "is missing");
  return ObjectName{"", std::move(name)};
}

// ---- steps ----

constexpr std::array<std::string_view, 8> kStepKeys = {"at",   "apply", "resize",  "delete",
                                                       "exit", "patch", "restart", "evict"};

Result<ApplyStep> apply_of(const Field& at) {
  if (!at.present() || at.value().kind != Value::Kind::Map) {
    return at.refuse("must be a Kubernetes object");
  }
  ASSIGN_OR_RETURN(const std::string kind, at.text("kind"));
  if (kind.empty()) return at.refuse("kind", "is missing");
  return ApplyStep{lab::to_tree(completed_object(at.value(), kind))};
}

Result<ResizeStep> resize_of(const Field& at) {
  constexpr std::array<std::string_view, 2> kKeys = {"pod", "containers"};
  constexpr std::array<std::string_view, 2> kSides = {"requests", "limits"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  ResizeStep step;
  ASSIGN_OR_RETURN(step.pod, pod_name_of(at, "pod"));
  ASSIGN_OR_RETURN(const Field containers, at.get("containers"));
  if (!containers.present()) return at.refuse("containers", "is missing");
  RETURN_IF_ERROR(containers.get(""));
  for (const Member& member : containers.value().members) {
    ASSIGN_OR_RETURN(const Field container, containers.get(member.key));
    RETURN_IF_ERROR(check_keys(container, kSides));
    for (const std::string_view side : kSides) {
      const auto amounts = container.resources(side);
      if (!amounts) return std::unexpected(amounts.error());
    }
    step.containers[member.key] = lab::to_tree(member.value);
  }
  return step;
}

Result<DeleteStep> delete_of(const Field& at) {
  constexpr std::array<std::string_view, 2> kKeys = {"kind", "name"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  DeleteStep step;
  ASSIGN_OR_RETURN(step.kind, kind_of(at));
  ASSIGN_OR_RETURN(step.name, object_name_of(at, *step.kind));
  return step;
}

Result<ExitStep> exit_of(const Field& at) {
  constexpr std::array<std::string_view, 1> kKeys = {"pod"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  ExitStep step;
  ASSIGN_OR_RETURN(step.pod, pod_name_of(at, "pod"));
  return step;
}

Result<PatchStep> patch_of(const Field& at) {
  constexpr std::array<std::string_view, 3> kKeys = {"kind", "name", "merge"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  PatchStep step;
  ASSIGN_OR_RETURN(step.kind, kind_of(at));
  ASSIGN_OR_RETURN(step.name, object_name_of(at, *step.kind));
  ASSIGN_OR_RETURN(const Field merge, at.get("merge"));
  if (!merge.present() || merge.value().kind != Value::Kind::Map) {
    return at.refuse("merge", "must be a mapping: a JSON merge patch of the object");
  }
  step.merge = lab::to_tree(merge.value());
  return step;
}

Result<EvictStep> evict_of(const Field& at) {
  constexpr std::array<std::string_view, 2> kKeys = {"pod", "avoidNode"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  EvictStep step;
  ASSIGN_OR_RETURN(step.pod, pod_name_of(at, "pod"));
  ASSIGN_OR_RETURN(step.avoids_node, at.boolean("avoidNode"));
  return step;
}

Result<RestartStep> restart_of(const Field& at) {
  ASSIGN_OR_RETURN(const std::string what, at.as_text());
  constexpr std::string_view kAgent = "agent/";
  if (what == "scheduler") return RestartStep{};
  if (what == "rescheduler") return RestartStep{.is_rescheduler = true};
  if (!what.starts_with(kAgent) || what.size() == kAgent.size()) {
    return at.refuse("\"" + what.substr(0, 40) +
                     "\" cannot be restarted: write agent/NODE, scheduler or rescheduler");
  }
  return RestartStep{what.substr(kAgent.size())};
}

Result<Step> step_of(const Field& at, std::size_t index) {
  RETURN_IF_ERROR(check_keys(at, kStepKeys));
  if (!at.present()) return at.refuse("must be a mapping with at and what happens");
  Step step{.place = "spec.steps[" + std::to_string(index) + "]"};
  ASSIGN_OR_RETURN(const auto when, duration_of(at, "at", ""));
  if (!when) return at.refuse("at", "is missing: write a duration such as 10s");
  step.at = *when;

  std::string_view verb;
  for (const std::string_view key : kStepKeys) {
    ASSIGN_OR_RETURN(const Field what, at.get(key));
    if (key == "at" || !what.present()) continue;
    if (!verb.empty()) {
      return at.refuse(key, "one step does one thing, and this one has " + std::string(verb) +
                                " too: write two steps");
    }
    verb = key;
  }
  if (verb.empty()) {
    return at.refuse("does nothing: give one of " + one_of(std::span(kStepKeys).subspan(1)));
  }
  ASSIGN_OR_RETURN(const Field what, at.get(verb));
  if (verb == "apply") {
    ASSIGN_OR_RETURN(step.what, apply_of(what));
  } else if (verb == "resize") {
    ASSIGN_OR_RETURN(step.what, resize_of(what));
  } else if (verb == "delete") {
    ASSIGN_OR_RETURN(step.what, delete_of(what));
  } else if (verb == "exit") {
    ASSIGN_OR_RETURN(step.what, exit_of(what));
  } else if (verb == "patch") {
    ASSIGN_OR_RETURN(step.what, patch_of(what));
  } else if (verb == "evict") {
    ASSIGN_OR_RETURN(step.what, evict_of(what));
  } else {
    ASSIGN_OR_RETURN(step.what, restart_of(what));
  }
  return step;
}

// ---- expectations ----

// The reasons of all daemons.
std::vector<std::string_view> event_reasons() {
  std::vector<std::string_view> reasons;
  for (const auto& row : agent::event_table()) reasons.push_back(row.reason);
  for (const auto& row : scheduler::event_table()) reasons.push_back(row.reason);
  for (const auto& row : rescheduler::event_table()) reasons.push_back(row.reason);
  return reasons;
}

Result<std::optional<std::string>> word_if_given(const Field& at, std::string_view key) {
  ASSIGN_OR_RETURN(const Field field, at.get(key));
  if (!field.present()) return std::nullopt;
  ASSIGN_OR_RETURN(std::string word, field.as_text());
  return std::optional(std::move(word));
}

Result<std::optional<bool>> truth_if_given(const Field& at, std::string_view key) {
  ASSIGN_OR_RETURN(const Field field, at.get(key));
  if (!field.present()) return std::nullopt;
  ASSIGN_OR_RETURN(const bool truth, at.boolean(key));
  return std::optional(truth);
}

Result<std::optional<ExpectedCondition>> condition_of(const Field& at) {
  constexpr std::array<std::string_view, 5> kKeys = {"type", "absent", "status", "reason",
                                                     "message"};
  if (!at.present()) return std::nullopt;
  RETURN_IF_ERROR(check_keys(at, kKeys));
  ExpectedCondition condition;
  ASSIGN_OR_RETURN(condition.type, at.text("type"));
  if (condition.type.empty()) return at.refuse("type", "is missing");
  ASSIGN_OR_RETURN(condition.absent, at.boolean("absent"));
  // A YAML True is not a string, but its meaning is clear.
  ASSIGN_OR_RETURN(const Field status, at.get("status"));
  if (status.present() && status.value().kind == Value::Kind::Bool) {
    condition.status = status.value().text == "true" ? "True" : "False";
  } else {
    ASSIGN_OR_RETURN(condition.status, word_if_given(at, "status"));
  }
  ASSIGN_OR_RETURN(condition.reason, word_if_given(at, "reason"));
  ASSIGN_OR_RETURN(condition.message, word_if_given(at, "message"));
  if (condition.absent && (condition.status || condition.reason || condition.message)) {
    return at.refuse("absent",
                     "a condition that is absent has no status, no reason and no message");
  }
  return std::optional(std::move(condition));
}

Result<std::optional<ExpectedEvent>> event_of(const Field& at) {
  constexpr std::array<std::string_view, 4> kKeys = {"reason", "note", "time", "count"};
  if (!at.present()) return std::nullopt;
  RETURN_IF_ERROR(check_keys(at, kKeys));
  ExpectedEvent event;
  ASSIGN_OR_RETURN(event.reason, at.text("reason"));
  if (event.reason.empty()) return at.refuse("reason", "is missing");
  if (const auto known = event_reasons(); std::ranges::find(known, event.reason) == known.end()) {
    return at.refuse(
        "reason", "nobody tells " + event.reason.substr(0, 40) + ": " + hint(event.reason, known));
  }
  ASSIGN_OR_RETURN(event.note, word_if_given(at, "note"));
  ASSIGN_OR_RETURN(event.time, duration_of(at, "time", ""));
  ASSIGN_OR_RETURN(event.count, at.integer("count"));
  if (event.count && *event.count < 0) return at.refuse("count", "is negative");
  return std::optional(std::move(event));
}

Result<std::optional<ExpectedJudgement>> judgement_of(const Field& at) {
  constexpr std::array<std::string_view, 3> kKeys = {"absent", "result", "message"};
  if (!at.present()) return std::nullopt;
  RETURN_IF_ERROR(check_keys(at, kKeys));
  ExpectedJudgement judgement;
  ASSIGN_OR_RETURN(judgement.absent, at.boolean("absent"));
  std::vector<std::string_view> results;
  for (const scheduler::ResultRow& row : scheduler::kResultTable) results.push_back(row.name);
  ASSIGN_OR_RETURN(judgement.result, word_if_given(at, "result"));
  if (judgement.result) RETURN_IF_ERROR(word_of(at, "result", results, ""));
  ASSIGN_OR_RETURN(judgement.message, word_if_given(at, "message"));
  if (judgement.absent && (judgement.result || judgement.message)) {
    return at.refuse("absent", "a judgement that is absent has no result and no message");
  }
  if (!judgement.absent && !judgement.result && !judgement.message) {
    return at.refuse("says nothing: give result, message or absent");
  }
  return std::optional(std::move(judgement));
}

Result<Expectation> expectation_of_group(const Field& at) {
  constexpr std::array<std::string_view, 4> kKeys = {"at", "group", "exists", "condition"};
  for (const Member& member : at.value().members) {
    if (std::ranges::find(kKeys, member.key) != kKeys.end()) continue;
    return at.refuse(member.key, "an expectation about a group has only " + one_of(kKeys));
  }
  Expectation expectation;
  ASSIGN_OR_RETURN(expectation.at, duration_of(at, "at", "end"));
  ASSIGN_OR_RETURN(const ObjectName group, pod_name_of(at, "group", "group"));
  expectation.group = group.ns + "/" + group.name;
  ASSIGN_OR_RETURN(expectation.exists, truth_if_given(at, "exists"));
  ASSIGN_OR_RETURN(const Field condition, at.get("condition"));
  ASSIGN_OR_RETURN(expectation.condition, condition_of(condition));
  return expectation;
}

Result<Expectation> expectation_of(const Field& at) {
  constexpr std::array<std::string_view, 11> kKeys = {
      "at",    "pod",       "group",     "exists", "node",     "nominatedNode",
      "phase", "allocated", "condition", "event",  "judgement"};
  RETURN_IF_ERROR(check_keys(at, kKeys));
  if (!at.present()) return at.refuse("must be a mapping");
  ASSIGN_OR_RETURN(const Field group, at.get("group"));
  if (group.present()) return expectation_of_group(at);
  Expectation expectation;
  ASSIGN_OR_RETURN(expectation.at, duration_of(at, "at", "end"));
  ASSIGN_OR_RETURN(const ObjectName pod, pod_name_of(at, "pod"));
  expectation.pod = pod.ns + "/" + pod.name;
  ASSIGN_OR_RETURN(expectation.exists, truth_if_given(at, "exists"));
  ASSIGN_OR_RETURN(expectation.node, word_if_given(at, "node"));
  ASSIGN_OR_RETURN(expectation.nominated_node, word_if_given(at, "nominatedNode"));
  ASSIGN_OR_RETURN(expectation.phase, word_if_given(at, "phase"));
  ASSIGN_OR_RETURN(expectation.allocated, at.resources("allocated"));
  if (expectation.allocated) {
    ASSIGN_OR_RETURN(const Field allocated, at.get("allocated"));
    for (const Member& member : allocated.value().members) {
      expectation.allocated_names.push_back(member.key);
    }
  }
  ASSIGN_OR_RETURN(const Field condition, at.get("condition"));
  ASSIGN_OR_RETURN(expectation.condition, condition_of(condition));
  ASSIGN_OR_RETURN(const Field event, at.get("event"));
  ASSIGN_OR_RETURN(expectation.event, event_of(event));
  ASSIGN_OR_RETURN(const Field judgement, at.get("judgement"));
  ASSIGN_OR_RETURN(expectation.judgement, judgement_of(judgement));
  return expectation;
}

// ---- the scenario ----

Result<lab::SchedulerMode> scheduler_mode(const Field& spec) {
  constexpr std::array<std::string_view, 3> kSchedulers = {"full", "resize", "none"};
  ASSIGN_OR_RETURN(const std::string mode, word_of(spec, "scheduler", kSchedulers, "none"));
  if (mode == "none") return lab::SchedulerMode::None;
  return mode == "full" ? lab::SchedulerMode::Full : lab::SchedulerMode::Resize;
}

Result<std::set<std::string, std::less<>>> yield_to_of(const Field& spec, bool scheduler) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, spec.texts("yieldTo"));
  if (!names.empty() && !scheduler) {
    return spec.refuse("yieldTo", "there is no scheduler to yield: write scheduler: resize");
  }
  for (const std::string& name : names) {
    if (name.empty()) return spec.refuse("yieldTo", "holds an empty name");
  }
  return std::set<std::string, std::less<>>(names.begin(), names.end());
}

Result<bool> is_active(const Field& spec, std::string_view program) {
  constexpr std::array<std::string_view, 2> kModes = {"active", "none"};
  ASSIGN_OR_RETURN(const std::string mode, word_of(spec, program, kModes, "none"));
  return mode == "active";
}

Result<Agents> agents_of(const Field& spec) {
  constexpr std::array<std::string_view, 3> kModes = {"authority", "companion", "none"};
  ASSIGN_OR_RETURN(const std::string mode, word_of(spec, "agents", kModes, "authority"));
  if (mode == "companion") return Agents::Companion;
  return mode == "none" ? Agents::None : Agents::Authority;
}

Result<void> read_steps(const Field& list, Scenario& scenario) {
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMostSteps) {
    return list.refuse("has more than " + std::to_string(kMostSteps) + " steps");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(Step step, step_of(at, i));
    if (scenario.until && step.at > *scenario.until) {
      return at.refuse("at", "is after spec.until, so it would never happen");
    }
    scenario.steps.push_back(std::move(step));
  }
  std::ranges::stable_sort(scenario.steps, {}, &Step::at);
  return {};
}

Result<void> read_expectations(const Field& list, Scenario& scenario) {
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(Expectation expectation, expectation_of(at));
    if (scenario.until && expectation.at && *expectation.at > *scenario.until) {
      return at.refuse("at", "is after spec.until, so it would never be looked at");
    }
    scenario.expectations.push_back(std::move(expectation));
  }
  return {};
}

Result<Scenario> read_spec(const Field& spec, std::string name) {
  constexpr std::array<std::string_view, 9> kKeys = {"agents",      "scheduler",   "yieldTo",
                                                     "rescheduler", "controllers", "objects",
                                                     "steps",       "until",       "expect"};
  RETURN_IF_ERROR(check_keys(spec, kKeys));
  Scenario scenario{.name = std::move(name)};
  ASSIGN_OR_RETURN(scenario.agents, agents_of(spec));
  ASSIGN_OR_RETURN(scenario.scheduler, scheduler_mode(spec));
  ASSIGN_OR_RETURN(scenario.rescheduler, is_active(spec, "rescheduler"));
  ASSIGN_OR_RETURN(scenario.controllers, is_active(spec, "controllers"));
  ASSIGN_OR_RETURN(scenario.yield_to,
                   yield_to_of(spec, scenario.scheduler != lab::SchedulerMode::None));
  ASSIGN_OR_RETURN(scenario.until, duration_of(spec, "until", "quiescent"));
  ASSIGN_OR_RETURN(const Field objects, spec.get("objects"));
  ASSIGN_OR_RETURN(const std::size_t count, objects.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field object = objects.item(i);
    if (!object.present()) return object.refuse("must be a Kubernetes object");
    scenario.objects.push_back(object.value());
  }
  ASSIGN_OR_RETURN(const Field steps, spec.get("steps"));
  RETURN_IF_ERROR(read_steps(steps, scenario));
  ASSIGN_OR_RETURN(const Field expect, spec.get("expect"));
  RETURN_IF_ERROR(read_expectations(expect, scenario));
  return scenario;
}

// JSON input is parsed as JSON: tabs for indentation are not valid YAML.
Result<std::vector<Value>> documents_of(std::string_view text) {
  constexpr std::string_view kSkipped = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = text.find_first_not_of(kSkipped);
  if (first != std::string_view::npos && text[first] == '{') {
    if (auto value = parse_json(text)) {
      std::vector<Value> one;
      one.push_back(std::move(*value));
      return one;
    }
  }
  return parse_yaml(text);
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<Value> documents, documents_of(text));
  if (documents.size() != 1) {
    return failure(Code::Invalid, "holds " + std::to_string(documents.size()) +
                                      " documents: a scenario is one, and -f FILE adds objects");
  }
  const Field root(documents.front());
  ASSIGN_OR_RETURN(const std::string version, root.text("apiVersion"));
  ASSIGN_OR_RETURN(const std::string kind, root.text("kind"));
  if (kind != "Scenario") return root.refuse("kind", "must be Scenario");
  if (version != kApiVersion) {
    return root.refuse("apiVersion", "must be " + std::string(kApiVersion));
  }
  ASSIGN_OR_RETURN(const Field metadata, root.get("metadata"));
  ASSIGN_OR_RETURN(std::string name, metadata.text("name"));
  if (name.size() > 253) return metadata.refuse("name", "is longer than 253 characters");
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  return read_spec(spec, std::move(name));
}

}  // namespace elbowroom::cli
