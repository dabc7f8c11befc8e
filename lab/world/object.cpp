#include "lab/world/object.h"

#include "lab/world/pod_rules.h"

namespace elbowroom::lab {

Answer<Object> Object::stored(const Kind& kind, Json json) {
  if (kind.name != "Pod") return Object(std::move(json));
  ASSIGN_OR_RETURN(policy::Pod pod, decode(json));
  return Object(std::move(json), std::move(pod));
}

const std::string& Object::text() const {
  std::call_once(body_->has_text, [this] { body_->text = to_text(body_->json); });
  return body_->text;
}

}  // namespace elbowroom::lab
