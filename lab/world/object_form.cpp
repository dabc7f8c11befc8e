#include "lab/world/object_form.h"

#include <utility>

#include "lab/apiserver/event_form.h"

namespace elbowroom::lab {

Object shown(const Kind& kind, const Object& object) {
  if (kind.group == "events.k8s.io") return Object(events_k8s_io_event(object.json()));
  if (!is_of_groups(kind) || text_at(object, {"kind"}) != kind.name) return object;
  const std::string version = api_version_of(kind);
  if (text_at(object, {"apiVersion"}) == version) return object;
  Json renamed = object.json();
  renamed["apiVersion"] = version;
  return Object(std::move(renamed));
}

Answer<Object> in_version(const Kind& kind, Answer<Object> answer) {
  if (!answer || !is_of_groups(kind)) return answer;
  return shown(kind, *answer);
}

}  // namespace elbowroom::lab
