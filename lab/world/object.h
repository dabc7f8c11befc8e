// An object of the cluster as the world returns it: its tree, its text and, for a stored pod, its
// decoded value. The shared content never changes, so the world, its history and all readers, in
// any thread, use one copy; its text is built once, on first use.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/model/pod.h"

namespace elbowroom::lab {

class Object {
 public:
  // An object to return that is not stored, or no longer.
  explicit Object(Json json) : body_(std::make_shared<const Body>(std::move(json))) {}

  // The object as the world stores it. 422: an invalid pod.
  [[nodiscard]] static Answer<Object> stored(const Kind& kind, Json json);

  [[nodiscard]] const Json& json() const { return body_->json; }
  // NOLINTNEXTLINE(google-explicit-constructor): every reader uses it as its tree
  operator const Json&() const { return body_->json; }
  [[nodiscard]] const Json& operator[](const char* key) const { return body_->json[key]; }

  // The tree on one line.
  [[nodiscard]] const std::string& text() const;

  // The decoded value of a stored pod; else nullptr.
  [[nodiscard]] const policy::Pod* pod() const { return body_->pod ? &*body_->pod : nullptr; }

 private:
  struct Body {
    explicit Body(Json tree) : json(std::move(tree)) {}
    Body(Json tree, policy::Pod is) : json(std::move(tree)), pod(std::move(is)) {}
    ~Body() { destroy_from_leaves(json); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    Json json;
    std::optional<policy::Pod> pod{};
    mutable std::once_flag has_text{};
    mutable std::string text{};
  };

  Object(Json json, policy::Pod pod)
      : body_(std::make_shared<const Body>(std::move(json), std::move(pod))) {}

  std::shared_ptr<const Body> body_;
};

}  // namespace elbowroom::lab
