// An object of the cluster as the world answers with it: its tree and, of one that is stored, its
// text and the pod it is. The one thing to know: what it refers to never changes, so the world, its
// history and whoever asked hold the same one, in whatever thread, and nothing is copied.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/api_error.h"
#include "lab/json.h"
#include "lab/kind.h"
#include "policy/pod.h"

namespace elbowroom::lab {

class Object {
 public:
  // Something to answer with that is not stored.
  explicit Object(Json json)
      : body_(std::make_shared<const Body>(Body{.json = std::move(json), .text = {}, .pod = {}})) {}

  // As the world stores it. 422: a pod that makes no sense.
  [[nodiscard]] static Answer<Object> stored(const Kind& kind, Json json);

  // One that is gone, as everybody is told of it.
  [[nodiscard]] static Object told(Json json);

  [[nodiscard]] const Json& json() const { return body_->json; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is that tree, for all who read
  operator const Json&() const { return body_->json; }
  [[nodiscard]] const Json& operator[](const char* key) const { return body_->json[key]; }

  // The tree on one line.
  [[nodiscard]] std::string text() const {
    return body_->text.empty() ? to_text(body_->json) : body_->text;
  }

  // Of a stored pod what policy decides on; else nullptr.
  [[nodiscard]] const policy::Pod* pod() const { return body_->pod ? &*body_->pod : nullptr; }

 private:
  struct Body {
    Json json{};
    std::string text{};  // "": not made
    std::optional<policy::Pod> pod{};
  };

  explicit Object(Body body) : body_(std::make_shared<const Body>(std::move(body))) {}

  std::shared_ptr<const Body> body_;
};

}  // namespace elbowroom::lab
