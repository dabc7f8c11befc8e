// One annotation of a Node, written under its own value as precondition: of programs that edit it
// side by side one succeeds, and what others write elsewhere in the Node does not matter.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/transport/http.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

// The annotation as it was read.
struct NodeAnnotation {
  std::string node{};
  std::string uid{};  // of the Node
  std::string key{};
  bool has_annotations = false;        // the Node has any
  std::optional<std::string> value{};  // none: the Node has no such annotation
};

// "/api/v1/nodes/NAME".
[[nodiscard]] std::string node_object_path(std::string_view node);

// From a Node as the API has it. Invalid: no name or no uid, or the value is no string.
[[nodiscard]] Result<NodeAnnotation> annotation_in(const Value& node, std::string_view key);

// A JSON patch: the annotation becomes `value`, or goes away. The answer is 422 where it is not as
// it was read, where another Node has the name, and where the server refuses the value; read
// again to know which. Requires that there is something to change.
// Source: evanphx/json-patch v4, where a test for null passes on a member that is absent.
[[nodiscard]] Request annotation_request(const NodeAnnotation& read,
                                         const std::optional<std::string>& value);

}  // namespace elbowroom::api
