// The ledger in the status of a DisruptionBudget: status.recentDisruptions, a list of
// {pod, uid, time, by} (contract 68).
#pragma once

#include "base/document.h"
#include "base/result.h"
#include "policy/ledger/ledger.h"

namespace elbowroom::api {

// From a whole DisruptionBudget. Invalid, with the field's name: a wrong type, an entry without uid
// or time, more than policy::kMostLedgerEntries.
[[nodiscard]] Result<policy::Ledger> decode_ledger(const Value& budget);

// The list; a `by` that is "" is left out. Times have whole seconds.
[[nodiscard]] Value encode_ledger(const policy::Ledger& ledger);

}  // namespace elbowroom::api
