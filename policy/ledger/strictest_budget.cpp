#include "policy/ledger/strictest_budget.h"

namespace elbowroom::policy {

DisruptionBudget strictest_budget(std::string_view ns, std::string_view name) {
  DisruptionBudget strictest;
  strictest.ns = ns;
  strictest.name = name;
  strictest.selector = LabelSelector{};
  strictest.max_unavailable = IntOrPercent{};
  strictest.hard = true;
  return strictest;
}

}  // namespace elbowroom::policy
