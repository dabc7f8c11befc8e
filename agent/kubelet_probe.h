// Whether a kubelet runs on this machine. Any answer over HTTP counts, whatever its status, because
// a kubelet that is unwell writes to its pods all the same; and so does one that takes our
// connection and says nothing, though while we run only the second time in a row.
#pragma once

#include <chrono>
#include <optional>

#include "agent/observation.h"
#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::agent {

// Invalid, with the remedy, where one is there: authority does not start beside it. Blocks for a
// second at most.
[[nodiscard]] Result<void> check_no_kubelet(const daemon::Address& healthz);

// The looks of an agent that runs.
class KubeletProbe {
 public:
  explicit KubeletProbe(daemon::Address healthz) : healthz_(std::move(healthz)) {}

  // Asks http://ADDRESS/healthz; no longer than `within`, never through a proxy. Nothing: there is
  // no kubelet as far as is known.
  [[nodiscard]] std::optional<KubeletSeen> look(std::chrono::milliseconds within);

 private:
  daemon::Address healthz_;
  bool silent_before_ = false;  // a machine under load may keep us waiting once
};

}  // namespace elbowroom::agent
