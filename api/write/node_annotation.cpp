#include "api/write/node_annotation.h"

#include <utility>
#include <vector>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/url.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kAnnotations = "/metadata/annotations";

// A key as a step of a JSON pointer.
std::string step_of(std::string_view key) {
  std::string step = "/";
  for (const char each : key) {
    if (each == '~') {
      step += "~0";
    } else if (each == '/') {
      step += "~1";
    } else {
      step += each;
    }
  }
  return step;
}

Value operation(std::string op, std::string path) {
  return json_map({{"op", json_text(std::move(op))}, {"path", json_text(std::move(path))}});
}

Value operation(std::string op, std::string path, Value value) {
  Value made = operation(std::move(op), std::move(path));
  set_member(made, "value", std::move(value));
  return made;
}

}  // namespace

std::string node_object_path(std::string_view node) {
  return "/api/v1/nodes/" + percent_encoded(node);
}

Result<NodeAnnotation> annotation_in(const Value& node, std::string_view key) {
  const ObjectRef ref = ref_of(node);
  const Field root(node, Source::Server);
  ASSIGN_OR_RETURN(const Field metadata, root.get("metadata"));
  if (ref.name.empty() || ref.uid.empty()) return metadata.refuse("must have name and uid");
  ASSIGN_OR_RETURN(const Field annotations, metadata.get("annotations"));
  NodeAnnotation read{.node = ref.name,
                      .uid = ref.uid,
                      .key = std::string(key),
                      .has_annotations = annotations.present()};
  ASSIGN_OR_RETURN(const Field at, annotations.get(key));
  if (at.present()) {
    ASSIGN_OR_RETURN(read.value, at.as_text());
  }
  return read;
}

Request annotation_request(const NodeAnnotation& read, const std::optional<std::string>& value) {
  const std::string path = std::string(kAnnotations) + step_of(read.key);
  std::vector<Value> steps = {operation("test", "/metadata/uid", json_text(read.uid))};
  if (!read.has_annotations) {
    steps.push_back(operation("test", std::string(kAnnotations), Value{}));
    steps.push_back(operation("add", std::string(kAnnotations),
                              json_map({{read.key, json_text(value.value_or(""))}})));
  } else {
    steps.push_back(operation("test", path, read.value ? json_text(*read.value) : Value{}));
    steps.push_back(value ? operation("add", path, json_text(*value)) : operation("remove", path));
  }
  Request request;
  request.method = Method::Patch;
  request.path = node_object_path(read.node);
  request.content_type = kJsonPatch;
  request.body = api::to_json(json_list(std::move(steps)));
  return request;
}

}  // namespace elbowroom::api
