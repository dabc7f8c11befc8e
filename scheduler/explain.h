// Why the scheduler makes room for a pod's resize, or does not. It is what the reactor decided at
// the pod's last turn, not another judgement.
#pragma once

#include <string>
#include <string_view>

#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

// As JSON (kind SchedulerExplanation); "" for a pod that does not wait for room. `now` is of the
// reactor's clock.
[[nodiscard]] std::string explain(const Reactor& reactor, std::string_view key, const Moment& now,
                                  bool is_dry_run);

}  // namespace elbowroom::scheduler
