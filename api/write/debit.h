// Writes the ledger of a DisruptionBudget. The resourceVersion that was read is the precondition:
// of programs that write side by side one succeeds, and the others read again and decide again.
#pragma once

#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"
#include "policy/ledger/ledger.h"

namespace elbowroom::api {

// "/apis/elbowroom.dev/v1alpha1/namespaces/NS/disruptionbudgets".
[[nodiscard]] std::string budgets_path(const std::string& ns);
// The same with "/NAME".
[[nodiscard]] std::string budget_path(const ObjectRef& budget);

// A merge patch of the budget's status: recentDisruptions becomes the ledger. Internal: the ref has
// no namespace, name or uid, or there is no version. The answer is a Conflict where the budget was
// written since, or another one has its name.
[[nodiscard]] Result<Request> debit_request(const ObjectRef& budget, const std::string& version,
                                            const policy::Ledger& ledger);

}  // namespace elbowroom::api
