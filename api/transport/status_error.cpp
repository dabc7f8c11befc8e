#include "api/transport/status_error.h"

#include <algorithm>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxText = 2048;
constexpr std::size_t kMaxCauses = 16;

// One line of at most kMaxText bytes, UTF-8, no control characters.
std::string one_line(std::string_view text) {
  std::string_view cut = text.substr(0, kMaxText);
  std::string out;
  while (!cut.empty()) {
    const std::size_t valid = first_invalid_utf8(cut);
    for (const char c : cut.substr(0, valid)) {
      const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      if (control && !out.empty() && out.back() == ' ') continue;
      out += control ? ' ' : c;
    }
    // A character that the cut splits at the very end is dropped, not marked.
    if (valid < cut.size() && (text.size() <= kMaxText || valid + 4 < cut.size())) out += '?';
    cut.remove_prefix(std::min(cut.size(), valid + 1));
  }
  while (out.ends_with(' ')) out.pop_back();
  while (out.ends_with('.')) out.pop_back();
  return out;
}

// The reason for a code. Source: apimachinery errors.NewGenericServerResponse.
std::string reason_of(int code, Method method) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return method == Method::Post ? "AlreadyExists" : "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return code >= 500 ? "InternalError" : "Unknown";
  }
}

bool is_status_object(const Value& object) {
  return object.kind == Value::Kind::Map && text_at(object, "kind") == "Status";
}

// A 422 about nothing but the uid: another object now has the name.
bool is_uid_mismatch(const Status& status) {
  return std::ranges::any_of(status.causes,
                             [](const StatusCause& c) { return c.field == "metadata.uid"; }) ||
         (status.causes.empty() && status.message.find("metadata.uid") != std::string::npos);
}

Code code_of(const Status& status) {
  const std::string& reason = status.reason;
  if (reason == "NotFound") return Code::NotFound;
  if (reason == "Conflict" || reason == "AlreadyExists") return Code::Conflict;
  if (reason == "Expired" || reason == "Gone") return Code::Gone;
  if (reason == "Unauthorized" || reason == "Forbidden") return Code::Denied;
  if (reason == "Invalid") return is_uid_mismatch(status) ? Code::Conflict : Code::Invalid;
  if (reason == "TooManyRequests" || reason == "ServerTimeout" || reason == "Timeout" ||
      reason == "InternalError" || reason == "ServiceUnavailable") {
    return Code::Unavailable;
  }

  // The reason is unknown: the code decides.
  if (status.code == 404) return Code::NotFound;
  if (status.code == 409) return Code::Conflict;
  if (status.code == 410) return Code::Gone;
  if (status.code == 401 || status.code == 403) return Code::Denied;
  if (status.code == 429 || status.code >= 500) return Code::Unavailable;
  return Code::Invalid;
}

// Requests for protobuf also get their errors in protobuf.
Result<Value> body_of(const Response& response) {
  constexpr DocumentLimits kLimits{.bytes = 1 << 20, .values = 10'000};
  if (response.body.starts_with('{')) return parse_json(response.body, kLimits);
  if (response.body.starts_with(kProtobufMagic) && response.body.size() <= kLimits.bytes) {
    return protobuf_object(response.body);
  }
  return failure(Code::Invalid, "no Status");
}

}  // namespace

Status status_from(const Value& object) {
  Status status;
  status.code = static_cast<int>(std::clamp<std::int64_t>(integer_at(object, "code"), 0, 999));
  status.reason = one_line(text_at(object, "reason").substr(0, 64));
  status.message = one_line(text_at(object, "message"));
  if (const Value* details = object.find("details"); details != nullptr) {
    status.retry_after = std::chrono::seconds(std::clamp<std::int64_t>(
        integer_at(*details, "retryAfterSeconds"), 0, kMaxRetryAfter.count()));
    if (const Value* causes = details->find("causes"); causes != nullptr) {
      for (const Value& cause : causes->items) {
        if (status.causes.size() == kMaxCauses) break;
        status.causes.push_back({one_line(text_at(cause, "reason")),
                                 one_line(text_at(cause, "message")),
                                 one_line(text_at(cause, "field"))});
      }
    }
  }
  if (status.reason.empty()) status.reason = reason_of(status.code, Method::Get);
  return status;
}

Status status_from(const Response& response, Method method) {
  Status status;
  const Result<Value> parsed = body_of(response);
  if (parsed && is_status_object(*parsed)) {
    const bool has_reason = !text_at(*parsed, "reason").empty();
    status = status_from(*parsed);
    if (!has_reason) status.reason.clear();
  } else {
    status.message = one_line(response.body);
  }
  status.code = response.status;
  status.remark = response.remark;
  if (response.status >= 300 && response.status < 400) {
    status.message = "the server redirects elsewhere, which is never followed";
  }
  if (status.reason.empty()) status.reason = reason_of(response.status, method);
  status.retry_after = std::max(status.retry_after, response.retry_after);
  // ServerTimeout always suggests a wait, even without a duration.
  if (status.reason == "ServerTimeout") {
    status.retry_after = std::max(status.retry_after, std::chrono::seconds(1));
  }
  return status;
}

bool is_expired(const Status& status) {
  return status.reason == "Expired" || status.reason == "Gone" || status.code == 410;
}

bool is_version_too_large(const Status& status) {
  return std::ranges::any_of(
             status.causes,
             [](const StatusCause& cause) { return cause.reason == "ResourceVersionTooLarge"; }) ||
         status.message.find("Too large resource version") != std::string::npos;
}

bool is_already_exists(const Status& status) { return status.reason == "AlreadyExists"; }

Error error_from(const Status& status) {
  std::string message = std::to_string(status.code) + " " + status.reason;
  if (!status.message.empty()) message += ": " + status.message;
  if (!status.remark.empty()) message += "; " + status.remark;
  return {code_of(status), std::move(message), status.retry_after};
}

Error error_from(const Response& response, Method method) {
  return error_from(status_from(response, method));
}

}  // namespace elbowroom::api
