#include "api/watch/server_version.h"

#include <charconv>
#include <utility>

#include "api/codec/json.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

int number_of(std::string_view text) {
  int number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);  // "37+" is 37
  return number;
}

}  // namespace

ServerVersion server_version_from(std::string_view body) {
  const auto document = parse_json(body);
  if (!document) return {};
  return {.text = std::string(text_at(*document, "gitVersion").substr(0, 64)),
          .major = number_of(text_at(*document, "major")),
          .minor = number_of(text_at(*document, "minor"))};
}

std::string too_old(const ServerVersion& server) {
  if (server.text.empty() || server.major != 1 || server.minor >= kFirstMinorThatResizes) return {};
  return "Kubernetes " + server.text +
         " is too old: pods are resized in place from 1.33 on: upgrade the control plane to 1.33 "
         "or later";
}

VersionCheck::VersionCheck(Transport& transport, Tell tell, Changed changed)
    : transport_(transport), tell_(std::move(tell)), changed_(std::move(changed)) {}

void VersionCheck::look(const Freshness& followed) {
  if (std::exchange(was_stale_, followed.is_stale) && !followed.is_stale) is_due_ = true;
  if (std::exchange(watches_, followed.watches) != followed.watches) is_due_ = true;
  if (!followed.is_synced || !std::exchange(is_due_, false)) return;
  Request request;
  request.path = "/version";
  transport_.send(std::move(request), [this](const Result<Response>& answer) { take(answer); });
}

// A server that does not answer, or denies the request, is not a problem here.
void VersionCheck::take(const Result<Response>& answer) {
  if (!answer || !is_success(*answer)) return;
  const ServerVersion server = server_version_from(answer->body);
  const std::string before = std::exchange(version_, server.text);
  if (!before.empty() && before != server.text) changed_();
  const std::string trouble = too_old(server);
  if (std::exchange(told_, trouble) != trouble && !trouble.empty()) tell_(trouble);
}

}  // namespace elbowroom::api
