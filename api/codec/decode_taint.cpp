#include "api/codec/decode_taint.h"

#include <algorithm>
#include <tuple>

#include "api/codec/timestamp.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxTaints = 1'000;
constexpr std::size_t kMaxAvoided = 64;
constexpr DocumentLimits kAnnotationLimits{
    .bytes = std::size_t{256} << 10, .depth = 16, .values = 20'000};

const Value* member_of(const Value* map, std::string_view key) {
  return map == nullptr ? nullptr : map->find(key);
}

}  // namespace

Result<policy::TaintEffect> decode_taint_effect(const Field& at) {
  ASSIGN_OR_RETURN(const std::string effect, at.text("effect"));
  if (effect == "NoSchedule") return policy::TaintEffect::NoSchedule;
  if (effect == "PreferNoSchedule") return policy::TaintEffect::PreferNoSchedule;
  if (effect == "NoExecute") return policy::TaintEffect::NoExecute;
  return at.refuse("effect", "must be NoSchedule, PreferNoSchedule or NoExecute");
}

Result<std::vector<policy::Taint>> decode_taints(const Field& spec) {
  ASSIGN_OR_RETURN(const Field list, spec.get("taints"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMaxTaints) return spec.refuse("taints", "must have at most 1000 entries");
  std::vector<policy::Taint> taints;
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    policy::Taint taint;
    ASSIGN_OR_RETURN(taint.key, at.text("key"));
    if (taint.key.empty()) return at.refuse("key", "must not be empty");
    ASSIGN_OR_RETURN(taint.value, at.text("value"));
    ASSIGN_OR_RETURN(taint.effect, decode_taint_effect(at));
    taints.push_back(std::move(taint));
  }
  return taints;
}

std::optional<policy::Time> avoided_until(std::string_view message) {
  constexpr std::string_view kOpens = "(until ";
  const std::size_t at = message.rfind(kOpens);
  if (at == std::string_view::npos || !message.ends_with(')')) return std::nullopt;
  message.remove_prefix(at + kOpens.size());
  message.remove_suffix(1);
  const Result<policy::Time> time = parse_timestamp(message);
  return time ? std::optional(*time) : std::nullopt;
}

std::vector<policy::AvoidedController> avoided_controllers(std::string_view annotation) {
  std::vector<policy::AvoidedController> avoided;
  const Result<Value> parsed = parse_json(annotation, kAnnotationLimits);
  if (!parsed) return avoided;
  const Value* list = parsed->find("preferAvoidPods");
  if (list == nullptr) return avoided;
  for (const Value& entry : list->items) {
    if (avoided.size() == kMaxAvoided) break;
    const Value* uid = member_of(member_of(entry.find("podSignature"), "podController"), "uid");
    if (uid == nullptr || uid->kind != Value::Kind::String || uid->text.empty()) continue;
    const Value* message = entry.find("message");
    const bool has_text = message != nullptr && message->kind == Value::Kind::String;
    avoided.push_back(
        {.uid = uid->text, .until = has_text ? avoided_until(message->text) : std::nullopt});
  }
  // Of two entries the one that counts longer.
  const auto rank = [](const policy::AvoidedController& each) {
    return std::tuple(std::string_view(each.uid), each.until.has_value(),
                      each.until ? -each.until->time_since_epoch() : policy::Time::duration(0));
  };
  std::ranges::sort(avoided, {}, rank);
  const auto repeated = std::ranges::unique(avoided, {}, &policy::AvoidedController::uid);
  avoided.erase(repeated.begin(), repeated.end());
  return avoided;
}

}  // namespace elbowroom::api
