// What a debit queue asks of the API server, as calls, and what comes back.
#pragma once

#include "api/transport/http.h"
#include "api/write/client.h"
#include "base/result.h"
#include "cluster/debit_queue.h"
#include "policy/model/budget.h"

namespace elbowroom::cluster {

// Reads the budget, or writes its ledger under its uid and version. What cannot be sent is answered
// with its error at once.
void send(api::Client& writes, const DebitQueue::Read& read, api::Client::Raw done);
void send(api::Client& writes, const DebitQueue::Write& write, api::Client::Raw done);

// The budget in the answer to either: as it is then.
[[nodiscard]] Result<policy::DisruptionBudget> budget_in(const Result<api::Response>& answer);

}  // namespace elbowroom::cluster
