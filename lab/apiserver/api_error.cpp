#include "lab/apiserver/api_error.h"

#include <utility>

namespace elbowroom::lab {
namespace {

Json details_of(const Kind& kind, std::string_view name) {
  Json details = Json::object();
  details["name"] = name;
  if (!kind.group.empty()) details["group"] = kind.group;
  details["kind"] = kind.plural;
  return details;
}

std::string kind_and_name(const Kind& kind, std::string_view name) {
  return resource_name(kind) + " \"" + std::string(name) + "\"";
}

}  // namespace

Json to_status(const ApiError& error) {
  Json details = error.details;
  if (error.retry_after_seconds > 0) details["retryAfterSeconds"] = error.retry_after_seconds;
  Json status = {{"kind", "Status"},    {"apiVersion", "v1"},       {"metadata", Json::object()},
                 {"status", "Failure"}, {"message", error.message}, {"code", error.code}};
  if (!error.reason.empty()) status["reason"] = error.reason;
  if (!details.empty()) status["details"] = std::move(details);
  return status;
}

Json success_status(int code) {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"code", code}};
}

ApiError bad_request(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

ApiError not_found(const Kind& kind, std::string_view name) {
  return {.code = 404,
          .reason = "NotFound",
          .message = kind_and_name(kind, name) + " not found",
          .details = details_of(kind, name)};
}

ApiError already_exists(const Kind& kind, std::string_view name) {
  return {.code = 409,
          .reason = "AlreadyExists",
          .message = kind_and_name(kind, name) + " already exists",
          .details = details_of(kind, name)};
}

ApiError conflict(const Kind& kind, std::string_view name, std::string_view why) {
  return {.code = 409,
          .reason = "Conflict",
          .message = "Operation cannot be fulfilled on " + kind_and_name(kind, name) + ": " +
                     std::string(why),
          .details = details_of(kind, name)};
}

ApiError stale(const Kind& kind, std::string_view name) {
  return conflict(kind, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError wrong_uid(const Kind& kind, std::string_view name, std::string_view asked,
                   std::string_view live) {
  return conflict(kind, name,
                  "the UID in the precondition (" + std::string(asked) +
                      ") does not match the UID in record (" + std::string(live) +
                      "). The object might have been deleted and then recreated");
}

ApiError forbidden(const Kind& kind, std::string_view name, std::string_view why) {
  return {.code = 403,
          .reason = "Forbidden",
          .message = kind_and_name(kind, name) + " is forbidden: " + std::string(why),
          .details = details_of(kind, name)};
}

ApiError invalid(const Kind& kind, std::string_view name,
                 const std::vector<FieldProblem>& problems) {
  ApiError error{.code = 422, .reason = "Invalid", .details = details_of(kind, name)};
  error.details["kind"] = kind.name;
  error.details["causes"] = Json::array();
  std::string all;
  for (const FieldProblem& problem : problems) {
    if (!all.empty()) all += ", ";
    all += problem.field + ": " + problem.message;
    error.details["causes"].push_back(
        {{"reason", problem.reason}, {"message", problem.message}, {"field", problem.field}});
  }
  if (problems.size() > 1) all = "[" + all + "]";
  const std::string what =
      std::string(kind.name) + (kind.group.empty() ? "" : "." + std::string(kind.group));
  error.message = what + " \"" + std::string(name) + "\" is invalid: " + all;
  return error;
}

ApiError expired(std::uint64_t asked, std::uint64_t oldest) {
  return {.code = 410,
          .reason = "Expired",
          .message = "too old resource version: " + std::to_string(asked) + " (" +
                     std::to_string(oldest) + ")"};
}

ApiError too_large_version(std::uint64_t asked, std::uint64_t live) {
  ApiError error{.code = 504,
                 .reason = "Timeout",
                 .message = "Too large resource version: " + std::to_string(asked) +
                            ", current: " + std::to_string(live),
                 .retry_after_seconds = 1};
  error.details["causes"] = Json::array(
      {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}});
  return error;
}

}  // namespace elbowroom::lab
