#include "cli/evict/eviction_decision.h"

#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::cli {
namespace {

std::string next_text(const EvictionDecision& decision) {
  return decision.next ? api::format_timestamp(*decision.next) : std::string();
}

std::string avoidance_text(const EvictionDecision& decision) {
  if (!decision.avoided_until) return "";
  return "pods of its controller " +
         std::string(decision.result == EvictionResult::Evicted ? "" : "would ") + "avoid node " +
         decision.node + " until " + api::format_timestamp(*decision.avoided_until) + "\n";
}

}  // namespace

std::string_view to_string(EvictionResult result) {
  switch (result) {
    case EvictionResult::Evicted:
      return "Evicted";
    case EvictionResult::WouldEvict:
      return "WouldEvict";
    case EvictionResult::Blocked:
      return "Blocked";
  }
  return "";
}

Value encode_eviction(const EvictionDecision& decision) {
  return api::json_map({{"apiVersion", api::json_text("elbowroom.dev/v1alpha1")},
                        {"kind", api::json_text("EvictionDecision")},
                        {"pod", api::json_text(decision.pod)},
                        {"uid", api::json_text(decision.uid)},
                        {"node", api::json_text(decision.node)},
                        {"result", api::json_text(std::string(to_string(decision.result)))},
                        {"by", api::json_text(decision.by)},
                        {"nextAllowedTime", api::json_text(next_text(decision))},
                        {"avoided", api::json_bool(decision.avoided_until.has_value())}});
}

std::string eviction_text(const EvictionDecision& decision) {
  const std::string on = decision.node.empty() ? "" : " on node " + decision.node;
  switch (decision.result) {
    case EvictionResult::Evicted:
      return "pod " + decision.pod + on + " is evicted\n" + avoidance_text(decision);
    case EvictionResult::WouldEvict:
      return "pod " + decision.pod + on + " would be evicted (dry run)\n" +
             avoidance_text(decision);
    case EvictionResult::Blocked:
      break;
  }
  std::string text = "pod " + decision.pod + on + " is not evicted: " + decision.by + "\n";
  if (decision.next) text += "next allowed: " + next_text(decision) + "\n";
  return text;
}

}  // namespace elbowroom::cli
