#include "api/bound_node.h"

#include "api/decode_common.h"
#include "api/json.h"

namespace elbowroom::api {

std::string bound_node(const Value& object) {
  const Value* spec = object.find("spec");
  if (spec == nullptr) return "";
  const Value* status = object.find("status");
  const std::string_view phase = status == nullptr ? "" : text_at(*status, "phase");
  if (phase == "Succeeded" || phase == "Failed") return "";
  const std::string_view node = text_at(*spec, "nodeName");
  return node.size() > kMaxNameBytes ? "" : std::string(node);
}

}  // namespace elbowroom::api
