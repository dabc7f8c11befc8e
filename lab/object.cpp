#include "lab/object.h"

#include "lab/pod_rules.h"

namespace elbowroom::lab {

Answer<Object> Object::stored(const Kind& kind, Json json) {
  Body body{.json = std::move(json), .text = {}, .pod = {}};
  if (kind.name == "Pod") {
    ASSIGN_OR_RETURN(body.pod, decode(body.json));
  }
  body.text = to_text(body.json);
  return Object(std::move(body));
}

}  // namespace elbowroom::lab
