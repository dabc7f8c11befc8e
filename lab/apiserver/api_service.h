// The Kubernetes API of a world: a request in, a reply out. It has no socket, no thread and no
// clock of its own, so the HTTP server and the simulation in virtual time serve the same API.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/apiserver/api_request.h"
#include "lab/apiserver/api_watch.h"
#include "lab/apiserver/route.h"
#include "lab/world/json.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

struct ApiServiceOptions {
  std::chrono::milliseconds bookmark_interval{60'000};
};

class ApiService {
 public:
  // `world` must outlive the service, and needs its time set before each call.
  explicit ApiService(World& world, ApiServiceOptions options = {})
      : world_(world), options_(options) {}

  // True when the request asks for a watch; such a request must be passed to watch().
  [[nodiscard]] static bool is_watch(const ApiRequest& request);

  // Answers any other request. An error is a reply too: a Status object with its code.
  [[nodiscard]] ApiReply answer(const ApiRequest& request);

  // Opens the watch, or returns the error.
  [[nodiscard]] Answer<ApiWatch> watch(const ApiRequest& request, ApiWatch::Clock::time_point now);

 private:
  [[nodiscard]] Answer<Json> read_fields(const ApiRequest& request, const Kind& kind, Json object);
  [[nodiscard]] Answer<Json> body_of(const ApiRequest& request, const Kind& kind);
  [[nodiscard]] Answer<Object> object(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> read(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> post(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> put(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> patch(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> apply(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> remove(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Object> scale(const ApiRequest& request, const Route& route);
  [[nodiscard]] Answer<Json> wanted_scale(const ApiRequest& request, Json scale);

  World& world_;
  bool created_ = false;                 // the apply created the object
  std::vector<std::string> warnings_{};  // for the request being answered
  ApiServiceOptions options_;
};

// The reply that carries an error.
[[nodiscard]] ApiReply reply_of(const ApiError& error);

}  // namespace elbowroom::lab
