// A request to the API server and its response, as values. A Response is any answer of the server,
// including errors; status_error.h interprets errors.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/transport/url.h"

namespace elbowroom::api {

enum class Method : std::uint8_t { Get, Post, Put, Patch, Delete };
[[nodiscard]] std::string_view to_string(Method method);

// The client-side rate limit that a request waits for. Watches have none.
enum class Lane : std::uint8_t { Calls, Events, Unlimited };

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

struct Request {
  Method method = Method::Get;
  std::string path{};  // encoded, relative to the server's base: "/api/v1/nodes"
  Query query{};
  std::string content_type{};  // of the body; "" without one
  std::string accept{};        // the accepted types; "": JSON
  std::string body{};
  Lane lane = Lane::Calls;
  std::chrono::milliseconds deadline{15'000};  // counted from sending
  // On the transport's clock. The request is not sent at or after this time, and is given up by
  // then.
  std::optional<std::chrono::steady_clock::time_point> not_after{};
  std::chrono::milliseconds idle_limit{0};       // without a byte received; 0: none
  std::size_t max_body = std::size_t{16} << 20;  // bytes of the response; beyond: Exhausted
};

struct Response {
  int status = 0;
  std::string content_type{};           // without parameters, in lower case
  std::string date{};                   // the Date header
  std::string warning{};                // the last Warning header
  std::chrono::seconds retry_after{0};  // 0: not said
  std::string body{};
  std::string remark{};  // our own addition to the server's explanation; "" for none

  friend bool operator==(const Response&, const Response&) = default;
};

// The longest Retry-After that is honored.
inline constexpr std::chrono::seconds kMaxRetryAfter{60};

[[nodiscard]] inline bool is_success(const Response& response) {
  return response.status >= 200 && response.status < 300;
}

// Adds one header line ("Name: value", with or without line end) to the response. Unknown headers
// are dropped, long ones cut to 1 KiB. Retry-After is read as seconds, or as a date after a Date
// header; values above kMaxRetryAfter are reduced to it.
void take_header(Response& response, std::string_view line);
// Whether take_header() keeps anything of a header of that name, in lower case.
[[nodiscard]] bool is_header_taken(std::string_view name);

}  // namespace elbowroom::api
