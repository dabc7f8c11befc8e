#include "cli/scheduler_explanation_text.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/json.h"
#include "base/text.h"

namespace elbowroom::cli {
namespace {

using api::text_at;

constexpr std::size_t kMostWakes = 32;

std::string line_of(std::string_view words) { return sanitize_line(words) + "\n"; }

// What a result of the scheduler means to whoever waits.
std::string_view meaning_of(std::string_view result) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kMeanings = {{
      {"fits", "it fits by now, and waits for its node"},
      {"awaiting_victims", "room is on its way and will be enough"},
      {"preempt", "pods are removed for it"},
      {"disabled", "preemption for resizes is forbidden here"},
      {"policy_never", "the pod's preemptionPolicy is Never"},
      {"no_victims", "nobody may go, or all who may would not be enough"},
      {"nodes_turn", "the node makes room for its critical pods itself, and has the first turn"},
      {"yields", "another scheduler has the first turn"},
      {"broken", "the circuit breaker: too many pods have gone for resizes lately"},
      {"busy", "pods of its node are being asked to go for another resize"},
      {"refused", "the API server refused a mark or a dry run: nobody was removed"},
      {"overtaken", "its node changed before the first delete: nobody was removed"},
      {"failed", "an error in the middle of the deletes: it tries again"},
      {"unknown_node", "its node is not known, or its pods cannot be told apart"},
  }};
  for (const auto& [name, meaning] : kMeanings) {
    if (name == result) return meaning;
  }
  return result.empty() ? "not judged yet" : result;
}

std::string wakes_in(const Value& document) {
  const Value* wakes = document.find("wakes");
  std::string words;
  if (wakes == nullptr) return words;
  std::size_t shown = 0;
  for (const Value& each : wakes->items) {
    if (++shown > kMostWakes) return words + ", ...";
    words += (words.empty() ? "" : ", ") + each.text;
  }
  return words;
}

}  // namespace

bool is_scheduler_explanation(const Value& document) {
  return text_at(document, "kind") == "SchedulerExplanation";
}

std::string scheduler_explanation_text(const Value& document) {
  const auto text = [&](std::string_view key) { return std::string(text_at(document, key)); };
  std::string out = line_of("pod " + text("pod") + " on node " + text("node") +
                            ": the scheduler has it waiting for room since " + text("since"));
  out += line_of("decided:    " + std::string(meaning_of(text("result"))) +
                 (text("message").empty() ? "" : ": " + text("message")));
  if (!text("idleBecause").empty()) {
    out += line_of("acts not:   " + text("idleBecause"));
  }
  out += line_of("queue:      " + text("queue"));
  const std::string wakes = wakes_in(document);
  if (!wakes.empty()) out += line_of("woken by:   " + wakes + " (on its node)");
  if (!text("nextLook").empty()) {
    out += line_of("looks again at the latest at " + text("nextLook"));
  }
  return out;
}

}  // namespace elbowroom::cli
