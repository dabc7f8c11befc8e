// How a program that keeps a snapshot sees the ledgers that it debits.
#pragma once

#include "cluster/debit_queue.h"
#include "cluster/snapshot.h"
#include "policy/model/time.h"

namespace elbowroom::cluster {

// `now`: by the API server's clock. The snapshot must outlive it.
[[nodiscard]] LedgerSight sight_of(const Snapshot& snapshot, policy::Time now);

}  // namespace elbowroom::cluster
