// Detects a kubelet on this machine. Any HTTP answer counts, whatever its status, because an
// unhealthy kubelet still writes to its pods. A kubelet that accepts the connection and stays
// silent counts, too, but while we run only the second time in a row.
#pragma once

#include <chrono>
#include <optional>

#include "agent/observation.h"
#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::agent {

// Invalid, with the remedy: a kubelet runs, and authority does not start beside it. Blocks for at
// most a second.
[[nodiscard]] Result<void> check_no_kubelet(const daemon::Address& healthz);

// The probes of a running agent.
class KubeletProbe {
 public:
  explicit KubeletProbe(daemon::Address healthz) : healthz_(std::move(healthz)) {}

  // Requests http://ADDRESS/healthz, for at most `within`, never through a proxy. Nothing: no
  // kubelet was found.
  [[nodiscard]] std::optional<KubeletSeen> look(std::chrono::milliseconds within);

 private:
  daemon::Address healthz_;
  bool silent_before_ = false;  // a machine under load may be slow once
};

}  // namespace elbowroom::agent
