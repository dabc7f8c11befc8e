// What a disruption budget allows now, and why; which of them cover a pod. It is what the pods and
// the ledger say at the moment of the question, whoever leads.
#pragma once

#include <string>
#include <string_view>

#include "control/observation.h"
#include "rescheduler/reactor.h"

namespace elbowroom::rescheduler {

// As JSON (kind BudgetExplanation); "" for a budget that is not known. `now` is of the reactor's
// clock.
[[nodiscard]] std::string explain_budget(const Reactor& reactor, std::string_view key,
                                         const Moment& now, bool is_dry_run);

// Which budgets cover the pod, and why it is moved or is not, as JSON (kind BudgetsOfPod); "" for a
// pod that is not known.
[[nodiscard]] std::string explain_pod(const Reactor& reactor, std::string_view key,
                                      const Moment& now);

}  // namespace elbowroom::rescheduler
