// Whether a kubelet answers on this machine. The one thing to know: any answer over HTTP counts,
// whatever its status, because a kubelet that is unwell writes to its pods all the same.
#pragma once

#include <chrono>

#include "base/result.h"
#include "daemon/address.h"

namespace elbowroom::agent {

// Asks http://ADDRESS/healthz; no longer than `within`, never through a proxy. False: nobody there,
// no answer in time, or an answer that is not HTTP.
[[nodiscard]] bool kubelet_answers(const daemon::Address& healthz,
                                   std::chrono::milliseconds within);

// Invalid, with the remedy, where one answers: authority does not start beside it.
[[nodiscard]] Result<void> check_no_kubelet(const daemon::Address& healthz);

}  // namespace elbowroom::agent
