#include "agent/worker/kubelet_probe.h"

#include <string>
#include <utility>

#include "api/transport/http_answer.h"

namespace elbowroom::agent {
namespace {

using api::HttpAnswer;

std::string url_of(const daemon::Address& healthz) {
  return "http://" + daemon::to_string(healthz) + "/healthz";
}

}  // namespace

Result<void> check_no_kubelet(const daemon::Address& healthz) {
  constexpr std::chrono::milliseconds kWithin{1000};
  const HttpAnswer answer = api::http_answer(url_of(healthz), kWithin);
  if (answer == HttpAnswer::Nobody) return {};
  const std::string who =
      answer == HttpAnswer::Answered
          ? "a kubelet answers at " + url_of(healthz)
          : "somebody is at " + url_of(healthz) + " and says nothing, like a kubelet that hangs";
  return failure(Code::Invalid,
                 "mode authority: " + who +
                     ", and two of us would undo each other's work on the same pods: set mode: "
                     "companion, or stop the kubelet; if that is no kubelet, set kubeletHealthz to "
                     "where one would answer, or to \"\"");
}

std::optional<KubeletSeen> KubeletProbe::look(std::chrono::milliseconds within) {
  const HttpAnswer answer = api::http_answer(url_of(healthz_), within);
  const bool silent = answer == HttpAnswer::Silent;
  const bool silent_again = std::exchange(silent_before_, silent) && silent;
  if (answer != HttpAnswer::Answered && !silent_again) return std::nullopt;
  return KubeletSeen{.where = url_of(healthz_), .silent = silent};
}

}  // namespace elbowroom::agent
