#include "api/write/policy_probe.h"

#include <utility>

#include "api/codec/json.h"
#include "base/document.h"

namespace elbowroom::api {

Result<bool> keeps_policy_field(const Result<Response>& answer) {
  if (!answer && answer.error().code == Code::Invalid) return false;
  if (!answer) return std::unexpected(answer.error());
  ASSIGN_OR_RETURN(const Value node, parse_json(answer->body));
  if (text_at(node, "kind") != "Node") return failure(Code::Internal, "the answer is no Node");
  const Value* owners = value_at(node, {"spec", "podPreemptionPolicy", "disableResizePreemption"});
  return owners != nullptr && owners->kind == Value::Kind::List && !owners->items.empty();
}

void PolicyProbe::seen(const std::string& node) {
  if (!node_.empty()) return;
  node_ = node;
  ask();
}

void PolicyProbe::server_changed() {
  if (!node_.empty()) ask();
}

void PolicyProbe::ask() {
  asks_again_ = is_asking_;
  if (std::exchange(is_asking_, true)) return;
  next_ = {};
  client_.request(Method::Patch, "/api/v1/nodes/" + node_, {{"dryRun", "All"}},
                  std::string(kMergePatch), std::string(kPolicyProbe),
                  [this](const Result<Response>& answer) { take(answer); });
}

void PolicyProbe::take(const Result<Response>& answer) {
  is_asking_ = false;
  const Result<bool> keeps = keeps_policy_field(answer);
  if (keeps && std::exchange(told_, *keeps) != *keeps) tell_(*keeps);
  if (std::exchange(asks_again_, false)) return ask();
  if (!keeps && keeps.error().code == Code::NotFound) return node_.clear();
  const bool tells_nothing = !keeps && keeps.error().code != Code::Denied;
  next_ = transport_.after(tells_nothing ? Clock::duration(kSoon) : Clock::duration(kEvery),
                           [this] { ask(); });
}

}  // namespace elbowroom::api
