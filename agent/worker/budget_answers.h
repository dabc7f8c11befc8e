// The API server's answers about DisruptionBudgets, as observations and as the next request.
#pragma once

#include <cstddef>
#include <string>

#include "agent/effect.h"
#include "agent/observation.h"
#include "api/transport/http.h"
#include "base/result.h"

namespace elbowroom::agent {

// The limit for one namespace.
inline constexpr std::size_t kMostBudgets = 1'000;

// The answer to a list of the namespace's budgets; `effect` is not set. A budget that cannot be
// understood is a hard one over the whole namespace that allows nothing. Exhausted: more than
// kMostBudgets. Invalid: the answer is no list, or has no date.
[[nodiscard]] Result<BudgetsRead> budgets_of(const Result<api::Response>& response,
                                             const std::string& ns);

// The write that enters the victim, given the budget as it was read. NotFound: the budget of that
// uid is gone.
[[nodiscard]] Result<api::Request> debit_of(const Result<api::Response>& response,
                                            const EnterVictim& what);

}  // namespace elbowroom::agent
