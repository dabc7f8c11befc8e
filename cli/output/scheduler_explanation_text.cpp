#include "cli/output/scheduler_explanation_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "cli/output/wrapped_text.h"
#include "scheduler/result_in_words.h"

namespace elbowroom::cli {
namespace {

using api::text_at;

constexpr std::size_t kMostWakes = 32;
constexpr std::size_t kMostMembers = 20;

using PodText = std::pair<std::string_view, std::string_view>;

// What requeues it, all of it on its own node.
constexpr std::array<PodText, 15> kWakes = {{
    {"PodArrived", "a pod arrives"},
    {"PodLeft", "a pod is gone"},
    {"PodGrew", "a pod grows"},
    {"PodShrank", "a pod shrinks"},
    {"PodLeaving", "a pod is asked to go"},
    {"PodChanged", "a pod's priority or labels change"},
    {"Nominated", "a pod is nominated"},
    {"Allocatable", "the allocatable changes"},
    {"Ready", "the readiness changes"},
    {"NodePolicy", "the preemption policy changes"},
    {"CriticalBy", "who removes for critical pods changes"},
    {"Budget", "a budget of its pods changes"},
    {"Own", "the pod itself changes"},
    {"RemovalEnded", "the removal under way ends"},
    {"Placing", "its labels, taints or cordon change"},
}};

// The text for a name; the name itself if there is none.
std::string_view text_for(std::span<const PodText> table, std::string_view name) {
  const auto at = std::ranges::find(table, name, &PodText::first);
  return at == table.end() ? name : at->second;
}

std::string decided(const Value& document) {
  const std::string_view result = text_at(document, "result");
  if (result.empty()) return "nothing yet";
  const Value* dry_run = document.find("dryRun");
  const bool is_dry_run = dry_run != nullptr && dry_run->text == "true";
  return scheduler::result_in_words(result, text_at(document, "message"), is_dry_run);
}

std::string wakes_in(const Value& document, std::string_view list) {
  const Value* wakes = document.find(list);
  std::string words;
  if (wakes == nullptr) return words;
  std::size_t shown = 0;
  for (const Value& each : wakes->items) {
    if (++shown > kMostWakes) return words + ", ...";
    words += (words.empty() ? "" : ", ") + std::string(text_for(kWakes, each.text));
  }
  return words;
}

// "default/a until 2026-...: why", and the number of others.
std::string refused_in(const Value& document) {
  const Value* refused = document.find("refused");
  if (refused == nullptr || refused->items.empty()) return "";
  const Value& first = refused->items.front();
  const std::size_t more = refused->items.size() - 1;
  return std::string(text_at(first, "pod")) + " until " + std::string(text_at(first, "until")) +
         ": " + std::string(text_at(first, "why")) +
         (more == 0 ? "" : "; and " + std::to_string(more) + " more of its node");
}

// Of a pod, or of a pod group.
std::string heading(const Value& document) {
  const auto text = [&](std::string_view key) { return std::string(text_at(document, key)); };
  const std::string seen = text("since") + ", as the scheduler has seen it";
  if (document.find("members") != nullptr) {
    const Value* min_count = document.find("minCount");
    const bool is_gang = min_count != nullptr && min_count->kind == Value::Kind::Number;
    return "pod group " + text("group") +
           (is_gang ? ", a gang (minCount " + min_count->text + ")" : "") +
           ": waits for nodes since " + seen;
  }
  const std::string group = text("group").empty() ? "" : " of pod group " + text("group");
  return "pod " + text("pod") + group +
         (text("node").empty() ? ": waits for a node since "
                               : " on node " + text("node") + ": waits for room since ") +
         seen;
}

// "default/a: node-1", "default/b: waits: ...", each on a line.
std::string members_in(const Value& document) {
  const Value* members = document.find("members");
  if (members == nullptr) return "";
  std::string out;
  std::size_t shown = 0;
  for (const Value& each : members->items) {
    if (++shown > kMostMembers) {
      return out + titled_row(
                       "", "and " + std::to_string(members->items.size() - kMostMembers) + " more");
    }
    const std::string node(text_at(each, "node"));
    const Value* bound = each.find("bound");
    const bool is_bound = bound != nullptr && bound->text == "true";
    std::string words = std::string(text_at(each, "pod")) + ": " +
                        (is_bound       ? "on node " + node
                         : node.empty() ? std::string("waits")
                                        : "waits, nominated to node " + node);
    const std::string_view message = text_at(each, "message");
    if (!is_bound && !message.empty()) words += ": " + std::string(message);
    out += titled_row(shown == 1 ? "pods" : "", words);
  }
  return out;
}

}  // namespace

bool is_scheduler_explanation(const Value& document) {
  return text_at(document, "kind") == "SchedulerExplanation";
}

std::string scheduler_explanation_text(const Value& document) {
  const auto text = [&](std::string_view key) { return std::string(text_at(document, key)); };
  std::string out = wrapped(heading(document), 0, 2);
  out += titled_row("decided", decided(document));
  out += members_in(document);
  if (!text("idleBecause").empty()) out += titled_row("idle", text("idleBecause"));
  out += titled_row("queue", text("queue"));
  const std::string wakes = wakes_in(document, "wakes");
  if (!wakes.empty()) {
    out += titled_row("woken when", wakes + (text("node").empty() ? "" : ": on its node"));
  }
  const std::string anywhere = wakes_in(document, "wakesAnywhere");
  if (!anywhere.empty()) out += titled_row("or when", anywhere + ": on any node");
  const std::string refused = refused_in(document);
  if (!refused.empty()) out += titled_row("refused", refused);
  if (!text("nextLook").empty())
    out += titled_row("next look", "at the latest at " + text("nextLook"));
  return out;
}

}  // namespace elbowroom::cli
