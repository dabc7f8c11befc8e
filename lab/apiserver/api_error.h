// The errors of the lab's API server: upstream's Status objects, as values. Clients classify by
// reason first and by code second, so both are upstream's.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

struct ApiError {
  int code = 500;
  std::string reason{};  // "NotFound", ...
  std::string message{};
  Json details = Json::object();
  int retry_after_seconds = 0;  // 0: not sent

  friend bool operator==(const ApiError&, const ApiError&) = default;
};

template <class T>
using Answer = std::expected<T, ApiError>;

// One thing that is wrong with an object.
struct FieldProblem {
  std::string reason{};   // "FieldValueInvalid", "FieldValueForbidden", ...
  std::string field{};    // "spec.containers[0].resources.limits"
  std::string message{};  // without the field name

  friend bool operator==(const FieldProblem&, const FieldProblem&) = default;
};

[[nodiscard]] Json to_status(const ApiError& error);
// {"kind": "Status", "status": "Success", ...}
[[nodiscard]] Json success_status(int code);

[[nodiscard]] ApiError bad_request(std::string message);
[[nodiscard]] ApiError not_found(const Kind& kind, std::string_view name);
[[nodiscard]] ApiError already_exists(const Kind& kind, std::string_view name);
// 409, with upstream's "Operation cannot be fulfilled on ...: WHY".
[[nodiscard]] ApiError conflict(const Kind& kind, std::string_view name, std::string_view why);
[[nodiscard]] ApiError stale(const Kind& kind, std::string_view name);
[[nodiscard]] ApiError wrong_uid(const Kind& kind, std::string_view name, std::string_view asked,
                                 std::string_view live);
// 403; `why` follows upstream's `pods "x" is forbidden: `.
[[nodiscard]] ApiError forbidden(const Kind& kind, std::string_view name, std::string_view why);
// 422, one cause for each problem. Requires at least one.
[[nodiscard]] ApiError invalid(const Kind& kind, std::string_view name,
                               const std::vector<FieldProblem>& problems);
// 410: the history no longer contains that version.
[[nodiscard]] ApiError expired(std::uint64_t asked, std::uint64_t oldest);
// 504: that version does not exist yet.
[[nodiscard]] ApiError too_large_version(std::uint64_t asked, std::uint64_t live);

}  // namespace elbowroom::lab
