// A request to the API server and its response, as values. A Response is whatever the server said,
// errors included; status_error.h says what an error means.
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

// Which of the client's rate limits a request waits for. Watches have none.
enum class Lane : std::uint8_t { Calls, Events, Unlimited };

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

struct Request {
  Method method = Method::Get;
  std::string path{};  // encoded, from the server's base: "/api/v1/nodes"
  Query query{};
  std::string content_type{};  // of the body; "" without one
  std::string accept{};        // what may be answered; "": JSON
  std::string body{};
  Lane lane = Lane::Calls;
  std::chrono::milliseconds deadline{15'000};  // from the moment it is put on the wire
  // On the transport's clock: it is not put on the wire then or later, and given up by then.
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
  std::string remark{};  // what we know about a refusal that the server did not say; "" for nothing

  friend bool operator==(const Response&, const Response&) = default;
};

// The longest that a server's wish to be left alone is honoured.
inline constexpr std::chrono::seconds kMaxRetryAfter{60};

[[nodiscard]] inline bool is_success(const Response& response) {
  return response.status >= 200 && response.status < 300;
}

// Takes one header line ("Name: value", line end included or not) into the response; unknown ones
// are dropped, long ones cut to 1 KiB. Retry-After counts as seconds, or as a date where a Date
// came before it; more than kMaxRetryAfter is that.
void take_header(Response& response, std::string_view line);

}  // namespace elbowroom::api
