#include "api/codec/bound_node.h"

#include "api/codec/decode_common.h"
#include "api/codec/json.h"

namespace elbowroom::api {

bool has_finished(const Value& pod) {
  const Value* status = pod.find("status");
  const std::string_view phase = status == nullptr ? "" : text_at(*status, "phase");
  return phase == "Succeeded" || phase == "Failed";
}

std::string bound_node(const Value& object) {
  const Value* spec = object.find("spec");
  if (spec == nullptr || has_finished(object)) return "";
  const std::string_view node = text_at(*spec, "nodeName");
  return node.size() > kMaxNameBytes ? "" : std::string(node);
}

}  // namespace elbowroom::api
