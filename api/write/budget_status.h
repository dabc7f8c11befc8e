// Writes the whole status of a DisruptionBudget, the ledger with it, as its keeper does. The
// resourceVersion that was read is the precondition, as for a debit.
#pragma once

#include <optional>
#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"
#include "policy/model/budget.h"

namespace elbowroom::api {

// A merge patch of the budget's status: each of its fields, and the conditions as one list. Times
// have whole seconds. Internal: the ref has no namespace, name or uid, there is no version, or a
// condition has no reason or no lastTransitionTime, which the API requires. The answer is a
// Conflict where the budget was written since, or another one has its name.
[[nodiscard]] Result<Request> budget_status_request(const ObjectRef& budget,
                                                    const std::string& version,
                                                    const policy::BudgetStatus& status,
                                                    const policy::Ledger& ledger);

// For a budget that is not understood, as the server's JSON: conditions Observed and
// DisruptionAllowed become False and say why, and it allows nothing; all else of its status stays.
// None: it says so already, or is understood by now. Invalid: not the JSON of an object.
[[nodiscard]] Result<std::optional<Request>> odd_budget_request(const std::string& object,
                                                                policy::Time now);

}  // namespace elbowroom::api
