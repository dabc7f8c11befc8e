#include "cluster/ledger_sight.h"

namespace elbowroom::cluster {

LedgerSight sight_of(const Snapshot& snapshot, policy::Time now) {
  return {.budget = [&snapshot](const BudgetName& name) -> const auto* {
            const auto* known = snapshot.own_budget(name.ns, name.name);
            return known != nullptr && known->uid == name.uid ? known : nullptr;
          },
          .strength = [&snapshot](const auto& budget) { return snapshot.strength_over(budget); },
          .pods = [&snapshot](const auto& budget,
                              const auto& ledger) { return snapshot.named_by(ledger, budget.ns); },
          .now = now};
}

}  // namespace elbowroom::cluster
