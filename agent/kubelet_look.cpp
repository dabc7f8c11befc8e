#include "agent/kubelet_look.h"

#include <string>

#include "api/http_answer.h"

namespace elbowroom::agent {
namespace {

std::string url_of(const daemon::Address& healthz) {
  return "http://" + daemon::to_string(healthz) + "/healthz";
}

}  // namespace

bool kubelet_answers(const daemon::Address& healthz, std::chrono::milliseconds within) {
  return api::http_answer(url_of(healthz), within) != 0;
}

Result<void> check_no_kubelet(const daemon::Address& healthz) {
  constexpr std::chrono::milliseconds kWithin{1000};
  if (!kubelet_answers(healthz, kWithin)) return {};
  return failure(Code::Invalid,
                 "mode authority: a kubelet answers at " + url_of(healthz) +
                     ", and two of us would undo each other's work on the same pods: set mode: "
                     "companion, or stop the kubelet; if that is no kubelet, set kubeletHealthz to "
                     "where one would answer, or to \"\"");
}

}  // namespace elbowroom::agent
