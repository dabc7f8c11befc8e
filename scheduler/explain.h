// Why the scheduler makes room for a pod's resize, or does not. The one thing to know: it is what
// the reactor decided at the pod's last turn, not another judgement.
#pragma once

#include <string>
#include <string_view>

#include "policy/time.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

// As JSON (kind SchedulerExplanation); "" for a pod that does not wait for room.
[[nodiscard]] std::string explain(const Reactor& reactor, std::string_view key, policy::Time wall);

}  // namespace elbowroom::scheduler
