#include "api/codec/object_ref.h"

#include "api/codec/json.h"

namespace elbowroom::api {

ObjectRef ref_of(const Value& object) {
  const Value* metadata = object.find("metadata");
  if (metadata == nullptr) return {};
  return {std::string(text_at(*metadata, "namespace")), std::string(text_at(*metadata, "name")),
          std::string(text_at(*metadata, "uid"))};
}

std::string to_string(const ObjectRef& ref) {
  return ref.ns.empty() ? ref.name : ref.ns + "/" + ref.name;
}

}  // namespace elbowroom::api
