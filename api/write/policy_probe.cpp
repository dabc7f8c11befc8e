#include "api/write/policy_probe.h"

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

}  // namespace elbowroom::api
