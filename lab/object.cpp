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

Object Object::told(Json json) {
  std::string text = to_text(json);
  return Object(Body{.json = std::move(json), .text = std::move(text), .pod = {}});
}

}  // namespace elbowroom::lab
